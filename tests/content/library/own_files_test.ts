/**
 * Is what somebody keeps in a BMAD folder found where its path says, whatever it is called, and however it is written?
 */
import assert from "node:assert/strict";
import { listGenerated } from "../../../src/content/library/delivery/resources.ts";
import {
  diagnose,
  executeEntry,
  findKnowledge,
  listFiles,
  listLibrary,
  listResources,
  locateResource,
  openLibrary,
  readEntry,
  readResource,
  resolveEntry,
  searchLibrary,
} from "../../../src/content/library/mod.ts";
import { installation } from "../../support/installs.ts";
import { type Files, opening, projectTest, sourceTest, withProject } from "../../support/library.ts";
import { copyTree, type TreeFile, treeTest, withTree } from "../../support/trees.ts";

const AGENT = "---\ndescription: Keeps.\n---\n\nYou keep the house.\n";

treeTest(
  "a file at a generated path opens with its folder's name [errors:unserved-named]",
  { "_bmad/m/agents/keeper.md": AGENT },
  async (dir) => {
    const open = () => openLibrary([opening("project", 1, dir)], { project: dir });
    const generated = listGenerated(await open()).map(({ uri }) => uri.slice("bmad://".length));
    const all = [...generated, "roster/parties/mine", "board"];
    // A file is not a folder too.
    const paths = all.filter((path) => !all.some((other) => other.startsWith(`${path}/`)));
    for (const path of paths) {
      await Deno.mkdir(`${dir}/_bmad/${path}`.replace(/\/[^/]*$/, ""), { recursive: true });
      await Deno.writeTextFile(`${dir}/_bmad/${path}`, `own: ${path}\n`);
    }
    const library = await open();
    const uris = (await listResources(library)).map(({ uri }) => uri);
    assert.deepEqual(uris.filter((uri, at) => uris.indexOf(uri) !== at), []);
    for (const path of paths) {
      const own = uris.filter((uri) => uri.endsWith(`/${path}`));
      const contents = await Promise.all(own.map((uri) => readResource(library, uri, { raw: true })));
      assert.ok(contents.some(({ text }) => text === `own: ${path}\n`), `${path}: ${own.join(" ")}`);
      for (const { uri } of contents) assert.equal((await locateResource(library, uri))?.uri, uri);
      const { text } = await readResource(library, `{project-root}/_bmad/${path}`, { raw: true });
      assert.equal(text, `own: ${path}\n`);
    }
    assert.match((await readResource(library, "bmad://manifest")).text!, /"entries"/);
  },
);

Deno.test("of files with one path in several BMAD folders each has a URI of its own, and is found", () =>
  withProject(
    Object.fromEntries(
      ["_bmad", "bmad", ".bmad"].flatMap((root) => [
        [`${root}/m/agents/keeper.md`, AGENT],
        [`${root}/manifests/agents`, `of ${root}\n`],
        [`${root}/almanac.md`, `# Of ${root}\n`],
      ]),
    ),
    async (library) => {
      for (const root of ["_bmad", "bmad", ".bmad"]) {
        assert.equal((await readResource(library, `bmad://${root}/manifests/agents`)).text, `of ${root}\n`);
      }
      assert.match((await readResource(library, "bmad://manifests/agents")).text!, /^name,displayName/);
      const names = (await searchLibrary(library, { words: "almanac" })).map(({ name }) => name);
      assert.deepEqual(names.sort(), [".bmad/almanac.md", "_bmad/almanac.md", "bmad/almanac.md"]);
    },
  ));

const PRUEFUNG = "Prüfung".normalize("NFD");

projectTest("a name with decomposed letters is one word", {
  "_bmad/m/workflows/a.yaml": `name: ${PRUEFUNG}\ndescription: Checks.\n`,
  "_bmad/m/agents/b.md": `---\ndescription: Keeps.\nname: ${"Jörg".normalize("NFD")}\n---\n\nYou keep.\n`,
  "_bmad/m/agents/c.md": `<agent id="c" name="${
    "Käthe".normalize("NFD")
  }" title="Keeper"><persona><role>R</role></persona></agent>\n`,
  [`_bmad/m/knowledge/${PRUEFUNG}.md`]: "# Checks\n",
  [`_bmad/m/agents/${PRUEFUNG}.md`]: AGENT,
  [`_bmad/_config/agents/m-${PRUEFUNG}.customize.yaml`]: "agent:\n  metadata:\n    name: Paula\n",
}, async (library) => {
  assert.equal(resolveEntry(library, { name: "Prüfung", kind: "workflow" }).id, "prüfung");
  assert.equal(resolveEntry(library, { name: "Paula" }).id, "Prüfung");
  assert.deepEqual(await diagnose(library), []);
  assert.equal(resolveEntry(library, { name: "Käthe" }).id, "c");
  assert.equal(resolveEntry(library, { name: "Käthe".normalize("NFD") }).id, "c");
  const found = await findKnowledge(library, { domain: "m", topic: "Prüfung" });
  assert.equal(found.is, "fragments");
});

