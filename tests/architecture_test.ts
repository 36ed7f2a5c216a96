/** Does our own tree keep to its table of layers, and would we notice if it did not? */
import assert from "node:assert/strict";
import { ROOMS } from "./layers.ts";
import { checkTree, checkUnused } from "./support/architecture.ts";
import { blankText, findImports } from "./support/source.ts";

function readSources(): Record<string, string> {
  const root = new URL("../", import.meta.url);
  const files: Record<string, string> = { "main.ts": Deno.readTextFileSync(new URL("main.ts", root)) };
  const gather = (dir: string) => {
    for (const { name, isDirectory } of Deno.readDirSync(new URL(dir, root))) {
      if (isDirectory) gather(`${dir}${name}/`);
      // What a browser runs is only a text here.
      else if (!name.endsWith(".js")) {
        files[`${dir}${name}`] = Deno.readTextFileSync(new URL(`${dir}${name}`, root));
      }
    }
  };
  gather("src/");
  return files;
}

Deno.test("the source tree keeps to its table of layers [memory:lazy]", () => {
  assert.deepEqual(checkTree(readSources(), ROOMS), []);
});

Deno.test("the table allows nothing that the source tree does not need", () => {
  assert.deepEqual(checkUnused(readSources(), ROOMS), []);
});

/** Who splits lines by a rule of its own, and whose rule that is. All others ask src/base/text.ts. */
const OWN_LINES: Readonly<Record<string, string>> = {
  "src/base/language/french_glossary.ts": "a list in the source",
  "src/base/language/german_glossary.ts": "a list in the source",
  "src/commands/cli/diff.ts": "a diff, whose lines its package ends with LF",
  "src/commands/cli/screen.ts": "what is printed, in which LF ends a line",
  "src/content/repositories/git_program.ts": "git's progress, in pieces as they arrive",
  "src/project/codebase/scan.ts": "git's rule",
  "src/project/codebase/mod.ts": "lines as the index counts them, by bytes",
  "src/project/codebase/meaning.ts": "lines as the index counts them, by offsets",
  "src/project/kit/files/contract.ts": "a terminal, on which CR begins the line again",
  "src/project/kit/memory/embed/word_piece.ts": "the vocabulary of the model",
  "src/project/kit/memory/embed/worker.ts": "a message of our own",
  "src/project/scripts/document_checks.ts": "as BMAD's script",
  "src/project/scripts/python.ts": "Python's splitlines",
  "src/project/work/formats/yaml_tree.ts": "git's rule: every byte stays in its line",
};

