/** Which folders of a project may work be written to? */
import assert from "node:assert/strict";
import type { Health } from "../../src/app.ts";
import { checkProject } from "../../src/commands/doctor/project.ts";
import { LAYOUT_NAMES, type LayoutName } from "../../src/content/inventory/mod.ts";
import type { Config } from "../../src/settings/plan/mod.ts";
import { configOnDisk, type Disk, PROJECT } from "./disk.ts";
import { SMALLEST } from "../support/layouts.ts";

const configOf = (line: string, disk?: Disk, home?: string) =>
  configOnDisk(line, disk, home === undefined ? {} : { home });

const SCRIPT = "script memlog.py";

function foldersOf(config: Config) {
  const own = (folders: readonly string[]) =>
    folders.filter((one) => one.startsWith(`${PROJECT}/`)).map((one) => one.slice(PROJECT.length + 1)).sort();
  return { writable: own(config.work?.writable ?? []), write: own(config.rights.write) };
}

Deno.test("folders of the configuration, of every generation, may be written [work:folders]", () => {
  const toml =
    '[core]\noutput_folder = "out"\n[modules.bmm]\nplanning_artifacts = "{project-root}/docs/plan" # own\n' +
    "implementation_artifacts = '{output_folder}/build'\n";
  const cases: readonly (readonly [Disk, output: string, writable: readonly string[]])[] = [
    [{}, "_bmad-output", ["_bmad-output"]],
    [{ "_bmad/config.toml": toml }, "out", ["docs/plan", "out"]],
    // The team's and the user's layers override the installer's.
    [
      { "_bmad/config.toml": toml, "_bmad/custom/config.toml": '[core]\noutput_folder = "mine"\n' },
      "mine",
      ["docs/plan", "mine"],
    ],
    [
      {
        "_bmad/core/config.yaml": "output_folder: docs\n",
        "_bmad/bmm/config.yaml": 'output_folder: stale\nsprint_artifacts: "{project-root}/sprints/"\r\n',
      },
      "docs",
      ["docs", "sprints"],
    ],
    [
      {
        "_bmad/config.yaml": "output_folder: '{project-root}/ours'\n",
        "_bmad/bmm/config.yaml": "x: 1\n",
      },
      "ours",
      ["ours"],
    ],
    [{ "bmad/bmm/config.yaml": "dev_story_location: '{project-root}/stories'\n" }, "_bmad-output", [
      "_bmad-output",
      "stories",
    ]],
    [
      {
        ".bmad-core/core-config.yaml":
          "prd:\n  prdShardedLocation: docs/prd\ndevStoryLocation: docs/stories\n",
        "docs/": "",
      },
      "docs",
      ["docs/.bmad-work", "docs/prd", "docs/stories"],
    ],
    [{ "_bmad/config.toml": `# ${"x".repeat(5000)}\n[core]\noutput_folder = ""\n` }, "_bmad-output", [
      "_bmad-output",
    ]],
  ];
  for (const [disk, output, writable] of cases) {
    const config = configOf(SCRIPT, disk);
    assert.equal(config.work?.output, output);
    assert.deepEqual(foldersOf(config).writable, writable);
  }
});

Deno.test("a folder that does not exist is requested by its first missing parent [work:folders]", () => {
  const disk = { "_bmad/config.toml": '[core]\noutput_folder = "docs/a/b"\n', "docs/": "" };
  assert.deepEqual(foldersOf(configOf(SCRIPT, disk)), { writable: ["docs/a/b"], write: ["docs/a"] });
  assert.deepEqual(foldersOf(configOf(SCRIPT, { ...disk, "docs/a/b/": "" })).write, ["docs/a/b"]);
});

Deno.test("no other folder is written to, whatever a configuration says [work:folders]", () => {
  const refused: Readonly<Record<string, string>> = {
    "/etc": "is outside the project",
    "../other": "is outside the project",
    "{project-root}/../other": "is outside the project",
    "/home/ann/shopping": "is outside the project",
    "{project-root}": "is the whole project",
    ".": "is the whole project",
    "a/..": "is the whole project",
    "~/x": "has a placeholder",
    "{date}": "has a placeholder",
    ".git/hooks": "belongs to a program, not to documents",
    "docs/.claude": "belongs to a program, not to documents",
    "_bmad/custom": "belongs to a program, not to documents",
    "node_modules/x": "belongs to a program, not to documents",
    "link": "leads out of the project",
    "link/deep/er": "leads out of the project",
    "self": "leads out of the project",
    "tool": "belongs to a program, not to documents",
  };
  for (const [folder, reason] of Object.entries(refused)) {
    const disk = {
      "_bmad/config.toml": `[core]\noutput_folder = "${folder}"\n`,
      link: "-> /srv/data",
      self: `-> ${PROJECT}`,
      tool: `-> ${PROJECT}/.git`,
      ".git/": "",
    };
    const config = configOf(SCRIPT, disk);
    assert.deepEqual(config.work?.refused, [{ folder, key: "output_folder", reason }]);
    assert.deepEqual(foldersOf(config), { writable: ["_bmad-output"], write: ["_bmad-output"] }, folder);
    const { problems, lines } = checkProject({ origins: [] } as unknown as Health, configOf("doctor", disk));
    const linesOf = (begin: string) =>
      lines.filter(({ label }) => label.startsWith(begin)).map(({ text }) => text);
    assert.deepEqual(linesOf("w"), ["_bmad-output"]);
    assert.deepEqual(linesOf("not written"), [`${folder}: it ${reason}`]);
    const message = `output_folder is ${JSON.stringify(folder)}, which ${reason}: scripts do not write there`;
    assert.deepEqual(problems.map(({ code, message }) => [code, message]), [["work-folder", message]]);
    assert.deepEqual(config.rights.write.filter((path) => !path.startsWith("/home/ann/")), []);
  }
});

