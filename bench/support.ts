/**
 * Shared by all benches: our bundle, the peer, and the time from spawn to the answer of tools/list.
 */
import { bundleFlags } from "../.github/release/binary_rights.ts";
import { buildNpmPackage } from "../.github/release/npm.ts";
import { describeRelease } from "../.github/release/release.ts";
import { ENTRY, REPOSITORY, stageProgram } from "../.github/release/stage.ts";
import { residentMemory } from "../tests/soak/measure.ts";
import { modernRequest, post } from "../tests/support/http.ts";

const PEER = "bmad-mcp-server@3.0.1";

/** The load averages of the machine, as figures are printed with. */
export function loadNow(): string {
  return Deno.loadavg().map((load) => load.toFixed(2)).join(" ");
}

/** Builds the released form of the program; returns the command that starts it. */
export async function buildBundle(folder: string): Promise<readonly string[]> {
  await stageProgram(folder, { commit: "bench" });
  return [Deno.execPath(), "run", ...bundleFlags(), `${folder}/${ENTRY}`];
}

/** Bundles a server of the SDK, by default the smallest one on stdio; returns the command that starts it. */
export async function buildBare(folder: string, file = "bench/bare_server.ts"): Promise<readonly string[]> {
  await run([Deno.execPath(), "bundle", "--quiet", "--minify", "--outdir", folder, file], REPOSITORY);
  const [name] = file.split("/").at(-1)!.split(".");
  return [Deno.execPath(), "run", "--quiet", "--no-config", "--no-lock", "-A", `${folder}/${name}.js`];
}

/** Installs the peer with npm; returns the file that Node runs. */
export async function installPeer(folder: string): Promise<string> {
  await Deno.mkdir(folder);
  await run(["npm", "install", "--silent", "--prefix", folder, PEER], folder);
  return `${folder}/node_modules/bmad-mcp-server/build/index.js`;
}

/** Packs a staged program for npm and installs it; returns the folder of the package. */
export async function installPackage(folder: string, stage: string): Promise<string> {
  await Deno.mkdir(folder);
  await Deno.writeFile(
    `${folder}/package.tgz`,
    await buildNpmPackage(describeRelease("OWNER/bmad-mcp"), stage),
  );
  await run(["npm", "install", "--silent", "--ignore-scripts", "--prefix", folder, "./package.tgz"], folder);
  return `${folder}/node_modules/@owner/bmad-mcp`;
}

/** Starts a server and waits for its list of tools. */
export async function timeToTools([command, ...args]: readonly string[], cwd: string): Promise<Start> {
  const start = performance.now();
  const child = new Deno.Command(command!, { args, cwd, stdin: "piped", stdout: "piped", stderr: "null" })
    .spawn();
  const clientInfo = { name: "bench", version: "1" };
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
  const messages = [
    { jsonrpc: "2.0", id: 1, method: "initialize", params },
    { jsonrpc: "2.0", method: "notifications/initialized" },
    { jsonrpc: "2.0", id: 2, method: "tools/list" },
  ];
  const writer = child.stdin.getWriter();
  await writer.write(
    new TextEncoder().encode(messages.map((message) => `${JSON.stringify(message)}\n`).join("")),
  );
  let text = "";
  for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    if (text.split("\n").some((line) => line.includes('"id":2') && line.includes('"tools"'))) break;
  }
  const ms = performance.now() - start;
  const rss = residentMemory(child.pid) / 2 ** 20;
  await writer.close().catch(() => {});
  const timer = setTimeout(() => child.kill(), 500);
  await child.status;
  clearTimeout(timer);
  return { ms, rss };
}

/** A server that runs. */
export interface Server {
  /** Sends a request; its answer as JSON. */
  ask(method: string, params: Readonly<Record<string, unknown>>): Promise<string>;
  /** Resident memory. */
  megabytes(): number;
  close(): Promise<void>;
}

/** Starts a server on stdio and shakes hands with it. */
export async function openLines([command, ...args]: readonly string[], cwd: string): Promise<Server> {
  const child = new Deno.Command(command!, { args, cwd, stdin: "piped", stdout: "piped", stderr: "null" })
    .spawn();
  const writer = child.stdin.getWriter();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let [buffer, count] = ["", 0];
  const send = (message: object) =>
    writer.write(new TextEncoder().encode(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`));
  const ask = async (method: string, params: unknown): Promise<string> => {
    const id = ++count;
    await send({ id, method, params });
    for (;;) {
      const end = buffer.indexOf("\n");
      if (end < 0) {
        const { value, done } = await reader.read();
        if (done) throw new Error(`${command} ended`);
        buffer += value;
        continue;
      }
      const line = buffer.slice(0, end);
      buffer = buffer.slice(end + 1);
      // Notifications have no id; the id may stand at either end of a line.
      if (line.includes(`"id":${id}`)) return line;
    }
  };
  const clientInfo = { name: "bench", version: "1" };
  await ask("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
  await send({ method: "notifications/initialized" });
  return {
    ask,
    megabytes: () => megabytesOf(child.pid),
    close: async () => {
      await writer.close();
      await child.status;
    },
  };
}

/** Starts a server on HTTP that prints its address, and asks it for its tools, as a client of 2026-07-28 does. */
export async function openHttp([command, ...args]: readonly string[], cwd: string): Promise<Server> {
  const child = new Deno.Command(command!, { args, cwd, stdin: "null", stdout: "null", stderr: "piped" })
    .spawn();
  let [said, url] = ["", ""];
  const reader = child.stderr.pipeThrough(new TextDecoderStream()).getReader();
  while (url === "") {
    const { value, done } = await reader.read();
    if (done) throw new Error(`${command} ended: ${said}`);
    said += value;
    url = /http:\/\/\S+\/mcp/.exec(said)?.[0] ?? "";
  }
  const read = async () => {
    while (!(await reader.read()).done);
  };
  const isRead = read();
  const ask = async (method: string, params: Readonly<Record<string, unknown>>) =>
    await (await post(url, ...modernRequest(method, params))).text();
  await ask("tools/list", {});
  return {
    ask,
    megabytes: () => megabytesOf(child.pid),
    close: async () => {
      child.kill();
      await child.status;
      await isRead;
    },
  };
}

function megabytesOf(pid: number): number {
  return Math.round(residentMemory(pid) / 2 ** 20);
}

/** Runs a program until it exits. */
export async function timeToExit([command, ...args]: readonly string[], cwd: string): Promise<number> {
  const start = performance.now();
  await new Deno.Command(command!, { args, cwd, stdout: "null", stderr: "null" }).output();
  return performance.now() - start;
}

/** A measured start. */
export interface Start {
  readonly ms: number;
  /** Resident memory in megabytes when the tools were listed; 0 if the system does not report it. */
  readonly rss: number;
}

async function run([command, ...args]: readonly string[], cwd: string | URL): Promise<void> {
  const { success, stderr } = await new Deno.Command(command!, { args, cwd }).output();
  if (!success) throw new Error(`${command} ${args.join(" ")} failed:\n${new TextDecoder().decode(stderr)}`);
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

export function print(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}