Deno.test("lines are split by one function", () => {
  const splits = /\.split\(\s*(?:"(?:\\r)?\\n"|\/(?:\\r|\\n|\?|\||[[\]]|\(\?<=|\)|\\v|\\f|\\x..|\\u....)+\/)/;
  const found = Object.entries(readSources()).filter(([file, text]) =>
    file !== "src/base/text.ts" && splits.test(text)
  );
  assert.deepEqual(found.map(([file]) => file).sort(), Object.keys(OWN_LINES).sort());
});

/** Where text becomes HTML without being escaped, and why that is safe. */
const UNESCAPED: Readonly<Record<string, string>> = {
  "src/base/markup.ts": "the template itself",
  "src/project/scripts/brain.ts": "its own style and script, and icons of plain shapes",
  "src/serve/pages/prose.ts": "the Markdown package escapes, and lets no HTML pass",
  "src/serve/pages/site.ts": "our own style",
};

Deno.test("values enter HTML only through the template that escapes them", () => {
  const found = Object.entries(readSources()).filter(([, text]) => /\bnew Markup\(/.test(text));
  assert.deepEqual(found.map(([file]) => file).sort(), Object.keys(UNESCAPED));
});

const BREACHES:
  readonly (readonly [rule: string, files: Record<string, string>, complaints: readonly string[]])[] = [
    ["a unit imports only the units of its row", {
      "src/content/catalog/mod.ts":
        'import { a } from "../../base/model.ts";\nimport { b } from "../tree.ts";\n',
    }, ["src/content/catalog/mod.ts:2: catalog may not import tree"]],
    ["a type import counts", {
      "src/base/model.ts": 'export const a = 1;\nimport type { Failure } from "./errors.ts";\n',
    }, ["src/base/model.ts:2: model may not import errors"]],
    ["a re-export counts", {
      "src/content/tree.ts": 'export * from "./parse.ts";\nexport { fail } from "../base/errors.ts";\n',
    }, ["src/content/tree.ts:1: tree may not import parse"]],
    ["a dynamic import counts", {
      "src/settings/mod.ts": 'export const open = async () =>\n  await import("../content/tree.ts");\n',
    }, ["src/settings/mod.ts:2: settings may not import tree"]],
    ["a computed import is refused", {
      "src/settings/mod.ts": 'export const open = async (name: string) => await import("../" + name);\n',
    }, ["src/settings/mod.ts:1: import() of a computed name cannot be checked"]],
    ["a folder is entered through its mod.ts", {
      "src/content/library/mod.ts": 'import { parse } from "../inventory/parse.ts";\n',
    }, ["src/content/library/mod.ts:1: library imports inventory past its mod.ts"]],
    ["a sibling does not import its own mod.ts", {
      "src/content/catalog/mod.ts": "export const a = 1;\n",
      "src/content/catalog/names.ts": 'import { a } from "./mod.ts";\n',
    }, ["src/content/catalog/names.ts:1: a file of catalog imports its own mod.ts"]],
    ["a folder has no cycle", {
      "src/content/catalog/aliases.ts": '\nimport { b } from "./names.ts";\n',
      "src/content/catalog/mod.ts": 'import { a } from "./aliases.ts";\n',
      "src/content/catalog/names.ts": 'import type { c } from "./ranks.ts";\n',
      "src/content/catalog/ranks.ts": 'import { a } from "./aliases.ts";\n',
    }, [
      "src/content/catalog/aliases.ts:2: cycle inside catalog: aliases.ts → names.ts → ranks.ts → aliases.ts",
    ]],
    ["an import does not leave src", {
      "src/base/errors.ts": 'import manifest from "../../deno.json" with { type: "json" };\n',
      "src/base/model.ts":
        'import manifest from "../../deno.json" with { type: "json" };\nimport { main } from "../../main.ts";\n',
    }, [
      'src/base/errors.ts:1: "../../deno.json" leads out of src/',
      'src/base/model.ts:2: "../../main.ts" leads out of src/',
    ]],
    ["a package is imported only where its row allows it", {
      "src/settings/mod.ts": 'import { load } from "js-yaml";\n',
      "src/content/parse.ts": 'import { dump } from "js-yaml";\nimport { load } from "npm:js-yaml@5.5.0";\n',
      "src/serve/mcp/mod.ts": 'import { S } from "@modelcontextprotocol/server/ext/skills";\n',
    }, [
      "src/content/parse.ts:2: parse may not import the package npm:js-yaml@5.5.0",
      "src/settings/mod.ts:1: settings may not import the package js-yaml",
    ]],
    ["a node module is a package too", {
      "src/content/tree.ts": 'import { join } from "node:path";\n',
    }, ["src/content/tree.ts:1: tree may not import the package node:path"]],
    ["a unit needs a row", { "src/plugins/mod.ts": "export const a = 1;\n" }, [
      "src/plugins/mod.ts: it belongs to no unit of the table",
    ]],
    ["a unit is a file or a folder", { "src/serve/mcp.ts": "", "src/serve/mcp/mod.ts": "" }, [
      "src/serve/mcp.ts: unit mcp is both a file and a folder",
    ]],
    ["console is used nowhere", { "src/process/host.ts": 'export const a = 1;\nconsole.error("no");\n' }, [
      "src/process/host.ts:2: host may not touch console",
    ]],
    ["the process is asked only by the host", {
      "src/app.ts": [
        'export const a = Deno.env.get("A");',
        "export const b = Deno.args;",
        "export const c = Date.now();",
        "export const d = new Date();",
        "export const e = new Date(0);",
        "export const f = Deno.cwd();",
        "export const g = [Deno.stdin, Deno.stdout, Deno.stderr];",
      ].join("\n"),
    }, [
      "src/app.ts:1: app may not touch Deno.env",
      "src/app.ts:2: app may not touch Deno.args",
      "src/app.ts:3: app may not touch Date.now",
      "src/app.ts:4: app may not touch Date.now",
      "src/app.ts:6: app may not touch Deno.cwd",
      "src/app.ts:7: app may not touch Deno.stdin",
      "src/app.ts:7: app may not touch Deno.stdout",
      "src/app.ts:7: app may not touch Deno.stderr",
    ]],
    ["only main.ts exits", { "src/commands/cli/mod.ts": "Deno.exit(1);\n", "main.ts": "Deno.exit(0);\n" }, [
      "src/commands/cli/mod.ts:1: cli may not touch Deno.exit",
    ]],
    ["files are read only by tree and host, and names resolved before the rights are dropped", {
      "src/content/library/mod.ts":
        'Deno.readTextFileSync("a");\nawait Deno.readFile("a");\nDeno.openSync("a");\n',
      "src/content/origins/mod.ts": 'Deno.readDirSync("a");\nDeno.lstatSync("a");\nDeno.realPathSync("a");\n',
      "src/process/rights.ts": 'Deno.realPathSync("a");\nDeno.statSync("a");\n',
      "src/content/tree.ts": 'Deno.readFileSync("a");\nDeno.statSync("a");\n',
    }, [
      "src/content/library/mod.ts:1: library may not touch Deno.readTextFileSync",
      "src/content/library/mod.ts:2: library may not touch Deno.readFile",
      "src/content/library/mod.ts:3: library may not touch Deno.openSync",
      "src/content/origins/mod.ts:1: origins may not touch Deno.readDirSync",
      "src/content/origins/mod.ts:2: origins may not touch Deno.lstatSync",
      "src/content/origins/mod.ts:3: origins may not touch Deno.realPathSync",
      "src/process/rights.ts:1: rights may not touch Deno.realPathSync",
      "src/process/rights.ts:2: rights may not touch Deno.statSync",
    ]],
    ["permissions are the business of rights", {
      "src/content/tree.ts": 'Deno.permissions.querySync({ name: "read" });\n',
    }, ["src/content/tree.ts:1: tree may not touch Deno.permissions"]],
    ["programs are run only by the supervisor, and folders watched only by origins", {
      "src/app.ts": 'new Deno.Command("git");\nDeno.watchFs("a");\n',
      "src/process/supervisor.ts": 'new Deno.Command("git");\nDeno.watchFs("a");\n',
      "src/content/origins/mod.ts": 'new Deno.Command("git");\nDeno.watchFs("a");\n',
      "src/content/repositories/mod.ts": 'new Deno.Command("git");\nDeno.watchFs("a");\n',
    }, [
      "src/app.ts:1: app may not touch Deno.Command",
      "src/app.ts:2: app may not touch Deno.watchFs",
      "src/content/origins/mod.ts:1: origins may not touch Deno.Command",
      "src/content/repositories/mod.ts:1: repositories may not touch Deno.Command",
      "src/content/repositories/mod.ts:2: repositories may not touch Deno.watchFs",
      "src/process/supervisor.ts:2: supervisor may not touch Deno.watchFs",
    ]],
    ["only the log and copies of repositories are written, not even by the units that read", {
      "src/content/tree.ts":
        'Deno.writeTextFileSync("a", "b");\nDeno.mkdirSync("a");\nDeno.removeSync("a");\nDeno.rename("a", "b");\n',
    }, [
      "src/content/tree.ts:1: tree may not touch Deno.writeTextFileSync",
      "src/content/tree.ts:2: tree may not touch Deno.mkdirSync",
      "src/content/tree.ts:3: tree may not touch Deno.removeSync",
      "src/content/tree.ts:4: tree may not touch Deno.rename",
    ]],
    ["memory is imported when it is needed", {
      "src/app.ts":
        'import type { Embedder } from "./project/kit/memory/mod.ts";\nconst a = import("./project/kit/memory/mod.ts");\nimport { fuse } from "./project/kit/memory/mod.ts";\n',
    }, ["src/app.ts:3: app imports kit/memory at once, not when it is needed"]],
    ["a thread is started only by memory", {
      "src/app.ts": 'new Worker(new URL("a", import.meta.url));\n',
      "src/project/kit/memory/mod.ts": 'new Worker("a");\n',
    }, ["src/app.ts:1: app may not touch Worker"]],
    ["only memory uses the network", {
      "src/content/catalog/mod.ts":
        'await fetch("http://localhost");\nglobalThis.fetch;\ngit.fetch();\nDeno.serve(() => new Response());\n',
    }, [
      "src/content/catalog/mod.ts:1: catalog may not touch fetch",
      "src/content/catalog/mod.ts:2: catalog may not touch fetch",
      "src/content/catalog/mod.ts:4: catalog may not touch Deno.serve",
    ]],
    [
      "Deno is not taken apart",
      { "src/content/tree.ts": 'const { env } = Deno;\nDeno["exit"](0);\nDeno.errors;\n' },
      [
        "src/content/tree.ts:1: tree may not touch Deno",
        "src/content/tree.ts:2: tree may not touch Deno",
      ],
    ],
    ["a file has a name that says something", {
      "src/settings/utils.ts": "",
      "src/content/library/core/mod.ts": "",
    }, [
      "src/content/library/core/mod.ts: the name core says nothing; find the noun",
      "src/settings/utils.ts: the name utils says nothing; find the noun",
    ]],
    ["a file has a snake_case name", { "src/settings/settingsTable.ts": "", "src/settings/table.js": "" }, [
      "src/settings/settingsTable.ts: settingsTable is not a snake_case name of a .ts file",
      "src/settings/table.js: table.js is not a snake_case name of a .ts file",
    ]],
    ["an export has a name", { "src/base/errors.ts": "export default 1;\n" }, [
      "src/base/errors.ts:1: a default export has no name to search for",
    ]],
    ["an enum is a union", { "src/base/model.ts": "export const enum Kind { A }\n" }, [
      "src/base/model.ts:1: an enum is not plain data",
    ]],
    ["main.ts names no package", { "main.ts": 'import { load } from "js-yaml";\n' }, [
      "main.ts:1: main may not import the package js-yaml",
      "main.ts:1: the package js-yaml is loaded before rights are dropped",
    ]],
    ["parts of a unit are built on one another", {
      "src/content/library/files/mounts.ts": 'import { row } from "../lists/row.ts";\n',
      "src/content/library/rows/row.ts": 'import { mount } from "../files/reading.ts";\n',
      "src/content/library/files/reading.ts": "",
    }, ["src/content/library/files/mounts.ts:1: files may not import lists, a later part of library"]],
    ["nothing that a start loads at once names a package", {
      "src/start.ts": 'import { run } from "./commands/cli/mod.ts";\n',
      "src/commands/cli/mod.ts": 'import { serve } from "../../serve/mcp/mod.ts";\n',
      "src/serve/mcp/mod.ts": 'import { S } from "@modelcontextprotocol/server";\n',
    }, [
      "src/serve/mcp/mod.ts:1: the package @modelcontextprotocol/server is loaded before rights are dropped",
    ]],
    ["what a start loads later may name packages", {
      "src/start.ts": 'await import("./commands/cli/mod.ts");\n',
      "src/commands/cli/mod.ts": 'import { serve } from "../../serve/mcp/mod.ts";\n',
      "src/serve/mcp/mod.ts": 'import { S } from "@modelcontextprotocol/server";\n',
    }, []],
  ];

for (const [rule, files, complaints] of BREACHES) {
  Deno.test(`the layering check knows that ${rule}`, () =>
    assert.deepEqual(checkTree(files, ROOMS), complaints));
}

const unit = (imports: readonly string[], more = {}) => ({ imports, purpose: "", ...more });

Deno.test("the layering check wants the rows in order", () => {
  const rooms = {
    low: { folder: "low", units: { one: unit(["two"]), two: unit(["one", "high"]) } },
    high: { folder: "high", units: { three: unit(["low"]) } },
  };
  assert.deepEqual(checkTree({}, rooms), [
    "table: the row of one names two, which does not stand before it",
    "table: the row of two names high, which does not stand before it",
  ]);
});

Deno.test("the layering check names permissions that nothing uses", () => {
  const rooms = {
    low: { folder: "low", units: { one: unit([]), two: unit(["one"]) } },
    high: {
      folder: "high",
      units: { three: unit(["low"], { packages: ["node:fs", "node:os"], touches: ["Deno.stat*", "fetch"] }) },
    },
  };
  const files = {
    "src/low/one.ts": "",
    "src/low/two.ts": "",
    "src/high/three/mod.ts": 'import { a } from "../../low/one.ts";\nimport "node:os";\nDeno.statSync(a);\n',
  };
  assert.deepEqual(checkUnused(files, rooms), [
    "table: the row of two allows one, which nothing in it uses",
    "table: the row of three allows node:fs, which nothing in it uses",
    "table: the row of three allows fetch, which nothing in it uses",
  ]);
});

Deno.test("a room may import what its rows name of rooms before it, by its face alone", () => {
  const rooms = {
    low: { folder: "low", isByUnit: true as const, units: { low: unit([]), deep: unit(["low"]) } },
    high: { folder: "high", units: { three: unit(["deep"], { faces: ["side.ts"] }), four: unit(["three"]) } },
  };
  const files = {
    "src/low/table.ts": "",
    "src/low/deep/mod.ts": 'import { t } from "../mod.ts";\n',
    "src/high/three/mod.ts":
      'import { a } from "../../low/deep/mod.ts";\nimport { b } from "../../low/mod.ts";\n',
    "src/high/three/side.ts": "",
    "src/high/four.ts": 'import "./three/side.ts";\nimport "./three/inside.ts";\n',
  };
  assert.deepEqual(checkTree(files, rooms), [
    "src/high/four.ts:2: four imports three past its mod.ts",
    "src/high/three/mod.ts:2: three may not import low",
  ]);
});

Deno.test("a file belongs to the deepest unit that holds it", () => {
  const rooms = {
    low: {
      folder: "low",
      units: { "work/rows": unit([]), scripts: unit(["work/rows"]), work: unit(["work/rows", "scripts"]) },
    },
  };
  const files = {
    "src/low/work/rows/mod.ts": 'import "../mod.ts";\n',
    "src/low/scripts/mod.ts": 'import "../work/rows/mod.ts";\nimport "../work/mod.ts";\n',
    "src/low/work/mod.ts":
      'import "./rows/mod.ts";\nimport "./rows/inside.ts";\nimport "../scripts/mod.ts";\n',
  };
  assert.deepEqual(checkTree(files, rooms), [
    "src/low/scripts/mod.ts:2: scripts may not import work",
    "src/low/work/mod.ts:2: work imports work/rows past its mod.ts",
    "src/low/work/rows/mod.ts:1: work/rows may not import work",
  ]);
});

Deno.test("the layering check is not moved by comments, strings and regular expressions", () => {
  const source = [
    "// Deno.exit(1); console.log()",
    "/* console */ export const a = 'console'; /**",
    ' * import { x } from "node:fs"; */',
    'export const b = "Deno.env \\" console";',
    "export const c = `console ${a /* Deno.exit */} Deno.cwd() ${`console ${b}`} fetch(`;",
    "export const d = /[\"/']console/.test(a) ? 1 : 2;",
    "export const e = 4 / 2 / 1;",
    'export const f = `import("./x.ts")`;',
  ].join("\n");
  assert.deepEqual(checkTree({ "src/content/catalog/mod.ts": source }, ROOMS), []);
});

Deno.test("the layering check sees code inside templates and after quotes", () => {
  const source = [
    "export const a = `${{ a: `}` }.a + Deno.cwd()} console`;",
    'export const b = a.replace(/"/g, "") + Deno.args;',
    "export const c = '//' + Deno.env;",
  ].join("\n");
  assert.deepEqual(checkTree({ "src/content/catalog/mod.ts": source }, ROOMS), [
    "src/content/catalog/mod.ts:1: catalog may not touch Deno.cwd",
    "src/content/catalog/mod.ts:2: catalog may not touch Deno.args",
    "src/content/catalog/mod.ts:3: catalog may not touch Deno.env",
  ]);
});

Deno.test("a blanked source keeps its length, lines and quotes", () => {
  assert.equal(blankText('a("x\\"y"); // z\n`b${c}d`'), 'a("    ");     \n` ${c} `');
});

Deno.test("the imports of a source are found in every form", () => {
  const source = [
    'import "./side.ts";',
    "import def, { type A, b as c } from './named.ts';",
    "import {",
    "  d, // from here",
    "} from",
    '  "./lines.ts";',
    'import * as all from "pkg/sub";',
    'import type { E } from "./types_only.ts";',
    'export type { F } from "./types_out.ts";',
    'export { g } from "./out.ts";',
    'export const h = (await import("./later.ts")).h;',
    "export const i = await import(h);",
    'export const from = "./no.ts";',
    "export function imports() {}",
  ].join("\n");
  assert.deepEqual(findImports(source), [
    { specifier: "./side.ts", line: 1, form: "static" },
    { specifier: "./named.ts", line: 2, form: "static" },
    { specifier: "./lines.ts", line: 3, form: "static" },
    { specifier: "pkg/sub", line: 7, form: "static" },
    { specifier: "./types_only.ts", line: 8, form: "type" },
    { specifier: "./types_out.ts", line: 9, form: "type" },
    { specifier: "./out.ts", line: 10, form: "static" },
    { specifier: "./later.ts", line: 11, form: "dynamic" },
    { specifier: undefined, line: 12, form: "dynamic" },
  ]);
});
