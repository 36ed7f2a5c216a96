/**
 * Does a project keep its agents and workflows when the manifests of its installation break?
 *
 * Real installations are copied and broken as people and merges break them. Everything on disk must still be served, and
 * the fault must be reported once, with a fix. tests/commands/doctor has the fixes that are followed.
 */
import assert from "node:assert/strict";
import { type Entry, hasKind, type Kind } from "../../src/base/model.ts";
import { checkContent } from "../../src/commands/doctor/content.ts";
import { examineLibrary } from "../../src/content/library/health/doctor.ts";
import { diagnose, visibleEntries } from "../../src/content/library/mod.ts";
import { installation, type InstallVersion, runInstaller } from "../support/installs.ts";
import { openProject } from "../support/library.ts";
import { copyTree, treeTest } from "../support/trees.ts";

async function survey(dir: string) {
  const library = await openProject(dir);
  const visible: readonly Entry[] = visibleEntries(library.effective);
  const ids = (kind: Kind) => visible.filter((entry) => hasKind(entry, kind)).map(({ id }) => id).sort();
  const diagnostics = await diagnose(library);
  return {
    served: { agents: ids("agent"), workflows: ids("workflow") },
    issues: diagnostics.map(({ code, path }) => `${code} ${path}`),
    fixes: diagnostics.map(({ fix }) => fix),
    version: library.manifest.sources[0]!.inventory.roots[0]!.version,
  };
}

interface Breakage {
  readonly name: string;
  readonly path: string;
  readonly versions: readonly InstallVersion[];
  /** A text to write in place of the old one; otherwise the file or folder is removed. */
  write?(old: string): string;
}

const CONFIG = "_bmad/_config";
const SKILLS = { path: `${CONFIG}/skill-manifest.csv`, versions: ["6.2.0", "6.5.0", "6.12.0"] } as const;
const ALL = ["6.0.4", ...SKILLS.versions] as const;
const EARLY = ["6.0.0-alpha.22", "6.0.0-Beta.5"] as const;
const NOTES = { path: `${CONFIG}/manifest.yaml`, versions: [...EARLY, ...ALL] };
const LISTS = { versions: [...EARLY, "6.0.4"] } as const;

const BREAKAGES: readonly Breakage[] = [
  { name: "an empty skill manifest", ...SKILLS, write: () => "" },
  { name: "a skill manifest that is not text", ...SKILLS, write: () => "\0\0\0" },
  { name: "a skill manifest without rows", ...SKILLS, write: (old) => old.slice(0, old.indexOf("\n") + 1) },
  { name: "half a skill manifest", ...SKILLS, write: (old) => old.slice(0, old.length / 2) },
  { name: "no skill manifest", ...SKILLS },
  { name: "a manifest.yaml that is not YAML", ...NOTES, write: () => "installation: [\n  x" },
  { name: "an empty manifest.yaml", ...NOTES, write: () => "" },
  { name: "no manifest.yaml", ...NOTES },
  { name: "no manifest of agents", path: `${CONFIG}/agent-manifest.csv`, ...LISTS },
  { name: "no manifest of workflows", path: `${CONFIG}/workflow-manifest.csv`, ...LISTS },
  { name: "no _config", path: CONFIG, versions: ALL },
];

for (const version of [...EARLY, ...ALL]) {
  const test = `broken manifests of ${version} cost no agent and no workflow`;
  treeTest(`${test} [doctor:broken-manifest]`, {}, async (dir, t) => {
    const project = `${dir}/project`;
    await copyTree(await installation(version), project);
    const before = await survey(project);
    assert.deepEqual(before.issues, []);
    for (const { name, path, write } of BREAKAGES.filter(({ versions }) => versions.includes(version))) {
      await t.step(name, async () => {
        const [file, kept] = [`${project}/${path}`, `${dir}/kept`];
        await Deno.rename(file, kept);
        try {
          if (write !== undefined) await Deno.writeTextFile(file, write(await Deno.readTextFile(kept)));
          const after = await survey(project);
          assert.deepEqual(after.served, before.served);
          assert.equal(after.version, version);
          assert.deepEqual(after.issues, [`broken-manifest ${path}`]);
          assert.match(
            after.fixes[0]!,
            // The first installers of 6.0.0 ask.
            new RegExp(
              `npx -y bmad-method@${version} install${version.includes("0-") ? "$" : " .* --modules bmm "}`,
            ),
          );
        } finally {
          await Deno.rename(kept, file);
        }
      });
    }
  });
}

