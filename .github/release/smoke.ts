/**
 * Checks that a built program works on this machine.
 *
 * Starts it as clients of both protocol eras do and speaks the protocol line by line: it must list, execute an agent,
 * deliver a supporting file, refuse files outside its folders, and exit when its input ends. Needs only Deno and the
 * program: no packages, no network, no other file of this repository. Prints a line for each check and exits with 1 at
 * the first failure.
 *
 *     deno run --allow-all .github/release/smoke.ts PROGRAM [ARGS…]
 */
import { join, resolve } from "node:path";

/** The parts of a protocol message that the checks use. */
interface Message {
  readonly id?: number;
  readonly method?: string;
  // deno-lint-ignore no-explicit-any
  readonly result?: any;
  readonly error?: { readonly message: string };
}

/** A conversation with a running program. */
interface Session {
  ask(method: string, params?: Readonly<Record<string, unknown>>): Promise<Message>;
  /** Closes its input and waits until it exits. */
  end(): Promise<{ readonly code: number; readonly stderr: string }>;
}

/** The folders of a run. */
interface Place {
  readonly root: string;
  readonly env: Readonly<Record<string, string>>;
  readonly project: string;
  readonly secret: string;
}

type Era = "2025" | "2026";

/** Generous, because a virus scanner on a slow machine takes its time with a new program. */
const PATIENCE_MS = 60_000;

const SECRET = "The treasure lies under the third palm";
const NOTE = "The harbour is deep enough at low water.";
const SKILL = `---\nname: bmad-smoke\ndescription: Sails into a harbour\n---\nRead notes/harbour.md first.\n`;

async function main(words: readonly string[]): Promise<void> {
  if (words.length === 0) throw new Error("Missing PROGRAM. Usage: smoke.ts PROGRAM [ARGS…]");
  // The program runs in another folder, so file names must be absolute.
  const program = words.map((word) => /[\\/]|\.[jt]s$/.test(word) && isFile(word) ? resolve(word) : word);
  const place = await makePlace();
  try {
    await checkCommands(program, place);
    for (const era of ["2025", "2026"] as const) await checkEra(program, place, era);
  } finally {
    await Deno.remove(place.root, { recursive: true });
  }
}

async function checkCommands(program: readonly string[], place: Place): Promise<void> {
  const version = await run(program, ["version", "--json"], place);
  check("runs", version.code === 0 && version.stdout.startsWith("{"), version);
  const { name, version: number, commit, runtime, target } = JSON.parse(version.stdout);
  check(
    `reports its version: ${number}, ${commit ?? "no commit"}, ${runtime}, ${target}`,
    name === "bmad-mcp",
    version,
  );
  for (const TMPDIR of ["", "tmp"]) {
    const started = await run(program, ["version", "--json"], { ...place, env: { ...place.env, TMPDIR } });
    check(`starts if TMPDIR is "${TMPDIR}"`, started.stdout === version.stdout, started);
  }
  // Desktop applications start programs with a minimal environment; `node` itself is found by PATH.
  if (/[\\/]/.test(program[0]!)) {
    const { PATH: _, Path: __, ...env } = place.env;
    const started = await run(program, ["list", "agents"], { ...place, env });
    check("starts without PATH", started.code === 0, started);
  }
  const licences = await run(program, ["licenses"], place);
  // A build contains every text; the source prints only where they are.
  const wanted = commit === null ? /LICENSE/ : /Apache License[^]*MIT License|MIT License[^]*Apache License/;
  check(
    "prints its licences",
    licences.code === 0 && wanted.test(licences.stdout),
    licences.stdout.slice(0, 500),
  );
  const agents = await run(program, ["list", "agents", "--log-level", "debug"], place);
  const folders = /can read only (.*)$/m.exec(agents.stderr)?.[1]?.split(", ") ?? [];
  const isNarrow = folders.length > 0 && !folders.some((folder) => /^([A-Z]:)?[\\/]$/i.test(folder));
  check(`has given up all other folders; readable: ${folders.length}`, agents.code === 0 && isNarrow, agents);
  const unknown = await run(program, ["show", "no-such-name"], place);
  check(
    "reports an unknown name",
    unknown.code === 1 && /^bmad-mcp: No .* named "no-such-name"/.test(unknown.stderr),
    unknown,
  );
}

