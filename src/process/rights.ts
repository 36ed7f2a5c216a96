/**
 * Replaces the grants for the whole disk by grants for single folders and files, and verifies the result. It must run
 * before third-party modules are loaded and content is read (docs/security.md).
 */
import { forbid } from "../base/errors.ts";
import type { RightsInForce, WantedRights } from "../base/model.ts";

const WHOLE_DISK = Deno.build.os === "windows"
  ? [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"].map((letter) => `${letter}:\\`)
  : ["/"];

/** A file that exists on every machine and is never in a BMAD folder. */
const PROBE = Deno.build.os === "windows" ? "C:\\Windows\\win.ini" : "/etc/passwd";

const SEPARATORS = Deno.build.os === "windows" ? /[\\/]/ : "/";

const PROGRAMS = ["git", "bash"];

/** `instead` is a command line that starts the same with rights that can be narrowed. */
export function dropRights(
  wanted: WantedRights,
  options: { readonly sandbox: boolean; readonly instead?: string },
): RightsInForce {
  if (!options.sandbox) {
    return { sandboxed: false, read: WHOLE_DISK, write: WHOLE_DISK, run: wanted.run, net: true, refused: [] };
  }
  const { instead } = options;
  const read = narrow("read", wanted.read, instead);
  const write = narrow("write", wanted.write, instead);
  for (const command of PROGRAMS) {
    if (!wanted.run.includes(command)) Deno.permissions.revokeSync({ name: "run", command });
  }
  if (isGranted({ name: "run" })) refuseStart("run", instead);
  const kept = PROGRAMS.find((command) =>
    !wanted.run.includes(command) && isGranted({ name: "run", command })
  );
  if (kept !== undefined) refuseDifference("run", `did not drop it for ${kept}`);
  if (!wanted.net) Deno.permissions.revokeSync({ name: "net" });
  if (!wanted.net && isGranted({ name: "net" })) refuseDifference("use the network", "did not drop it");
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

/** Names without a grant are returned as refused. Links are not resolved here: the plan has done that. */
function narrow(name: "read" | "write", paths: readonly string[], instead?: string): {
  readonly granted: readonly string[];
  readonly refused: readonly string[];
} {
  if (isGranted({ name })) refuseStart(name, instead);
  const wanted = [...new Set(paths)];
  const granted = wanted.filter((path) => Deno.permissions.requestSync({ name, path }).state === "granted");
  const others = outside(wanted);
  for (const path of others) Deno.permissions.revokeSync({ name, path });
  const lost = granted.find((path) => !isGranted({ name, path }));
  if (lost !== undefined) refuseDifference(name, `also dropped it for ${lost}`);
  const kept = isGranted({ name }) ? "everything" : others.find((path) => isGranted({ name, path }));
  if (kept !== undefined) refuseDifference(name, `did not drop it for ${kept}`);
  return {
    granted,
    refused: wanted.filter((path) => !granted.includes(path)).map((path) => `${name} ${path}`),
  };
}

/** Covered by no path: whole disks, a file of the system's, and every folder above one of the paths. */
function outside(paths: readonly string[]): readonly string[] {
  const covering = new Set(paths.map((path) => downTo(path).at(-1)!));
  const all = new Set([...WHOLE_DISK, PROBE, ...paths].flatMap(downTo));
  return [...all].filter((path) => !downTo(path).some((folder) => covering.has(folder)));
}

function downTo(path: string): readonly string[] {
  const names = path.split(SEPARATORS).filter((name, at) => name !== "" || at === 0);
  return names.map((name, at) => at === 0 ? `${name}/` : names.slice(0, at + 1).join("/"));
}

function refuseDifference(right: string, what: string): never {
  return forbid(`narrow the right to ${right}`, `the runtime ${what}; please report this`);
}

function refuseStart(name: "read" | "write" | "run", instead: string | undefined): never {
  const list = name === "run" ? PROGRAMS.join(",") : "/";
  const start = instead === undefined
    ? `use --allow-${name}=${list} (a list, which can be narrowed)`
    : `run ${instead}`;
  forbid(
    `narrow the right to ${name}`,
    `${start} instead of -A or a bare --allow-${name}, or add --no-sandbox to run without these limits`,
  );
}

function isGranted(descriptor: Deno.PermissionDescriptor): boolean {
  return Deno.permissions.querySync(descriptor).state === "granted";
}
