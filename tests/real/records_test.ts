/** Do the records of real installations say where their files lie, who wrote them and who knows of them? */
import assert from "node:assert/strict";
import {
  type Library,
  listLibrary,
  openLibrary,
  readEntry,
  readResource,
  resolveEntry,
} from "../../src/content/library/mod.ts";
import { type Entry, hasKind } from "../../src/base/model.ts";
import { parseCsv, parseYaml } from "../../src/content/parse.ts";
import { say } from "../support/answers.ts";
import { clientHere } from "../support/client.ts";
import {
  installation,
  type InstallRequest,
  type InstallVersion,
  ofThisRun,
  sourceTree,
} from "../support/installs.ts";
import { embedded, opening, openProject, openSource } from "../support/library.ts";
import { copyTree, withTree } from "../support/trees.ts";

const INSTALLED: readonly InstallRequest[] = [
  { version: "4.44.3", tools: "claude-code,cursor", extra: "packs" },
  ...(["6.0.4", "6.1.0", "6.2.0", "6.5.0", "6.8.0", "6.12.0"] as const)
    .map((version) => ({ version, tools: "claude-code" })),
];

const KINDS = ["agent", "workflow", "task", "tool", "skill"] as const;

type Row = Readonly<Record<string, string>>;

async function rowsOf(library: Library, kind: string): Promise<readonly Row[]> {
  const { text } = await readResource(library, `bmad://manifests/${kind}s`);
  const { value: [head = [], ...rows] } = parseCsv(text!);
  return rows.map((row) => Object.fromEntries(head.map((column, at) => [column, row[at] ?? ""])));
}

async function listedPaths(dir: string): Promise<readonly string[]> {
  const roots = [...Deno.readDirSync(dir)].map(({ name }) => name);
  const paths: string[] = [];
  for (const root of roots.filter((name) => name.startsWith(".bmad-"))) {
    const manifest = parseYaml(await Deno.readTextFile(`${dir}/${root}/install-manifest.yaml`)).value;
    paths.push(...(manifest["files"] as readonly { readonly path: string }[]).map(({ path }) => path));
  }
  const config = `${dir}/_bmad/_config`;
  const names = roots.includes("_bmad") ? [...Deno.readDirSync(config)].map(({ name }) => name) : [];
  for (const name of names.filter((name) => /(?<!files)-manifest\.csv$/.test(name))) {
    const { value: [head = [], ...rows] } = parseCsv(await Deno.readTextFile(`${config}/${name}`));
    paths.push(...rows.map((row) => row[head.indexOf("path")] ?? ""));
  }
  return paths;
}

Deno.test(
  "the path of every record is that of its file, and opens it [origins:record-paths, origins:record-source, resources:manifests-csv]",
  async (t) => {
    for (const request of ofThisRun(INSTALLED, ({ version }) => version)) {
      await t.step(request.version, async () => {
        const dir = await installation(request);
        const library = await openProject(dir);
        const listed = await listedPaths(dir);
        // Skills of 6.3 and later are listed where they are not: by the name of their folder.
        const names = new Set(listed.map((path) => path.split("/").at(-2)));
        for (const kind of KINDS) {
          const entries = library.effective.filter((entry: Entry) => hasKind(entry, kind));
          for (const { path, source, name } of await rowsOf(library, kind)) {
            const written = await Deno.readTextFile(`${dir}/${path}`);
            assert.equal(
              (await readResource(library, path!, { raw: true })).text,
              written,
              `${kind} ${name}`,
            );
            const isListed = listed.includes(path!) ||
              (path!.endsWith("/SKILL.md") && names.has(path!.split("/").at(-2)));
            assert.equal(source, isListed ? "both" : "file-system", path);
            assert.ok(entries.some(({ file }) => file === path), path);
          }
        }
      });
    }
  },
);

Deno.test("a row without a file is the manifest's alone [origins:record-source]", async () => {
  const dir = await installation("6.12.0");
  const library = await openLibrary([opening("project", 1, `${dir}/_bmad`)]);
  const { entries } = JSON.parse((await readResource(library, "bmad://manifest")).text!);
  const lost = entries.filter(({ status }: Row) => status === "no-file-found");
  assert.equal(lost.length, 29);
  assert.deepEqual([...new Set(lost.map(({ source }: Row) => source))], ["manifest"]);
});

