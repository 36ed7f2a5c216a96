/** One person asks for as much work at a time as the server takes. Do others notice, and how soon is `/ready` answered? */
import { pause } from "../../src/base/work.ts";
import { prepareHttpState } from "../../src/process/http_state.ts";
import { addToken } from "../../src/process/named_tokens.ts";
import { withStories } from "../support/board.ts";
import { modernRequest, post, startHttp } from "../support/http.ts";
import { writeTree } from "../support/trees.ts";
import { quantile } from "./measure.ts";

type Call = Readonly<Record<string, unknown>>;

const LINES = Array.from(
  { length: 100 },
  () => "sprint_status.py detect-epic --file out/impl/sprint-status.yaml",
);
const SOURCES = Object.fromEntries(
  Array.from({ length: 2_000 }, (_, at) => [
    `code/part${at % 40}/file${at}.ts`,
    `export function token${at}(session: string): string {\n  return session.slice(${at % 9});\n}\n`.repeat(
      20,
    ),
  ]),
);

type Heavy = readonly [atOnce: number, call: (n: number) => Call];

/** What one person asks for, and how often at a time. */
export const HEAVY: ReadonlyMap<string, Heavy> = new Map<string, Heavy>([
  ["lists of 100 script lines", [20, () => ({ name: "bmad_work", arguments: { script: LINES } })]],
  [
    "searches of the code",
    [100, (n) => ({ name: "search_codebase", arguments: { query: `where is token ${n} of a session cut` } })],
  ],
  ["checks of 200 stories", [100, () => ({ name: "bmad_work", arguments: { operation: "check" } })]],
]);

const ROUNDS = 5, ROUND_MS = 3_000, SETTLE_MS = 500;

/** Without and with the heavy person in turns: what else the machine does affects both alike. Medians of all rounds. */
export async function besideHeavy(kind: string) {
  const [atOnce, call] = HEAVY.get(kind)!;
  return await withStories(200, async (dir) => {
    await writeTree(dir, {
      ...SOURCES,
      "_bmad/config.toml": '[core]\noutput_folder = "out"\n',
      "_bmad/bmm/config.yaml":
        "planning_artifacts: '{project-root}/out/plan'\nimplementation_artifacts: '{project-root}/out/impl'\n",
      "state/": "",
    });
    const state = `${dir}/state/bmad-mcp`;
    prepareHttpState(state, true);
    const tokens = await Promise.all(
      ["heavy", "other"].map((name) => addToken(state, { name, role: "worker", added: 1 })),
    );
    const [heavy, other] = tokens.map(({ text }) => ({ authorization: `Bearer ${text}` }));
    await using server = await startHttp(
      ["--project", dir, "--pack", "none", "--toolsets", "bmad,work,memory", "--http-rate", "1000000"],
      { env: { XDG_STATE_HOME: `${dir}/state` }, ownToken: true },
    );
    const errors: string[] = [];
    const ask = async (
      params: Call,
      who: Readonly<Record<string, string>>,
      end?: AbortSignal,
    ): Promise<number> => {
      const [message, headers] = modernRequest("tools/call", params);
      const begun = performance.now();
      try {
        const answer = await post(`${server.url}/mcp`, message, { ...headers, ...who }, end);
        const text = await answer.text();
        if (answer.status !== 200 && answer.status !== 429) {
          errors.push(`${answer.status} ${text.slice(0, 200)}`);
        }
        if (who === other && text.includes('"isError":true')) errors.push(text.slice(0, 200));
      } catch (error) {
        if (!end?.aborted) errors.push(String(error));
      }
      return performance.now() - begun;
    };
    const board = () => ask({ name: "bmad_work", arguments: { operation: "board" } }, other!);
    const probe = async () => {
      const begun = performance.now();
      await (await fetch(`${server.url}/ready`)).text();
      return performance.now() - begun;
    };
    const measure = async () => {
      const until = performance.now() + ROUND_MS;
      const times = async (time: () => Promise<number>, pauseMs: number) => {
        const all: number[] = [];
        for (; performance.now() < until; await pause(pauseMs)) all.push(await time());
        return all;
      };
      const [boards, ready] = await Promise.all([times(board, 20), times(probe, 50)]);
      return { p99: quantile(boards, 0.99), ready: Math.max(...ready) };
    };
    let asked = 0;
    const work = async (end: AbortSignal) => {
      while (!end.aborted) await ask(call(asked++), heavy!, end);
    };
    await ask(call(asked++), heavy!);
    await measure();
    const ratios: number[] = [];
    const ready: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const alone = await measure();
      const end = new AbortController();
      const working = Array.from({ length: atOnce }, () => work(end.signal));
      const beside = await measure();
      end.abort();
      await Promise.all(working);
      await pause(SETTLE_MS);
      ratios.push(beside.p99 / alone.p99);
      ready.push(beside.ready);
    }
    return { asked, errors, ratio: quantile(ratios, 0.5), ready: quantile(ready, 0.5) };
  });
}
