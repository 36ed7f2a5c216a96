/** No other unit asks the process anything, so everything else is tested without one. */
import { sinkOf, sourceOf } from "./pipes.ts";
import type { Collecting, SharedInput } from "./watchdog.ts";
import { attempt, unlessMissing } from "../base/absence.ts";
import type { PathInfo } from "../base/paths.ts";
import { systemTimer } from "../base/work.ts";

export const LICENCES_FILE = "licenses.txt";

/** Without a date, so that a commit always gives the same bytes. */
export const STAMP_FILE = "build.json";

export interface BuildStamp {
  /** In full, followed by `-changed` if the sources differed from the commit. */
  readonly commit: string;
}

const STOP_SIGNALS: readonly Deno.Signal[] = Deno.build.os === "windows"
  ? ["SIGINT", "SIGBREAK"]
  : ["SIGINT", "SIGTERM"];

/** As in shells: 128 and the number of SIGINT. */
export const INTERRUPTED = 130;

const MAX_SETTINGS_BYTES = 65_536;

export type Host = ReturnType<typeof denoHost>;

export function denoHost(root: string) {
  const env = (name: string) => Deno.env.get(name) || undefined;
  const terminal = {
    stdin: Deno.stdin.isTerminal(),
    stdout: Deno.stdout.isTerminal(),
    stderr: Deno.stderr.isTerminal(),
  };
  const mayColour = colourRule(env);
  return {
    args: Deno.args as readonly string[],
    env,
    /** The caller's working folder, which in a task is not the real one (INIT_CWD). */
    cwd: callerFolder(Deno.cwd(), root, env("INIT_CWD")),
    home: findHome(env, Deno.build.os),
    os: Deno.build.os,
    contentDir: `${root}/bmad-embedded/content`,
    commit: () => findCommit(`${root}/bmad-embedded/content/${STAMP_FILE}`),
    pid: Deno.pid,
    runtime: `deno ${Deno.version.deno}`,
    target: Deno.build.target,
    launch: launchBy(Deno.execPath(), Deno.build.standalone ? undefined : root, env("BMAD_MCP_NODE")),
    terminal,
    columns: terminal.stdout ? Deno.consoleSize().columns || undefined : undefined,
    colours: { stdout: mayColour(terminal.stdout), stderr: mayColour(terminal.stderr) },
    canRedraw: terminal.stderr && env("CI") === undefined && env("TERM") !== "dumb",
    now: () => Date.now(),
    memoryUsed: () => Deno.memoryUsage().rss,
    heapSize: () => Deno.memoryUsage().heapTotal,
    /** Takes some hundredths of a second; does nothing from source, where the engine does not offer it. */
    collectGarbage: () =>
      (globalThis as Collecting).gc?.({ type: "major", execution: "sync", flavor: "last-resort" }),
    after: systemTimer.after,
    /** A link is refused unless allowed: a stranger's repository must not make us quote a file of its choice. */
    readSettings: (path: string, { links }: { readonly links: boolean }) => {
      const facts = unlessMissing(() => links ? Deno.statSync(path) : Deno.lstatSync(path));
      if (facts === undefined) return undefined;
      if (!facts.isFile) throw new Error(links ? "not a file" : "not a plain file");
      if (facts.size > MAX_SETTINGS_BYTES) throw new Error(`larger than ${MAX_SETTINGS_BYTES} bytes`);
      return unlessMissing(() => Deno.readTextFileSync(path));
    },
    look: lookAt,
    readText: (path: string) => attempt(() => Deno.readTextFileSync(path)),
    readHead: (path: string) =>
      attempt(() => {
        if (!Deno.lstatSync(path).isFile) return undefined;
        using file = Deno.openSync(path);
        const bytes = new Uint8Array(MAX_SETTINGS_BYTES);
        return new TextDecoder().decode(bytes.subarray(0, file.readSync(bytes) ?? 0));
      }),
    namesIn: (folder: string): readonly string[] =>
      attempt(() => Array.from(Deno.readDirSync(folder), ({ name }) => name)) ?? [],
    list: listFolder,
    findFolder: (path: string) => {
      const found = lookAt(path);
      return found?.kind === "folder" ? found.real : undefined;
    },
    /** While serving, stdout belongs to the protocol. */
    writeOut: (text: string) => writeAll(Deno.stdout, text),
    writeErr: (text: string) => writeAll(Deno.stderr, text),
    // Functions, because only serving takes the streams.
    stdin: () => sourceOf(Deno.stdin),
    stdout: () => sinkOf(Deno.stdout),
    /** With the exit code: a person interrupts, a client stops its server well. */
    onStop: (stop: (exitCode: number) => void) =>
      STOP_SIGNALS.forEach((signal) => {
        const code = signal === "SIGINT" && terminal.stdin ? INTERRUPTED : 0;
        Deno.addSignalListener(signal, () => stop(code));
      }),
    /** From now on ends the process if it is stuck when such a signal arrives or the input ends. */
    watch: async (input?: SharedInput) =>
      await (await import("./watchdog.ts")).startWatchdog(STOP_SIGNALS, input),
    onStray: (report: (error: unknown) => void) => {
      globalThis.addEventListener("unhandledrejection", (event) => {
        event.preventDefault();
        report(event.reason);
      });
      globalThis.addEventListener("error", (event) => {
        event.preventDefault();
        report(event.error);
      });
    },
  };
}

