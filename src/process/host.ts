/**
 * The process as a value: arguments, environment, folders, streams and clock.
 *
 * The only unit that asks the process anything, so that everything else can be tested without one. It reads settings
 * files and looks at paths for the start; content is read by trees.
 */
import { type ByteSink, type ByteSource, sinkOf, sourceOf } from "./pipes.ts";
import type { SharedInput } from "./watchdog.ts";
import type { Look } from "../base/paths.ts";
import { type Clock, systemTimer } from "../base/work.ts";

/** What the program knows about the process it runs in. */
export interface Host extends Clock {
  /** The words behind the program's name: `list`, `agents`, `--json`. */
  readonly args: readonly string[];
  /** A variable's value; undefined also when we were not given the right to see it. */
  env(name: string): string | undefined;
  /** The caller's working folder, which in a task is not the real one (INIT_CWD). */
  readonly cwd: string;
  /** From HOME, on Windows from USERPROFILE; undefined when neither is set. */
  readonly home: string | undefined;
  readonly os: typeof Deno.build.os;
  readonly contentDir: string;
  /** The runtime and its version: `deno 2.x.y`. */
  readonly runtime: string;
  /** The commit of the build; undefined if the program runs from source. */
  commit(): string | undefined;
  readonly pid: number;
  /** Such as `aarch64-apple-darwin`. */
  readonly target: string;
  /** The command that starts this program again. */
  readonly launch: { readonly command: string; readonly args: readonly string[] };
  /** Which streams are a terminal; clients use pipes. */
  readonly terminal: { readonly stdin: boolean; readonly stdout: boolean; readonly stderr: boolean };
  readonly columns: number | undefined;
  /** Which streams may carry colours: terminals unless NO_COLOR is set, all with FORCE_COLOR. */
  readonly colours: { readonly stdout: boolean; readonly stderr: boolean };
  /** Whether a line on stderr can be redrawn: only on a terminal, and not in CI. */
  readonly canRedraw: boolean;
  /** The memory of the process, in bytes. */
  memoryUsed(): number;
  /** The size of the heap, in bytes. */
  heapSize(): number;
  /** Collects garbage now, which takes some milliseconds; does nothing where the engine does not allow it. */
  collectGarbage(): Promise<void>;
  /**
   * The text of a settings file, or undefined if it does not exist. Anything but a plain file is refused, and so is a
   * link unless links are allowed: a stranger's repository must not make us read, and quote, a file of its choice.
   */
  readSettings(path: string, options: { readonly links: boolean }): string | undefined;
  /** What is at a path, with links resolved; undefined if nothing is, or nothing we may see. */
  look(path: string): Look | undefined;
  readText(path: string): string | undefined;
  /** The first 64 KB of a plain file; undefined if there is none, or we may not see it. */
  readHead(path: string): string | undefined;
  /** The names in a folder; empty if it cannot be read. */
  namesIn(folder: string): readonly string[];
  /** The folder that `look` sees, with its links resolved; undefined if it sees none. */
  findFolder(path: string): string | undefined;
  /** Writes results to stdout. While serving, stdout belongs to the protocol. */
  writeOut(text: string): void;
  /** Writes everything else to stderr: log, hints, failures. */
  writeErr(text: string): void;
  /** From the client. A function, because only serving takes the stream. */
  readonly stdin: () => ByteSource;
  readonly stdout: () => ByteSink;
  /**
   * Calls back on SIGINT and SIGTERM (on Windows SIGINT and SIGBREAK), with the exit code: a person's Ctrl-C interrupts,
   * while a client that stops its server ends it well.
   */
  onStop(stop: (exitCode: number) => void): void;
  /** From now on ends the process if it is stuck when such a signal arrives or the input ends. */
  watch(input?: SharedInput): Promise<void>;
  /** Calls back with uncaught errors, instead of ending the process. */
  onStray(report: (error: unknown) => void): void;
}

