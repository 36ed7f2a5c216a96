/**
 * Does our own tree keep to its layering, and would we notice if it did not?
 *
 * `LAYERS` is the rule: for each unit, which units and packages it may import and what of the outside world it
 * may touch. The first test holds the real files against it; the others feed small wrong trees, one for each
 * rule, and expect the exact complaint. To give a unit a new right, add it to its row.
 */
import assert from "node:assert/strict";
import { checkTree, type Table } from "./support/architecture.ts";
import { verifies } from "./support/requirements.ts";
import { blankText, findImports } from "./support/source.ts";

const READING = [
  "Deno.lstat*",
  "Deno.open*",
  "Deno.readDir*",
  "Deno.readFile*",
  "Deno.readTextFile*",
  "Deno.realPath*",
  "Deno.stat*",
];

const WRITING = [
  "Deno.chmod*",
  "Deno.mkdir*",
  "Deno.remove*",
  "Deno.rename*",
];

const PROCESS = [
  "Date.now",
  "Deno.addSignalListener",
  "Deno.args",
  "Deno.consoleSize",
  "Deno.cwd",
  "Deno.env",
  "Deno.execPath",
  "Deno.memoryUsage",
  "Deno.pid",
  "Deno.stderr",
  "Deno.stdin",
  "Deno.stdout",
  "Deno.version",
];

const LAYERS: Table = {
  units: {
    model: { imports: [] },
    values: { imports: ["model"] },
    age: { imports: [] },
    ended: { imports: [] },
    errors: { imports: [] },
    near: { imports: [] },
    kept: { imports: [] },
    words: { imports: [] },
    safe_text: { imports: [] },
    host: { imports: [], packages: ["node:v8", "node:vm"], touches: [...PROCESS, ...READING] },
    rights: {
      imports: ["model", "errors"],
      touches: ["Deno.PermissionDescriptor", "Deno.permissions", "Deno.realPath*"],
    },
    baked: { imports: [], touches: ["Deno.readTextFile*"] },
    version: { imports: ["model", "host"] },
    tree: { imports: ["errors", "kept"], touches: READING },
    log_file: { imports: [], touches: ["Deno.writeTextFile*", "Deno.rename*", "Deno.stat*"] },
    config: { imports: ["model", "errors", "near"] },
    repositories: {
      imports: ["errors", "config"],
      touches: [
        ...READING,
        "Deno.ChildProcess",
        "Deno.Command",
        "Deno.makeTempDir*",
        "Deno.makeTempFile*",
        "Deno.mkdir*",
        "Deno.remove*",
        "Deno.rename*",
        "Deno.writeTextFile*",
      ],
    },
    origins: {
      imports: ["model", "errors", "baked", "tree", "config", "repositories"],
      touches: ["Deno.watchFs"],
    },
    parse: { imports: ["values"], packages: ["js-yaml", "smol-toml"] },
    inventory: { imports: ["model", "values", "tree", "parse"] },
    catalog: { imports: ["model", "near"] },
    usage: {
      imports: ["model"],
      touches: [
        "Deno.FsFile",
        "Deno.lstat*",
        "Deno.mkdir*",
        "Deno.open*",
        "Deno.readTextFile*",
        "Deno.remove*",
        "Deno.rename*",
      ],
    },
    library: {
      rooms: ["files", "values", "made", "lists", "find"],
      imports: [
        "model",
        "values",
        "errors",
        "near",
        "kept",
        "words",
        "tree",
        "parse",
        "inventory",
        "catalog",
      ],
      packages: ["js-yaml"],
    },
    clients: {
      imports: ["model", "errors", "near", "host", "config", "parse"],
      packages: ["jsonc-parser"],
      touches: [...READING, ...WRITING],
    },
    runs: {
      imports: ["model", "errors", "near", "tree", "config", "parse"],
      touches: [
        "Deno.ChildProcess",
        "Deno.Command",
        "Deno.link*",
        "Deno.lstat*",
        "Deno.mkdir*",
        "Deno.open*",
        "Deno.realPath*",
        "Deno.remove*",
        "Deno.rename*",
        "Deno.stat*",
      ],
    },
    memory: {
      rooms: ["words", "embed", "recall", "store"],
      imports: ["model", "errors", "near", "words", "tree", "config", "runs"],
      packages: ["node:sqlite"],
      touches: [
        "Deno.lstat*",
        "Deno.mkdir*",
        "Deno.open*",
        "Deno.readFile*",
        "Deno.readTextFile*",
        "Deno.stat*",
        "Worker",
        "fetch",
      ],
      isLazy: true,
    },
    codebase: { imports: ["errors", "tree"], isLazy: true },
    live: { imports: ["model", "kept", "tree", "config", "origins", "library"] },
    project: { imports: ["errors", "kept", "config", "library", "live", "memory", "codebase", "runs"] },
    app: {
      imports: [
        ...[
          "model",
          "kept",
          "host",
          "config",
          "origins",
          "library",
          "live",
          "project",
          "memory",
          "codebase",
          "runs",
        ],
        ...["repositories", "usage"],
      ],
    },
    introduction: { imports: ["model", "kept", "config", "app"] },
    handshake: { imports: ["host", "tree", "config", "inventory", "introduction"] },
    mcp: {
      imports: ["model", "ended", "errors", "near", "config", "introduction", "app"],
      packages: ["@modelcontextprotocol/server"],
    },
    listener: {
      imports: ["ended", "errors", "config"],
      packages: ["node:crypto", "node:http", "node:https"],
    },
    http: { imports: ["model", "ended", "errors", "safe_text", "config", "app", "mcp", "listener"] },
    doctor: {
      imports: [
        ...["model", "age", "errors", "host", "config", "repositories", "origins", "clients"],
        ...["app", "mcp"],
      ],
    },
    cli: {
      imports: [
        ...[
          "model",
          "errors",
          "near",
          "safe_text",
          "host",
          "age",
          "baked",
          "log_file",
          "config",
          "repositories",
          "clients",
          "app",
          "mcp",
        ],
        ...["listener", "http", "doctor"],
      ],
      packages: ["@clack/prompts", "get-east-asian-width", "node:process"],
    },
    start: {
      imports: ["errors", "host", "rights", "config", "clients", "handshake", "listener", "cli"],
    },
    main: { imports: ["host", "version", "start"], touches: ["Deno.exit"] },
  },
  longFiles: [],
};

