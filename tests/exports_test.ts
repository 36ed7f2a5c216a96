/** Does every exported name have an importer, and would we notice one that has none? */
import assert from "node:assert/strict";
import { blankText } from "./support/source.ts";

const DECLARED =
  /^export (?:declare )?(?:async )?(?:abstract )?(?:const|let|function\*?|class|interface|type) (\w+)/gm;
const LISTED = /^export (?:type )?\{([^}]*)\}/gm;
const NAMED = /(?:import|export)\s+(?:type\s+)?\{([^}]*)\}\s*from\s*"([^"]+)"/g;
const WHOLE = /import\s+(?:type\s+)?\*\s+as\s+(\w+)\s+from\s+"([^"]+)"|import\(\s*"([^"]+)"\s*\)/g;
const STAR = /export\s+(?:type\s+)?\*\s+from\s+"([^"]+)"/g;

/** Stands for a table that a module is spread into. */
const SPREAD = "…";

/** `FILE: NAME` for each name that `checked` files export and no file of `files` imports. */
function unusedExports(
  files: Readonly<Record<string, string>>,
  isChecked: (file: string) => boolean,
): readonly string[] {
  const imported = new Map<string, Set<string>>();
  const loadedBy = new Map<string, string[]>();
  const passedOnBy = new Map<string, string[]>();
  for (const [file, text] of Object.entries(files)) {
    const target = (specifier: string) => new URL(specifier, `file:///${file}`).pathname.slice(1);
    for (const [, names, specifier] of text.matchAll(NAMED)) {
      if (!specifier!.startsWith(".")) continue;
      const known = imported.getOrInsertComputed(target(specifier!), () => new Set());
      for (const { from } of listedNames(names!)) known.add(from);
    }
    for (const [, specifier] of text.matchAll(STAR)) {
      passedOnBy.getOrInsertComputed(target(specifier!), () => []).push(file);
    }
    for (const [, name, named, lazy] of text.matchAll(WHOLE)) {
      const specifier = (named ?? lazy)!;
      if (!specifier.startsWith(".")) continue;
      // A module that is spread, or a value itself, is used whole.
      const isWhole = name !== undefined && new RegExp(`(?:\\.{3}|: )${name}(?:,| \\})`).test(text);
      const by = isWhole ? passedOnBy : loadedBy;
      by.getOrInsertComputed(target(specifier), () => []).push(by === loadedBy ? text : SPREAD);
    }
  }
  const isUsed = (file: string, name: string): boolean =>
    imported.get(file)?.has(name) ||
    loadedBy.get(file)?.some((text) => new RegExp(`\\b${name}\\b`).test(text)) ||
    passedOnBy.get(file)?.some((by) => by === SPREAD || isUsed(by, name)) || false;
  return Object.entries(files).filter(([file]) => isChecked(file)).flatMap(([file, text]) =>
    exportedNames(text).filter((name) => !isUsed(file, name))
      .map((name) => `${file}: ${name}`)
  );
}

function exportedNames(text: string): readonly string[] {
  const code = blankText(text);
  const declared = [...code.matchAll(DECLARED)].map(([, name]) => name!);
  return [
    ...declared,
    ...[...code.matchAll(LISTED)].flatMap(([, names]) => listedNames(names!).map(({ to }) => to)),
  ];
}

function listedNames(names: string): readonly { readonly from: string; readonly to: string }[] {
  const plain = names.replaceAll(/\/\/.*|\/\*[^]*?\*\//g, "");
  return plain.split(",").map((name) => name.trim().replace(/^type\s+/, "")).filter((name) => name !== "")
    .map(
      (name) => {
        const [from, to] = name.split(/\s+as\s+/);
        return { from: from!, to: to ?? from! };
      },
    );
}

const ROOT = new URL("../", import.meta.url);
const FOLDERS = ["src/", "tests/", "bench/", "docs/", ".github/", "bmad-embedded/"];

function readSources(): Record<string, string> {
  const files: Record<string, string> = { "main.ts": Deno.readTextFileSync(new URL("main.ts", ROOT)) };
  const gather = (dir: string) => {
    for (const { name, isDirectory } of Deno.readDirSync(new URL(dir, ROOT))) {
      if (isDirectory && name !== "content") gather(`${dir}${name}/`);
      else if (name.endsWith(".ts")) {
        files[`${dir}${name}`] = Deno.readTextFileSync(new URL(`${dir}${name}`, ROOT));
      }
    }
  };
  FOLDERS.forEach(gather);
  // The only folder of that name that has sources.
  gather("src/content/");
  gather("tests/content/");
  return files;
}

Deno.test("every exported name is imported by another file", () => {
  const isChecked = (file: string) => file.startsWith("src/") || file.startsWith("tests/support/");
  assert.deepEqual(unusedExports(readSources(), isChecked), []);
});

Deno.test("an export without an importer is reported", () => {
  const files = {
    "src/a.ts": "export const used = 1;\nexport interface Unused {}\nexport { b } from './b.ts';\n",
    "src/b.ts": 'export const b = "export const notCode = 1";\n',
    "src/c.ts": 'import { used } from "./a.ts";\nconst { late } = await import("./d.ts");\n',
    "src/d.ts": "export function late() {}\nexport function early() {}\n",
  };
  assert.deepEqual(unusedExports(files, () => true), [
    "src/a.ts: Unused",
    "src/a.ts: b",
    "src/b.ts: b",
    "src/d.ts: early",
  ]);
});
