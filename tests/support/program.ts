/**
 * How do tests start the program that users start?
 *
 * As a process, with the very flags of the `start` task, a home of its own and a clean environment; or, where a
 * variable says so, as a bundle or a binary. `runCli` runs it to its end; `startRaw` gives its lines, for tests of the protocol itself; client.ts connects the
 * official clients. Each waits until the process has ended, so that nothing is left over.
 */
import assert from "node:assert/strict";
import { resolve } from "node:path";
import { bundleFlags, startWords } from "../../.github/release/binary_rights.ts";
import { denoHost, type Host } from "../../src/process/host.ts";
import { asksForVersion, printVersion } from "../../src/process/version.ts";
import { start } from "../../src/start.ts";

export interface ProgramOptions {
  /** Where it runs; else in an empty folder. */
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** What Deno runs in place of the program. */
  readonly program?: readonly string[];
  readonly command?: string;
}

export interface CliResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RawProgram extends AsyncDisposable {
  /** Sends a message as one line; a text is sent exactly as it is. */
  send(message: string | Readonly<Record<string, unknown>>): Promise<void>;
  next(id: string | number | null): Promise<RawMessage>;
  sent(method: string): Promise<RawMessage>;
  readonly lines: readonly string[];
  stderr(): string;
  readonly pid: number;
  closeStdin(): Promise<void>;
  signal(signal: Deno.Signal): void;
  /** The end, and how long after the last `closeStdin` or `signal` it came (else after the start). */
  readonly exit: Promise<{ readonly code: number; readonly ms: number }>;
}

export interface RawMessage {
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  // deno-lint-ignore no-explicit-any
  readonly result?: any;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export const INITIALIZE = {
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "0" } },
};

const REPOSITORY = new URL("../../", import.meta.url);

const PATIENCE_MS = 120_000;

/** Variables that a process gets from ours: to be found, and to trust what the network shows it. */
const PASSED_ON = ["PATH", "SSL_CERT_FILE", "SSL_CERT_DIR", "DENO_TLS_CA_STORE", "SYSTEMROOT"];

interface Program {
  readonly command: string;
  readonly args: readonly string[];
  /** The file that Deno runs; undefined for a binary, which cannot be run with other rights. */
  readonly file?: string;
}

/** What follows `deno` in the `start` task, with the program's file as an absolute path. */
export function programArgs(config = new URL("deno.json", REPOSITORY)): string[] {
  const folder = decodeURIComponent(new URL(".", config).pathname).replace(/^\/(?=[A-Za-z]:)/, "");
  return startWords(config).map((word) => word === "main.ts" ? `${folder}main.ts` : word);
}

/**
 * The program under test: the source with the flags of the `start` task, the bundle that BMAD_PROGRAM names with the
 * flags that a binary has, or the binary that BMAD_BINARY names.
 */
export const PROGRAM: Program = findProgram();

function findProgram(): Program {
  const binary = Deno.env.get("BMAD_BINARY");
  if (binary) return { command: resolve(binary), args: [] };
  const bundle = Deno.env.get("BMAD_PROGRAM");
  if (!bundle) {
    const args = programArgs();
    return { command: Deno.execPath(), args, file: args.at(-1)! };
  }
  const file = resolve(bundle);
  return { command: Deno.execPath(), args: ["run", ...bundleFlags(), file], file };
}

let denoDir: string | undefined;

/** Where Deno keeps packages: with another home it would fetch them all again. */
function findDenoDir(): string {
  if (denoDir !== undefined) return denoDir;
  const { stdout } = new Deno.Command(Deno.execPath(), { args: ["info", "--json"], stderr: "null" })
    .outputSync();
  return denoDir = JSON.parse(new TextDecoder().decode(stdout)).denoDir as string;
}

export function withoutSummary(stderr: string): string {
  return stderr.replace(/^bmad-mcp info: Serving .*\n/m, "");
}

export function cleanEnv(home: string, env: Readonly<Record<string, string>> = {}): Record<string, string> {
  const passed = PASSED_ON.map((name) => [name, Deno.env.get(name)] as const).filter(([, value]) =>
    value !== undefined
  );
  return {
    ...Object.fromEntries(passed) as Record<string, string>,
    HOME: home,
    DENO_DIR: findDenoDir(),
    DENO_NO_UPDATE_CHECK: "1",
    NO_COLOR: "1",
    ...env,
  };
}

export interface Launch extends AsyncDisposable {
  readonly command: string;
  readonly args: string[];
  readonly cwd: string;
  readonly env: Record<string, string>;
  readonly place: string;
}

export async function prepareLaunch(args: readonly string[], options: ProgramOptions = {}): Promise<Launch> {
  const place = await Deno.realPath(await Deno.makeTempDir({ prefix: "bmad-mcp-program-" }));
  await Deno.mkdir(`${place}/home`);
  await Deno.mkdir(`${place}/work`);
  const { command, args: first } = options.program === undefined
    ? PROGRAM
    : { command: Deno.execPath(), args: options.program };
  return {
    command: options.command ?? command,
    args: [...first, ...args],
    cwd: options.cwd ?? `${place}/work`,
    env: cleanEnv(`${place}/home`, options.env),
    place,
    [Symbol.asyncDispose]: () => Deno.remove(place, { recursive: true }),
  };
}

