/**
 * How does the server do with 10,000 agents and as many workflows? The first list, then reading, executing and
 * searching, and the memory after all of it.
 *
 * Fails above the limits: the first list 500 ms; at p50 reading and executing 2 ms and searching 8 ms; 250 MB of
 * resident memory after 60 calls of each. Run it on an idle machine.
 *
 *     deno run -A --config deno.dev.json bench/scale.ts [ITEMS]
 */
import { quantile } from "../tests/soak/measure.ts";
import { makeRoot } from "./big_root.ts";
import { buildBundle, loadNow, openLines, print } from "./support.ts";

const ITEMS = Number(Deno.args[0] ?? 10_000);
const CALLS = 60;
const FIRST_LIST_LIMIT = 500;
const MEMORY_LIMIT = 250;

/** One kind of call; each asks for another item. */
interface Kind {
  readonly name: string;
  readonly argsOf: (at: number) => Readonly<Record<string, unknown>>;
  /** Milliseconds at p50. */
  readonly limit?: number;
}

const itemAt = (at: number) => (at * 7_919) % ITEMS;

const KINDS: readonly Kind[] = [
  { name: "list", argsOf: () => ({ operation: "list", query: "agents" }) },
  {
    name: "search",
    argsOf: (at) => ({ operation: "search", query: `workflow number ${itemAt(at)}` }),
    limit: 8,
  },
  { name: "read", argsOf: (at) => ({ operation: "read", agent: `agent-${itemAt(at)}` }), limit: 2 },
  {
    name: "execute",
    argsOf: (at) => ({ operation: "execute", workflow: `flow-${itemAt(at)}`, message: "Go" }),
    limit: 2,
  },
];

const work = await Deno.makeTempDir({ prefix: "bmad-mcp-bench-" });
try {
  const root = `${work}/root`;
  makeRoot(root, ITEMS, ITEMS, 0);
  print(`load average before: ${loadNow()}`);
  const server = await openLines(await buildBundle(`${work}/bundle`), root);
  const limits: boolean[] = [];
  const judge = (name: string, value: number, limit: number | undefined, unit: string) => {
    if (limit !== undefined) limits.push(value <= limit);
    const told = limit === undefined ? "" : ` (limit ${limit} ${unit})`;
    print(`${name.padEnd(24)} ${value.toFixed(2).padStart(9)} ${unit}${told}`);
  };
  judge("memory after the start", server.megabytes(), undefined, "MB");
  for (const { name, argsOf, limit } of KINDS) {
    const times: number[] = [];
    for (let at = 0; at < CALLS; at++) {
      const begun = performance.now();
      const answer = await server.ask("tools/call", { name: "bmad", arguments: argsOf(at) });
      times.push(performance.now() - begun);
      if (/"isError":true|^.{0,40}"error":/.test(answer)) throw new Error(`${name}: ${answer.slice(0, 300)}`);
    }
    judge(`first ${name}`, times[0]!, name === "list" ? FIRST_LIST_LIMIT : undefined, "ms");
    judge(`${name} at p50`, quantile(times.slice(1), 0.5), limit, "ms");
    judge(`memory after ${name}`, server.megabytes(), undefined, "MB");
  }
  judge("memory after all calls", server.megabytes(), MEMORY_LIMIT, "MB");
  await server.close();
  if (limits.includes(false)) Deno.exitCode = 1;
} finally {
  await Deno.remove(work, { recursive: true });
}
