/**
 * Is what is built complete, and free of what does not belong in it?
 *
 * The steps before a binary: the rights that are baked in, the names of modules, the licences, the stamp, and the words
 * of `deno task compile`.
 */
import assert from "node:assert/strict";
import { binaryFlags, bundleFlags, startWords } from "../../.github/release/binary_rights.ts";
import { runDeno } from "../../.github/release/deno.ts";
import { findPackages } from "../../.github/release/licences.ts";
import {
  CODE,
  CONTENT,
  countLostDisposals,
  inAscii,
  nameModules,
  REPOSITORY,
} from "../../.github/release/stage.ts";
import manifest from "../../deno.json" with { type: "json" };
import { PRODUCT } from "../../src/base/model.ts";
import { COMMIT, sharedBundle } from "../support/bundle.ts";
import { runCli, startRaw } from "../support/program.ts";
import { listTree, withTree } from "../support/trees.ts";

Deno.test("a binary has the flags of the start task [binary:rights]", () => {
  const words = startWords();
  // Only a task of a checkout has to be told the folder of its caller.
  const kept = words.slice(1, -1).filter((word) => word !== "--cached-only")
    .map((word) => word.replace("INIT_CWD,", ""));
  // To compile everything is worth its time only with a code cache, which a binary has not.
  const room = "--min-semi-space-size=3,--max-semi-space-size=6,--initial-old-space-size=64,--expose-gc";
  assert.deepEqual(bundleFlags("x86_64-unknown-linux-gnu"), [...kept, `--v8-flags=--no-lazy,${room}`]);
  assert.deepEqual([words[0], words.at(-1)], ["run", "main.ts"]);
  kept.push(`--v8-flags=${room}`);
  assert.deepEqual(binaryFlags("x86_64-unknown-linux-gnu"), kept);
  assert.deepEqual(binaryFlags("aarch64-apple-darwin"), kept);
  const windows = binaryFlags("aarch64-pc-windows-msvc");
  for (const right of ["read", "write"]) {
    const drives = windows.find((flag) => flag.startsWith(`--allow-${right}=`))!;
    assert.match(drives, /=A:\\,B:\\,C:\\,(.:\\,){22}Z:\\$/);
  }
  assert.deepEqual(
    windows.filter((flag) => !/^--allow-(read|write)=/.test(flag)),
    kept.filter((flag) => !/^--allow-(read|write)=/.test(flag)),
  );
});

Deno.test("a flag of the start task that nobody has thought about stops a build", () => {
  for (const flag of ["-A", "--allow-all", "--allow-read", "--allow-ffi=x", "--unstable-kv", "--env-file"]) {
    assert.throws(
      () => binaryFlags("x86_64-apple-darwin", ["run", "--no-prompt", flag, "main.ts"]),
      new RegExp(`Cannot embed ${flag} of the start task`),
    );
  }
});

Deno.test("modules are named by the order in which the program comes to them [binary:reproducible]", () => {
  const modules = (b: string, c: string, d: string) =>
    new Map([
      [`${d}.js`, `import"./${c}.js";`],
      [`${c}.js`, `export let a="./elsewhere.js";`],
      ["main.js", `import{a}from"./${c}.js";await import("./${b}.js")`],
      [`${b}.js`, `import"./${c}.js";import("./${d}.js")`],
    ]);
  const named = nameModules(modules("mod-AAAAAAAA", "chunk-BBBBBBBB", "search-CCCCCCCC"));
  assert.deepEqual([...named], [
    ["bmad-mcp.js", `import{a}from"./chunks/chunk-1.js";await import("./chunks/mod-2.js")`],
    ["chunks/chunk-1.js", `export let a="./elsewhere.js";`],
    ["chunks/mod-2.js", `import"./chunk-1.js";import("./search-3.js")`],
    ["chunks/search-3.js", `import"./chunk-1.js";`],
  ]);
  assert.deepEqual(nameModules(modules("mod-ZZZZZZZZ", "chunk-00000000", "search-11111111")), named);
});