async function checkEra(program: readonly string[], place: Place, era: Era): Promise<void> {
  const session = await openSession(program, place, era);
  const that = (what: string, isTrue: unknown, seen: unknown) => check(`${era}: ${what}`, isTrue, seen);
  const tools = await session.ask("tools/list");
  that("lists its tools", tools.result?.tools?.some(({ name }: { name: string }) => name === "bmad"), tools);

  const bmad = (args: Readonly<Record<string, string>>) =>
    session.ask("tools/call", { name: "bmad", arguments: args });
  const text = ({ result }: Message) => String(result?.content?.[0]?.text ?? "");
  const isRefused = ({ result, error }: Message) => error !== undefined || result?.isError === true;

  const agents = await bmad({ operation: "list", query: "agents" });
  that("lists the embedded agents", /analyst/.test(text(agents)), agents);
  const analyst = await bmad({ operation: "execute", agent: "analyst", message: "Size the market" });
  that("executes an agent", !isRefused(analyst) && /Size the market/.test(text(analyst)), analyst);

  const note = await bmad({ operation: "read", uri: "bmad://skills/bmad-smoke/notes/harbour.md" });
  that("reads a supporting file of the project", text(note).includes(NOTE), note);
  const resources = await session.ask("resources/list");
  const uris: string[] = resources.result?.resources?.map(({ uri }: { uri: string }) => uri) ?? [];
  const supporting = uris.find((uri) =>
    /^bmad:\/\/(bmm|core)\/.*\.md$/.test(uri) && !uri.endsWith("/SKILL.md")
  );
  const template = await session.ask("resources/read", { uri: supporting ?? "none" });
  that("reads an embedded supporting file", template.result?.contents?.[0]?.text?.length > 0, [
    supporting,
    template,
  ]);

  for (
    const uri of [
      "bmad://skills/bmad-smoke/../../../../secret.txt",
      "bmad://skills/bmad-smoke/%2e%2e/%2e%2e/%2e%2e/%2e%2e/secret.txt",
      "bmad://skills/bmad-smoke/notes/stolen.txt",
      `file://${place.secret}`,
      place.secret,
    ]
  ) {
    const answers = [await bmad({ operation: "read", uri }), await session.ask("resources/read", { uri })];
    const isSafe = answers.every(isRefused) && !JSON.stringify(answers).includes(SECRET);
    that(`refuses to read ${uri.replace(place.secret, "/…/secret.txt")}`, isSafe, answers);
  }
  const { code, stderr } = await session.end();
  that("exits when its input ends", code === 0 && !/internal error/.test(stderr), { code, stderr });
}

/** A project with a skill, a note beside it, and a link to a secret outside. */
async function makePlace(): Promise<Place> {
  const root = await Deno.realPath(await Deno.makeTempDir({ prefix: "bmad-mcp-smoke-" }));
  const skill = join(root, "project", ".claude", "skills", "bmad-smoke");
  await Deno.mkdir(join(skill, "notes"), { recursive: true });
  await Deno.mkdir(join(root, "home"));
  await Deno.writeTextFile(join(skill, "SKILL.md"), SKILL);
  await Deno.writeTextFile(join(skill, "notes", "harbour.md"), NOTE);
  const secret = join(root, "secret.txt");
  await Deno.writeTextFile(secret, SECRET);
  // On Windows, creating links needs a privilege.
  if (Deno.build.os !== "windows") await Deno.symlink(secret, join(skill, "notes", "stolen.txt"));
  return { root, project: join(root, "project"), secret, env: cleanEnv(join(root, "home")) };
}

