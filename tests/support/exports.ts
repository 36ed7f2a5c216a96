/**
 * Which exported names does no other file import?
 *
 * Works on the text of the sources: a name counts as used if another file imports or re-exports it by name, or loads the
 * whole module (`import * as`, `import()`) and mentions the name anywhere. `export *` passes names on.
 */
import { blankText } from "./source.ts";

const DECLARED =
  /^export (?:declare )?(?:async )?(?:abstract )?(?:const|let|function\*?|class|interface|type) (\w+)/gm;
const LISTED = /^export (?:type )?\{([^}]*)\}/gm;
const NAMED = /(?:import|export)\s+(?:type\s+)?\{([^}]*)\}\s*from\s*"([^"]+)"/g;
const WHOLE = /import\s+(?:type\s+)?\*\s+as\s+(\w+)\s+from\s+"([^"]+)"|import\(\s*"([^"]+)"\s*\)/g;
const STAR = /export\s+(?:type\s+)?\*\s+from\s+"([^"]+)"/g;

/** Stands for a table that a module is spread into. */
const SPREAD = "…";

/** `FILE: NAME` for each name that `checked` files export and no file of `files` imports. */
export function unusedExports(
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