/** Runs the program to its end. Without `stdin` its input is empty. */
export async function runCli(
  args: readonly string[],
  options: ProgramOptions & { readonly stdin?: string } = {},
): Promise<CliResult> {
  await using launch = await prepareLaunch(args, options);
  const child = spawn(launch);
  let isOurs = false;
  const limit = setTimeout(() => {
    isOurs = true;
    killChild(child);
  }, PATIENCE_MS);
  const output = child.output();
  await writeInput(child, options.stdin ?? "");
  const { code, signal, stdout, stderr } = await output;
  clearTimeout(limit);
  const result = { code, stdout: new TextDecoder().decode(stdout), stderr: new TextDecoder().decode(stderr) };
  const why = isOurs
    ? `The test ended the program, which had not ended after ${PATIENCE_MS / 1_000} s (PATIENCE_MS)`
    : `The program was ended by ${signal}`;
  if (signal !== null) throw new Error(`${why}: ${JSON.stringify(result)}`);
  return result;
}

/**
 * Runs a command in this process, on the sources: a tenth of the time. For tests of what a command prints and writes;
 * those of the process itself, its streams, signals and rights use `runCli`.
 */
export async function runHere(
  args: readonly string[],
  { cwd, env, stdin = "", columns, now }: Pick<ProgramOptions, "cwd" | "env"> & {
    readonly stdin?: string;
    readonly now?: () => number;
    /** The width of the terminal that both outputs are; without it, they are pipes. */
    readonly columns?: number;
  } = {},
): Promise<CliResult> {
  await using launch = await prepareLaunch(args, { cwd, env });
  const written = { stdout: "", stderr: "" };
  const host: Host = {
    ...hostOf(launch, args),
    ...(now && { now }),
    terminal: { stdin: false, stdout: columns !== undefined, stderr: columns !== undefined },
    colours: { stdout: columns !== undefined, stderr: columns !== undefined },
    columns,
    writeOut: (text) => void (written.stdout += text),
    writeErr: (text) => void (written.stderr += text),
    stdin: () => textSource(stdin),
    stdout: () => (bytes) => Promise.resolve(void (written.stdout += new TextDecoder().decode(bytes))),
  };
  return { code: await startHere(host), ...written };
}

export type HereServer = ReturnType<typeof serveHere>;

/** Starts a server in this process, on the sources. `onText` gets what it sends, `onError` what it writes to stderr. */
export function serveHere(
  launch: Launch,
  args: readonly string[],
  { onText, onError }: { onText(text: string): void; onError(text: string): void },
) {
  const input = new TransformStream<Uint8Array, Uint8Array>();
  const [writer, reader] = [input.writable.getWriter(), input.readable.getReader()];
  const decoder = new TextDecoder();
  const ended = startHere({
    ...hostOf(launch, args),
    writeOut: onText,
    writeErr: onError,
    stdin: () => ({
      read: async () => (await reader.read()).value ?? null,
      cancel: () => void reader.cancel().catch(() => {}),
    }),
    stdout: () => (bytes) => Promise.resolve(onText(decoder.decode(bytes, { stream: true }))),
  });
  return {
    send: (text: string) => void writer.write(new TextEncoder().encode(text)).catch(() => {}),
    /** Ends its input; it then ends with this exit code. */
    close: async () => {
      await writer.close().catch(() => {});
      return await ended;
    },
  };
}

function hostOf(launch: Launch, args: readonly string[]): Host {
  const variables: Readonly<Record<string, string | undefined>> = launch.env;
  return {
    ...denoHost(decodeURIComponent(REPOSITORY.pathname).replace(/\/$/, "")),
    args,
    env: (name) => variables[name] || undefined,
    cwd: launch.cwd,
    home: variables["HOME"] || undefined,
    terminal: { stdin: false, stdout: false, stderr: false },
    colours: { stdout: false, stderr: false },
    columns: undefined,
    canRedraw: false,
    onStop: () => {},
    onStray: () => {},
    watch: () => Promise.resolve(),
    // The garbage here is that of all tests.
    collectGarbage: () => {},
  };
}

async function startHere(host: Host): Promise<number> {
  if (!asksForVersion(host.args)) {
    return await start(host, { printVersion: (json) => printVersion(host, json) }, keepRights);
  }
  printVersion(host, host.args.includes("--json"));
  return 0;
}

/** The rights that a start would have, without dropping those of the tests. */
const keepRights: Parameters<typeof start>[2] = (wanted, { sandbox }) => ({
  sandboxed: sandbox,
  ...wanted,
  refused: [],
});

function textSource(text: string): ReturnType<Host["stdin"]> {
  let isRead = text === "";
  return {
    read: () => {
      const bytes = isRead ? null : new TextEncoder().encode(text);
      isRead = true;
      return Promise.resolve(bytes);
    },
    cancel: () => {},
  };
}

