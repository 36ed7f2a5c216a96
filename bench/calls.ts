/**
 * How long does a call take? First call, p50, p95, p99 and memory over 3,000 calls of each kind, over stdio and HTTP.
 *
 * Over stdio ours and the peer's, over HTTP, which the peer has not, ours and a bare server of the SDK whose one tool
 * returns a constant. All run on the same installation of BMAD 6.0.4, with its folders named as the peer expects them,
 * get their first call two seconds after `tools/list`, and take turns of 100 calls. Prints the bytes of each answer and
 * the errors beside. Fails if a call takes longer than its share of the other's time, if executing over stdio takes more
 * than 0.65 ms at p50, or if a first call takes more than 12 ms. Run it on an idle machine.
 *
 *     deno run -A --config deno.dev.json bench/calls.ts [CALLS]
 */
import { installation } from "../tests/support/installs.ts";
import { quantile } from "../tests/soak/measure.ts";
import { copyTree } from "../tests/support/trees.ts";
import {
  buildBare,
  buildBundle,
  installPeer,
  loadNow,
  openHttp,
  openLines,
  print,
  type Server,
} from "./support.ts";

const CALLS = Number(Deno.args[0] ?? 3_000);
const TURN = 100;
const FIRST_LIMIT = 12;
/** Between `tools/list` and the first call: no user is quicker. */
const IDLE_MS = 2_000;
/** How many times as long as the bare server's a call over HTTP may take. */
const HTTP_LIMIT = 2.5;
const CONSTANT_SERVER = "tests/soak/constant_server.ts";

interface Kind {
  readonly name: string;
  readonly ours: Request;
  /** Missing where the other has no such call. */
  readonly theirs?: Request;
  /** The largest share of the other's time. */
  readonly limit?: number;
  /** The largest p50 in milliseconds. */
  readonly maxMs?: number;
}

type Request = readonly [method: string, params: Readonly<Record<string, unknown>>];

const tool = (args: Readonly<Record<string, unknown>>): Request => [
  "tools/call",
  { name: "bmad", arguments: args },
];
const agent = { type: "agent", module: "bmm", agent: "architect" };
const same = (request: Request) => ({ ours: request, theirs: request });

const KINDS: readonly Kind[] = [
  { name: "list", ...same(tool({ operation: "list", query: "agents" })), limit: 1.25 },
  { name: "read", ...same(tool({ operation: "read", ...agent })), limit: 1 },
  { name: "execute", ...same(tool({ operation: "execute", ...agent, message: "Design it" })), maxMs: 0.65 },
  { name: "search", ours: tool({ operation: "search", query: "review the architecture" }) },
  {
    name: "resources/read",
    ...same(["resources/read", { uri: "bmad://bmm/agents/architect.md" }]),
    limit: 1,
  },
  {
    name: "prompts/get",
    ours: ["prompts/get", { name: "bmad-architect", arguments: {} }],
    theirs: ["prompts/get", { name: "bmm.architect", arguments: {} }],
  },
  { name: "tools/list", ...same(["tools/list", {}]) },
];

/** Over HTTP: each is compared with a call that does nothing. */
const HTTP_KINDS = KINDS.map(({ name, ours }): Kind => ({
  name,
  ours,
  theirs: ["tools/call", { name: "constant", arguments: {} }],
  limit: HTTP_LIMIT,
}));

const work = await Deno.makeTempDir({ prefix: "bmad-mcp-bench-" });
try {
  const project = `${work}/project`;
  await copyTree(await installation({ version: "6.0.4", tools: "claude-code" }), project);
  await Deno.rename(`${project}/_bmad`, `${project}/bmad`);
  await Deno.rename(`${project}/bmad/_config`, `${project}/bmad/_cfg`);
  print(`load average before: ${loadNow()}`);
  const program = await buildBundle(`${work}/bundle`);
  await compare(KINDS, await openLines(program, project), {
    who: "peer",
    server: await openLines(["node", await installPeer(`${work}/peer`)], project),
  });
  print("\nover HTTP");
  await compare(HTTP_KINDS, await openHttp([...program, "serve", "--http", "0", "--no-token"], project), {
    who: "bare",
    server: await openHttp(await buildBare(`${work}/bare`, CONSTANT_SERVER), project),
  });
} finally {
  await Deno.remove(work, { recursive: true });
}

/** Has two servers take turns, prints their times, and closes them. */
async function compare(
  kinds: readonly Kind[],
  ours: Server,
  { who, server }: { readonly who: string; readonly server: Server },
): Promise<void> {
  for (const one of [ours, server]) await one.ask("tools/list", {});
  await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
  print("                     first     p50     p95     p99   bytes  errors");
  for (const kind of kinds) {
    const begin = (who: string, request: Request): Measured => ({
      who,
      request,
      times: [],
      bytes: 0,
      errors: 0,
    });
    const own = begin("ours", kind.ours);
    const theirs = kind.theirs && begin(who, kind.theirs);
    for (let done = 0; done < CALLS; done += TURN) {
      await take(own, ours, TURN);
      if (theirs !== undefined) await take(theirs, server, TURN);
    }
    for (const one of theirs === undefined ? [own] : [own, theirs]) print(rowOf(kind.name, one));
    judge(kind, own, theirs);
  }
  print(`memory after all calls: ours ${ours.megabytes()} MB, ${who} ${server.megabytes()} MB`);
  await ours.close();
  await server.close();
}

/** The calls of one kind on one server. */
interface Measured {
  readonly who: string;
  readonly request: Request;
  /** In milliseconds; the first call comes first. */
  readonly times: number[];
  bytes: number;
  errors: number;
}

async function take(measured: Measured, server: Server, count: number): Promise<void> {
  for (let at = 0; at < count; at++) {
    const begun = performance.now();
    const answer = await server.ask(...measured.request);
    measured.times.push(performance.now() - begun);
    measured.bytes = answer.length;
    if (/"isError":true|^.{0,40}"error":/.test(answer)) measured.errors++;
  }
}

function timeAt({ times }: Measured, share: number): number {
  return quantile(times.slice(1), share);
}

function rowOf(kind: string, measured: Measured): string {
  const { who, times, bytes, errors } = measured;
  const ms = [times[0] ?? 0, ...[0.5, 0.95, 0.99].map((share) => timeAt(measured, share))];
  const numbers = [...ms.map((time) => time.toFixed(2)), bytes, errors];
  return `${kind.padEnd(15)} ${who} ${numbers.map((number) => String(number).padStart(8)).join("")}`;
}

function judge({ name, limit, maxMs = Infinity }: Kind, ours: Measured, other: Measured | undefined): void {
  const first = ours.times[0] ?? 0;
  const slow = other === undefined || limit === undefined
    ? []
    : [0.5, 0.95].filter((share) => timeAt(ours, share) > limit * timeAt(other, share));
  const faults = [
    ...ours.errors > 0 ? [`${ours.errors} errors`] : [],
    ...first > FIRST_LIMIT ? [`the first call took ${first.toFixed(1)} ms (limit ${FIRST_LIMIT})`] : [],
    ...timeAt(ours, 0.5) > maxMs ? [`p50 is above ${maxMs} ms`] : [],
    ...slow.map((share) => `p${share * 100} is above ${limit} of the other's`),
  ];
  for (const fault of faults) print(`  over the limit: ${name}: ${fault}`);
  if (faults.length > 0) Deno.exitCode = 1;
}
