/**
 * Does a source tree keep to its layering?
 *
 * `checkTree` is handed the files and the table of units and answers with one sentence for each breach, naming
 * file, line and rule. It knows the rules; which unit may do what is data that the test holds. It reads
 * nothing itself, so that small wrong trees can show that each rule bites.
 */
import { blankText, findImports, lineAt } from "./source.ts";

/** What one unit may do. A unit is `main.ts`, a file directly in `src/`, or a folder there. */
export interface Row {
  /** The units that it may import; all of them stand before it in the table. */
  readonly imports: readonly string[];
  /** The packages and `node:` modules that it may import. */
  readonly packages?: readonly string[];
  /** The folders inside the unit, in order: a file in one imports none of a later one. */
  readonly rooms?: readonly string[];
  /** Whether others may import it only when they need it, with `import()`; types can be had at any time. */
  readonly isLazy?: boolean;
  /** The parts of the outside world that it may touch; `*` stands for the plain and the Sync form. */
  readonly touches?: readonly string[];
}

/** All units in order, and the files that may be long because they are tables. */
export interface Table {
  readonly units: Readonly<Record<string, Row>>;
  readonly longFiles: readonly string[];
}

const MAX_LINES = 400;

/** Names that say nothing: a function that has no home shows a missing noun. */
const EMPTY_NAMES = ["utils", "helpers", "common", "types", "core", "services", "manager"];

/** Members of `Deno` that tell nothing of the outside world and change nothing in it. */
const FREE = ["build", "errors", "DirEntry", "FileInfo", "FsFile", "Signal"];