/** Whether a layout alone shows that a folder is a project, and not just where the program was started. */
const IS_CERTAIN: Readonly<Record<LayoutName, boolean>> = {
  "installed skills": true,
  "flat skills": true,
  "compiled": true,
  "source tree": false,
  "source modules": false,
  "v4": true,
  "v3": false,
  "hand-written": false,
  "plugin": false,
  "loose skills": false,
};

Deno.test("the tool is on where a folder is certainly a project [work:default]", () => {
  const isOn = (line: string, disk: Readonly<Record<string, string>> = {}) => {
    const { settings, work } = configOf(line, disk);
    assert.equal(work !== undefined, settings.toolsets.includes("work"), line);
    return work !== undefined;
  };
  assert.equal(isOn(""), false);
  assert.equal(isOn("", { "src/": "", "bmad/": "" }), false);
  for (const sign of ["_bmad/", ".bmad-core/", "bmad/_cfg/", ".git/", ".jj/"]) {
    assert.ok(isOn("", { [sign]: "" }), sign);
  }
  assert.ok(isOn("", { ".git": "gitdir: ../.git/worktrees/shop\n" }));
  assert.ok(isOn(`--project ${PROJECT}`));
  const record = "bmod-method/bmod.toml";
  for (const folder of [".agents/skills", ".claude/skills", ".windsurf/skills", "agent/skills"]) {
    assert.ok(isOn("", { [`${folder}/${record}`]: "[bmod]\n" }), folder);
    assert.ok(isOn("", { [`${folder}/bmad/module-manifest.toml`]: 'module = "method"\n' }), folder);
    assert.equal(isOn("", { [`${folder}/poems/SKILL.md`]: "# Poems\n" }), false, folder);
  }
  for (const layout of LAYOUT_NAMES) assert.equal(isOn("", SMALLEST[layout]), IS_CERTAIN[layout], layout);
  // Skills that were installed for the user.
  const skills = { [`.agents/skills/${record}`]: "[bmod]\n" };
  assert.equal(configOf("", skills, PROJECT).work, undefined);
  const git = { ".git/": "" };
  for (const line of ["--toolsets bmad", "--tools bmad", "--mode user"]) {
    assert.equal(isOn(line, git), false, line);
  }
  for (const line of ["--read-only", "--http 0.0.0.0:80 --token 0123456789abcdef"]) {
    assert.ok(isOn(line, git), line);
    assert.deepEqual(foldersOf(configOf(line, git)), { writable: [], write: [] }, line);
  }
  assert.deepEqual(foldersOf(configOf("", git)).write, ["_bmad-output"]);
  assert.equal(configOf("--exclude-tools bmad_work", git).work, undefined);
});

Deno.test("only a start that works on the project has the right to write to it [work:folders]", () => {
  for (
    const line of [
      "list agents",
      "serve --toolsets bmad",
      "call bmad",
      "doctor",
      `--read-only ${SCRIPT}`,
      "--mode user call bmad_work",
    ]
  ) {
    assert.deepEqual(foldersOf(configOf(line)), { writable: [], write: [] }, line);
  }
  for (const line of [SCRIPT, "call bmad_work", "--toolsets work", "--tools bmad_work"]) {
    assert.deepEqual(foldersOf(configOf(line)).write, ["_bmad-output"], line);
  }
  assert.equal(configOf("list agents").work, undefined);
});

Deno.test("git runs for the user, or if allowed [work:git-right]", () => {
  const repository = { ".git/": "" };
  const runs = (line: string) => configOf(line, repository).rights.run;
  assert.deepEqual(runs("script git_evidence.py --range a..b"), ["git"]);
  assert.deepEqual(runs("script uv run _bmad/x/scripts/git_evidence.py"), ["git"]);
  // The lines on stdin are read once the rights are dropped.
  assert.deepEqual(runs("script -"), ["git"]);
  assert.deepEqual(runs("--allow-git"), ["git"]);
  assert.deepEqual(runs("check 1-2"), ["git"]);
  assert.deepEqual(runs("check --allow-exec").toSorted(), ["bash", "git"]);
  assert.deepEqual(configOf("check", repository).rights.write, []);
  assert.deepEqual(runs("evidence 1-2 x --allow-exec"), []);
  for (
    const line of [
      "",
      "script memlog.py git",
      "--read-only --allow-git",
      "check --read-only",
      "--read-only script git_evidence.py",
      "list agents --allow-git",
      "--exclude-tools bmad_work --allow-git",
    ]
  ) assert.deepEqual(runs(line), [], line);
});