const NAMED: readonly (readonly [name: string, files: Files, items: readonly string[]])[] = [
  ["templates", { "agents/ta.md": AGENT, "templates/t.md": "# T\n" }, ["custom/ta"]],
  ["checklists", { "agents/ta.md": AGENT, "checklists/ship.md": "# Ship\n" }, ["custom/ta"]],
  [
    "templates of v4",
    {
      "agents/ta.md": "# Ta\n\n```yaml\nagent:\n  name: Ta\n```\n",
      "templates/prd-tmpl.yaml": "template:\n  id: x\n",
    },
    ["DIR/ta", "DIR/prd-tmpl"],
  ],
];
for (const [name, files, items] of NAMED) {
  treeTest(`a named folder with agents and ${name} is recognised`, files, async (dir) => {
    await Deno.mkdir(`${dir}/workflows`);
    const library = await openLibrary([opening("cli", 2, dir)]);
    const found = library.manifest.entries.map(({ module, id }) => `${module}/${id}`);
    const folder = dir.split(/[\\/]/).at(-1)!;
    assert.deepEqual(found, items.map((item) => item.replace("DIR", folder)));
    assert.deepEqual(library.diagnostics, []);
  });
}

Deno.test("the module of agents at the top of a BMAD folder does not depend on its configuration", async () => {
  const configured: readonly Files[] = [
    {},
    { "_bmad/config.yaml": "user_name: Ada\n" },
    { "_bmad/module.yaml": "code: x\n" },
  ];
  for (const files of configured) {
    await withProject({ ...files, "_bmad/agents/keeper.md": AGENT }, (library) => {
      assert.deepEqual(library.effective.map(({ module, id }) => `${module}/${id}`), ["custom/keeper"]);
    });
  }
});

projectTest("files in a folder of checklists are checklists", {
  "_bmad/m/agents/keeper.md": AGENT,
  "_bmad/m/checklists/ship.md": "# Ship\n",
  "_bmad/only/checklists/go.md": "# Go\n",
}, async (library) => {
  const rows = await listLibrary(library, { what: "checklists" });
  assert.deepEqual(rows.map(({ name }) => name).sort(), ["m/ship", "only/go"]);
});

const KNOWLEDGE: Files = {
  "_bmad/knowledge/tax.md": "# Tax\n",
  "_bmad/knowledge/law/hire.md": "# Hire\n",
  "_bmad/m/agents/keeper.md": AGENT,
  "_bmad/m/knowledge/deep/er/price.md": "# Price\n",
  "_bmad/only/knowledge/k.md": "# K\n",
};

projectTest("what the list of knowledge has can be looked up as knowledge", KNOWLEDGE, async (library) => {
  const listed = (await listLibrary(library, { what: "knowledge" })).map(({ data }) => data);
  assert.equal(listed.length, 4);
  for (const { module, id } of listed) {
    const found = await findKnowledge(library, { domain: String(module), topic: String(id) });
    assert.equal(found.is, "fragments", `${module}/${id}`);
  }
  const domains = await findKnowledge(library, {});
  assert.deepEqual(domains.is === "index" && domains.rows.map(({ name }) => name), [
    "er",
    "knowledge",
    "law",
    "only",
  ]);
});

const latin1 = (text: string) => Uint8Array.from(text, (char) => char.charCodeAt(0));
const utf16 = (text: string) => latin1([...text].map((char) => `${char}\0`).join(""));

const ENCODINGS: Readonly<Record<string, readonly [TreeFile, RegExp]>> = {
  latin: [
    latin1("# Ren\u00e9\n\nYou keep the house.\n"),
    /not UTF-8, but seems to be Latin-1 or Windows-1252/,
  ],
  marked: [utf16("\u00ff\u00fe").filter((byte) => byte !== 0), /not UTF-8, but seems to be UTF-16/],
  unmarked: [utf16("# Ren\u00e9\n\nYou keep the house.\n"), /not UTF-8, but seems to be UTF-16/],
  binary: [new Uint8Array([0, 1, 254, 255, 7, 0, 0, 1]), /not text/],
};

