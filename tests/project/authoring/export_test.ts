/** Does an export land whole in its place, and over nothing that it did not write itself? */
import assert from "node:assert/strict";
import { unzipSync } from "fflate";
import { openLibrary } from "../../../src/content/library/mod.ts";
import { openNames } from "../../../src/base/paths.ts";
import { prepareExport } from "../../../src/project/authoring/mod.ts";
import { openAuthoring } from "../../../src/project/authoring/mod.ts";
import { denoHost } from "../../../src/process/host.ts";
import type { Config, ExportPlan } from "../../../src/settings/plan/mod.ts";
import { resolveConfig } from "../../support/config.ts";
import { opening } from "../../support/library.ts";
import { SAFE_PATHS, UNSAFE_PATHS } from "../../support/unsafe_names.ts";
import { treeTest, withTree } from "../../support/trees.ts";

const FILES = {
  "module/module.yaml": "code: garden\nname: Garden\n",
  "module/garden-dig/SKILL.md": "---\nname: garden-dig\ndescription: Digs\n---\nRead ./soil.md.\n",
  "module/garden-dig/soil.md": "Soil.\n",
  "taken/notes.md": "Mine.\n",
  "dig.md.unfinished/half": "",
  "linked.md": { link: "taken/notes.md" },
};

treeTest(
  "export replaces nothing without --force, and then only its own [authors:export-writes]",
  FILES,
  async (dir) => {
    const library = await openLibrary([opening("cli", 1, `${dir}/module`)]);
    const [entry] = library.effective;
    const write = async (form: ExportPlan["form"], name: string, isForced = false) => {
      const path = `${dir}/${name}`;
      const plan = { form, path, draft: `${path}.unfinished`, isForced };
      return (await prepareExport(library, entry!, plan, {}))(now);
    };
    const read = (path: string) => Deno.readTextFile(`${dir}/${path}`);
    let now = Date.now();

    // A killed run may have left it behind, or somebody needs it.
    const refusal = /dig\.md\.unfinished exists: remove it if /;
    await assert.rejects(() => write("web-bundle", "dig.md"), refusal);
    now += 120_000;
    await assert.rejects(() => write("web-bundle", "dig.md"), refusal, "a folder is no draft of a file");
    await Deno.remove(`${dir}/dig.md.unfinished`, { recursive: true });
    await Deno.symlink(`${dir}/taken/notes.md`, `${dir}/dig.md.unfinished`);
    await assert.rejects(() => write("web-bundle", "dig.md"), refusal, "nor is a link");
    await Deno.remove(`${dir}/dig.md.unfinished`);
    await Deno.writeTextFile(`${dir}/dig.md.unfinished`, "half");
    assert.match(
      (await write("web-bundle", "dig.md")).text,
      /^Exported garden\/garden-dig to .*\/dig\.md \(1 KB\)$/,
    );
    assert.match(await read("dig.md"), /^===== file bmad:\/\/garden\/garden-dig\/soil\.md\n\nSoil\.$/m);
    await assert.rejects(() => write("web-bundle", "dig.md"), /it exists; --force replaces it$/);
    await write("web-bundle", "dig.md", true);

    const { text, data } = await write("skill", "dig");
    assert.match(text, /\(2 files, 1 KB\)$/);
    assert.deepEqual(data["files"], ["SKILL.md", "files/garden/garden-dig/soil.md"]);
    assert.equal(await read("dig/files/garden/garden-dig/soil.md"), "Soil.\n");
    await Deno.mkdir(`${dir}/dig.unfinished`);
    await write("skill", "dig", true);
    assert.deepEqual([...Deno.readDirSync(`${dir}/dig`)].map(({ name }) => name).sort(), [
      "SKILL.md",
      "files",
    ]);
    await Deno.writeTextFile(`${dir}/dig/files/mine.md`, "Mine.\n");
    for (const name of ["dig", "taken", "module"]) {
      await assert.rejects(() => write("skill", name, true), /is not the folder of an earlier export$/);
    }
    await assert.rejects(() => write("web-bundle", "linked.md", true), /is not a plain file$/);
    assert.equal(await read("taken/notes.md"), "Mine.\n");
    assert.equal(await read("dig/files/mine.md"), "Mine.\n");

    await write("zip", "dig.zip");
    await write("zip", "taken/dig.zip");
    const [one, two] = ["dig.zip", "taken/dig.zip"].map((path) => Deno.readFileSync(`${dir}/${path}`));
    assert.deepEqual(one, two);
    assert.deepEqual(Object.keys(unzipSync(one!)), ["dig/SKILL.md", "dig/files/garden/garden-dig/soil.md"]);

    await assert.rejects(() => write("skill", "Dig It"), /"Dig It" cannot be the name of an export/);
    const drafts = [...Deno.readDirSync(dir)].filter(({ name }) => name.endsWith(".unfinished"));
    assert.deepEqual(drafts, []);
  },
);

