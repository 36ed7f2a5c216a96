/**
 * How long does a command take? Ratios within one run.
 *
 * Runs in turns: the released program for `version` and for `list agents` in a real BMAD 6.12.0 project; an empty Deno
 * script as the lower bound of the runtime; and the npm server `bmad-mcp-server` 3.0.1 on Node until its list of tools.
 * Prints medians and ratios. Fails if `version` takes more than 1.5 times the lower bound, or the list more than 0.3
 * times the peer's start.
 *
 *     deno run -A --config deno.dev.json bench/cli.ts [ROUNDS]
 */
import { installation } from "../tests/support/installs.ts";
import { buildBundle, installPeer, median, print, timeToExit, timeToTools } from "./support.ts";

const ROUNDS = Number(Deno.args[0] ?? 15);
const LIMITS = { version: 1.5, list: 0.3 };

const work = await Deno.makeTempDir({ prefix: "bmad-mcp-bench-" });
try {
  const ours = await buildBundle(`${work}/bundle`);
  const peer = await installPeer(`${work}/peer`);
  const floor = `${work}/floor.js`;
  await Deno.writeTextFile(floor, "");
  const project = await installation({ version: "6.12.0", tools: "claude-code" });

  const cases = {
    floor: () => timeToExit([Deno.execPath(), "run", "--no-config", floor], work),
    version: () => timeToExit([...ours, "version"], work),
    list: () => timeToExit([...ours, "list", "agents"], project),
    peer: () => timeToTools(["node", peer], project).then(({ ms }) => ms),
  } satisfies Record<string, () => Promise<number>>;
  const times = {
    floor: [] as number[],
    version: [] as number[],
    list: [] as number[],
    peer: [] as number[],
  };
  // The first round fills caches and does not count.
  for (let round = 0; round <= ROUNDS; round++) {
    for (const name of Object.keys(cases) as (keyof typeof cases)[]) {
      const ms = await cases[name]();
      if (round > 0) times[name].push(ms);
    }
  }
  const [floorMs, versionMs, listMs, peerMs] = Object.values(times).map(median) as [
    number,
    number,
    number,
    number,
  ];
  const row = (what: string, ms: number) => print(`${what.padEnd(40)} ${ms.toFixed(0).padStart(5)} ms`);
  row("empty Deno script", floorMs);
  row("bmad-mcp version", versionMs);
  row("bmad-mcp list agents, 6.12.0 project", listMs);
  row("peer on Node to its tools, same project", peerMs);
  const version = versionMs / floorMs;
  const list = listMs / peerMs;
  print(`version to an empty Deno script:         ${version.toFixed(2)} (limit ${LIMITS.version})`);
  print(`list agents to the peer's start:         ${list.toFixed(2)} (limit ${LIMITS.list})`);
  if (version > LIMITS.version || list > LIMITS.list) Deno.exitCode = 1;
} finally {
  await Deno.remove(work, { recursive: true });
}