Deno.test(verifies("memory:lazy", "the source tree keeps to its layering"), () => {
  const root = new URL("../", import.meta.url);
  const files: Record<string, string> = {};
  const gather = (dir: string) => {
    for (const { name, isDirectory } of Deno.readDirSync(new URL(dir, root))) {
      if (isDirectory) gather(`${dir}${name}/`);
      else files[`${dir}${name}`] = Deno.readTextFileSync(new URL(`${dir}${name}`, root));
    }
  };
  gather("src/");
  try {
    files["main.ts"] = Deno.readTextFileSync(new URL("main.ts", root));
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  assert.deepEqual(checkTree(files, LAYERS), []);
});

/** One wrong tree for each rule, and what must be said of it. */
const BREACHES:
  readonly (readonly [rule: string, files: Record<string, string>, complaints: readonly string[]])[] = [
    ["a unit imports only the units of its row", {
      "src/catalog/mod.ts": 'import { a } from "../model.ts";\nimport { b } from "../tree.ts";\n',
    }, ["src/catalog/mod.ts:2: catalog may not import tree"]],
    ["a type import counts", {
      "src/model.ts": 'export const a = 1;\nimport type { Failure } from "./errors.ts";\n',
    }, ["src/model.ts:2: model may not import errors"]],
    ["a re-export counts", {
      "src/tree.ts": 'export * from "./model.ts";\nexport { fail } from "./errors.ts";\n',
    }, ["src/tree.ts:1: tree may not import model"]],
    ["a dynamic import counts", {
      "src/config/mod.ts": 'export const open = async () =>\n  await import("../tree.ts");\n',
    }, ["src/config/mod.ts:2: config may not import tree"]],
    ["a computed import is refused", {
      "src/config/mod.ts": 'export const open = async (name: string) => await import("../" + name);\n',
    }, ["src/config/mod.ts:1: import() of a computed name cannot be checked"]],
    ["a folder is entered through its mod.ts", {
      "src/library/mod.ts": 'import { parse } from "../inventory/parse.ts";\n',
    }, ["src/library/mod.ts:1: library imports inventory past its mod.ts"]],
    ["a sibling does not import its own mod.ts", {
      "src/catalog/mod.ts": "export const a = 1;\n",
      "src/catalog/names.ts": 'import { a } from "./mod.ts";\n',
    }, ["src/catalog/names.ts:1: a file of catalog imports its own mod.ts"]],
    ["a folder has no cycle", {
      "src/catalog/aliases.ts": '\nimport { b } from "./names.ts";\n',
      "src/catalog/mod.ts": 'import { a } from "./aliases.ts";\n',
      "src/catalog/names.ts": 'import type { c } from "./ranks.ts";\n',
      "src/catalog/ranks.ts": 'import { a } from "./aliases.ts";\n',
    }, ["src/catalog/aliases.ts:2: cycle inside catalog: aliases.ts → names.ts → ranks.ts → aliases.ts"]],
    ["an import does not leave src", {
      "src/errors.ts": 'import manifest from "../deno.json" with { type: "json" };\n',
      "src/model.ts":
        'import manifest from "../deno.json" with { type: "json" };\nimport { main } from "../main.ts";\n',
    }, [
      'src/errors.ts:1: "../deno.json" leads out of src/',
      'src/model.ts:2: "../main.ts" leads out of src/',
    ]],
    ["a package is imported only where its row allows it", {
      "src/config/mod.ts": 'import { load } from "js-yaml";\n',
      "src/library/mod.ts": 'import { dump } from "js-yaml";\nimport { load } from "npm:js-yaml@5.5.0";\n',
      "src/mcp/mod.ts": 'import { S } from "@modelcontextprotocol/server/ext/skills";\n',
    }, [
      "src/config/mod.ts:1: config may not import the package js-yaml",
      "src/library/mod.ts:2: library may not import the package npm:js-yaml@5.5.0",
    ]],
    ["a node module is a package too", {
      "src/tree.ts": 'import { join } from "node:path";\n',
    }, ["src/tree.ts:1: tree may not import the package node:path"]],
    ["a unit needs a row", { "src/plugins/mod.ts": "export const a = 1;\n" }, [
      "src/plugins/mod.ts: unit plugins has no row in the table",
    ]],
    ["a unit is a file or a folder", { "src/mcp.ts": "", "src/mcp/mod.ts": "" }, [
      "src/mcp.ts: unit mcp is both a file and a folder",
    ]],
    ["console is used nowhere", { "src/host.ts": 'export const a = 1;\nconsole.error("no");\n' }, [
      "src/host.ts:2: host may not touch console",
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
    ["only main.ts exits", { "src/cli/mod.ts": "Deno.exit(1);\n", "main.ts": "Deno.exit(0);\n" }, [
      "src/cli/mod.ts:1: cli may not touch Deno.exit",
    ]],
    ["files are read only by tree, host and, to resolve names, rights", {
      "src/library/mod.ts": 'Deno.readTextFileSync("a");\nawait Deno.readFile("a");\nDeno.openSync("a");\n',
      "src/origins/mod.ts": 'Deno.readDirSync("a");\nDeno.lstatSync("a");\nDeno.realPathSync("a");\n',
      "src/rights.ts": 'Deno.realPathSync("a");\nDeno.statSync("a");\n',
      "src/tree.ts": 'Deno.readFileSync("a");\nDeno.statSync("a");\n',
    }, [
      "src/library/mod.ts:1: library may not touch Deno.readTextFileSync",
      "src/library/mod.ts:2: library may not touch Deno.readFile",
      "src/library/mod.ts:3: library may not touch Deno.openSync",
      "src/origins/mod.ts:1: origins may not touch Deno.readDirSync",
      "src/origins/mod.ts:2: origins may not touch Deno.lstatSync",
      "src/origins/mod.ts:3: origins may not touch Deno.realPathSync",
      "src/rights.ts:2: rights may not touch Deno.statSync",
    ]],
    ["permissions are the business of rights", {
      "src/tree.ts": 'Deno.permissions.querySync({ name: "read" });\n',
    }, ["src/tree.ts:1: tree may not touch Deno.permissions"]],
    ["programs are run only by repositories, and folders watched only by origins", {
      "src/app.ts": 'new Deno.Command("git");\nDeno.watchFs("a");\n',
      "src/origins/mod.ts": 'new Deno.Command("git");\nDeno.watchFs("a");\n',
      "src/repositories/mod.ts": 'new Deno.Command("git");\nDeno.watchFs("a");\n',
    }, [
      "src/app.ts:1: app may not touch Deno.Command",
      "src/app.ts:2: app may not touch Deno.watchFs",
      "src/origins/mod.ts:1: origins may not touch Deno.Command",
      "src/repositories/mod.ts:2: repositories may not touch Deno.watchFs",
    ]],
    ["only the log and copies of repositories are written, not even by the units that read", {
      "src/tree.ts":
        'Deno.writeTextFileSync("a", "b");\nDeno.mkdirSync("a");\nDeno.removeSync("a");\nDeno.rename("a", "b");\n',
    }, [
      "src/tree.ts:1: tree may not touch Deno.writeTextFileSync",
      "src/tree.ts:2: tree may not touch Deno.mkdirSync",
      "src/tree.ts:3: tree may not touch Deno.removeSync",
      "src/tree.ts:4: tree may not touch Deno.rename",
    ]],
    ["memory is imported when it is needed", {
      "src/app.ts":
        'import type { Embedder } from "./memory/mod.ts";\nconst a = import("./memory/mod.ts");\nimport { fuse } from "./memory/mod.ts";\n',
    }, ["src/app.ts:3: app imports memory at once, not when it is needed"]],
    ["a thread is started only by memory", {
      "src/app.ts": 'new Worker(new URL("a", import.meta.url));\n',
      "src/memory/mod.ts": 'new Worker("a");\n',
    }, ["src/app.ts:1: app may not touch Worker"]],
    ["only memory uses the network", {
      "src/catalog/mod.ts":
        'await fetch("http://localhost");\nglobalThis.fetch;\ngit.fetch();\nDeno.serve(() => new Response());\n',
    }, [
      "src/catalog/mod.ts:1: catalog may not touch fetch",
      "src/catalog/mod.ts:2: catalog may not touch fetch",
      "src/catalog/mod.ts:4: catalog may not touch Deno.serve",
    ]],
    [
      "Deno is not taken apart",
      { "src/tree.ts": 'const { env } = Deno;\nDeno["exit"](0);\nDeno.errors;\n' },
      [
        "src/tree.ts:1: tree may not touch Deno",
        "src/tree.ts:2: tree may not touch Deno",
      ],
    ],
    ["a file has at most 400 lines", {
      "src/errors.ts": "a\n".repeat(400),
      "src/model.ts": "a\n".repeat(401),
    }, ["src/model.ts: 401 lines, more than 400"]],
    ["a file has a name that says something", { "src/config/utils.ts": "", "src/library/core/mod.ts": "" }, [
      "src/config/utils.ts: the name utils says nothing; find the noun",
      "src/library/core/mod.ts: the name core says nothing; find the noun",
    ]],
    ["a file has a snake_case name", { "src/config/settingsTable.ts": "", "src/config/table.js": "" }, [
      "src/config/settingsTable.ts: settingsTable is not a snake_case name of a .ts file",
      "src/config/table.js: table.js is not a snake_case name of a .ts file",
    ]],
    ["an export has a name", { "src/errors.ts": "export default 1;\n" }, [
      "src/errors.ts:1: a default export has no name to search for",
    ]],
    ["an enum is a union", { "src/model.ts": "export const enum Kind { A }\n" }, [
      "src/model.ts:1: an enum is not plain data",
    ]],
    ["main.ts names no package", { "main.ts": 'import { load } from "js-yaml";\n' }, [
      "main.ts:1: main may not import the package js-yaml",
      "main.ts:1: the package js-yaml is loaded before rights are dropped",
    ]],
    ["rooms of a unit are built on one another", {
      "src/library/files/mounts.ts": 'import { row } from "../lists/row.ts";\n',
      "src/library/lists/row.ts": 'import { mount } from "../files/reading.ts";\n',
      "src/library/files/reading.ts": "",
    }, ["src/library/files/mounts.ts:1: files may not import lists, a later room of library"]],
    ["nothing that a start loads at once names a package", {
      "src/start.ts": 'import { run } from "./cli/mod.ts";\n',
      "src/cli/mod.ts": 'import { serve } from "../mcp/mod.ts";\n',
      "src/mcp/mod.ts": 'import { S } from "@modelcontextprotocol/server";\n',
    }, ["src/mcp/mod.ts:1: the package @modelcontextprotocol/server is loaded before rights are dropped"]],
    ["what a start loads later may name packages", {
      "src/start.ts": 'await import("./cli/mod.ts");\n',
      "src/cli/mod.ts": 'import { serve } from "../mcp/mod.ts";\n',
      "src/mcp/mod.ts": 'import { S } from "@modelcontextprotocol/server";\n',
    }, []],
  ];

for (const [rule, files, complaints] of BREACHES) {
  Deno.test(`the layering check knows that ${rule}`, () =>
    assert.deepEqual(checkTree(files, LAYERS), complaints));
}

Deno.test("the layering check wants the rows in order", () => {
  const units = { model: { imports: ["errors"] }, errors: { imports: [] } };
  assert.deepEqual(checkTree({}, { units, longFiles: [] }), [
    "table: the row of model names errors, which does not stand before it",
  ]);
});

Deno.test("the layering check lets a named table be long and wants no exception in vain", () => {
  const table = { ...LAYERS, longFiles: ["src/config/settings.ts", "src/config/gone.ts"] };
  assert.deepEqual(checkTree({ "src/config/settings.ts": "a\n".repeat(500) }, table), [
    "table: src/config/gone.ts is excepted from the length limit without need",
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
  assert.deepEqual(checkTree({ "src/catalog/mod.ts": source }, LAYERS), []);
});

Deno.test("the layering check sees code inside templates and after quotes", () => {
  const source = [
    "export const a = `${{ a: `}` }.a + Deno.cwd()} console`;",
    'export const b = a.replace(/"/g, "") + Deno.args;',
    "export const c = '//' + Deno.env;",
  ].join("\n");
  assert.deepEqual(checkTree({ "src/catalog/mod.ts": source }, LAYERS), [
    "src/catalog/mod.ts:1: catalog may not touch Deno.cwd",
    "src/catalog/mod.ts:2: catalog may not touch Deno.args",
    "src/catalog/mod.ts:3: catalog may not touch Deno.env",
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