/** Ways to the outside that are no member of `Deno`, with the name that a row uses to allow them. */
const GLOBALS: readonly (readonly [name: string, pattern: RegExp])[] = [
  ["console", /(?<![\w$#])console\b/g],
  ["Date.now", /(?<![\w$#])Date\s*\.\s*now\b|\bnew\s+Date\b\s*(?:\(\s*\)|(?!\s*\())/g],
  ["Worker", /\bnew\s+Worker\b/g],
  ["fetch", /(?<![.\w$#])fetch\s*\(|\bglobalThis\s*\??\.\s*fetch\b/g],
];

/** Constructs that the style forbids everywhere. */
const CONSTRUCTS: readonly (readonly [sentence: string, pattern: RegExp])[] = [
  ["a default export has no name to search for", /\bexport\s+default\b|\bas\s+default\b/g],
  ["an enum is not plain data", /(?<![.\w$#])enum\s+\w/g],
];

type Files = Readonly<Record<string, string>>;

/** Every breach of the rules: file by file, then what only several files show. */
export function checkTree(files: Files, table: Table): string[] {
  return [
    ...checkTable(files, table),
    ...Object.keys(files).sort().flatMap((file) => checkFile(file, files, table)),
    ...checkCycles(files),
    ...checkStart(files),
  ];
}

function checkTable(files: Files, table: Table): string[] {
  const complaints: string[] = [];
  const names = Object.keys(table.units);
  for (const [at, name] of names.entries()) {
    for (const other of table.units[name]!.imports) {
      if (!names.slice(0, at).includes(other)) {
        complaints.push(`table: the row of ${name} names ${other}, which does not stand before it`);
      }
    }
  }
  for (const file of table.longFiles) {
    if (lineCount(files[file] ?? "") <= MAX_LINES) {
      complaints.push(`table: ${file} is excepted from the length limit without need`);
    }
  }
  return complaints;
}

function checkFile(file: string, files: Files, table: Table): string[] {
  const unit = unitOf(file);
  const row = unit === undefined ? undefined : table.units[unit];
  return [
    ...checkName(file, files),
    ...checkLength(file, files, table),
    ...checkConstructs(file, files),
    ...(unit === undefined || row === undefined
      ? [`${file}: unit ${unit} has no row in the table`]
      : [...checkImports(file, files, unit, table), ...checkOutside(file, files, unit, row)]),
  ];
}

function checkName(file: string, files: Files): string[] {
  const complaints: string[] = [];
  const parts = file.replace(/\.ts$/, "").split("/");
  for (const part of parts) {
    if (EMPTY_NAMES.includes(part)) complaints.push(`${file}: the name ${part} says nothing; find the noun`);
    else if (!/^[a-z][a-z0-9_]*$/.test(part)) {
      complaints.push(`${file}: ${part} is not a snake_case name of a .ts file`);
    }
  }
  if (Object.keys(files).some((other) => other.startsWith(`${parts.join("/")}/`))) {
    complaints.push(`${file}: unit ${parts.at(-1)} is both a file and a folder`);
  }
  return complaints;
}

function checkLength(file: string, files: Files, table: Table): string[] {
  const count = lineCount(files[file]!);
  if (count <= MAX_LINES || table.longFiles.includes(file)) return [];
  return [`${file}: ${count} lines, more than ${MAX_LINES}`];
}

function checkConstructs(file: string, files: Files): string[] {
  const code = blankText(files[file]!);
  return CONSTRUCTS.flatMap(([sentence, pattern]) =>
    [...code.matchAll(pattern)].map((match) => `${file}:${lineAt(code, match.index)}: ${sentence}`)
  );
}

function checkImports(file: string, files: Files, unit: string, { units }: Table): string[] {
  const complaints: string[] = [];
  const row = units[unit]!;
  for (const { specifier, line, form } of findImports(files[file]!)) {
    const complain = (sentence: string) => complaints.push(`${file}:${line}: ${sentence}`);
    if (specifier === undefined) {
      complain("import() of a computed name cannot be checked");
    } else if (!isRelative(specifier)) {
      const name = packageOf(specifier);
      if (!row.packages?.includes(name)) complain(`${unit} may not import the package ${name}`);
    } else {
      const target = resolve(file, specifier);
      const other = target.startsWith("src/") ? unitOf(target)! : undefined;
      if (other === undefined) {
        if (file !== "src/base/model.ts" || target !== "deno.json") {
          complain(`"${specifier}" leads out of src/`);
        }
      } else if (other === unit) {
        if (target === `src/${unit}/mod.ts`) complain(`a file of ${unit} imports its own mod.ts`);
        const [room, from] = [roomOf(target), roomOf(file)];
        if (room !== undefined && from !== undefined && isLater(row, room, from)) {
          complain(`${from} may not import ${room}, a later room of ${unit}`);
        }
      } else if (!row.imports.includes(other)) complain(`${unit} may not import ${other}`);
      else if (target !== `src/${other}.ts` && target !== `src/${other}/mod.ts`) {
        complain(`${unit} imports ${other} past its mod.ts`);
      } else if (units[other]?.isLazy && form === "static") {
        complain(`${unit} imports ${other} at once, not when it is needed`);
      }
    }
  }
  return complaints;
}

/** The folder inside its unit that a file lies in: `src/content/library/files/mounts.ts` → `files`. */
function roomOf(file: string): string | undefined {
  return /^src\/\w+\/(\w+)\//.exec(file)?.[1];
}

function isLater({ rooms = [] }: Row, room: string, from: string): boolean {
  return !rooms.includes(room) || rooms.indexOf(room) > rooms.indexOf(from);
}

function checkOutside(file: string, files: Files, unit: string, row: Row): string[] {
  const code = blankText(files[file]!);
  const uses: { at: number; name: string }[] = [];
  for (const [name, pattern] of GLOBALS) {
    for (const match of code.matchAll(pattern)) uses.push({ at: match.index, name });
  }
  for (const match of code.matchAll(/(?<![\w$#])Deno\b(?:\s*\??\.\s*(\w+))?/g)) {
    // Without a member it is handed on or taken apart, and nobody could tell what is touched.
    if (!FREE.includes(match[1] ?? "")) {
      uses.push({ at: match.index, name: `Deno${match[1] ? `.${match[1]}` : ""}` });
    }
  }
  return uses.filter(({ name }) => !row.touches?.some((allowed) => covers(allowed, name)))
    .sort((a, b) => a.at - b.at)
    .map(({ at, name }) => `${file}:${lineAt(code, at)}: ${unit} may not touch ${name}`);
}

/** Cycles among the files of one folder, each told once, from its first file on. */
function checkCycles(files: Files): string[] {
  const complaints: string[] = [];
  for (const first of Object.keys(files).sort()) {
    const siblings = (file: string) =>
      findImports(files[file] ?? "").filter((found) =>
        found.specifier !== undefined && isRelative(found.specifier)
      )
        .map((found) => ({ line: found.line, target: resolve(file, found.specifier!) }))
        .filter(({ target }) => unitOf(target) === unitOf(first) && target >= first);
    const seen = new Set<string>();
    const search = (file: string): string[] | undefined => {
      for (const { target } of siblings(file)) {
        if (target === first) return [file, target];
        if (seen.has(target)) continue;
        seen.add(target);
        const rest = search(target);
        if (rest !== undefined) return [file, ...rest];
      }
      return undefined;
    };
    const cycle = search(first);
    if (cycle === undefined) continue;
    const line = siblings(first).find(({ target }) => target === cycle[1])!.line;
    complaints.push(`${first}:${line}: cycle inside ${unitOf(first)}: ${cycle.map(baseOf).join(" → ")}`);
  }
  return complaints;
}

/** Packages that run before `main.ts` can give up a right. Types are gone by then, and `import(…)` comes later. */
function checkStart(files: Files): string[] {
  const complaints: string[] = [];
  const reached = new Set(["main.ts", "src/start.ts"]);
  for (const file of reached) {
    for (const { specifier, line, form } of findImports(files[file] ?? "")) {
      if (form !== "static" || specifier === undefined) continue;
      if (isRelative(specifier)) reached.add(resolve(file, specifier));
      else if (!specifier.startsWith("node:")) {
        complaints.push(
          `${file}:${line}: the package ${packageOf(specifier)} is loaded before rights are dropped`,
        );
      }
    }
  }
  return complaints;
}

function unitOf(file: string): string | undefined {
  return file === "main.ts" ? "main" : /^src\/([^/.]+)/.exec(file)?.[1];
}

function isRelative(specifier: string): boolean {
  return /^\.\.?\//.test(specifier);
}

function resolve(file: string, specifier: string): string {
  return new URL(specifier, `file:///${file}`).pathname.slice(1);
}

/** `@scope/name/sub/path` → `@scope/name`. */
function packageOf(specifier: string): string {
  return /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier;
}

function covers(allowed: string, name: string): boolean {
  return allowed.endsWith("*") ? allowed.slice(0, -1) === name.replace(/Sync$/, "") : allowed === name;
}

function lineCount(source: string): number {
  return source.replace(/\n$/, "").split("\n").length;
}

function baseOf(file: string): string {
  return file.slice(file.lastIndexOf("/") + 1);
}