Deno.test("BMAD's own columns come first, in their order [resources:manifests-csv]", async () => {
  const dir = await installation("6.1.0");
  const library = await openLibrary([opening("project", 1, dir)]);
  for (const kind of ["agent", "task"]) {
    const head = (text: string) => text.split("\n")[0]!.trim().split(",");
    const own = head(await Deno.readTextFile(`${dir}/_bmad/_config/${kind}-manifest.csv`));
    const made = head((await readResource(library, `bmad://manifests/${kind}s`)).text!);
    const kept = own.filter((column) => made.includes(column));
    assert.deepEqual(made.slice(0, kept.length), kept);
    assert.deepEqual(made.slice(kept.length), ["author", "source"]);
  }
});

Deno.test("packs, packages and modules name their authors [origins:record-author]", async () => {
  const dir = await installation({ version: "4.44.3", tools: "claude-code,cursor", extra: "packs" });
  const library = await openLibrary([opening("project", 1, dir)]);
  const authors = Object.fromEntries(
    (await rowsOf(library, "agent")).map(({ module, author }) => [module, author]),
  );
  assert.equal(authors["bmad-core"], "");
  for (const pack of Object.keys(authors).filter((module) => module !== "bmad-core")) {
    const { author } = parseYaml(await Deno.readTextFile(`${dir}/.${pack}/config.yaml`)).value;
    assert.equal(authors[pack], author, pack);
  }
  for (const version of ["4.44.3", "6.0.4", "6.12.0"] as const) {
    const folder = await sourceTree(`bmad-method@${version}`);
    const source = await openSource(folder);
    const { author } = JSON.parse(await Deno.readTextFile(`${folder}/package.json`));
    const said = (await rowsOf(source, "agent")).filter(({ module }) =>
      /^(?:bmad-core|core|bmm)$/.test(module!)
    );
    assert.ok(said.length >= 5);
    for (const row of said) assert.equal(row["author"], author, row["name"]);
  }
  const latest = await openLibrary([embedded("latest")]);
  for (const row of await rowsOf(latest, "skill")) assert.match(row["author"]!, /Madison/, row["name"]);
});

Deno.test("the list of workflows has author and path [tool:list-workflows-fields]", async () => {
  const dir = await installation("6.0.4");
  await using client = await clientHere({ era: "2026", cwd: dir, args: ["--toolsets", "workflows"] });
  const { items } = JSON.parse(await say(client, { format: "json" }, "list_workflows"));
  const story = items.find(({ name }: Row) => name === "dev-story");
  assert.deepEqual([story.author, story.path, story.source], [
    "",
    "_bmad/bmm/workflows/4-implementation/dev-story/workflow.yaml",
    "both",
  ]);
});

Deno.test("a v4 workflow belongs to the phase it starts in [tool:list-categories]", async () => {
  const dir = await installation({ version: "4.44.3", tools: "claude-code,cursor", extra: "packs" });
  const library = await openLibrary([opening("project", 1, dir)]);
  const rows = await listLibrary(library, { what: "workflows" });
  const categories = Object.fromEntries(rows.map(({ name, data }) => [name, data["category"]]));
  for (const kind of ["fullstack", "service", "ui"]) {
    assert.equal(categories[`bmad-core/greenfield-${kind}`], "analysis");
    assert.equal(categories[`bmad-core/brownfield-${kind}`], "planning");
  }
  assert.equal(categories["bmad-2d-phaser-game-dev/game-dev-greenfield"], "analysis");
  assert.equal(categories["bmad-2d-phaser-game-dev/game-prototype"], "implementation");
  assert.equal(categories["bmad-creative-writing/novel-writing"], "other");
});

/** Installations of each generation, with a workflow or skill and who wrote it. */
const AUTHORS: Readonly<
  Partial<Record<InstallVersion, readonly [kind: string, name: string, file: string]>>
