/** Does `deno task upstream` list every change between two releases, and nothing else? */
import assert from "node:assert/strict";
import { compareFolders } from "../../.github/upstream/run.ts";
import { KNOWN, renderKnown, withRelease } from "../../.github/upstream/known.ts";
import { type Change, compareReleases } from "../../.github/upstream/compare.ts";
import { readRelease } from "../../.github/upstream/read.ts";
import { diskTree } from "../../src/content/tree/mod.ts";
import { KNOWN_SCRIPTS } from "../../src/project/scripts/known_scripts.ts";
import { sourceTree } from "../support/installs.ts";
import { copyTree, listTree, withTree } from "../support/trees.ts";

const VERSIONS = ["6.10.0", "6.11.0", "6.12.0"] as const;
const PACKAGES = await Promise.all(VERSIONS.map((version) => sourceTree(`bmad-method@${version}`)));
const RELEASES = await Promise.all(PACKAGES.map((folder) => readRelease(diskTree(folder))));

const SKIPPED = /(?:^|\/)(?:tests?|__pycache__|node_modules|docs|website|fixtures|web-bundles)\//;

async function filesOf(folder: string): Promise<ReadonlyMap<string, string>> {
  const paths = (await listTree(`${folder}/src`)).map((line) => line.replace(/ \d+$/, ""))
    .filter((path) => !path.endsWith("/") && !SKIPPED.test(path) && !/\.(?:pyc|png)$/.test(path));
  const texts = paths.map(async (path) => [path, await Deno.readTextFile(`${folder}/src/${path}`)] as const);
  return new Map(await Promise.all(texts));
}

function differences(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): readonly string[] {
  return [
    ...[...after.keys()].filter((name) => !before.has(name)).map((name) => `new ${name}`),
    ...[...before.keys()].filter((name) => !after.has(name)).map((name) => `gone ${name}`),
    ...[...after].filter(([name, value]) => before.has(name) && before.get(name) !== value)
      .map(([name]) => `changed ${name}`),
  ].sort();
}

function listed(changes: readonly Change[], kind: Change["kind"]): readonly string[] {
  return changes.filter((change) => change.kind === kind)
    .map(({ is, name }) => `${is === "renamed" ? "gone" : is} ${name}`).sort();
}

const nameOf = (path: string) => path.slice(path.lastIndexOf("/") + 1);
const parentOf = (path: string) => path.slice(0, Math.max(0, path.lastIndexOf("/")));

const FACTS: Partial<
  Record<Change["kind"], (files: ReadonlyMap<string, string>) => Iterable<readonly [string, string]>>
