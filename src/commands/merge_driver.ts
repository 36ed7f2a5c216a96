/**
 * `bmad-mcp merge-driver BASE OURS THEIRS [SIZE] [PATH]`: merges a ledger for git, which calls it file by file.
 *
 * The result replaces OURS as a whole; status 0 is a clean merge, `CONFLICTS` leaves some between marks. After any other
 * status OURS is as it was, and the line that `team init` writes has git merge it. It runs before settings are read, with
 * the right to these files alone, loads no third-party code and does nothing that the files say.
 */
import { unlessMissing } from "../base/absence.ts";
import { failureIn } from "../base/errors.ts";
import { resolvePath } from "../base/paths.ts";
import { safeText } from "../base/text.ts";
import type { Host } from "../process/host.ts";
import { dropRights } from "../process/rights.ts";
import { LIMITS } from "../project/limits.ts";
import { CONFLICTS, DRAFT, mergeLedger } from "../project/work/merge/mod.ts";

type DriverHost = Pick<Host, "args" | "cwd" | "os" | "look" | "writeErr">;

const NOT_MERGED = 2;

/** Nothing else reads a longer ledger. */
const MAX_LENGTH = LIMITS.source.textLength;

export function mergeDriver(
  { args: [, ...words], cwd, os, look, writeErr }: DriverHost,
  drop: typeof dropRights = dropRights,
): number {
  const [, , , size, path = words[1] ?? ""] = words;
  const fail = (text: string) => {
    writeErr(`bmad-mcp: ${safeText(`${path}: ${text}`)}\n`);
    return NOT_MERGED;
  };
  try {
    const [base, ours, theirs] = words.slice(0, 3).map((word) => {
      const found = look(resolvePath(word, { base: cwd, home: undefined, os }));
      return found?.kind === "file" ? found.real : undefined;
    });
    if (base === undefined || ours === undefined || theirs === undefined) {
      return fail("not three files to merge");
    }
    const draft = ours + DRAFT;
    drop({ read: [base, ours, theirs, draft], write: [ours, draft], run: [], net: false }, { sandbox: true });
    const places = [base, ours, theirs];
    // UTF-8 has at most three bytes for each unit of a text's length.
    if (places.some((file) => Deno.statSync(file).size > 3 * MAX_LENGTH)) return NOT_MERGED;
    const files = places.map((file) => Deno.readFileSync(file));
    const code = codeOf(files);
    const texts = code === undefined ? [] : files.map(code.decode);
    if (code === undefined || texts.some(({ length }) => length > MAX_LENGTH)) return NOT_MERGED;
    const [old = "", own = "", other = ""] = texts;
    const versions = { base: old, ours: own, theirs: other };
    const marks = /^\d{1,4}$/.test(size ?? "") && Number(size) || 7;
    const { text, conflicts } = mergeLedger(code.isText ? path : "", versions, marks);
    replace(ours, draft, code.encode(text));
    return conflicts > 0 ? CONFLICTS : 0;
  } catch (error) {
    return fail(failureIn(error)?.message ?? String(error));
  }
}

function replace(file: string, draft: string, bytes: Uint8Array<ArrayBuffer>): void {
  try {
    Deno.writeFileSync(draft, bytes, { createNew: true });
    Deno.renameSync(draft, file);
  } catch (error) {
    // What is there already is not ours to delete.
    if (!(error instanceof Deno.errors.AlreadyExists)) unlessMissing(() => Deno.removeSync(draft));
    throw error;
  }
}

interface Code {
  /** Whether it is UTF-8: anything else is merged line by line. */
  readonly isText: boolean;
  decode(bytes: Uint8Array<ArrayBuffer>): string;
  encode(text: string): Uint8Array<ArrayBuffer>;
}

function codeOf(files: readonly Uint8Array<ArrayBuffer>[]): Code | undefined {
  if (files.some((bytes) => bytes.includes(0))) return undefined;
  const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  try {
    files.forEach((bytes) => utf8.decode(bytes));
    return {
      isText: true,
      decode: (bytes) => utf8.decode(bytes),
      encode: (text) => new TextEncoder().encode(text),
    };
  } catch {
    return {
      isText: false,
      decode: (bytes) => Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""),
      encode: (text) => Uint8Array.from(text, (sign) => sign.charCodeAt(0)),
    };
  }
}
