/**
 * Gives up every right that this start does not need.
 *
 * The program starts with grants for the whole disk, because its roots are known only after it has read its settings.
 * `dropRights` replaces them with grants for single folders and files, revokes programs and the network where they are
 * not needed, and verifies the result. It must run before any third-party module is loaded and before any content is
 * read. docs/security.md says what this protects against, and what it does not.
 */
import { fail } from "../base/errors.ts";
import type { RightsInForce, WantedRights } from "../base/model.ts";

const WHOLE_DISK = Deno.build.os === "windows"
  ? [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"].map((letter) => `${letter}:\\`)
  : ["/"];

const SEPARATOR = Deno.build.os === "windows" ? "\\" : "/";

/** A file that exists on every machine and is never in a BMAD folder. */
const PROBE = Deno.build.os === "windows" ? "C:\\Windows\\win.ini" : "/etc/passwd";

const PROGRAMS = ["git", "bash"];

/** Keeps the given rights and revokes the rest, or stops the program. */
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

/** Replaces the grant for the whole disk with grants for some paths. Paths without a grant are returned as refused. */
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
      hint: "the runtime did not drop it; please report this",
    });
  }
  const refused = roots.filter((path) => !granted.includes(path)).map((path) => `${name} ${path}`);
  return { granted, refused };
}

/** Stops a start whose grant covers everything and so cannot be narrowed. */
function refuseStart(name: "read" | "write" | "run"): never {
  const list = name === "run" ? PROGRAMS.join(",") : "/";
  fail({
    code: "not-allowed",
    what: `narrow the right to ${name}`,
    hint: `use --allow-${name}=${list} (a list, which can be narrowed) instead of -A or a bare ` +
      `--allow-${name}, or --no-sandbox to run without these limits`,
  });
}

function isGranted(descriptor: Deno.PermissionDescriptor): boolean {
  return Deno.permissions.querySync(descriptor).state === "granted";
}

/** A path with its links resolved, as far as it exists. */
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
