/**
 * Giving up the right to read anything but the configured folders.
 *
 * The program starts with a list grant for the whole disk, because its roots are known only once it has read
 * its settings. `dropRights` exchanges that grant for the roots and tests that the exchange took. It must run
 * before any third-party module is loaded and before any content is read. docs/security.md says what this
 * gives and what it does not.
 */
import { fail } from "./errors.ts";

/** What the process may still do, for people to read. */
export interface Rights {
  /** False after `--no-sandbox`: then `read` is the whole disk. */
  readonly sandboxed: boolean;
  /** The resolved folders that can be read. */
  readonly read: readonly string[];
  /** Folders that were wanted and that the program was started without the right to read. */
  readonly refused: readonly string[];
}

const WHOLE_DISK = Deno.build.os === "windows"
  ? [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"].map((letter) => `${letter}:\\`)
  : ["/"];

const SEPARATOR = Deno.build.os === "windows" ? "\\" : "/";

/** A file that exists on every machine of the kind and lies in nobody's BMAD folder. */
const PROBE = Deno.build.os === "windows" ? "C:\\Windows\\win.ini" : "/etc/passwd";

/** Keeps the right to read `folders` and gives up the rest, or stops the program. */
export function dropRights(folders: readonly string[], options: { sandbox: boolean }): Rights {
  if (!options.sandbox) return { sandboxed: false, read: WHOLE_DISK, refused: [] };
  if (mayRead()) {
    const hint =
      "start with --allow-read=/ (a list, which can be narrowed) instead of -A or a bare --allow-read, " +
      "or say --no-sandbox to run without the read limits";
    fail({ code: "not-allowed", what: "narrow the right to read", hint });
  }
  const roots = [...new Set(folders.map(resolveFolder))];
  const isGranted = (path: string) =>
    Deno.permissions.requestSync({ name: "read", path }).state === "granted";
  const granted = roots.filter(isGranted);
  for (const path of WHOLE_DISK) Deno.permissions.revokeSync({ name: "read", path });
  const inRoots = roots.some((root) => PROBE.startsWith(`${root}${SEPARATOR}`));
  if (mayRead() || (!inRoots && mayRead(PROBE))) {
    fail({
      code: "not-allowed",
      what: "narrow the right to read",
      hint: "the runtime kept it; please report this",
    });
  }
  return { sandboxed: true, read: granted, refused: roots.filter((path) => !granted.includes(path)) };
}

function mayRead(path?: string): boolean {
  return Deno.permissions.querySync({ name: "read", path }).state === "granted";
}

/** The real name of a folder; of one that does not exist yet, as far as it exists. */
function resolveFolder(folder: string): string {
  for (let head = folder, tail = "";;) {
    try {
      const real = Deno.realPathSync(head);
      return tail === "" ? real : `${real.replace(/[\\/]$/, "")}/${tail}`;
    } catch (error) {
      const cut = Math.max(head.lastIndexOf("/"), head.lastIndexOf("\\"));
      if (!(error instanceof Deno.errors.NotFound) || cut <= 0) return folder;
      tail = tail === "" ? head.slice(cut + 1) : `${head.slice(cut + 1)}/${tail}`;
      head = head.slice(0, cut);
    }
  }
}
