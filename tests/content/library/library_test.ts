/** Does every spelling of a path mean the right file, and no other? */
import assert from "node:assert/strict";
import { listFiles, mimeTypeOf } from "../../../src/content/library/files/files.ts";
import { fileOf } from "../../../src/content/library/library.ts";
import { readFile } from "../../../src/content/library/files/reading.ts";
import { findFile } from "../../../src/content/library/files/references.ts";
import { diagnose, openLibrary, readResource, resolveEntry } from "../../../src/content/library/mod.ts";
import { treeTest } from "../../support/trees.ts";
import { fixture, opening, openShop, sourceTest } from "../../support/library.ts";

const LEGEND = "bmad://bmm/bmad-map/references/legend.md";
const LEGEND_TEXT = "# Legend of the shop\n";

Deno.test("every spelling of a path means one file and one URI [resources:forms]", async () => {
  const library = await openShop();
  const spellings = [
    LEGEND,
    "bmad://_bmad/bmm/bmad-map/references/legend.md",
    "bmad://bmad/bmm/bmad-map/references/legend.md",
    "bmad://.bmad/bmm/bmad-map/references/legend.md",
    "bmad://bmm/plan/bmad-map/references/legend.md",
    "bmad://bmm/bmad-map/./references//legend.md",
    "bmad://bmm/bmad-map/steps/../references/legend.md",
    "bmad://bmm/bmad-map/references/legend%2Emd",
    "bmm/bmad-map/references/legend.md",
    "_bmad/bmm/bmad-map/references/legend.md",
    "_bmad/bmm/plan/bmad-map/references/legend.md",
    "_bmad\\bmm\\bmad-map\\references\\legend.md",
    "{project-root}/_bmad/bmm/bmad-map/references/legend.md",
    "{project-root}/_bmad/bmm/2-plan-workflows/bmad-map/references/legend.md",
    "{bmad_folder}/bmm/bmad-map/references/legend.md",
    ".claude/skills/bmad-map/references/legend.md",
    "{project-root}/.claude/skills/bmad-map/references/legend.md",
    ".agents/skills/bmad-map/references/legend.md",
  ];
  for (const spelling of spellings) {
    assert.deepEqual(
      await readResource(library, spelling),
      { uri: LEGEND, mimeType: "text/markdown", text: LEGEND_TEXT },
      spelling,
    );
  }
  for (
    const folder of ["bmad://_config", "bmad://_cfg", "bmad://_bmad/_cfg", "{project-root}/_bmad/_config"]
  ) {
    const found = findFile(library, `${folder}/manifest.yaml`);
    assert.equal(found?.uri, "bmad://_config/manifest.yaml", folder);
  }
});

Deno.test("a path inside a skill is resolved in the skill's own folder", async () => {
  const library = await openShop();
  const map = fileOf(library, resolveEntry(library, { name: "bmad-map" }));
  const table: readonly (readonly [string, string])[] = [
    ["references/legend.md", LEGEND],
    ["./references/legend.md", LEGEND],
    ["{skill-root}/references/legend.md", LEGEND],
    ["{installed_path}/references/legend.md", LEGEND],
    ["steps/../references/legend.md", LEGEND],
    ["./steps/step-01.md", "bmad://bmm/bmad-map/steps/step-01.md"],
    ["../bmad-agent-scout/SKILL.md", "bmad://bmm/bmad-agent-scout/SKILL.md"],
    ["SKILL.md", "bmad://bmm/bmad-map/SKILL.md"],
  ];
  for (const [reference, uri] of table) {
    assert.equal(findFile(library, reference, map)?.uri, uri, reference);
  }
  assert.equal(readFile(library, "./references/legend.md", { from: map })?.text, LEGEND_TEXT);
});

Deno.test("a file is searched for in its folder, module, origin and below [resources:chain]", async () => {
  const library = await openShop();
  const map = fileOf(library, resolveEntry(library, { name: "bmad-map" }));
  const table: readonly (readonly [string, string, string])[] = [
    ["references/legend.md", LEGEND, "project"],
    ["config.yaml", "bmad://bmm/config.yaml", "project"],
    ["config.toml", "bmad://config.toml", "project"],
    ["custom/config.toml", "bmad://custom/config.toml", "project"],
    ["bmm/module.yaml", "bmad://bmm/module.yaml", "cli"],
    ["{project-root}/_bmad/scripts/resolve_config.py", "bmad://scripts/resolve_config.py", "cli"],
    [
      "bmad://bmm/bmad-map/references/team-only.md",
      "bmad://bmm/bmad-map/references/team-only.md",
      "cli",
    ],
    ["bmad://core/bmad-notes/SKILL.md", "bmad://core/bmad-notes/SKILL.md", "cli"],
  ];
  for (const [reference, uri, origin] of table) {
    const found = findFile(library, reference, map);
    assert.deepEqual([found?.uri, found?.source.origin.id], [uri, origin], reference);
  }
});