/** The licences of everything in a build, in the content folder. */
export const LICENCES_FILE = "licenses.txt";

/** The build's stamp in the content folder. It has no date, so that a commit always gives the same bytes. */
export const STAMP_FILE = "build.json";

/** Its content. */
export interface BuildStamp {
  /** In full, followed by `-changed` if the sources differed from the commit. */
  readonly commit: string;
}

const STOP_SIGNALS: readonly Deno.Signal[] = Deno.build.os === "windows"
  ? ["SIGINT", "SIGBREAK"]
  : ["SIGINT", "SIGTERM"];

/** The exit code of a command that a person has interrupted, as shells have it: 128 and the number of SIGINT. */
export const INTERRUPTED = 130;

const MAX_SETTINGS_BYTES = 65_536;

/** The host of the running process. `root` is the folder of the program's entry. */
export function denoHost(root: string): Host {
  const env = (name: string) => Deno.env.get(name) || undefined;
  const terminal = {
    stdin: Deno.stdin.isTerminal(),
    stdout: Deno.stdout.isTerminal(),
    stderr: Deno.stderr.isTerminal(),
  };
  const mayColour = colourRule(env);
  let collector: ReturnType<typeof findCollector> | undefined;
  return {
    args: Deno.args,
    env,
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
    columns: terminal.stdout ? Deno.consoleSize().columns : undefined,
    colours: { stdout: mayColour(terminal.stdout), stderr: mayColour(terminal.stderr) },
    canRedraw: terminal.stderr && env("CI") === undefined && env("TERM") !== "dumb",
    now: () => Date.now(),
    memoryUsed: () => Deno.memoryUsage().rss,
    heapSize: () => Deno.memoryUsage().heapTotal,
    collectGarbage: async () => (await (collector ??= findCollector()))?.(),
    after: systemTimer.after,
    readSettings: (path, { links }) => {
      try {
        const { isFile, size } = links ? Deno.statSync(path) : Deno.lstatSync(path);
        if (!isFile) throw new Error(links ? "not a file" : "not a plain file");
        if (size > MAX_SETTINGS_BYTES) throw new Error(`larger than ${MAX_SETTINGS_BYTES} bytes`);
        return Deno.readTextFileSync(path);
      } catch (error) {
        if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) {
          return undefined;
        }
        throw error;
      }
    },
    look: lookAt,
    readText: (path) => {
      try {
        return Deno.readTextFileSync(path);
      } catch {
        return undefined;
      }
    },
    readHead: (path) => {
      try {
        if (!Deno.lstatSync(path).isFile) return undefined;
        using file = Deno.openSync(path);
        const bytes = new Uint8Array(MAX_SETTINGS_BYTES);
        return new TextDecoder().decode(bytes.subarray(0, file.readSync(bytes) ?? 0));
      } catch {
        return undefined;
      }
    },
    namesIn: (folder) => {
      try {
        return Array.from(Deno.readDirSync(folder), ({ name }) => name);
      } catch {
        return [];
      }
    },
    findFolder: (path) => {
      const found = lookAt(path);
      return found?.kind === "folder" ? found.real : undefined;
    },
    writeOut: (text) => writeAll(Deno.stdout, text),
    writeErr: (text) => writeAll(Deno.stderr, text),
    stdin: () => sourceOf(Deno.stdin),
    stdout: () => sinkOf(Deno.stdout),
    onStop: (stop) =>
      STOP_SIGNALS.forEach((signal) => {
        const code = signal === "SIGINT" && terminal.stdin ? INTERRUPTED : 0;
        Deno.addSignalListener(signal, () => stop(code));
      }),
    watch: async (input) => (await import("./watchdog.ts")).startWatchdog(STOP_SIGNALS, input),
    onStray: (report) => {
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

/**
 * The folder that the program was called in. A task runs in the folder of its deno.json and leaves the caller's in
 * INIT_CWD. Script runners set that variable, too, so it counts for our own tasks only.
 */
export function callerFolder(cwd: string, root: string, initial: string | undefined): string {
  return initial !== undefined && !Deno.build.standalone && lookAt(root)?.real === lookAt(cwd)?.real
    ? initial
    : cwd;
}

/** The home folder. On Windows, Unix-like shells write HOME in a form that only they understand. */
export function findHome(env: Host["env"], os: Host["os"]): string | undefined {
  const variables = ["HOME", "USERPROFILE"];
  for (const name of os === "windows" ? variables.reverse() : variables) {
    const home = env(name);
    if (home !== undefined) return home;
  }
  return undefined;
}

function findCommit(path: string): string | undefined {
  try {
    return (JSON.parse(Deno.readTextFileSync(path)) as BuildStamp).commit;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return undefined;
    throw error;
  }
}

/** Whether a stream may carry colours. NO_COLOR has the last word. */
function colourRule(env: Host["env"]): (isTerminal: boolean) => boolean {
  const force = env("FORCE_COLOR");
  const isForced = force !== undefined && force !== "0" && force !== "false";
  const isOff = env("NO_COLOR") !== undefined || (force !== undefined && !isForced);
  const isPlain = env("TERM") === "dumb" || env("CI") !== undefined;
  return (isTerminal) => !isOff && (isForced || (isTerminal && !isPlain));
}

/**
 * How an executable starts this program: a binary is the program, Deno runs the task of a checkout, and the npm package
 * has a launcher for the shell, if Deno is where that looks for it, and one for Node. Every path is absolute, because
 * clients start it in folders of strangers: npx, even with an absolute path and another prefix, runs the `sh` in
 * `node_modules/.bin` of that folder.
 */
export function launchBy(
  executable: string,
  root: string | undefined,
  node: string | undefined = undefined,
): Host["launch"] {
  if (root === undefined) return { command: executable, args: [] };
  const [, modules] = IN_PACKAGE.exec(root) ?? [];
  if (modules === undefined) {
    return { command: executable, args: ["task", "--config", `${root}/deno.json`, "start"] };
  }
  const isBeside = [modules, `${root}/node_modules`].some((folder) =>
    executable.startsWith(`${folder}/@deno/`)
  );
  return node === undefined || isBeside
    ? { command: "/bin/sh", args: [`${root}/launcher.sh`] }
    : { command: node, args: [`${root}/launcher.cjs`] };
}

/** The folder of the npm package, and the one with all packages. */
const IN_PACKAGE = /^(.*[\\/]node_modules)[\\/]@[^\\/]+[\\/]bmad-mcp$/s;

function lookAt(path: string): Look | undefined {
  let facts: Deno.FileInfo;
  try {
    facts = Deno.lstatSync(path);
  } catch {
    // Most often it does not exist, so that is found out first: every error takes time.
    return undefined;
  }
  try {
    const real = Deno.realPathSync(path);
    const { isFile, isDirectory, uid, gid } = facts.isSymlink ? Deno.statSync(real) : facts;
    const kind = isFile ? "file" : isDirectory ? "folder" : "other";
    const owner = uid === null || gid === null ? {} : { owner: { uid, gid } };
    return { kind, real: Deno.build.os === "windows" ? real.replaceAll("\\", "/") : real, ...owner };
  } catch {
    return facts.isSymlink ? { kind: "dead-link", real: path } : undefined;
  }
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

/**
 * V8's garbage collector. It is exposed by a flag, and only in contexts created afterwards; as a flag of the process it
 * would slow down every start (docs/decisions/0022-memory-is-collected-when-idle.md).
 */
async function findCollector(): Promise<(() => void) | undefined> {
  const [{ setFlagsFromString }, { runInNewContext }] = await Promise.all([
    import("node:v8"),
    import("node:vm"),
  ]);
  setFlagsFromString("--expose-gc");
  const found: unknown = runInNewContext("globalThis.gc");
  return typeof found === "function" ? () => found() : undefined;
}