Deno.test("a `using` that the bundler takes for a plain variable is noticed", () => {
  const source = "  using file = open();\n  await using _ = close();\n// using a file\n";
  assert.equal(countLostDisposals([source], ["{using a=o();a.b();await using e=c()}"]), 0);
  assert.equal(countLostDisposals([source, source], ["using a=o();", "o().b();await using $=c()"]), 2);
});

Deno.test("packages are found by the files that were taken, also inside other packages", () => {
  const cache = "/home/ann/.cache/deno/npm/registry.example";
  assert.deepEqual(
    findPackages([
      `${cache}/smol-toml/1.9.1/dist/date.js`,
      `${cache}/@scope/server/2.4.0/src/server/stdio.ts`,
      `${cache}/@scope/server/core-internal/src/errors.ts`,
      `${cache}/@scope/node_modules/.pnpm/content-type@1.0.5/node_modules/content-type/index.js`,
      `${cache}/@scope/node_modules/.pnpm/@cf+schema@4.1.1_peer@2.0.0/node_modules/@cf/schema/dist/a.js`,
      `${cache}/smol-toml/1.9.1/dist/parse.js`,
    ]),
    [
      { name: "@cf/schema", version: "4.1.1" },
      { name: "@scope/server", version: "2.4.0", folder: `${cache}/@scope/server/2.4.0` },
      { name: "content-type", version: "1.0.5" },
      { name: "smol-toml", version: "1.9.1", folder: `${cache}/smol-toml/1.9.1` },
    ],
  );
  for (
    const stray of [
      "/home/ann/lib/left.js",
      `${cache}/unknown/src/a.ts`,
      `${cache}/node_modules/left/index.js`,
    ]
  ) {
    assert.throws(() => findPackages([stray]), {
      message: new RegExp(`^Cannot find the licence of ${stray}: `),
    });
  }
});

/** Takes away what was not to be had of an embedded file in a binary: an open file that tells its size. */
const LIMITS = `
const open = Deno.openSync;
Deno.openSync = (path, options) => {
  const file = open(path, options);
  if (String(path).includes("bmad-embedded")) {
    file.statSync = () => { throw new Deno.errors.NotSupported("The operation is not supported"); };
  }
  return file;
};
`;