Deno.test("a project's file overrides one of lower priority [origins:priority-order]", async () => {
  const library = await openShop();
  assert.equal((await readResource(library, LEGEND)).text, "# Legend of the shop\n");
  const shadowed = listFiles(library).filter(({ uri }) => uri === LEGEND);
  assert.deepEqual(shadowed.map(({ source, path }) => [source.origin.id, path]), [
    ["project", ".claude/skills/bmad-map/references/legend.md"],
  ]);
  const below = await openLibrary([opening("cli", 2, fixture("team"))]);
  assert.equal((await readResource(below, LEGEND)).text, "# Legend of the team\n");
});

Deno.test("the list of files has every served file once, and nothing else", async () => {
  const library = await openShop();
  assert.deepEqual(listFiles(library).map(({ uri }) => uri).sort(), [
    "bmad://_config/manifest.yaml",
    "bmad://_config/skill-manifest.csv",
    "bmad://bmm/bmad-agent-scout/SKILL.md",
    "bmad://bmm/bmad-agent-scout/customize.toml",
    "bmad://bmm/bmad-map/SKILL.md",
    "bmad://bmm/bmad-map/assets/dot.png",
    "bmad://bmm/bmad-map/customize.toml",
    "bmad://bmm/bmad-map/references/a%20b%23c.md",
    "bmad://bmm/bmad-map/references/legend.md",
    "bmad://bmm/bmad-map/references/team-only.md",
    "bmad://bmm/bmad-map/steps/step-01.md",
    "bmad://bmm/bmad-old-map/SKILL.md",
    "bmad://bmm/bmad-route/SKILL.md",
    "bmad://bmm/config.yaml",
    "bmad://bmm/module-help.csv",
    "bmad://bmm/module.yaml",
    "bmad://config.toml",
    "bmad://config.user.toml",
    "bmad://core/bmad-notes/SKILL.md",
    "bmad://core/config.yaml",
    "bmad://core/module.yaml",
    "bmad://custom/bmad-agent-scout.toml",
    "bmad://custom/bmad-agent-scout.user.toml",
    "bmad://custom/config.toml",
    "bmad://custom/config.user.toml",
    "bmad://scripts/resolve_config.py",
  ]);
});

Deno.test("a listed file can be read by its URI", async () => {
  const library = await openShop();
  for (const { uri, source, path, facts } of listFiles(library)) {
    // These have a secret in them: secret_doors_test.ts.
    if (["bmad://config.user.toml", "bmad://custom/config.toml"].includes(uri)) continue;
    const { text, bytes } = readFile(library, uri)!;
    const read = bytes ?? new TextEncoder().encode(text);
    assert.equal(read.length, facts.size, uri);
    assert.deepEqual(read, source.tree.read(path), uri);
  }
});

sourceTest("a single module's own files are listed as well as read", {
  "module.yaml": "code: fw\n",
  "README.md": "Not the module's.\n",
  "bmad-map/SKILL.md": "---\nname: bmad-map\ndescription: Draws.\n---\n",
}, async (library) => {
  assert.equal((await readResource(library, "bmad://fw/module.yaml")).text, "code: fw\n");
  assert.deepEqual(listFiles(library).map(({ uri }) => uri).sort(), [
    "bmad://fw/bmad-map/SKILL.md",
    "bmad://fw/module.yaml",
  ]);
});

Deno.test("a file outside every mount is not served, in any spelling", async () => {
  const library = await openShop();
  const of = resolveEntry(library, { name: "bmad-map" });
  for (
    const reference of [
      "src/secret.txt",
      "bmad://src/secret.txt",
      "{project-root}/src/secret.txt",
      "../../../src/secret.txt",
      "bmad://bmm/bmad-map/.hidden",
      ".claude/skills/my-own/SKILL.md",
      "../my-own/SKILL.md",
      "bmad://skills/my-own/SKILL.md",
      "bmad://bmm/bmad-lost/SKILL.md",
      "file:///etc/passwd",
      "",
      "bmad://",
      "..",
    ]
  ) {
    assert.equal(findFile(library, reference), undefined, reference);
    assert.equal(findFile(library, reference, fileOf(library, of)), undefined, reference);
    await assert.rejects(readResource(library, reference, { of }), { name: "BmadError" }, reference);
  }
});

Deno.test("a path that leaves the root is refused [errors:outside-root]", async () => {
  const library = await openShop();
  for (
    const reference of [
      "bmad://../secret.txt",
      "bmad://bmm/../../secret.txt",
      "bmad://bmm/%2e%2e/%2e%2e/secret.txt",
      "bmad://..%2f..%2fetc/passwd",
      "bmad://bmm\\..\\..\\secret.txt",
      "bmad:///etc/passwd",
      "bmad://bmm/x%00.md",
      "bmad://C:/Windows/win.ini",
      "/etc/passwd",
      "\\\\server\\share",
      "C:\\Windows\\win.ini",
    ]
  ) {
    await assert.rejects(readResource(library, reference), {
      failure: { code: "outside-root", path: reference },
    }, reference);
  }
});

