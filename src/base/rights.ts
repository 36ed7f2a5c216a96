/**
 * Giving up every right that this start does not need.
 *
 * The program starts with list grants for the whole disk, because its roots are known only once it has read its
 * settings. `dropRights` exchanges those grants for the folders and files that are wanted, gives up the programs that
 * are not, and tests that the exchange took. It must run before any third-party module is loaded and before any
 * content is read. docs/security.md says what this gives and what it does not.
 */
import { fail } from "./errors.ts";
import type { RightsInForce, WantedRights } from "./model.ts";

const WHOLE_DISK = Deno.build.os === "windows"
  ? [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"].map((letter) => `${letter}:\\`)
  : ["/"];

const SEPARATOR = Deno.build.os === "windows" ? "\\" : "/";

/** A file that exists on every machine of the kind and lies in nobody's BMAD folder. */
const PROBE = Deno.build.os === "windows" ? "C:\\Windows\\win.ini" : "/etc/passwd";

/** The programs that the program may be started with the right to run. */
const PROGRAMS = ["git", "bash"];

/** All that several wants add up to. */
export function joinRights(...all: readonly WantedRights[]): WantedRights {
  const allOf = (right: "read" | "write" | "run") => [...new Set(all.flatMap((rights) => rights[right]))];
  return { read: allOf("read"), write: allOf("write"), run: allOf("run"), net: all.some(({ net }) => net) };
}

/** Keeps the wanted rights and gives up the rest, or stops the program. */
export function dropRights(wanted: WantedRights, options: { readonly sandbox: boolean }): RightsInForce {
  if (!options.sandbox) {
    return { sandboxed: false, read: WHOLE_DISK, write: WHOLE_DISK, run: wanted.run, net: true, refused: [] };
  }
  const read = narrow("read", wanted.read);
  const write = narrow("write", wanted.write);
  for (const command of PROGRAMS) {
    if (!wanted.run.includes(command)) Deno.permissions.revokeSync({ name: "run", command });
  }
  if (isGranted({ name: "run" })) refuseStart("run");
  if (!wanted.net) Deno.permissions.revokeSync({ name: "net" });
  const net = wanted.net && isGranted({ name: "net" });
  const run = wanted.run.filter((command) => isGranted({ name: "run", command }));
  return {
    sandboxed: true,
    read: read.granted,
    write: write.granted,
    run,
    net,
    refused: [
      ...read.refused,
      ...write.refused,
      ...wanted.run.filter((command) => !run.includes(command)).map((command) => `run ${command}`),
      ...(wanted.net && !net ? ["use the network"] : []),
    ],
  };
}

/** Exchanges the grant for the whole disk for some paths. What was never granted is told as `read /srv/x`. */
function narrow(name: "read" | "write", paths: readonly string[]): {
  readonly granted: readonly string[];
  readonly refused: readonly string[];
} {
  if (isGranted({ name })) refuseStart(name);
  const roots = [...new Set(paths.map(resolvePath))];
  const granted = roots.filter((path) => Deno.permissions.requestSync({ name, path }).state === "granted");
  for (const path of WHOLE_DISK) Deno.permissions.revokeSync({ name, path });
  const inRoots = roots.some((root) => PROBE.startsWith(`${root}${SEPARATOR}`));
  if (isGranted({ name }) || (!inRoots && isGranted({ name, path: PROBE }))) {
    fail({
      code: "not-allowed",
      what: `narrow the right to ${name}`,
      hint: "the runtime kept it; please report this",
    });
  }
  const refused = roots.filter((path) => !granted.includes(path)).map((path) => `${name} ${path}`);
  return { granted, refused };
}

/** Stops a start with a right that covers everything and so cannot be narrowed. */
function refuseStart(name: "read" | "write" | "run"): never {
  const list = name === "run" ? PROGRAMS.join(",") : "/";
  fail({
    code: "not-allowed",
    what: `narrow the right to ${name}`,
    hint: `start with --allow-${name}=${list} (a list, which can be narrowed) instead of -A or a bare ` +
      `--allow-${name}, or say --no-sandbox to run without these limits`,
  });
}

function isGranted(descriptor: Deno.PermissionDescriptor): boolean {
  return Deno.permissions.querySync(descriptor).state === "granted";
}

/** The real name of a path; of one that does not exist yet, as far as it exists. */
function resolvePath(path: string): string {
  for (let head = path, tail = "";;) {
    try {
      const real = Deno.realPathSync(head);
      return tail === "" ? real : `${real.replace(/[\\/]$/, "")}/${tail}`;
    } catch (error) {
      const cut = Math.max(head.lastIndexOf("/"), head.lastIndexOf("\\"));
      if (!(error instanceof Deno.errors.NotFound) || cut <= 0) return path;
      tail = tail === "" ? head.slice(cut + 1) : `${head.slice(cut + 1)}/${tail}`;
      head = head.slice(0, cut);
    }
  }
}
