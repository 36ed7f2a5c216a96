/**
 * Does a source tree keep to its table of layers?
 *
 * `checkTree` is handed the files and the rooms and answers with one sentence for each breach, naming file, line and
 * rule; `checkUnused` names the permissions that no file needs. Both read nothing themselves, so that small wrong trees
 * can show that each rule bites.
 */
import type { Room, Unit } from "../layers.ts";
import { blankText, findImports, lineAt } from "./source.ts";

type Rooms = Readonly<Record<string, Room>>;

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

const CONSTRUCTS: readonly (readonly [sentence: string, pattern: RegExp])[] = [
  ["a default export has no name to search for", /\bexport\s+default\b|\bas\s+default\b/g],
  ["an enum is not plain data", /(?<![.\w$#])enum\s+\w/g],
];

type Files = Readonly<Record<string, string>>;

export function checkTree(files: Files, rooms: Rooms): string[] {
  const house = readHouse(rooms);
  return [
    ...checkOrder(house),
    ...Object.keys(files).sort().flatMap((file) => checkFile(file, files, house)),
    ...checkCycles(files, house),
    ...checkStart(files),
  ];
}

export function checkUnused(files: Files, rooms: Rooms): string[] {
  const house = readHouse(rooms);
  return house.flatMap((place) => {
    const { name, unit } = place;
    const own = Object.keys(files).filter((file) => placeOf(file, house) === place);
    const specifiers = own.flatMap((file) =>
      findImports(files[file]!).flatMap(({ specifier }) =>
        specifier === undefined ? [] : [{ file, specifier }]
      )
    );
    const tokens = specifiers.filter(({ specifier }) => isRelative(specifier))
      .map(({ file, specifier }) => placeOf(resolve(file, specifier), house))
      .map((other) => other && tokenFor(place, other));
    const packages = specifiers.map(({ specifier }) => packageOf(specifier));
    const touched = own.flatMap((file) => usesOf(files[file]!).map(({ name }) => name));
    const unused = [
      ...(unit.imports ?? []).filter((token) => !tokens.includes(token)),
      ...(unit.packages ?? []).filter((token) => !packages.includes(token)),
      ...(unit.touches ?? []).filter((token) => !touched.some((name) => covers(token, name))),
    ];
    return unused.map((token) => `table: the row of ${name} allows ${token}, which nothing in it uses`);
  });
}

interface Place {
  readonly name: string;
  readonly unit: Unit;
  readonly roomName: string;
  readonly room: Room;
  readonly order: number;
}

type House = readonly Place[];

function readHouse(rooms: Rooms): House {
  const units = Object.entries(rooms).flatMap(([roomName, room]) =>
    Object.entries(room.units).map(([name, unit]) => ({ name, unit, roomName, room }))
  );
  return units.map((place, order) => ({ ...place, order }));
}

/** What a row writes to allow another unit: the unit, or the whole room it is in. */
function tokenFor(from: Place, to: Place): string {
  return from.roomName === to.roomName ? to.name : nodeOf(to);
}

function nodeOf({ name, roomName, room }: Place): string {
  return room.isByUnit ? name : roomName;
}

/**
 * `src/content/library/files/mounts.ts` → the row of `library`, `src/project/work/board/find.ts` → that of `work/board`:
 * the deepest unit that holds the file. A file of the room itself belongs to the unit that is named like the room.
 */
function placeOf(file: string, house: House): Place | undefined {
  if (file === "main.ts") return house.find(({ name }) => name === "main");
  const holders = house.filter((place) => {
    const folder = folderOf(place);
    return file === `${folder}.ts` || file.startsWith(`${folder}/`);
  });
  return holders.reduce<Place | undefined>(
    (best, place) => best !== undefined && folderOf(best).length > folderOf(place).length ? best : place,
    undefined,
  );
}

function folderOf({ name, room: { folder } }: Place): string {
  return folder === undefined ? `src/${name}` : folder === name ? `src/${name}` : `src/${folder}/${name}`;
}

function checkOrder(house: House): string[] {
  return house.flatMap((place) =>
    (place.unit.imports ?? []).filter((token) =>
      !house.some((other) => other.order < place.order && tokenFor(place, other) === token)
    ).map((token) => `table: the row of ${place.name} names ${token}, which does not stand before it`)
  );
}

function checkFile(file: string, files: Files, house: House): string[] {
  const place = placeOf(file, house);
  return [
    ...checkName(file, files),
    ...checkConstructs(file, files),
    ...(place === undefined
      ? [`${file}: it belongs to no unit of the table`]
      : [...checkImports(file, files, place, house), ...checkOutside(file, files, place)]),
  ];
}

function checkName(file: string, files: Files): string[] {
  const complaints: string[] = [];
  // What browsers run lies beside the pages.
  const parts = file.replace(file.startsWith("src/serve/") ? /\.[jt]s$/ : /\.ts$/, "").split("/");
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

function checkConstructs(file: string, files: Files): string[] {
  const code = blankText(files[file]!);
  return CONSTRUCTS.flatMap(([sentence, pattern]) =>
    [...code.matchAll(pattern)].map((match) => `${file}:${lineAt(code, match.index)}: ${sentence}`)
  );
}

function checkImports(file: string, files: Files, place: Place, house: House): string[] {
  const complaints: string[] = [];
  const { name, unit } = place;
  for (const { specifier, line, form } of findImports(files[file]!)) {
    const complain = (sentence: string) => complaints.push(`${file}:${line}: ${sentence}`);
    if (specifier === undefined) {
      complain("import() of a computed name cannot be checked");
      continue;
    }
    if (!isRelative(specifier)) {
      const found = packageOf(specifier);
      if (!unit.packages?.includes(found)) complain(`${name} may not import the package ${found}`);
      continue;
    }
    const target = resolve(file, specifier);
    const other = target.startsWith("src/") ? placeOf(target, house) : undefined;
    if (other === undefined) {
      if (file !== "src/base/model.ts" || target !== "deno.json") {
        complain(`"${specifier}" leads out of src/`);
      }
    } else if (other === place) {
      if (target === `${folderOf(place)}/mod.ts`) complain(`a file of ${name} imports its own mod.ts`);
      const [part, from] = [partOf(target, place), partOf(file, place)];
      if (part !== undefined && from !== undefined && isLater(unit, part, from)) {
        complain(`${from} may not import ${part}, a later part of ${name}`);
      }
    } else if (other.name === "limits" && other.room === place.room) {
      // Every unit of a room may read its limits.
    } else if (!unit.imports?.includes(tokenFor(place, other))) {
      complain(`${name} may not import ${other.name}`);
    } else if (!isFace(target, other)) complain(`${name} imports ${other.name} past its mod.ts`);
    else if (other.unit.isLazy && form === "static") {
      complain(`${name} imports ${other.name} at once, not when it is needed`);
    }
  }
  return complaints;
}

function isFace(target: string, place: Place): boolean {
  const folder = folderOf(place);
  return target === `${folder}.ts` || target === `${folder}/mod.ts` ||
    (place.unit.faces ?? []).some((file) => target === `${folder}/${file}`);
}

/** The folder inside its unit that a file lies in: `src/content/library/files/mounts.ts` → `files`. */
function partOf(file: string, place: Place): string | undefined {
  return /^(\w+)\//.exec(file.slice(folderOf(place).length + 1))?.[1];
}

function isLater({ parts = [] }: Unit, part: string, from: string): boolean {
  return !parts.includes(part) || parts.indexOf(part) > parts.indexOf(from);
}

function checkOutside(file: string, files: Files, { name: unitName, unit }: Place): string[] {
  const code = blankText(files[file]!);
  return usesOf(files[file]!).filter(({ name }) => !unit.touches?.some((allowed) => covers(allowed, name)))
    .map(({ at, name }) => `${file}:${lineAt(code, at)}: ${unitName} may not touch ${name}`);
}

function usesOf(source: string): readonly { readonly at: number; readonly name: string }[] {
  const code = blankText(source);
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
  return uses.sort((a, b) => a.at - b.at);
}

function checkCycles(files: Files, house: House): string[] {
  const complaints: string[] = [];
  for (const first of Object.keys(files).sort()) {
    const siblings = (file: string) =>
      findImports(files[file] ?? "").filter((found) =>
        found.specifier !== undefined && isRelative(found.specifier)
      )
        .map((found) => ({ line: found.line, target: resolve(file, found.specifier!) }))
        .filter(({ target }) => placeOf(target, house) === placeOf(first, house) && target >= first);
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
    complaints.push(
      `${first}:${line}: cycle inside ${placeOf(first, house)?.name}: ${cycle.map(baseOf).join(" → ")}`,
    );
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

function baseOf(file: string): string {
  return file.slice(file.lastIndexOf("/") + 1);
}
