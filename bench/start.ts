/**
 * How long until a client has our tools? Spawn → tools/list answered, as ratios within one run.
 *
 * Runs, in turns, our bundle (`deno bundle --minify`) on embedded content and on a real BMAD 6.12.0 project, the
 * npm server `bmad-mcp-server` 3.0.1 on Node in the same places, and an empty Deno script as the floor of the
 * runtime. Prints medians and ratios; fails when a first start, on embedded content, needs more than 0.35 of the
 * peer's time. Run it on a quiet machine: both sides compile in background threads.
 *
 *     deno run -A bench/start.ts [ROUNDS]
 */
import { installation } from "../tests/support/installs.ts";

const ROUNDS = Number(Deno.args[0] ?? 15);
const LIMIT = 0.35;
const REPO = new URL("../", import.meta.url);
const PEER = "bmad-mcp-server@3.0.1";

const work = await Deno.makeTempDir({ prefix: "bmad-mcp-bench-" });
try {
  const bundle = await buildBundle(`${work}/bundle`);
  const peer = await installPeer(`${work}/peer`);
  const empty = `${work}/empty`;
  await Deno.mkdir(empty);
  const floor = `${work}/floor.js`;
  await Deno.writeTextFile(floor, "");
  const project = await installation({ version: "6.12.0", tools: "claude-code" });

  const ours = [Deno.execPath(), "run", "--no-prompt", "--no-config", ...rightsFlags(), bundle];
  const cases: Readonly<Record<string, () => Promise<number>>> = {
    "empty Deno script, spawn to exit": () =>
      timeToExit([Deno.execPath(), "run", "--no-config", floor], empty),
    "bmad-mcp, embedded content": () => timeToTools(ours, empty),
    "bmad-mcp, 6.12.0 project": () => timeToTools(ours, project),
    "peer on Node, no content": () => timeToTools(["node", peer], empty),
    "peer on Node, 6.12.0 project": () => timeToTools(["node", peer], project),
  };
  const times = new Map(Object.keys(cases).map((name) => [name, [] as number[]]));
  // The first round fills caches and does not count.
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [name, measure] of Object.entries(cases)) {
      const ms = await measure();
      if (round > 0) times.get(name)!.push(ms);
    }
  }
  const medians = new Map([...times].map(([name, list]) => [name, median(list)]));
  for (const [name, ms] of medians) print(`${name.padEnd(36)} ${ms.toFixed(0).padStart(5)} ms`);
  const ratio = (a: string, b: string) => medians.get(a)! / medians.get(b)!;
  const embedded = ratio("bmad-mcp, embedded content", "peer on Node, no content");
  const installed = ratio("bmad-mcp, 6.12.0 project", "peer on Node, 6.12.0 project");
  print(
    `ratio to the peer, embedded content:  ${
      embedded.toFixed(2)
    } (limit ${LIMIT}; the peer serves nothing there)`,
  );
  print(
    `ratio to the peer, 6.12.0 project:    ${installed.toFixed(2)} (the peer finds nothing there)`,
  );
  print(
    `ratio to an empty Deno script:        ${
      ratio("bmad-mcp, embedded content", "empty Deno script, spawn to exit").toFixed(1)
    }`,
  );
  if (embedded > LIMIT) Deno.exitCode = 1;
} finally {
  await Deno.remove(work, { recursive: true });
}

/** One file with all code, beside the content, as the binary has it. */
async function buildBundle(folder: string): Promise<string> {
  await Deno.mkdir(`${folder}/bmad-embedded`, { recursive: true });
  const args = [
    "bundle",
    "--quiet",
    "--minify",
    "--conditions=browser",
    "-o",
    `${folder}/main.js`,
    "main.ts",
  ];
  await run([Deno.execPath(), ...args], REPO);
  await copyFolder(new URL("bmad-embedded/content", REPO).pathname, `${folder}/bmad-embedded/content`);
  return `${folder}/main.js`;
}

async function installPeer(folder: string): Promise<string> {
  await Deno.mkdir(folder);
  await run(["npm", "install", "--silent", "--prefix", folder, PEER], folder);
  return `${folder}/node_modules/bmad-mcp-server/build/index.js`;
}

/** The rights with which the `start` task runs the program. */
function rightsFlags(): readonly string[] {
  const { tasks } = JSON.parse(Deno.readTextFileSync(new URL("deno.json", REPO)));
  return tasks.start.command.split(" ").filter((word: string) => /^--(allow|ignore)-/.test(word));
}

async function timeToTools([command, ...args]: readonly string[], cwd: string): Promise<number> {
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
  await writer.close().catch(() => {});
  const timer = setTimeout(() => child.kill(), 500);
  await child.status;
  clearTimeout(timer);
  return ms;
}

async function timeToExit([command, ...args]: readonly string[], cwd: string): Promise<number> {
  const start = performance.now();
  await new Deno.Command(command!, { args, cwd, stdout: "null", stderr: "null" }).output();
  return performance.now() - start;
}

async function run([command, ...args]: readonly string[], cwd: string | URL): Promise<void> {
  const { success, stderr } = await new Deno.Command(command!, { args, cwd }).output();
  if (!success) throw new Error(`${command} ${args.join(" ")} failed:\n${new TextDecoder().decode(stderr)}`);
}

async function copyFolder(from: string, to: string): Promise<void> {
  await Deno.mkdir(to);
  for await (const { name, isDirectory } of Deno.readDir(from)) {
    if (isDirectory) await copyFolder(`${from}/${name}`, `${to}/${name}`);
    else await Deno.copyFile(`${from}/${name}`, `${to}/${name}`);
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

function print(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}
