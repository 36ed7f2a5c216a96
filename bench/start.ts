/**
 * How long until a client has our tools? Time from spawn to the answer of tools/list, as ratios within one run.
 *
 * Runs in turns: our bundle (`deno task bundle`) on embedded content and on a real BMAD 6.12.0 project, the same without
 * a code cache, as a binary starts, and from source; the npm package as the entries that `install` writes start it, and
 * by its launcher for Node; the npm server `bmad-mcp-server` 3.0.1 on Node in the same folders; a bundled server of the
 * SDK with one tool; and empty scripts of Deno and Node as the lower bounds of the runtimes. Prints medians and ratios.
 * Fails if a start on embedded content or in the project takes more than 0.35 times the peer's or 1.3 times that of the
 * SDK's server, one from the npm package more than 0.4 times the peer's, or the bundle longer than the source, or if it
 * has more than 100 MB of memory in the project three seconds after its tools were listed. Run it on an idle machine:
 * both sides compile in background threads.
 *
 *     deno run -A --config deno.dev.json bench/start.ts [ROUNDS]
 */
import { binaryFlags } from "../.github/release/binary_rights.ts";
import { installation } from "../tests/support/installs.ts";
import { programArgs } from "../tests/support/program.ts";
import {
  buildBare,
  buildBundle,
  installPackage,
  installPeer,
  loadNow,
  median,
  openLines,
  print,
  timeToExit,
  timeToTools,
} from "./support.ts";

const ROUNDS = Number(Deno.args[0] ?? 15);
const LIMIT = 0.35;
const NPM_LIMIT = 0.4;
const BARE_LIMIT = 1.3;
const REST_LIMIT_MB = 100;

const work = await Deno.makeTempDir({ prefix: "bmad-mcp-bench-" });
try {
  const ours = await buildBundle(`${work}/bundle`);
  const uncached = [ours[0]!, "run", "--no-code-cache", ...binaryFlags(), ours.at(-1)!];
  const source = [Deno.execPath(), ...programArgs()];
  const peer = await installPeer(`${work}/peer`);
  const npm = await installPackage(`${work}/npm`, `${work}/bundle`);
  const bare = await buildBare(`${work}/bare`);
  const empty = `${work}/empty`;
  await Deno.mkdir(empty);
  const floor = `${work}/floor.js`;
  await Deno.writeTextFile(floor, "");
  await Deno.writeTextFile(`${work}/floor.cjs`, "");
  const project = await installation({ version: "6.12.0", tools: "claude-code" });

  const cases: Readonly<Record<string, () => Promise<number>>> = {
    "empty Deno script, spawn to exit": () =>
      timeToExit([Deno.execPath(), "run", "--no-config", floor], empty),
    "empty Node script, spawn to exit": () => timeToExit(["node", `${work}/floor.cjs`], empty),
    "SDK server with one tool": () => timeToTools(bare, empty).then(({ ms }) => ms),
    "bmad-mcp, embedded content": () => timeToTools(ours, empty).then(({ ms }) => ms),
    "bmad-mcp, no code cache": () => timeToTools(uncached, empty).then(({ ms }) => ms),
    "bmad-mcp from source": () => timeToTools(source, empty).then(({ ms }) => ms),
    "bmad-mcp, npm package by an entry": () =>
      timeToTools(["/bin/sh", `${npm}/launcher.sh`], empty).then(({ ms }) => ms),
    "bmad-mcp, npm package by Node": () =>
      timeToTools(["node", `${npm}/launcher.cjs`], empty).then(({ ms }) => ms),
    "bmad-mcp, 6.12.0 project": () => timeToTools(ours, project).then(({ ms }) => ms),
    "peer on Node, no content": () => timeToTools(["node", peer], empty).then(({ ms }) => ms),
    "peer on Node, 6.12.0 project": () => timeToTools(["node", peer], project).then(({ ms }) => ms),
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
    `ratio to the peer, 6.12.0 project:    ${
      installed.toFixed(2)
    } (limit ${LIMIT}; the peer finds nothing there)`,
  );
  const toBare = ["bmad-mcp, embedded content", "bmad-mcp, 6.12.0 project"]
    .map((name) => ratio(name, "SDK server with one tool"));
  print(
    `ratios to the SDK's server:           ${
      toBare.map((one) => one.toFixed(2)).join(", ")
    } (limit ${BARE_LIMIT})`,
  );
  print(
    `ratio to an empty Deno script:        ${
      ratio("bmad-mcp, embedded content", "empty Deno script, spawn to exit").toFixed(1)
    }`,
  );
  const fromSource = ratio("bmad-mcp, embedded content", "bmad-mcp from source");
  print(`ratio to a start from source:         ${fromSource.toFixed(2)} (limit 1)`);
  const binary = ratio("bmad-mcp, no code cache", "peer on Node, no content");
  print(`ratio to the peer, no code cache:     ${binary.toFixed(2)}`);
  const [entry, byNode] = ["an entry", "Node"].map((way) =>
    ratio(`bmad-mcp, npm package by ${way}`, "peer on Node, no content")
  );
  print(
    `ratio to the peer, npm by an entry:   ${entry!.toFixed(2)} (limit ${NPM_LIMIT}; by Node ${
      byNode!.toFixed(2)
    }, of which an empty script of Node takes ${
      ratio("empty Node script, spawn to exit", "peer on Node, no content").toFixed(2)
    })`,
  );
  const rest = await memoryAtRest(ours, project);
  print(`memory at rest, 6.12.0 project:       ${rest} MB (limit ${REST_LIMIT_MB})`);
  print(`load average: ${loadNow()}`);
  const isSlow = Math.max(embedded, installed) > LIMIT || Math.max(...toBare) > BARE_LIMIT ||
    fromSource > 1 || entry! > NPM_LIMIT;
  if (isSlow || rest > REST_LIMIT_MB) Deno.exitCode = 1;
} finally {
  await Deno.remove(work, { recursive: true });
}

/** Resident memory of a server that has listed its tools and was then left alone for three seconds. */
async function memoryAtRest(command: readonly string[], cwd: string): Promise<number> {
  const server = await openLines(command, cwd);
  try {
    await server.ask("tools/list", {});
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    return server.megabytes();
  } finally {
    await server.close();
  }
}