/** Checks that a command failed: it prints one message, on stderr. */
export function assertFailed({ code, stdout, stderr }: CliResult, wanted: number, message: RegExp): void {
  assert.deepEqual([code, stdout], [wanted, ""], stderr);
  assert.match(stderr, message);
  assert.match(stderr, /^bmad-mcp: [A-Z"][^\n]*\n$/);
}

export async function startRaw(args: readonly string[], options: ProgramOptions = {}): Promise<RawProgram> {
  const launch = await prepareLaunch(args, options);
  let since = performance.now();
  const child = spawn(launch);
  const input = child.stdin.getWriter();
  const lines: string[] = [];
  const answers = new Map<RawMessage["id"], RawMessage>();
  const calls: RawMessage[] = [];
  const waiting = new Set<() => void>();
  let stderr = "";

  const wake = () => waiting.forEach((check) => check());
  const reading = Promise.all([
    eachChunk(child.stderr, (text) => stderr += text),
    eachLine(child.stdout, (line) => {
      lines.push(line);
      const message = parseMessage(line);
      if (message === undefined) return;
      if (message.method !== undefined) calls.push(message);
      else if (!answers.has(message.id)) answers.set(message.id, message);
      wake();
    }),
  ]);
  let ended = false;
  const exit = child.status.then(async ({ code }) => {
    const ms = performance.now() - since;
    await reading;
    ended = true;
    wake();
    return { code, ms };
  });
  // A broken pipe is no news: the process has ended, and `exit` tells how.
  const quietly = (promise: Promise<void>) => promise.catch(() => {});

  const find = (event: string, look: () => RawMessage | undefined): Promise<RawMessage> =>
    new Promise((resolve, reject) => {
      const finish = (settle: () => void) => {
        clearTimeout(limit);
        waiting.delete(check);
        settle();
      };
      const complain = (why: string) => finish(() => reject(new Error(`${why} before ${event}: ${stderr}`)));
      const check = () => {
        const found = look();
        if (found !== undefined) finish(() => resolve(found));
        else if (ended) complain("The program ended");
      };
      const limit = setTimeout(
        () => complain(`Nothing came within ${PATIENCE_MS / 1_000} s (PATIENCE_MS)`),
        PATIENCE_MS,
      );
      waiting.add(check);
      check();
    });

  return {
    lines,
    stderr: () => withoutSummary(stderr),
    pid: child.pid,
    exit,
    send: (message) => {
      const text = typeof message === "string"
        ? message
        : `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;
      return quietly(input.write(new TextEncoder().encode(text)));
    },
    next: (id) => find(`it answered ${id}`, () => answers.get(id)),
    sent: (method) => find(`it sent ${method}`, () => calls.find((one) => one.method === method)),
    closeStdin: () => {
      since = performance.now();
      return quietly(input.close());
    },
    signal: (signal) => {
      since = performance.now();
      child.kill(signal);
    },
    [Symbol.asyncDispose]: async () => {
      const limit = setTimeout(() => killChild(child), 10_000);
      await quietly(input.close());
      await exit;
      clearTimeout(limit);
      await launch[Symbol.asyncDispose]();
    },
  };
}

export async function startSession(
  args: readonly string[] = [],
  options: ProgramOptions = {},
): Promise<RawProgram> {
  const program = await startRaw(args, options);
  await program.send(INITIALIZE);
  await program.next(1);
  await program.send({ method: "notifications/initialized" });
  return program;
}

function spawn({ command, args, cwd, env }: Launch, stdio: "piped" | "null" = "piped"): Deno.ChildProcess {
  const streams = { stdin: stdio, stdout: stdio, stderr: stdio };
  return new Deno.Command(command, { args, cwd, env, clearEnv: true, ...streams }).spawn();
}

/** Starts a process that nobody talks to: the test kills it. */
export function spawnAlone(launch: Launch): Deno.ChildProcess {
  return spawn(launch, "null");
}

export function killChild(child: Deno.ChildProcess): void {
  try {
    child.kill("SIGKILL");
  } catch (error) {
    // It has ended meanwhile.
    if (!(error instanceof TypeError)) throw error;
  }
}

async function writeInput(child: Deno.ChildProcess, text: string): Promise<void> {
  const input = child.stdin.getWriter();
  try {
    await input.write(new TextEncoder().encode(text));
    await input.close();
  } catch (error) {
    // A command that does not read its input may end before we have written it.
    if (!(error instanceof Deno.errors.BrokenPipe)) throw error;
  }
}

async function eachChunk(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  take: (text: string) => void,
): Promise<void> {
  for await (const text of stream.pipeThrough(new TextDecoderStream())) take(text);
}

async function eachLine(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  take: (line: string) => void,
): Promise<void> {
  let rest = "";
  await eachChunk(stream, (text) => {
    const parts = (rest + text).split("\n");
    rest = parts.pop()!;
    parts.forEach(take);
  });
  if (rest !== "") take(rest);
}

function parseMessage(line: string): RawMessage | undefined {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