Deno.test("a text in another encoding is named, with what to do", () =>
  withProject(
    Object.fromEntries(Object.entries(ENCODINGS).map(([id, [text]]) => [`_bmad/m/agents/${id}.md`, text])),
    async (library) => {
      const found = new Map((await diagnose(library)).map((one) => [one.path, one]));
      for (const [id, [, message]] of Object.entries(ENCODINGS)) {
        const { code, message: said, fix } = found.get(`_bmad/m/agents/${id}.md`)!;
        assert.equal(code, "bad-file");
        assert.match(said, message);
        assert.equal(fix === "Save it as UTF-8", id !== "binary", id);
      }
    },
  ));

projectTest("records of one source that have one name are told by their files", {
  "_bmad/m/agents/keeper.md": AGENT,
  "bmad/m/agents/keeper.md": `${AGENT}Here.\n`,
}, async (library) => {
  const [conflict] = await listLibrary(library, { what: "conflicts" });
  assert.equal(
    conflict!.about,
    "1 file differs; _bmad/m/agents/keeper.md wins over bmad/m/agents/keeper.md: it comes first in project",
  );
  const { text } = await readEntry(library, resolveEntry(library, { name: "keeper" }));
  assert.match(text, /^overrides: bmad\/m\/agents\/keeper\.md$/m);
});

projectTest("a name that items of several kinds have is answered with how to call each", {
  "_bmad/m/agents/thing.md": AGENT,
  "_bmad/m/workflows/thing.yaml": "name: thing\ndescription: Works.\n",
  "_bmad/m/tasks/thing.md": "# Thing\n",
}, async (library) => {
  const noteOf = async (name: string) => {
    const entry = resolveEntry(library, { name });
    return [entry.kind, (await readEntry(library, entry, name)).data["note"]];
  };
  assert.deepEqual(await noteOf("m/thing"), [
    "agent",
    "m/thing is also the name of a workflow (m/workflows/thing) and of a task (m/tasks/thing)",
  ]);
  assert.deepEqual(await noteOf("m/workflows/thing"), ["workflow", undefined]);
  assert.deepEqual(await noteOf("m/tasks/thing"), ["task", undefined]);
});

projectTest("the fix for an installation does not install what somebody wrote by hand", {
  "_bmad/_config/manifest.yaml": "installation:\n  version: 6.12.0\nmodules: [core, bmm]\n",
  "_bmad/_config/skill-manifest.csv":
    'canonicalId,name,description,module,path\n"bmad-gone","bmad-gone","Gone","bmm","_bmad/bmm/bmad-gone/SKILL.md"\n',
  "_bmad/mine/agents/keeper.md": AGENT,
}, async (library) => {
  const [gone] = (await diagnose(library)).filter(({ code }) => code === "no-file-found");
  assert.match(gone!.fix!, / --modules bmm --tools /);
});

Deno.test("the fix for missing files of v4 is a command that its installer knows", () => {
  const pm = "# PM\n\n```yaml\nagent:\n  name: Jo\n```\n";
  const lists = (version: string, folder: string) =>
    `version: ${version}\nfiles:\n  - path: ${folder}/agents/pm.md\n  - path: ${folder}/agents/gone.md\n`;
  const core = {
    ".bmad-core/install-manifest.yaml": lists("4.44.3", ".bmad-core"),
    ".bmad-core/agents/pm.md": pm,
  };
  const pack = {
    ".bmad-sea/install-manifest.yaml": lists("1.1.1", ".bmad-sea"),
    ".bmad-sea/agents/pm.md": pm,
  };
  const fixesOf = (files: Readonly<Record<string, string>>) =>
    withProject(files, async (library, dir) => {
      const gone = (await diagnose(library)).filter(({ code }) => code === "no-file-found");
      return gone.map(({ path, fix }) => `${path}: ${fix!.replace(dir, "DIR")}`).sort();
    });
  return Promise.all([fixesOf({ ...core, ...pack }), fixesOf(pack)]).then(([both, alone]) => {
    assert.deepEqual(both, [
      ".bmad-core/install-manifest.yaml: Install it again, and choose to repair it: " +
      "cd DIR && npx -y bmad-method@4.44.3 install -f -d .",
      ".bmad-sea/install-manifest.yaml: Install the expansion pack again: " +
      "cd DIR && npx -y bmad-method@4.44.3 install -x -d . -e bmad-sea",
    ]);
    // A pack has a version of its own.
    assert.deepEqual(alone, [
      ".bmad-sea/install-manifest.yaml: Install the expansion pack again: " +
      "cd DIR && npx -y bmad-method@4 install -x -d . -e bmad-sea",
    ]);
  });
});