Deno.test(
  {
    name: "what has an unsafe name is left out with a note, and the rest is whole [authors:export-names]",
    // Other systems cannot have files of these names.
    ignore: Deno.build.os !== "linux",
  },
  async () => {
    const isFile = (name: string) =>
      !/\0|[\uD800-\uDFFF]|^[/\\]|^\.{0,2}$|\/\.{0,2}(?:\/|$)|^\.\.\//u.test(name);
    const unsafe = [...UNSAFE_PATHS.filter((path) => isFile(path) && path.length < 100), "NOTES.md"];
    // Files whose names begin with a dot are not served.
    const safe = [...SAFE_PATHS.filter((path) => !path.startsWith(".")), "notes.md"];
    const files = Object.fromEntries(
      [...safe, ...unsafe].map((name) => [`module/garden-dig/${name}`, "Text.\n"]),
    );
    await withTree({ ...FILES, ...files }, async (dir) => {
      const library = await openLibrary([opening("cli", 1, `${dir}/module`)]);
      const [entry] = library.effective;
      const path = `${dir}/dig.zip`;
      const plan = { form: "zip", path, draft: `${path}.unfinished`, isForced: false } as const;
      const { text } = (await prepareExport(library, entry!, plan, {}))(0);
      const names = Object.keys(unzipSync(Deno.readFileSync(path)));
      const whyUnsafe = openNames();
      for (const name of names) assert.equal(whyUnsafe(name), undefined, name);
      for (const name of safe.slice(0, -1)) {
        assert.ok(names.includes(`dig/files/garden/garden-dig/${name}`), name);
      }
      assert.equal(names.filter((name) => /\/notes\.md$/i.test(name)).length, 1);
      const told = text.split("\n").filter((line) =>
        /^Left out: .*its name is not safe on every system: /.test(line)
      );
      assert.ok(told.length >= 20, text);
      // The file itself has a name, too.
      for (const name of ["con.zip", "NUL.zip", "a?.md", "x\u202e.md", "com1.md"]) {
        const form = name.endsWith(".md") ? "web-bundle" as const : "zip" as const;
        await assert.rejects(
          prepareExport(library, entry!, { ...plan, form, path: `${dir}/${name}` }, {}),
          /cannot be the name of an export/,
          name,
        );
      }
    });
  },
);

treeTest(
  "new and export write once [authors:export-writes, authors:new]",
  FILES,
  async (dir) => {
    const library = await openLibrary([opening("cli", 1, `${dir}/module`)]);
    const planOf = (...args: readonly string[]): Config =>
      resolveConfig({ ...denoHost(dir), cwd: dir, home: undefined, args, env: () => undefined });
    const authoring = (config: Config) =>
      openAuthoring({
        config,
        clock: { now: Date.now },
        ask: async (work) => (await work(library), await work(library)),
      });
    const { text } = await authoring(planOf("new", "module", "pond")).create();
    assert.match(text, /^Created the module pond /);
    const out = ["--to", "skill", "--out", `${dir}/dig`];
    const { text: said } = await authoring(planOf("export", "garden-dig", ...out)).export(
      library.effective[0]!,
    );
    assert.match(said, /^Exported garden\/garden-dig to /);
  },
);
