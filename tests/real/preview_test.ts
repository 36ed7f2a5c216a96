/** Does a preview name exactly what an upgrade changes in a real installation? */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { openLibrary, type Preview, previewUpgrade } from "../../src/content/library/mod.ts";
import { parseToml, parseYaml } from "../../src/content/parse.ts";
import { isCompared } from "../../src/project/scripts/mod.ts";
import { installation, runInstaller, sourceTree } from "../support/installs.ts";
import { opening } from "../support/library.ts";
import { copyTree, treeTest, withTree, writeTree } from "../support/trees.ts";

async function previewIn(
  project: string,
  source: Parameters<typeof sourceTree>[0] = "bmad-method@6.12.0",
): Promise<Preview> {
  const { origin, ...rest } = opening("npm", 5, await sourceTree(source));
  const library = await openLibrary([
    opening("project", 1, project),
    { ...rest, origin: { ...origin, id: "preview" } },
  ], { project });
  return await previewUpgrade(library, { before: "project", after: "preview", isDiff: false, isCompared });
}

/** What is in a folder of Python's own, and what tests a script, is no part of a skill. */
const UNSERVED = /(?:^|\/)(?:__pycache__|tests)\//;

function filesIn(root: string): TextFiles {
  const files = new Map<string, string>();
  const walk = (folder: string) => {
    for (const { name, isDirectory } of Deno.readDirSync(`${root}/${folder}`)) {
      const path = `${folder}${name}`;
      if (isDirectory) walk(`${path}/`);
      else if (!UNSERVED.test(path)) files.set(path, Deno.readTextFileSync(`${root}/${path}`));
    }
  };
  walk("");
  return files;
}

const SKILLS = ".claude/skills";

type TextFiles = ReadonlyMap<string, string>;

/** `added PATH`, `changed PATH`, `removed PATH`; `wholeOf` may say so of what a path belongs to. */
function differences(
  before: TextFiles,
  after: TextFiles,
  wholeOf: (path: string) => string | undefined = () => undefined,
): readonly string[] {
  const found = new Set([...before.keys(), ...after.keys()].flatMap((path) => {
    const [was, is] = [before.get(path), after.get(path)];
    if (was === is) return [];
    return wholeOf(path) ??
      `${was === undefined ? "added" : is === undefined ? "removed" : "changed"} ${path}`;
  }));
  return [...found].sort();
}

/** What differs between the skills of two installations: `added NAME`, `changed NAME/FILE`. */
function skillDifferences(before: string, after: string): readonly string[] {
  const [old, now] = [before, after].map((project) => filesIn(`${project}/${SKILLS}`));
  const names = (files: TextFiles) => new Set([...files.keys()].map((path) => path.split("/")[0]!));
  const [olds, nows] = [names(old!), names(now!)];
  return differences(old!, now!, (path) => {
    const [name = ""] = path.split("/");
    return !olds.has(name) ? `added ${name}` : !nows.has(name) ? `removed ${name}` : undefined;
  });
}

const idOf = (name: string) => name.split("/")[1]!;

function previewed({ lost, gained, changed }: Preview): readonly string[] {
  return [
    ...lost.map(({ name }) => `removed ${idOf(name)}`),
    ...gained.map(({ name }) => `added ${idOf(name)}`),
    ...changed.flatMap(({ name, files }) =>
      files.map(({ file, change }) => `${change} ${idOf(name)}/${file}`)
    ),
  ].sort();
}

function scriptDifferences(before: string, after: string): readonly string[] {
  const scriptsIn = (folder: string, prefix: string) => {
    const files = existsSync(folder) ? [...filesIn(folder)] : [];
    return files.filter(([path]) => path.endsWith(".py")).map(([path, text]) =>
      [prefix + path, text] as const
    );
  };
  const scriptsOf = (project: string) =>
    new Map([
      ...scriptsIn(`${project}/${SKILLS}`, ""),
      ...scriptsIn(`${project}/_bmad/scripts`, "scripts/"),
    ]);
  return differences(scriptsOf(before), scriptsOf(after))
    .toSorted((a, b) => a.split(" ")[1]! < b.split(" ")[1]! ? -1 : 1);
}

function writtenKeys(project: string): readonly string[] {
  const read = (path: string) => Deno.readTextFileSync(`${project}/_bmad/${path}`);
  const flat = ["core", "bmm"].flatMap((module) =>
    Object.keys(parseYaml(read(`${module}/config.yaml`)).value)
  );
  const layers = ["config.toml", "config.user.toml"].flatMap((path) => {
    const { core = {}, modules = {} } = parseToml(read(path)).value as Record<string, Record<string, object>>;
    return [...Object.keys(core), ...Object.values(modules).flatMap((module) => Object.keys(module))];
  });
  return [...new Set([...flat, ...layers])].sort();
}