treeTest("a customization that is newer than a hand-written agent is not stale", {
  "_bmad/m/agents/keeper.md": AGENT,
  "_bmad/_config/agents/m-keeper.customize.yaml": "agent:\n  metadata:\n    name: Kim\n",
}, async (dir) => {
  await Deno.utime(`${dir}/_bmad/m/agents/keeper.md`, 1, 1);
  const library = await openLibrary([opening("project", 1, dir)], { project: dir });
  assert.deepEqual(await diagnose(library), []);
});

Deno.test("a named folder in what another source serves is on standby", () =>
  withTree({ "_bmad/m/agents/keeper.md": AGENT, "_bmad/.own/agents/own.md": AGENT }, async (dir) => {
    for (const inner of ["_bmad", "_bmad/m"]) {
      const openings = [opening("project", 1, dir), opening("cli", 2, `${dir}/${inner}`)];
      const library = await openLibrary(openings, { project: dir });
      const rows = await listLibrary(library, { what: "agents" });
      assert.deepEqual(rows.map(({ name }) => name), ["m/keeper"], inner);
      assert.deepEqual(await listLibrary(library, { what: "conflicts" }), []);
      assert.deepEqual((await diagnose(library)).map(({ code, origin }) => [code, origin]), [
        ["served-already", "cli"],
      ]);
      assert.equal((await listLibrary(library, { what: "agents", origin: "cli" })).length, 1);
    }
    // Nothing serves a hidden folder of the project.
    const openings = [opening("project", 1, dir), opening("cli", 2, `${dir}/_bmad/.own`)];
    const rows = await listLibrary(await openLibrary(openings, { project: dir }), { what: "agents" });
    assert.deepEqual(rows.map(({ name }) => name), ["m/keeper", "custom/own"]);
  }));

Deno.test("two files of one source that would have one URI have two", async () => {
  const paths = [
    "agents/keeper.md",
    "templates/t.md",
    "custom/templates/t.md",
    "custom/agents/keeper.md",
    "m/skills/mend/notes.md",
    "m/mend/notes.md",
  ];
  const files = Object.fromEntries(paths.map((path) => [path, `of: ${path}\n`]));
  const skill = "---\nname: mend\ndescription: Mends.\n---\nMend.\n";
  await withTree({ ...files, "m/skills/mend/SKILL.md": skill }, async (dir) => {
    await Deno.mkdir(`${dir}/project`);
    for (const name of ["agents", "templates", "custom", "m"]) {
      await copyTree(`${dir}/${name}`, `${dir}/project/_bmad/${name}`);
    }
    const home = `${dir}/project/_bmad`;
    for (const from of [opening("project", 1, `${dir}/project`), opening("user", 4, home)]) {
      const library = await openLibrary([from], { project: `${dir}/project` });
      const root = from.use === "project" ? "_bmad/" : "";
      const uris = new Map(listFiles(library).map(({ path, uri }) => [path, uri]));
      for (const path of paths) {
        const uri = uris.get(root + path);
        assert.ok(uri, path);
        assert.equal((await readResource(library, uri, { raw: true })).text, `of: ${path}\n`, uri);
      }
    }
  });
});

sourceTest("in a named folder, only what lies among its items is called no item", {
  "agents/keeper.md": AGENT,
  "agents/note.txt": "x\n",
  "Tasks/t.md": "# T\n",
  "m/tasks/t.md": "# T\n",
  "m/tasks/t.json": "{}\n",
  "src/Agents/main.md": "# Main\n",
  "src/deep/agents/main.md": "# Main\n",
  "src/workflow.yaml": "name: x\n",
}, async (library) => {
  const found = (await diagnose(library)).map(({ path, message }) => `${path} ${message.split(":")[0]}`);
  assert.deepEqual(found.sort(), [
    "Tasks/t.md not served",
    "agents/note.txt served as a file",
    "m/tasks/t.json served as a file",
  ]);
});

Deno.test("a skill that somebody wrote wins over an installed one of its module", async () => {
  const installed = await installation({ version: "6.12.0", tools: "claude-code" });
  await withTree({
    "_bmad/bmm/skills/bmad-prd/SKILL.md": "---\nname: bmad-prd\ndescription: Our own.\n---\nOurs.\n",
  }, async (dir) => {
    await copyTree(installed, dir);
    const library = await openLibrary([opening("project", 1, dir)], { project: dir });
    const entry = resolveEntry(library, { name: "bmad-prd" });
    assert.equal(entry.file, "_bmad/bmm/skills/bmad-prd/SKILL.md");
    assert.deepEqual((await diagnose(library)).filter(({ code }) => code === "duplicate-id"), []);
    assert.match((await executeEntry(library, entry, {})).toString(), /Ours\./);
  });
});