type Environment = (name: string) => string | undefined;

/** A task runs in the folder of its deno.json and leaves the caller's in INIT_CWD, as other script runners do. */
export function callerFolder(cwd: string, root: string, initial: string | undefined): string {
  return initial !== undefined && !Deno.build.standalone && lookAt(root)?.real === lookAt(cwd)?.real
    ? initial
    : cwd;
}

/** On Windows, Unix-like shells write HOME in a form that only they understand. */
export function findHome(env: Environment, os: typeof Deno.build.os): string | undefined {
  const [first, second] = os === "windows" ? ["USERPROFILE", "HOME"] : ["HOME", "USERPROFILE"];
  return env(first!) ?? env(second!);
}

function findCommit(path: string): string | undefined {
  const stamp = unlessMissing(() => Deno.readTextFileSync(path));
  return stamp === undefined ? undefined : (JSON.parse(stamp) as BuildStamp).commit;
}

/** NO_COLOR has the last word. */
function colourRule(env: Environment): (isTerminal: boolean) => boolean {
  const force = env("FORCE_COLOR");
  const isForced = force !== undefined && force !== "0" && force !== "false";
  const isOff = env("NO_COLOR") !== undefined || (force !== undefined && !isForced);
  const isPlain = env("TERM") === "dumb" || env("CI") !== undefined;
  return (isTerminal) => !isOff && (isForced || (isTerminal && !isPlain));
}

/**
 * The npm package has a launcher for the shell, if Deno is where that looks for it, and one for Node. Every path is
 * absolute, because clients start it in folders of strangers: npx, even with an absolute path and another prefix, runs
 * the `sh` in `node_modules/.bin` of that folder.
 */
export function launchBy(executable: string, root: string | undefined, node: string | undefined = undefined) {
  if (root === undefined) return { command: executable, args: [] };
  const [, modules] = IN_PACKAGE.exec(root) ?? [];
  if (modules === undefined) {
    return { command: executable, args: ["task", "--quiet", "--config", `${root}/deno.json`, "start"] };
  }
  const isBeside = [modules, `${root}/node_modules`].some((folder) =>
    executable.startsWith(`${folder}/@deno/`)
  );
  return node === undefined || isBeside
    ? { command: "/bin/sh", args: [`${root}/launcher.sh`] }
    : { command: node, args: [`${root}/launcher.cjs`] };
}

const IN_PACKAGE = /^(.*[\\/]node_modules)[\\/]@[^\\/]+[\\/]bmad-mcp$/s;

function lookAt(path: string): PathInfo | undefined {
  // Most often it does not exist, so that is found out first: every error takes time.
  const facts = attempt(() => Deno.lstatSync(path));
  if (facts === undefined) return undefined;
  try {
    const real = Deno.realPathSync(path);
    const { isFile, isDirectory, size, uid, gid } = facts.isSymlink ? Deno.statSync(real) : facts;
    const kind = isFile ? "file" : isDirectory ? "folder" : "other";
    const owner = uid === null || gid === null ? {} : { owner: { uid, gid } };
    const name = Deno.build.os === "windows" ? real.replaceAll("\\", "/") : real;
    return { kind, real: name, ...owner, ...(isFile && { size }) };
  } catch {
    return facts.isSymlink ? { kind: "dead-link", real: path } : undefined;
  }
}

/** On most file systems, in bytes: tens of thousands of names. */
const MAX_FOLDER_SIZE = 1 << 20;

function listFolder(path: string) {
  const facts = attempt(() => Deno.lstatSync(path));
  if (facts?.isDirectory !== true) return undefined;
  const unlisted = { names: [] as readonly string[], folders: [] as readonly string[] };
  const owner = facts.uid === null ? {} : { uid: facts.uid };
  if (facts.size > MAX_FOLDER_SIZE) return { ...unlisted, ...owner, problem: "has too many files" };
  const entries = attempt(() => Deno.readDirSync(path).toArray());
  if (entries === undefined) return { ...unlisted, ...owner, problem: "cannot be read" };
  return {
    ...owner,
    names: entries.map(({ name }) => name),
    folders: entries.flatMap(({ name, isDirectory }) => isDirectory ? [name] : []),
  };
}

function writeAll(stream: { writeSync(bytes: Uint8Array): number }, text: string): void {
  const bytes = new TextEncoder().encode(text);
  try {
    for (let at = 0; at < bytes.length;) at += stream.writeSync(bytes.subarray(at));
  } catch (error) {
    // The reader of our output has gone (`bmad-mcp list agents | head -1`), which is not an error.
    if (!(error instanceof Deno.errors.BrokenPipe)) throw error;
  }
}
