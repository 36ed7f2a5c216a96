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

const ALONE = 400;

export async function besideHeavy(kind: string, ms: number) {
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
    const ask = async (params: Call, who: Readonly<Record<string, string>>): Promise<number> => {
      const [message, headers] = modernRequest("tools/call", params);
      const begun = performance.now();
      try {
        const answer = await post(`${server.url}/mcp`, message, { ...headers, ...who });
        const text = await answer.text();
        if (answer.status !== 200 && answer.status !== 429) {
          errors.push(`${answer.status} ${text.slice(0, 200)}`);
        }
        if (who === other && text.includes('"isError":true')) errors.push(text.slice(0, 200));
      } catch (error) {
        errors.push(String(error));
      }
      return performance.now() - begun;
    };
    const board = () => ask({ name: "bmad_work", arguments: { operation: "board" } }, other!);
    await ask(call(0), heavy!);
    await board();
    const alone: number[] = [];
    for (let n = 0; n < ALONE; n++) alone.push(await board());
    const until = performance.now() + ms;
    const isOver = () => performance.now() > until;
    let asked = 0;
    const heavies = Array.from({ length: atOnce }, async () => {
      while (!isOver()) await ask(call(asked++), heavy!);
    });
    const beside: number[] = [];
    const ready: number[] = [];
    const others = async () => {
      while (!isOver()) {
        beside.push(await board());
        await pause(20);
      }
    };
    const probes = async () => {
      while (!isOver()) {
        const begun = performance.now();
        await (await fetch(`${server.url}/ready`)).text();
        ready.push(performance.now() - begun);
        await pause(50);
      }
    };
    await Promise.all([others(), probes(), ...heavies]);
    return {
      asked,
      errors,
      alone: quantile(alone, 0.99),
      beside: quantile(beside, 0.99),
      ready: Math.max(...ready),
    };
  });
}
