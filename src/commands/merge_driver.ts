/**
 * `bmad-mcp merge-driver BASE OURS THEIRS [SIZE] [PATH]`: merges a ledger for git, which calls it file by file.
 *
 * Git's protocol: the result replaces OURS; status 0 is a clean merge, 1 leaves conflicts between marks; after any other
 * status OURS is as it was, and git keeps the conflict. It runs before settings are read, with the right to these three
 * files alone, loads no third-party code and does nothing that the files say.
 */
import { failureIn } from "../base/errors.ts";
import { resolvePath } from "../base/paths.ts";
import { counted, safeText } from "../base/text.ts";
import type { Host } from "../process/host.ts";
import { dropRights } from "../process/rights.ts";
import { mergeLedger } from "../project/work/merge/mod.ts";

type DriverHost = Pick<Host, "args" | "cwd" | "os" | "look" | "writeErr">;

export function mergeDriver(
  { args: [, ...words], cwd, os, look, writeErr }: DriverHost,
  drop: typeof dropRights = dropRights,
): number {
  const [, , , size, path = words[1] ?? ""] = words;
  const say = (text: string) => writeErr(`bmad-mcp: ${safeText(`${path}: ${text}`)}\n`);
  try {
    const [base, ours, theirs] = words.slice(0, 3).map((word) => {
      const found = look(resolvePath(word, { base: cwd, home: undefined, os }));
      return found?.kind === "file" ? found.real : undefined;
    });
    if (base === undefined || ours === undefined || theirs === undefined) {
      say("not three files to merge");
      return 2;
    }
    drop({ read: [base, ours, theirs], write: [ours], run: [], net: false }, { sandbox: true });
    const files = [base, ours, theirs].map((file) => Deno.readFileSync(file));
    const code = codeOf(files);
    if (code === undefined) {
      say("binary, not merged");
      return 1;
    }
    const [old = "", own = "", other = ""] = files.map(code.decode);
    const versions = { base: old, ours: own, theirs: other };
    const marks = /^\d{1,4}$/.test(size ?? "") && Number(size) || 7;
    const { text, conflicts } = mergeLedger(code.isText ? path : "", versions, marks);
    Deno.writeFileSync(ours, code.encode(text));
    if (conflicts > 0) say(`${counted(conflicts, "conflict")} left`);
    return Math.min(conflicts, 1);
  } catch (error) {
    say(failureIn(error)?.message ?? String(error));
    return 2;
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