> = {
  "6.0.0-alpha.7": ["workflow", "prd", "bmad/bmm/workflows/2-plan-workflows/prd/workflow.yaml"],
  "6.0.0-alpha.22": [
    "workflow",
    "dev-story",
    "_bmad/bmm/workflows/4-implementation/dev-story/workflow.yaml",
  ],
  "6.0.0-Beta.5": [
    "workflow",
    "dev-story",
    "_bmad/bmm/workflows/4-implementation/dev-story/workflow.yaml",
  ],
  "6.0.4": ["workflow", "dev-story", "_bmad/bmm/workflows/4-implementation/dev-story/workflow.yaml"],
  "6.10.0": ["skill", "prfaq", ".claude/skills/bmad-prfaq/SKILL.md"],
  "6.12.0": ["skill", "prd", ".claude/skills/bmad-prd/SKILL.md"],
};

Deno.test("an author is that of the file where a manifest lists the item, too [origins:record-author]", async (t) => {
  const rows = Object.entries(AUTHORS) as [InstallVersion, readonly [string, string, string]][];
  for (const [version, [kind, name, file]] of ofThisRun(rows, ([version]) => version)) {
    await t.step(version, async () => {
      await withTree({ "p/": "" }, async (dir) => {
        await copyTree(await installation(version), `${dir}/p`);
        const text = await Deno.readTextFile(`${dir}/p/${file}`);
        const field = "author: Rhea\n";
        const own = /^author:.*$/m.test(text)
          ? text.replace(/^author:.*$/m, field)
          : file.endsWith(".md")
          ? text.replace("---\n", `---\n${field}`)
          : field + text;
        await Deno.writeTextFile(`${dir}/p/${file}`, own);
        const library = await openLibrary([opening("project", 1, `${dir}/p`)]);
        const listed = await listLibrary(library, { what: `${kind}s` });
        const row = listed.find(({ data }) => data["name"] === name)!;
        assert.equal(row.record!["author"], "Rhea");
        const csv = await rowsOf(library, kind);
        assert.ok(csv.some(({ author }) => author === "Rhea"), "the manifest as CSV");
        const entry = resolveEntry(library, { name });
        const { data, text: details } = await readEntry(library, entry);
        assert.equal(data["author"], "Rhea");
        assert.match(details, /^author: Rhea$/m);
        const manifest = JSON.parse((await readResource(library, "bmad://manifest")).text!);
        assert.ok(manifest.entries.some(({ author }: Row) => author === "Rhea"));
        const [{ roots, modules }] = manifest.origins;
        assert.equal(roots[0].version, version);
        const bmm = modules.find(({ code }: Row) => code === "bmm");
        assert.equal(bmm.version, version);
        assert.ok(bmm.name.length > 0);
      });
    });
  }
});

Deno.test("each origin has roots, and modules with versions and display names [resources:manifest-json]", async () => {
  const cases: readonly (readonly [InstallRequest | InstallVersion, Readonly<Record<string, string>>])[] = [
    ["6.0.4", { "core 6.0.4": "BMad Core", "bmm 6.0.4": "BMad Method" }],
    // Both of its roots have both modules.
    ["6.2.0", { "core 6.2.0": "BMad Core", "bmm 6.2.0": "BMad Method" }],
    ["4.44.3", { "bmad-core 4.44.3": "BMad Method" }],
    [{ version: "4.44.3", tools: "claude-code,cursor", extra: "packs" }, {
      "bmad-2d-phaser-game-dev 1.13.0": "Phaser 3 2D Game Dev Pack",
      "bmad-2d-unity-game-dev 1.6.0": "Unity C# 2D Game Dev Pack",
      "bmad-core 4.44.3": "BMad Method",
      "bmad-creative-writing 1.1.1": "Creative Writing Studio",
      "bmad-godot-game-dev 1.0.0": "Godot Game Dev Pack",
      "bmad-infrastructure-devops 1.12.0": "Infrastructure DevOps Pack",
    }],
  ];
  for (const [request, names] of cases) {
    const library = await openProject(await installation(request));
    const { origins: [{ roots, modules }] } = JSON.parse(
      (await readResource(library, "bmad://manifest")).text!,
    );
    assert.ok(roots.every(({ path, version }: Row) => path && version));
    assert.equal(modules.length, Object.keys(names).length);
    assert.deepEqual(
      Object.fromEntries(modules.map(({ code, version, name }: Row) => [`${code} ${version}`, name])),
      names,
    );
  }
});
