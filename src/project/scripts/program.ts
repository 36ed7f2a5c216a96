/**
 * What the scripts have in common: arguments, files as Python opens them, and exceptions that nothing catches.
 */
import { renderHelp, renderUsage } from "./help.ts";
import { type Argument, type Given, parseArguments, type Usage } from "./options.ts";
import { pathText, pythonInt, quote, universalNewlines } from "./python.ts";
import { failed, MAX_STDOUT, printed, type Script, type ScriptResult, type ScriptWorld } from "./script.ts";

/** Far above any real document; what a script makes of one may be many times as large. */
const MAX_INPUT = 2 << 20;

/** A script whose arguments are read by its table. */
export interface Program {
  readonly name: string;
  readonly usage: Usage;
  readonly foreign?: Script["foreign"];
  isWriter?(given: Given): boolean;
  /** How it reports what is wrong with arguments, and with a file that is too long, if not on stderr. */
  report?(error: string, status: number): ScriptResult;
  run(given: Given, world: ScriptWorld): ScriptResult | Promise<ScriptResult>;
}

/** Makes a script of it: wrong arguments end with status 2, exceptions with status 1. */
export function scriptOf({ name, usage, foreign, isWriter, report, run }: Program): Script {
  return {
    name,
    usage,
    foreign,
    isWriter: (args) => {
      const parsed = parseArguments(usage, args);
      return parsed.is === "values" && (isWriter?.(parsed.given) ?? false);
    },
    run: async (args, world) => {
      const parsed = parseArguments(usage, args);
      if (parsed.is === "help") {
        // The originals that always print JSON have no help.
        return report?.("argument error: unknown option --help", 2) ??
          printed(renderHelp(name, usage, parsed.command));
      }
      if (parsed.is === "problem") {
        const { text, command } = parsed;
        return report?.(`argument error: ${text}`, 2) ??
          failed(2, `${renderUsage(name, usage, command)}${name}: error: ${text}\n`);
      }
      try {
        const result = await run(parsed.given, world);
        return result.stdout.isWellFormed()
          ? result
          : failed(1, "UnicodeEncodeError: 'utf-8' codec can't encode half a surrogate pair\n");
      } catch (error) {
        if (error instanceof Excess) {
          return report?.(error.message, 1) ?? failed(error.status, `error: ${error.message}\n`);
        }
        if (!(error instanceof Raised)) throw error;
        return failed(1, `${error.kind}: ${error.message}\n`);
      }
    },
  };
}

/** An exception that the original raises. */
export class Raised extends Error {
  constructor(readonly kind: string, message: string) {
    super(message);
  }
}

export function raise(kind: string, message: string): never {
  throw new Raised(kind, message);
}

/** More than a script reads or prints. BMAD's own knows no limit, and the whole answer would not fit into memory. */
class Excess extends Error {
  constructor(readonly status: number, message: string) {
    super(message);
  }
}

/** Ends the script with status 2. */
export function refuseExcess(problem: string): never {
  throw new Excess(2, problem);
}

/** The texts, unless they are together more than a script may print. */
export function printable(texts: Iterable<string>): readonly string[] {
  const kept: string[] = [];
  let size = 0;
  for (const text of texts) {
    size += text.length;
    if (size > MAX_STDOUT) throw new Excess(1, `the output is longer than ${MAX_STDOUT} characters`);
    kept.push(text);
  }
  return kept;
}

/** `int(digits)`. */
export function integer(digits: string): bigint {
  return pythonInt(digits) ?? raise("ValueError", "Exceeds the limit for integers");
}

/** The file of a served skill that an argument names; undefined for any other. */
function servedText({ skills }: ScriptWorld, given: string): string | undefined {
  const skill = skills.find(({ location }) => given.startsWith(`${location}/`));
  return skill?.read(given.slice(skill.location.length + 1));
}

/** `Path(given).is_file()`, in the project or in a served skill. */
export function isFile(world: ScriptWorld, given: string): boolean {
  return servedText(world, given) !== undefined ||
    world.files.tree.stat(world.files.pathOf("path", given)) !== undefined;
}

/** The bytes of a file, or the exception that Python raises for a missing one or a folder. */
function readBytes({ files }: ScriptWorld, given: string): Uint8Array<ArrayBuffer> {
  const path = files.pathOf("path", given);
  if (files.tree.stat(path) !== undefined) return files.tree.read(path);
  const isFolder = files.tree.stamp(path) !== undefined;
  return isFolder
    ? raise("IsADirectoryError", `[Errno 21] Is a directory: ${quote(pathText(given))}`)
    : raise("FileNotFoundError", `[Errno 2] No such file or directory: ${quote(pathText(given))}`);
}

/**
 * `open(given, newline="", encoding="utf-8")`, of the project or of a served skill: line ends stay. With `isLenient`,
 * what is not UTF-8 becomes replacement characters.
 */
export function readRaw(world: ScriptWorld, given: string, { isLenient = false } = {}): string {
  const served = servedText(world, given);
  return served === undefined ? readOwn(world, given, isLenient) : limited(served, given);
}