Deno.test("a folder is refused with the files in it", async () => {
  const library = await openShop();
  for (const reference of ["bmad://bmm/bmad-agent-scout", "bmad://_bmad/bmm/bmad-agent-scout/"]) {
    await assert.rejects(readResource(library, reference), {
      failure: {
        code: "invalid-input",
        field: "resource",
        problem: `"${reference}" is a folder`,
        hint: "Open one of its 2 files, such as bmad://bmm/bmad-agent-scout/SKILL.md, " +
          "bmad://bmm/bmad-agent-scout/customize.toml",
      },
    });
  }
});

Deno.test("a missing file is answered with files of a similar name", async () => {
  const library = await openShop();
  const table: readonly (readonly [string, readonly string[]])[] = [
    ["bmad://bmm/legend.md", [LEGEND]],
    ["bmad://core/LEGEND.txt", [LEGEND]],
    ["bmad://bmm/bmad-map/step", ["bmad://bmm/bmad-map/steps/step-01.md"]],
    ["bmad://nowhere/at-all.md", []],
  ];
  for (const [name, near] of table) {
    await assert.rejects(readResource(library, name), {
      failure: {
        code: "not-found",
        what: "resource",
        name,
        suggestions: near,
        hint: "List the resources to see all of them",
      },
    });
  }
});

Deno.test("a range of lines gives that excerpt and its URI [resources:lines]", async () => {
  const library = await openShop();
  const step = "bmad://bmm/bmad-map/steps/step-01.md";
  const table: readonly (readonly [string, string])[] = [
    ["lines=2-3", "Walk the edge.\nCount the trees."],
    ["lines=1-1", "First step."],
    ["lines=4-99", "Sit down.\n"],
    ["lines=50-60", ""],
  ];
  for (const [range, text] of table) {
    assert.deepEqual(await readResource(library, `_bmad/bmm/plan/bmad-map/steps/step-01.md#${range}`), {
      uri: `${step}#${range}`,
      mimeType: "text/markdown",
      text,
    });
  }
  for (const range of ["lines=0-2", "lines=3-2", "lines=2", "lines=a-b", "lines=-2", "lines=1-2-3"]) {
    await assert.rejects(readResource(library, `${step}#${range}`), {
      failure: {
        code: "invalid-input",
        field: "lines",
        problem: `expected a range such as #lines=10-20, got "#${range}"`,
      },
    });
  }
});

Deno.test("a binary file is delivered as bytes, any other as text [resources:mime]", async () => {
  const library = await openShop();
  assert.deepEqual(await readResource(library, "bmad://bmm/bmad-map/assets/dot.png"), {
    uri: "bmad://bmm/bmad-map/assets/dot.png",
    mimeType: "image/png",
    bytes: new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x00, 0x01]),
  });
  const table: Readonly<Record<string, string>> = {
    "SKILL.md": "text/markdown",
    "a.YAML": "application/x-yaml",
    "a.yml": "application/x-yaml",
    "a.json": "application/json",
    "a.xml": "application/xml",
    "a.csv": "text/csv",
    "a.toml": "application/toml",
    "a.py": "text/plain",
    "LICENSE": "text/plain",
    "a.md.bak": "text/plain",
    "md": "text/plain",
    "a.constructor": "text/plain",
    "a.__proto__": "text/plain",
  };
  for (const [name, type] of Object.entries(table)) assert.equal(mimeTypeOf(`x.y/${name}`), type, name);
});

Deno.test("a name with a space and a hash is encoded in its URI and found again", async () => {
  const library = await openShop();
  for (
    const uri of ["bmad://bmm/bmad-map/references/a%20b%23c.md", "_bmad/bmm/bmad-map/references/a b#c.md"]
  ) {
    assert.deepEqual(await readResource(library, uri), {
      uri: "bmad://bmm/bmad-map/references/a%20b%23c.md",
      mimeType: "text/markdown",
      text: "# A name with a space\n",
    });
  }
});

treeTest("an origin with too many files lists the first ones and reports it", {
  "module.yaml": "code: fw\n",
  "skills/bmad-map/SKILL.md": "---\nname: bmad-map\ndescription: Draws maps\n---\n",
  "skills/bmad-map/a.md": "A\n",
  "skills/bmad-map/b.md": "B\n",
}, async (dir) => {
  const library = await openLibrary([opening("cli", 2, dir)], { maxFiles: 2 });
  assert.equal(listFiles(library).length, 2);
  assert.deepEqual(await diagnose(library), [{
    level: "warning",
    code: "too-many-files",
    message: "only the first 2 files are listed",
    fix: "Serve a smaller folder, or raise the limit",
    origin: "cli",
  }]);
  assert.equal((await readResource(library, "bmad://fw/bmad-map/b.md")).text, "B\n");
});