Deno.test("from 6.11.0 to 6.12.0, exactly what the installer does is named [preview:exact]", () =>
  withTree({}, async (dir) => {
    const before = await installation("6.11.0");
    const preview = await previewIn(before);
    const upgraded = `${dir}/project`;
    await copyTree(before, upgraded);
    const { code, said } = await runInstaller(
      "6.12.0",
      ["install", "--directory", upgraded, "--modules", "bmm", "--tools", "claude-code", "--yes"],
      { directory: upgraded, home: dir },
    );
    assert.equal(code, 0, said);
    assert.deepEqual(previewed(preview), skillDifferences(before, upgraded));
    assert.deepEqual(
      preview.scripts.map(({ file, change }) => `${change} ${file}`),
      scriptDifferences(before, upgraded),
    );
    for (const { file, isCompared } of preview.scripts) assert.equal(isCompared, true, file);
    assert.deepEqual(preview.configuration, []);
    assert.deepEqual(writtenKeys(before), writtenKeys(upgraded));
    // In an installation from scratch, no name only forwards.
    const fresh = await installation("6.12.0");
    const gone = skillDifferences(upgraded, fresh);
    assert.equal(preview.hasShims, true);
    assert.deepEqual(preview.forwarding.map(({ name }) => `removed ${idOf(name)}`).sort(), gone);
    for (const { name, to } of preview.forwarding) assert.ok(to !== undefined, name);
    assert.deepEqual(preview.customizations, []);
    assert.deepEqual(preview.leftBehind, []);
  }));

treeTest("what the user has customized and no longer counts is named [preview:exact]", {}, async (dir) => {
  const project = `${dir}/project`;
  await copyTree(await installation("6.11.0"), project);
  const skill = await Deno.readTextFile(`${project}/${SKILLS}/bmad-prd/SKILL.md`);
  await writeTree(project, {
    // It turns into a name that only forwards.
    "_bmad/custom/bmad-checkpoint-preview.toml": '[workflow]\non_complete = "Tell Ann."\n',
    "_bmad/custom/bmad-prd.toml": '[workflow]\non_complete = "Tell Ann."\n',
    "_bmad/custom/config.toml": '[core]\nhouse_rule = "Be brief."\n',
    [`${SKILLS}/bmad-prd/SKILL.md`]: `${skill}\nAlso ask Ann.\n`,
    [`${SKILLS}/our-own/SKILL.md`]: "---\nname: our-own\ndescription: Ours.\n---\n\nOurs.\n",
  });
  const { customizations, configuration, lost } = await previewIn(project);
  assert.deepEqual(
    customizations.map(({ file, name, reason }) => [file.slice(project.length + 1), name, reason]),
    [
      [
        "_bmad/custom/bmad-checkpoint-preview.toml",
        "bmm/bmad-checkpoint-preview",
        "it only forwards to bmm/bmad-walkthrough",
      ],
      [
        `${SKILLS}/bmad-prd/SKILL.md`,
        "bmm/bmad-prd",
        "the file itself was changed, and is replaced",
      ],
    ],
  );
  assert.deepEqual([configuration, lost], [[], []]);
});

Deno.test("from 4.44.3 to 6.12.0, every name is lost or gained [preview:exact]", async () => {
  const before = await installation("4.44.3");
  const after = await installation("6.12.0");
  const preview = await previewIn(before);
  const files = [...filesIn(`${before}/.bmad-core`).keys()];
  // The folder of each kind of item; guides and helpers of the installation are none.
  const kinds = {
    agents: "agent",
    workflows: "workflow",
    tasks: "task",
    templates: "template",
    checklists: "checklist",
    data: "knowledge",
    "agent-teams": "team",
  };
  const items = files.flatMap((path) => {
    const [, folder = "", id] = /^([^/]+)\/([^/]+)\.(?:md|yaml)$/.exec(path) ?? [];
    const kind = (kinds as Record<string, string>)[folder];
    return kind === undefined ? [] : [`${kind} ${id}`];
  });
  assert.deepEqual(preview.lost.map(({ kind, name }) => `${kind} ${idOf(name)}`).sort(), items.sort());
  assert.deepEqual(
    preview.gained.map(({ name }) => idOf(name)).sort(),
    Array.from(Deno.readDirSync(`${after}/${SKILLS}`), ({ name }) => name).sort(),
  );
  assert.deepEqual([preview.changed, preview.hasShims], [[], false]);
  assert.deepEqual(
    preview.scripts.map(({ file, change }) => `${change} ${file}`),
    scriptDifferences(before, after),
  );
  const keys = (change: string) =>
    preview.configuration.filter((one) => one.change === change).map(({ key }) => key).sort();
  const config = parseYaml(await Deno.readTextFile(`${before}/.bmad-core/core-config.yaml`)).value;
  assert.deepEqual(keys("removed"), Object.keys(config).sort());
  assert.deepEqual(keys("added"), writtenKeys(after));
  assert.deepEqual(preview.leftBehind, [".bmad-core"]);
  const [analyst] = preview.lost;
  assert.deepEqual(analyst, {
    name: "bmad-core/analyst",
    kind: "agent",
    now: "bmm/bmad-agent-analyst",
  });
});

Deno.test("the installed version changes nothing, costs the same [preview:exact]", async () => {
  const { lost, gained, changed, scripts, configuration, customizations, activations } = await previewIn(
    await installation("6.12.0"),
  );
  assert.deepEqual([lost, gained, changed, scripts, configuration, customizations], [
    [],
    [],
    [],
    [],
    [],
    [],
  ]);
  assert.equal(activations.length, 29);
  for (const { name, before, after } of activations) assert.equal(before, after, name);
});

Deno.test("a module that is not installed leaves the others [preview:exact]", async () => {
  const project = await installation("6.12.0");
  const preview = await previewIn(project, "bmad-method-test-architecture-enterprise@1.27.2");
  assert.deepEqual([preview.lost, preview.changed, preview.scripts, preview.versions], [[], [], [], []]);
  assert.equal(preview.gained.length, 10);
  for (const { module, change } of preview.configuration) {
    assert.deepEqual([module, change], ["tea", "added"]);
  }
});