/** A new home folder, so that the caller's own content is not found, but with Deno's package cache. */
function cleanEnv(home: string): Readonly<Record<string, string>> {
  const info = new Deno.Command(Deno.execPath(), { args: ["info", "--json"], stderr: "null" }).outputSync();
  const { denoDir } = JSON.parse(new TextDecoder().decode(info.stdout));
  const own = /^(BMAD_|XDG_|CLAUDE_|INIT_CWD$|USERPROFILE$|APPDATA$|LOCALAPPDATA$)/i;
  const env = Object.entries(Deno.env.toObject()).filter(([name]) => !own.test(name));
  const set = { HOME: home, USERPROFILE: home, DENO_DIR: denoDir, DENO_NO_UPDATE_CHECK: "1", NO_COLOR: "1" };
  return { ...Object.fromEntries(env), ...set };
}

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

function prepare([command, ...args]: readonly string[], more: readonly string[], place: Place): Deno.Command {
  return new Deno.Command(command!, {
    args: [...args, ...more],
    cwd: place.project,
    env: place.env,
    clearEnv: true,
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  });
}

/** Runs a command without input until it exits. */
async function run(program: readonly string[], args: readonly string[], place: Place): Promise<{
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}> {
  const child = prepare(program, args, place).spawn();
  await child.stdin.close();
  const { code, stdout, stderr } = await child.output();
  return { code, stdout: new TextDecoder().decode(stdout), stderr: new TextDecoder().decode(stderr) };
}

/** Starts the program and opens a conversation of an era. */
async function openSession(program: readonly string[], place: Place, era: Era): Promise<Session> {
  const child = prepare(program, [], place).spawn();
  const input = child.stdin.getWriter();
  const stderr = new Response(child.stderr).text();
  const answers = new Map<number, (message: Message) => void>();
  const lines = readLines(child.stdout, (line) => {
    const message: Message = JSON.parse(line);
    if (message.id !== undefined && message.method === undefined) answers.get(message.id)?.(message);
  });
  const info = { name: "smoke", version: "0" };
  const meta = era === "2025" ? {} : {
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": info,
      "io.modelcontextprotocol/clientCapabilities": {},
    },
  };
  const send = (message: Readonly<Record<string, unknown>>) =>
    input.write(new TextEncoder().encode(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`));
  let ids = 0;
  const ask = async (method: string, params: Readonly<Record<string, unknown>> = {}) => {
    const id = ++ids;
    const { promise, resolve, reject } = Promise.withResolvers<Message>();
    answers.set(id, resolve);
    const why = `${era}: answers ${method}`;
    const limit = setTimeout(() => reject(new Error(`${why}: timed out`)), PATIENCE_MS);
    child.status.then(async ({ code }) => reject(new Error(`${why}: exited with ${code}: ${await stderr}`)));
    lines.catch((error) => reject(new Error(`${why}: stdout is not JSON: ${error}`)));
    await send({ id, method, params: { ...params, ...meta } });
    return await promise.finally(() => clearTimeout(limit));
  };
  const hello = era === "2025"
    ? await ask("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: info })
    : await ask("server/discover");
  if (era === "2025") await send({ method: "notifications/initialized" });
  check(`${era}: opens a conversation`, hello.error === undefined && hello.result !== undefined, hello);
  return {
    ask,
    end: async () => {
      await input.close();
      const limit = setTimeout(() => child.kill("SIGKILL"), PATIENCE_MS);
      const { code } = await child.status;
      clearTimeout(limit);
      await lines;
      return { code, stderr: await stderr };
    },
  };
}

async function readLines(stream: ReadableStream<Uint8Array<ArrayBuffer>>, take: (line: string) => void) {
  let rest = "";
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    const parts = (rest + text).split("\n");
    rest = parts.pop()!;
    parts.forEach(take);
  }
  if (rest !== "") take(rest);
}

/** Prints a check that passed; fails with the actual value otherwise. */
function check(what: string, isTrue: unknown, seen: unknown): void {
  if (!isTrue) throw new Error(`${what}: got ${JSON.stringify(seen)}`);
  Deno.stdout.writeSync(new TextEncoder().encode(`ok    ${what}\n`));
}

try {
  await main(Deno.args);
} catch (error) {
  const why = error instanceof Error ? error.message : String(error);
  Deno.stdout.writeSync(new TextEncoder().encode(`FAIL  ${why}\n`));
  Deno.exit(1);
}