treeTest("a sound installation whose project has skills of its own is not broken", {}, async (dir) => {
  await copyTree(await installation("6.0.4"), dir);
  const before = await survey(dir);
  await Deno.mkdir(`${dir}/.claude/skills/bmad-mine`, { recursive: true });
  const text = "---\nname: bmad-mine\ndescription: Mine\n---\nDo it.\n";
  await Deno.writeTextFile(`${dir}/.claude/skills/bmad-mine/SKILL.md`, text);
  assert.deepEqual(await survey(dir), before);
});

treeTest("a workflow.yaml that is not YAML costs no workflow [doctor:broken-workflow]", {}, async (dir) => {
  await copyTree(await installation("6.0.4"), dir);
  const before = await survey(dir);
  const path = "_bmad/bmm/workflows/4-implementation/sprint-status/workflow.yaml";
  await Deno.writeTextFile(`${dir}/${path}`, "name: [\n  x");
  const after = await survey(dir);
  assert.deepEqual(after.served, before.served);
  assert.deepEqual(after.issues, [`bad-file ${path}`]);
  assert.deepEqual(after.fixes, [`Correct ${dir}/${path}, or delete it`]);
});

treeTest("a broken install-manifest.yaml of v4 costs nothing [doctor:broken-manifest]", {}, async (dir) => {
  await copyTree(await installation("4.44.3"), dir);
  const before = await survey(dir);
  const path = ".bmad-core/install-manifest.yaml";
  await Deno.writeTextFile(`${dir}/${path}`, "version: [\n");
  const after = await survey(dir);
  assert.deepEqual(after.served, before.served);
  assert.deepEqual(after.issues, [`bad-file ${path}`]);
  assert.deepEqual(after.fixes, [`Correct ${dir}/${path}, or delete it`]);
});

/** Before 6.3, npx starts a program of BMAD's that hands the words on without their quotes. */
const REPAIRS: readonly (readonly [version: InstallVersion, lost: string, args: string])[] = [
  ["4.44.3", ".bmad-core/agents/pm.md", "install -f -d ."],
  ["6.0.4", "_bmad/bmm/agents/pm.md", "install --directory . --modules bmm --tools claude-code --yes"],
];

for (const [version, lost, args] of REPAIRS) {
  const name = `the fix for ${version} works in a folder with a space`;
  treeTest(name, { "home/": "" }, async (dir) => {
    const project = `${dir}/my shop`;
    await copyTree(await installation(version), project);
    await Deno.remove(`${project}/${lost}`);
    const [fix] = (await survey(project)).fixes;
    const line = `cd "${project}" && npx -y bmad-method@${version} `;
    assert.equal(fix!.slice(fix!.indexOf(": ") + 2), line + args);
    const { code, said } = await runInstaller(version, args.split(" "), {
      directory: project,
      home: `${dir}/home`,
    });
    // The installer of v4 asks what to do.
    if (version === "4.44.3") return assert.match(said, new RegExp(`${RegExp.escape(project)}[^]*Repair`));
    assert.equal(code, 0, said);
    assert.deepEqual((await survey(project)).issues, []);
  });
}

treeTest("two generations side by side are a notice [doctor:two-generations]", {}, async (dir) => {
  for (const version of ["4.44.3", "6.12.0"] as const) {
    await copyTree(await installation(version), dir);
  }
  const library = await openProject(dir);
  const section = checkContent(await examineLibrary(library), { provenance: {} } as never, 0, () => "");
  assert.deepEqual(section.problems, []);
  assert.deepEqual(
    section.lines.filter(({ label }) => label === "notice").map(({ text }) => text.split(":", 2).join(":")),
    ["project: several generations are installed side by side"],
  );
  const issues = (await diagnose(library)).map(({ level, code, message }) => [level, code, message]);
  assert.deepEqual(issues, [[
    "info",
    "two-generations",
    "several generations are installed side by side: _bmad (installed skills 6.12.0), .bmad-core (v4 4.44.3)",
  ]]);
  // 6.2.0 has skills and compiled agents in one installation.
  assert.deepEqual(
    (await survey(await installation("6.2.0"))).issues,
    [],
  );
});