> = {
  script: (files) =>
    [...files].filter(([path]) => nameOf(parentOf(path)) === "scripts").map(([path, text]) => {
      const skill = parentOf(parentOf(path));
      return [skill === "" ? nameOf(path) : `${nameOf(skill)}/${nameOf(path)}`, text];
    }),
  skill: (files) =>
    [...files.keys()].filter((path) => path.endsWith("/SKILL.md"))
      .map((path) => [nameOf(parentOf(path)), parentOf(parentOf(path))]),
  placeholder: (files) =>
    [...files].filter(([path]) => !path.endsWith(".py") && /\.(?:md|toml|ya?ml|csv|xml|txt)$/.test(path))
      .flatMap(([, text]) =>
        [...text.matchAll(/\{{1,2}[a-z][a-z0-9_.-]*\}{1,2}/gi)].map(([all]) => [all, ""] as const)
      ),
  option: (files) =>
    [...files].filter(([path]) => path.endsWith(".py")).flatMap(([path, text]) =>
      text.split(/\.add_(?=parser|argument)/).slice(1).flatMap((call) => {
        const [, list = ""] = /^\w+\(\s*((?:"[^"]*"(?:,\s*)?)*)/.exec(call) ?? [];
        return [...list.matchAll(/"([^"]*)"/g)].map(([, name]) => [`${nameOf(path)} ${name}`, ""] as const);
      })
    ),
};

for (const at of [0, 1]) {
  const pair = `${VERSIONS[at]} → ${VERSIONS[at + 1]}`;
  Deno.test(`every change from ${pair} is listed, and nothing else [upstream:changes]`, async () => {
    const changes = compareReleases(RELEASES[at]!, RELEASES[at + 1]!);
    const [old, now] = await Promise.all([PACKAGES[at]!, PACKAGES[at + 1]!].map(filesOf));
    for (
      const [kind, read] of Object.entries(FACTS) as [Change["kind"], NonNullable<typeof FACTS["script"]>][]
    ) {
      assert.deepEqual(listed(changes, kind), differences(new Map(read(old!)), new Map(read(now!))), kind);
    }
  });

  Deno.test(`our tables know all of ${pair} [upstream:changes]`, async () => {
    const { open, text } = await compareFolders(pair, [PACKAGES[at]!, PACKAGES[at + 1]!], {
      known: KNOWN,
      isCompared: true,
    });
    assert.equal(open, 0, text);
    assert.match(text, /differences, nothing to do\./);
    // What no table can show is not passed off as shown.
    const [, byWord] = /No table of ours shows (\d+) of them/.exec(text)!;
    const without = await compareFolders(pair, [PACKAGES[at]!, PACKAGES[at + 1]!], {
      known: KNOWN,
      isCompared: false,
    });
    assert.equal(without.open, Number(byWord));
    assert.doesNotMatch(without.text, /noted as looked|No table of ours/);
  });
}

Deno.test("the changes from 6.11 to 6.12 are these", () => {
  const changes = compareReleases(RELEASES[1]!, RELEASES[2]!);
  const shown = (kind: Change["kind"]) => listed(changes, kind);
  assert.deepEqual(shown("call"), [
    "gone resolve_customization.py --key --skill",
    "new resolve_customization.py --key --project-root --skill",
  ]);
  assert.deepEqual(shown("skill"), ["changed bmad-checkpoint-preview", "new bmad-walkthrough"]);
  assert.deepEqual(shown("customize").length, 4);
  assert.deepEqual(shown("field"), [
    "gone other files: diff_output",
    "new SKILL.md: metadata",
    "new other files: claims_file",
    "new other files: diff_file",
    "new other files: followup_pass",
    "new templates: route",
  ]);
  assert.deepEqual(shown("heading"), [
    "new bmad-build/spec-template.md: ## Implementation Notes",
    "new bmad-build/spec-template.md: ## Open Questions",
    "new bmad-build/spec-template.md: ## Review Triage Log",
  ]);
  assert.deepEqual(shown("target"), ["new grok", "new polytoken", "new zcode"]);
  for (const kind of ["retired", "config", "status", "column", "layout", "module"] as const) {
    assert.deepEqual(shown(kind), [], kind);
  }
});

async function edit(path: string, change: (text: string) => string): Promise<void> {
  await Deno.writeTextFile(path, change(await Deno.readTextFile(path)));
}

Deno.test("each change of a made-up release is to be done [upstream:changes, upstream:new-release]", () =>
  withTree({ "next/": "" }, async (dir) => {
    const next = `${dir}/next`;
    await copyTree(`${PACKAGES[2]}/src`, `${next}/src`);
    for (const name of ["removals.txt", "bmad-modules.yaml"]) {
      await Deno.copyFile(`${PACKAGES[2]}/${name}`, `${next}/${name}`);
    }
    const scripts = [
      "scripts/memlog.py",
      "scripts/config_utils.py",
      "core-skills/bmad-brainstorming/scripts/brain.py",
      "bmm-skills/plan/bmad-architecture/scripts/lint_spine.py",
      "core-skills/bmad-party-mode/scripts/resolve_party.py",
    ];
    for (const path of scripts) {
      await edit(`${next}/src/${path}`, (text) => `${text}# next\n`);
    }
    await edit(`${next}/src/scripts/memlog.py`, (text) => text.replace('"--by"', '"--by", "--author"'));
    for (const [from, to] of [["plan/bmad-prd", "plan/bmad-needs"], ["plan/bmad-ux", "plan/bmad-faces"]]) {
      await Deno.rename(`${next}/src/bmm-skills/${from}`, `${next}/src/bmm-skills/${to}`);
    }
    await Deno.rename(`${next}/src/bmm-skills/ship`, `${next}/src/bmm-skills/deliver`);
    await edit(`${next}/removals.txt`, (text) => `${text}\nbmad-never-heard-of\n`);
    await edit(
      `${next}/bmad-modules.yaml`,
      (text) => `${text}\n  fresh:\n    code: fresh\n    url: https://x.example\n`,
    );
    const { text, open } = await compareFolders("made up", [PACKAGES[2]!, next], {
      known: KNOWN,
      isCompared: false,
    });
    const todo = text.split("\n").filter((line) => line.startsWith("- [ ] "));
    const has = (pattern: RegExp) =>
      assert.ok(todo.some((line) => pattern.test(line)), `${pattern}\n${text}`);
    has(
      /changed: .*`bmad-brainstorming\/brain\.py`, `bmad-party-mode\/resolve_party\.py`, `memlog\.py`\. Compare it by `deno task verify-scripts`/,
    );
    has(/new: `memlog\.py --author`\. Add it to the script's usage/);
    has(
      /renamed: `bmad-prd` → `bmad-needs`\. Add bmad-prd → bmad-needs to src\/content\/catalog\/aliases\.ts/,
    );
    has(/renamed: `bmad-ux` → `bmad-faces`/);
    has(/changed: `bmad-build` \(`src\/bmm-skills\/ship` → `src\/bmm-skills\/deliver`\)/);
    has(/new: `bmad-never-heard-of`\. Add it to src\/content\/catalog\/aliases\.ts/);
    has(/new: `src\/bmm-skills\/deliver\/\*\/SKILL\.md`/);
    has(/new: `fresh \(registry\)`\. Add or change it in the table of modules/);
    assert.ok(open > 0);
    assert.doesNotMatch(text, /is not served: extend a reader/, "every skill of it is found");
  }));

Deno.test("a release that is noted as compared adds its hashes, and the table is written as it is kept", async () => {
  const file = new URL("../../src/project/scripts/known_scripts.ts", import.meta.url);
  const again = withRelease(KNOWN, { name: "bmad-method", version: "6.12.0" }, RELEASES[2]!);
  assert.deepEqual(again, KNOWN);
  const compact = (text: string) => text.replaceAll(/\s+|,(?=\s*[\]}])/g, "");
  assert.equal(compact(renderKnown(again)), compact(await Deno.readTextFile(file)));
  const [memlog] = Object.keys(KNOWN_SCRIPTS["memlog.py"]!);
  const next = withRelease(KNOWN, { name: "bmad-method", version: "6.13.0" }, RELEASES[2]!);
  assert.deepEqual(next.scripts["memlog.py"]![memlog!], "6.13.0");
  assert.equal(next.compared["bmad-method"]!.at(-1), "6.13.0");
});