function readOwn(world: ScriptWorld, given: string, isLenient = false): string {
  const bytes = readBytes(world, given);
  if (bytes.length > MAX_INPUT) refuseInput(given);
  const decoder = new TextDecoder("utf-8", { fatal: !isLenient, ignoreBOM: true });
  try {
    return decoder.decode(bytes);
  } catch {
    return raise("UnicodeDecodeError", `'utf-8' codec can't decode ${wrongBytes(bytes)}`);
  }
}

/**
 * The same; undefined for a missing file or a folder. A file in the project is read as it is, also that of a served skill:
 * to search all of it for secrets takes twenty times as long. The caller does so with what it prints.
 */
export function findRaw(world: ScriptWorld, given: string): string | undefined {
  const { root, tree, pathOf } = world.files;
  const served = given.startsWith(`${root}/`) ? undefined : servedText(world, given);
  if (served !== undefined) return limited(served, given);
  return tree.stat(pathOf("path", given)) === undefined ? undefined : readOwn(world, given);
}

function limited(text: string, given: string): string {
  return text.length > MAX_INPUT ? refuseInput(given) : text;
}

function refuseInput(given: string): never {
  const name = given === "-" ? "stdin" : pathText(given);
  return refuseExcess(`${name} is longer than ${MAX_INPUT} bytes. Split it, or give a part of it`);
}

/** `Path(given).read_text(encoding="utf-8")`: every line end becomes `\n`. */
export function readText(
  world: ScriptWorld,
  given: string,
  options?: { readonly isLenient: boolean },
): string {
  return universalNewlines(readRaw(world, given, options));
}

/** A text as the encoding `utf-8-sig` reads it. */
export function withoutMark(text: string): string {
  return text.startsWith("\ufeff") ? text.slice(1) : text;
}

/** `-` is what the caller pipes in. */
export function readPiped(world: ScriptWorld, given: string): string {
  return given === "-" ? universalNewlines(limited(world.stdin, given)) : readText(world, given);
}

/** The option of the scripts that `deliver` their answer. */
export const OUTPUT: Argument = {
  names: ["-o", "--output"],
  help: "Write the JSON to this file instead of printing it",
};

/** Prints a text and the end of its line, or writes both to the file that `-o` names. */
export async function deliver(values: Given, world: ScriptWorld, text: string): Promise<ScriptResult> {
  const given = values.one("output");
  if (!given) return printed(`${text}\n`);
  const path = world.files.pathOf("output", given);
  const folder = path.slice(0, Math.max(0, path.lastIndexOf("/")));
  if (world.files.tree.stamp(folder) === undefined) {
    raise("FileNotFoundError", `[Errno 2] No such file or directory: ${quote(pathText(given))}`);
  }
  world.files.checkTarget(path);
  await world.files.exclusively(() => {
    world.files.replace(path, `${text}\n`, world.files.find(path));
  }, world.signal);
  return printed("");
}

/** Whether `-o` names a file. */
export function hasOutput(values: Given): boolean {
  return Boolean(values.one("output"));
}

/** The UTF-8 sequence at an index: how many bytes it has, and the problem if they are invalid. */
function sequenceAt(bytes: Uint8Array, at: number): { readonly count: number; readonly problem?: string } {
  const lead = bytes[at]!;
  const length = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
  if (length === 0) return { count: 1, problem: "invalid start byte" };
  for (let count = 1; count < length; count++) {
    const next = bytes[at + count];
    if (next === undefined) return { count, problem: "unexpected end of data" };
    const [low, high] = count === 1 ? SECOND[lead] ?? [0x80, 0xbf] : [0x80, 0xbf];
    if (next < low || next > high) return { count, problem: "invalid continuation byte" };
  }
  return { count: length };
}

/** Which bytes are not UTF-8, and why, in the words of Python: scripts print them. */
function wrongBytes(bytes: Uint8Array): string {
  for (let at = 0; at < bytes.length;) {
    const { count, problem } = sequenceAt(bytes, at);
    if (problem !== undefined) {
      return count === 1
        ? `byte 0x${bytes[at]!.toString(16).padStart(2, "0")} in position ${at}: ${problem}`
        : `bytes in position ${at}-${at + count - 1}: ${problem}`;
    }
    at += count;
  }
  return "bytes";
}

/** Reads UTF-8 with `surrogateescape`: an invalid byte becomes half a surrogate pair, so that names stay distinct. */
export function decodeEscaping(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // Byte by byte, then.
  }
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const parts: string[] = [];
  let start = 0;
  for (let at = 0; at < bytes.length;) {
    const { count, problem } = sequenceAt(bytes, at);
    if (problem !== undefined) {
      parts.push(decoder.decode(bytes.subarray(start, at)));
      for (const byte of bytes.subarray(at, at + count)) parts.push(String.fromCharCode(0xdc00 + byte));
      start = at + count;
    }
    at += count;
  }
  return [...parts, decoder.decode(bytes.subarray(start))].join("");
}

/** Lead bytes after which fewer second bytes are valid. */
const SECOND: Readonly<Record<number, readonly [number, number]>> = {
  0xe0: [0xa0, 0xbf],
  0xed: [0x80, 0x9f],
  0xf0: [0x90, 0xbf],
  0xf4: [0x80, 0x8f],
};
