/**
 * Is an installation of the generation after 6.12 served as a whole: its files, its names, beside the embedded content?
 */
import assert from "node:assert/strict";
import { resolveName } from "../../../../src/content/catalog/mod.ts";
import { type Library, listFiles, openLibrary, readResource } from "../../../../src/content/library/mod.ts";
import { flatNames, flatSource } from "../../../support/flat.ts";
import { type Files, opening, testsOver } from "../../../support/library.ts";
import { withTree } from "../../../support/trees.ts";

function withProject<T>(files: Files, work: (library: Library, dir: string) => Promise<T>): Promise<T> {
  return withTree(
    files,
    async (dir) => await work(await openLibrary([opening("project", 1, dir)], { project: dir }), dir),
  );
}

const projectTest = testsOver(withProject);

const PROJECT = flatSource("tickets", ".agents/skills");

const entryOf = ({ effective }: Library, id: string) => effective.find((entry) => entry.id === id)!;

projectTest(
  "the files of a record are those of its module [origins:flat-records]",
  PROJECT,
  async (library, dir) => {
    const of = entryOf(library, "bmad-testarch-ci");
    const spelled = [
      "../bmod-tea/knowledge/pipelines.md",
      "{skill-root}/../bmod-tea/knowledge/pipelines.md",
      "{project-root}/.agents/skills/bmod-tea/knowledge/pipelines.md",
      `${dir}/.agents/skills/bmod-tea/knowledge/pipelines.md`,
      `${dir}/.agents/skills/bmad-testarch-ci/../bmod-tea/knowledge/pipelines.md`,
      "bmad://tea/knowledge/pipelines.md",
    ];
    for (const reference of spelled) {
      const { uri, text } = await readResource(library, reference, { of });
      assert.equal(uri, "bmad://tea/knowledge/pipelines.md", reference);
      assert.match(text ?? "", /Keep them short/);
    }
    for (const hidden of ["../../../../etc/passwd", "../../secret.md", "../bmod-tea/../../secret.md"]) {
      await assert.rejects(async () => await readResource(library, hidden, { of }), hidden);
    }
    const script = "{project-root}/_bmad/method/scripts/tickets.py";
    assert.equal((await readResource(library, script, { of })).text, "print('{}')\n");
    const uris = listFiles(library).map(({ uri }) => uri);
    assert.equal(new Set(uris).size, uris.length);
    assert.ok(uris.includes("bmad://notes/release-notes/help/help.md"));
  },
);

projectTest("a name that a module has given up leads to the new one", PROJECT, (library) => {
  for (const name of ["bmad-preview-ticketing", "preview-ticketing", "bmad-help", "help"]) {
    const outcome = resolveName(library.effective, { name });
    const id = name.endsWith("help") ? "bmad" : "bmad-ticket";
    assert.equal(outcome.outcome === "found" && outcome.entry.id, id, name);
  }
  return Promise.resolve();
});

Deno.test("embedded content steps back for records alone [origins:one-generation]", async (t) => {
  const packed = (dir: string) => ({ ...opening("package", 9, `${dir}/pack`), isFallback: true });
  const pack = Object.fromEntries(
    Object.entries(flatSource("manifests")).map(([path, text]) => [`pack/${path}`, text]),
  );
  const project = (files: Files) =>
    Object.fromEntries(Object.entries(files).map(([path, text]) => [`project/${path}`, text]));
  const open = (files: Files) =>
    withTree({ ...pack, ...project(files) }, async (dir) => {
      const library = await openLibrary([opening("project", 1, `${dir}/project`), packed(dir)]);
      return library.effective.map(({ module, id }) => `${module}/${id}`).sort();
    });
  await t.step("BMAD's own", async () => assert.deepEqual(await open(PROJECT), flatNames("tickets")));
  const part = (name: string) =>
    Object.fromEntries(Object.entries(PROJECT).filter(([path]) => path.includes(`/${name}/`)));
  await t.step(
    "somebody's module",
    async () => assert.deepEqual(await open(part("release-notes")), ["notes/release-notes"]),
  );
  await t.step("somebody's modules, also with names of BMAD's", async () => {
    const tea = { ...part("bmod-tea"), ...part("bmad-tea"), ...part("bmad-testarch-ci") };
    assert.deepEqual(await open(tea), ["tea/bmad-tea", "tea/bmad-testarch-ci"]);
  });
  await t.step(
    "a record without skills",
    async () => assert.deepEqual(await open(part("bmod-tea")), flatNames("manifests")),
  );
  await t.step("loose skills", async () => {
    const loose = {
      ".agents/skills/bmad-own/SKILL.md": "---\nname: bmad-own\ndescription: Ours.\n---\nDo it.\n",
    };
    assert.deepEqual(await open(loose), ["skills/bmad-own", ...flatNames("manifests")].sort());
  });
});