Deno.test("the built program", async (t) => {
  const bundle = await sharedBundle();
  const program = ["run", ...bundleFlags(), bundle.file];
  const printed = async (...args: string[]) => {
    const { code, stdout, stderr } = await runCli(args, { program });
    assert.deepEqual([code, stderr], [0, ""]);
    return stdout;
  };

  await t.step("is looked at only as far as a start needs it", async () => {
    const graph = JSON.parse(await runDeno(["info", "--json", "--no-config", bundle.file], bundle.folder));
    const known = graph.modules.map(({ specifier }: { specifier: string }) => specifier);
    const code = (await listTree(`${bundle.folder}/${CODE}`)).length;
    // The entry, the host, its pipes and timers, the version, what is missing, and a helper of the bundler.
    assert.ok(known.length <= 7 && code > 50, `${known.length} of ${code} modules: ${known}`);
  });

  const folder = `${bundle.folder}/${CODE}`;
  const codeOf = (name: string) => Deno.readTextFileSync(`${folder}/${name}`);
  const names = [...Deno.readDirSync(folder)].map(({ name }) => name);
  await t.step("has no character that doubles the size of a module in memory", () => {
    assert.ok(names.length > 100, "a folder with all modules");
    assert.deepEqual(names.filter((name) => /[^\0-\x7f]/.test(codeOf(name))), []);
    assert.equal(inAscii('"–🟢é"'), String.raw`"\u2013\ud83d\udfe2\u00e9"`);
  });

  const loadedWith = (...names: readonly string[]): ReadonlySet<string> => {
    const all = new Set(names);
    for (const name of all) {
      for (const [, next] of codeOf(name).matchAll(/(?:from|import)"\.\/([\w-]+\.js)"/g)) all.add(next!);
    }
    return all;
  };
  const startModules = names.filter((name) => /^(?:start|app)-\d+\.js$/.test(name));

  await t.step("has what every start loads in a few files", () => {
    assert.equal(startModules.length, 2);
    const needed = loadedWith(...startModules);
    assert.ok(needed.size <= 12, `${needed.size} files: ${[...needed].join(", ")}`);
  });

  await t.step("loads no package before the rights are dropped [rights:dropped-first]", () => {
    const packages = (names: Iterable<string>) =>
      [...names].filter((name) => /__zod_globalConfig|YAMLException/.test(codeOf(name)));
    const start = loadedWith(...startModules);
    const late = [...start].flatMap((name) =>
      [...codeOf(name).matchAll(/import\(\(0,"\.\/([\w-]+\.js)"\)\)/g)].map(([, next]) => next!)
    );
    const handshake = late.filter((name) => /\bas askForRoot\b/.test(codeOf(name)));
    assert.ok(handshake.length > 0 && packages(loadedWith(...late)).length > 0);
    assert.deepEqual(packages([...start, ...loadedWith(...handshake)]), []);
  });

  await t.step("prints every licence that must travel with it [binary:licences]", async () => {
    const text = await printed("licenses");
    const sections = [...text.matchAll(/^={80}\n(.+)\n={80}\n\n([^]*?)(?=\n={80}\n|$(?![^]))/gm)];
    const major = (of: string) => of.replace(/\b(\d+)\.\d+\.\d+/, "$1.x");
    assert.deepEqual(
      sections.map(([, of]) => major(of!.replace(/^V8 \S+,/, "V8 VERSION,"))),
      [
        major(`bmad-mcp ${PRODUCT.version}`),
        "Deno 2.x, the runtime",
        "V8 VERSION, a part of the runtime",
        "The embedded BMAD content",
        "bmad-builder@1.x, embedded content",
        "bmad-method-test-architecture-enterprise@1.x, embedded content",
        "bmad-method@6.x, embedded content",
        "bmad-method@4.x, embedded content",
        "all-MiniLM-L6-v2, the embedder of project memory",
        "@cfworker/json-schema 4.x, an npm package",
        "@clack/core 1.x, an npm package",
        "@clack/prompts 1.x, an npm package",
        "@modelcontextprotocol/core 2.x, an npm package",
        "@modelcontextprotocol/server 2.x, an npm package",
        "content-type 1.x, an npm package",
        "diff 9.x, an npm package",
        "entities 8.x, an npm package",
        "fast-string-truncated-width 3.x, an npm package",
        "fast-string-width 3.x, an npm package",
        "fast-wrap-ansi 0.x, an npm package",
        "fflate 0.x, an npm package",
        "get-east-asian-width 1.x, an npm package",
        "ignore 7.x, an npm package",
        "jose 6.x, an npm package",
        "js-yaml 5.x, an npm package",
        "jsonc-parser 3.x, an npm package",
        "linkify-it 6.x, an npm package",
        "markdown-it 15.x, an npm package",
        "mdurl 2.x, an npm package",
        "punycode.js 2.x, an npm package",
        "sisteransi 2.x, an npm package",
        "smol-toml 1.x, an npm package",
        "uc.micro 3.x, an npm package",
        "zod 4.x, an npm package",
      ],
    );
    for (const [, of, licence] of sections) {
      assert.match(licence!, of === "The embedded BMAD content" ? /trademarks/ : /copyright/i, of);
      assert.ok(licence!.length > 700, of);
    }
    const of = (name: string) => sections.find(([, of]) => of!.startsWith(name))![2]!;
    assert.match(of("@modelcontextprotocol/server"), /Apache License/);
    const [v8 = ""] = of("V8").replaceAll(/\s+/g, " ").match(/Copyright 2014, the V8 .*? SUCH DAMAGE\./) ??
      [];
    // Of the text in the licence file of Node.js, which contains V8 as well.
    const known = "5c5367d6dec243e84cd61481a30d9fae840cefb00683355308d61badd091673a";
    const sum = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(v8));
    assert.equal(new Uint8Array(sum).toHex(), known, v8);
    assert.match(of("V8"), /Sun Microsystems Inc\.[^]*Neither the name of Sun Microsystems/);
    assert.match(of("smol-toml"), /Redistributions in binary form must reproduce/);
    // This one brings no text, only the name of its licence.
    assert.match(of("@cfworker"), /^MIT License\n\nCopyright \(c\) \S+[^]*Permission is hereby granted/);
  });

  await t.step("says what it was built from [binary:stamp]", async () => {
    assert.deepEqual(JSON.parse(await printed("version", "--json")), {
      name: "bmad-mcp",
      version: manifest.version,
      commit: COMMIT,
      runtime: `deno ${Deno.version.deno}`,
      target: Deno.build.target,
      json: 1,
    });
    assert.equal(
      await printed("version"),
      `bmad-mcp ${manifest.version} (commit ${COMMIT.slice(0, 12)}, deno ${Deno.version.deno})\n`,
    );
  });

  await t.step("holds no path of the machine that built it", async () => {
    const files = (await listTree(bundle.folder)).map((line) => line.split(" ")[0]!).filter((path) =>
      !path.endsWith("/")
    );
    const home = Deno.env.get("HOME") ?? REPOSITORY;
    for (const path of files.filter((path) => !path.startsWith(`${CONTENT}/blobs/`))) {
      const text = await Deno.readTextFile(`${bundle.folder}/${path}`);
      for (const place of [REPOSITORY, bundle.folder, `${home}/`]) {
        assert.ok(!text.includes(place), `${path}: ${place}`);
      }
    }
  });

  await t.step(
    "reads its content in the ways that the file system of a binary knows",
    () =>
      withTree({ "limits.js": LIMITS }, async (dir) => {
        const limited = ["run", "--preload", `${dir}/limits.js`, ...program.slice(1)];
        const reading = [["list", "agents"], ["execute", "analyst"], ["search", "market"], ["licenses"]];
        for (const args of [...reading, ["list", "workflows", "--pack", "v4"]]) {
          const { code, stdout, stderr } = await runCli(args, { program: limited });
          assert.deepEqual([code, stderr], [0, ""]);
          assert.notEqual(stdout, "");
        }
      }),
  );

  await t.step("can be started by the task beside it", async () => {
    await using raw = await startRaw([], {
      program: ["task", "--quiet", "--config", `${bundle.folder}/deno.json`, "start"],
    });
    await raw.send({ id: 1, method: "tools/list" });
    await raw.next(1);
    await raw.closeStdin();
    assert.equal((await raw.exit).code, 0);
  });
});

Deno.test("deno task compile explains itself and refuses what it does not know", async () => {
  const compile = async (...args: string[]) => {
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "--allow-all", `${REPOSITORY}/.github/release/compile.ts`, ...args],
      env: { NO_COLOR: "1" },
    }).output();
    return [code, new TextDecoder().decode(stdout), new TextDecoder().decode(stderr)] as const;
  };
  const [code, help] = await compile("--help");
  assert.equal(code, 0);
  for (const word of ["--target", "DENORT_BIN", "x86_64-pc-windows-msvc"]) {
    assert.ok(help.includes(word), word);
  }
  assert.deepEqual((await compile("--target", "riscv")).slice(0, 2), [1, ""]);
  assert.match(
    (await compile("--target", "riscv"))[2],
    /^Cannot compile for unknown platform riscv\. Use one of x86_64-[^\n]*\n$/,
  );
  assert.match(
    (await compile("--colour"))[2],
    /^Cannot compile: Unknown option '--colour'[^\n]*; see --help\n$/,
  );
});
