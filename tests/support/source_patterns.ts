/**
 * Every regular expression of the sources: those that are spelled out, and those that `new RegExp` builds.
 *
 * What a module builds when it is loaded is recorded while it is loaded. What a function builds is built here from
 * sample parts, by the same words of the source: `PARTS` names them.
 */
import { fileURLToPath } from "node:url";
import { OPERATIONS } from "../../src/operations/mod.ts";
import { blankText, findPatterns, lineAt } from "./source.ts";

export interface SourcePattern {
  readonly pattern: RegExp;
  readonly place: string;
}

/** For each file whose functions build patterns: what the names in them may hold. */
const PARTS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  "base/matching.ts": { forms: "walks|walk", end: "(?![\\p{L}\\p{N}])" },
  "base/hidden.ts": { places: [/(?<=\p{sc=Han})[\uFE00-\uFE02]/uy, /(?<=[0-9#*])\uFE0F(?=\u20E3)/uy] },
  "content/inventory/v3_v4.ts": { name: "Persona" },
  "content/library/authoring/rules.ts": { tag: "agent" },
  "content/library/delivery/agent_changes.ts": { key: "name", id: "a-1", command: '<item cmd="a-1"' },
  "content/library/uris/uri_templates.ts": {
    source: ["bmad://", "(?<module>[^/]+)", "/workflows/", "(?<workflow>[^/]+)", "/", "(?<path>.+)"],
  },
  "project/scripts/git_evidence.ts": { id: "1-2" },
  "project/scripts/document_checks.ts": { name: "binds" },
  "project/work/formats/sprint_keys.ts": { format: "%Y" },
  "project/work/ledger/ledger.ts": { empty: String.raw`\{ *\}` },
  "serve/mcp/params.ts": { pattern: OPERATIONS.finding.params.line.form[0] },
  "settings/own_change.ts": { key: "git_max_size" },
};

const SRC = fileURLToPath(new URL("../../src", import.meta.url));

/** All of them. Loads the modules that build some. */
export async function sourcePatterns(): Promise<readonly SourcePattern[]> {
  const spelled: SourcePattern[] = [];
  const built: { readonly place: string; readonly file: string; readonly args: string }[] = [];
  for (const path of sources(SRC)) {
    const text = Deno.readTextFileSync(path), file = path.slice(SRC.length + 1);
    for (const { pattern: literal, line } of findPatterns(text)) {
      const [, source, flags] = /^\/([^]+)\/([a-z]*)$/.exec(literal)!;
      // A split tries its pattern everywhere, as one with the flag `g` is.
      const isSplit = text.includes(`.split(${literal}`) && !flags!.includes("g");
      spelled.push({ pattern: new RegExp(source!, isSplit ? `${flags}g` : flags), place: `${file}:${line}` });
    }
    const code = blankText(text);
    for (const { index } of code.matchAll(/\bRegExp\s*\(/g)) {
      const open = code.indexOf("(", index);
      built.push({
        place: `${file}:${lineAt(text, index)}`,
        file,
        args: text.slice(open + 1, closing(code, open)),
      });
    }
  }
  const recorded = await record([...new Set(built.map(({ file }) => file))]);
  return [
    ...spelled,
    ...built.flatMap(({ place, file, args }) =>
      (recorded.get(place) ?? [buildWith(args, PARTS[file], place)]).map((pattern) => ({ pattern, place }))
    ),
  ];
}

function buildWith(
  args: string,
  parts: Readonly<Record<string, unknown>> | undefined,
  place: string,
): RegExp {
  if (parts === undefined) {
    throw new Error(`${place}: no sample parts; add them to PARTS in tests/support/source_patterns.ts`);
  }
  return new Function(...Object.keys(parts), `return new RegExp(${args})`)(...Object.values(parts));
}

let loads = 0;

/** The patterns that modules build while they are loaded, by file and line. */
async function record(files: readonly string[]): Promise<ReadonlyMap<string, readonly RegExp[]>> {
  const found = new Map<string, RegExp[]>();
  const Original = RegExp;
  globalThis.RegExp = new Proxy(Original, {
    construct(target, args) {
      const pattern = Reflect.construct(target, args) as RegExp;
      const [, file, line] = /\/src\/(\S+\.ts)(?:\?\d+)?:(\d+):\d+/.exec(new Error().stack ?? "") ?? [];
      const place = `${file}:${line}`;
      if (file !== undefined) found.set(place, [...found.get(place) ?? [], pattern]);
      return pattern;
    },
  });
  try {
    // Somebody may have loaded the module before; under another name it is loaded once more.
    for (const file of files) await import(`file://${SRC}/${file}?${++loads}`);
  } finally {
    globalThis.RegExp = Original;
  }
  return found;
}

function closing(code: string, at: number): number {
  let depth = 0;
  for (let i = at; i < code.length; i++) {
    if (code[i] === "(") depth++;
    if (code[i] === ")" && --depth === 0) return i;
  }
  throw new Error("a bracket is not closed");
}

function* sources(folder: string): Generator<string> {
  for (const { name, isDirectory } of Deno.readDirSync(folder)) {
    if (isDirectory) yield* sources(`${folder}/${name}`);
    else if (name.endsWith(".ts")) yield `${folder}/${name}`;
  }
}
