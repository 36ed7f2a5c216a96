/**
 * A team on one server: many clients of few people, in many projects, while the server is restarted.
 *
 * Each client sends a call every four seconds, as an agent at work does; half of them are of either era. Every answer is
 * compared with who asked for what: the project's own words, and the name of whoever holds a story.
 */
import { pause } from "../../src/base/work.ts";
import { prepareHttpState } from "../../src/process/http_state.ts";
import { addToken } from "../../src/process/named_tokens.ts";
import { beginSession, type HttpProgram, modernRequest, post, startHttp } from "../support/http.ts";
import { withTree } from "../support/trees.ts";
import { quantile, residentMemory } from "./measure.ts";

const PAUSE_MS = 4_000;
/** How long a client tries again while the server is restarted. */
const PATIENCE_MS = 20_000;

function projectOf(name: string, stories: number): Record<string, string> {
  const keys = Array.from({ length: stories }, (_, n) => `1-${n + 1}-${name}`);
  return {
    [`${name}/_bmad/config.toml`]: '[core]\noutput_folder = "out"\n',
    [`${name}/out/sprint-status.yaml`]: `development_status:\n  epic-1: in-progress\n${
      keys.map((key) => `  ${key}: ready-for-dev\n`).join("")
    }`,
  };
}

interface Client {
  readonly number: number;
  readonly person: string;
  readonly project: string;
  readonly headers: Record<string, string>;
  isModern: boolean;
}

export async function workAsTeam(
  { people, clients, projects, ms, restarts }: Readonly<
    Record<"people" | "clients" | "projects" | "ms" | "restarts", number>
  >,
) {
  const names = Array.from({ length: projects }, (_, n) => `shop${String(n).padStart(2, "0")}x`);
  // More than the clients of one project.
  const stories = Math.ceil(clients / Math.min(people, projects)) + 1;
  const tree = Object.assign({ "state/": "" }, ...names.map((name) => projectOf(name, stories)));
  return await withTree(tree, async (dir) => {
    const state = `${dir}/state/bmad-mcp`;
    prepareHttpState(state, true);
    const team: { readonly person: string; readonly own: readonly string[]; readonly token: string }[] = [];
    for (let n = 0; n < people; n++) {
      const own = names.filter((_, at) => at % people === n % projects);
      const person = `person${String(n).padStart(2, "0")}x`;
      const { text: token } = await addToken(state, {
        name: person,
        role: "worker",
        projects: own,
        added: 1,
      });
      team.push({ person, own, token });
    }
    const start = (address: string) =>
      startHttp([
        ...["--http", address, "--pack", "none", "--toolsets", "work", "--http-rate", "1000000"],
        ...names.flatMap((name) => ["--project", `${dir}/${name}`]),
      ], { env: { XDG_STATE_HOME: `${dir}/state` }, ownToken: true });
    let program: HttpProgram = await start("127.0.0.1:0");
    const { url } = program;
    const address = new URL(url).host;
    const errors: string[] = [];
    const send = async (client: Client, project: string, params: Record<string, unknown>) => {
      const [modern, own] = modernRequest("tools/call", params);
      const legacy = { jsonrpc: "2.0", id: 7, method: "tools/call", params };
      const [message, headers] = client.isModern ? [modern, own] : [legacy, {}];
      for (const since = performance.now();;) {
        const begun = performance.now();
        try {
          const at = `${url}/mcp?project=${project}`;
          const answer = await post(at, message, { ...headers, ...client.headers });
          const text = await answer.text();
          if (answer.status === 503) throw new Error("The server is stopping");
          return { status: answer.status, text, took: performance.now() - begun };
        } catch (error) {
          if (performance.now() - since > PATIENCE_MS) throw error;
          await pause(50);
        }
      }
    };
    const one = async (client: Client, turn: number): Promise<number> => {
      const { person, project, number } = client;
      const story = `1-${number % stories + 1}`;
      const operation = ["board", "claim", "show", "release"][turn % 4]!;
      const by = "somebody else";
      const args = operation === "board" ? { operation } : { operation, story, by, force: false };
      const { status, text: said, took } = await send(client, project, {
        name: "bmad_work",
        arguments: args,
      });
      const text = said.toLowerCase();
      // Others of the same project may hold its stories; other projects, and people elsewhere, are never seen.
      const strangers = team.filter(({ own }) => !own.includes(project)).map((each) => each.person);
      const strange = [...names, ...strangers].filter((name) => name !== project && text.includes(name));
      const isRight = status === 200 && text.includes(project) && strange.length === 0 &&
        !text.includes(by) &&
        (operation !== "claim" || new RegExp(`${person} holds|held by|holds it`).test(text));
      if (!isRight) errors.push(`${person} in ${project}: ${operation} ${status} ${text.slice(0, 300)}`);
      if (turn % 7 === 0) {
        const elsewhere = names.find((name) =>
          !team.find((each) => each.person === person)!.own.includes(name)
        );
        if (elsewhere !== undefined) {
          const foreign = await send({ ...client, isModern: true }, elsewhere, {
            name: "bmad_work",
            arguments: { operation: "board" },
          });
          if (foreign.status !== 404 || foreign.text.includes("1-1-")) {
            errors.push(`${person} in ${elsewhere}: ${foreign.status} ${foreign.text.slice(0, 300)}`);
          }
        }
      }
      return took;
    };
    const everybody: Client[] = [];
    for (let number = 0; number < clients; number++) {
      const { person, own, token } = team[number % people]!;
      const project = own[Math.floor(number / people) % own.length]!;
      const headers: Record<string, string> = { authorization: `Bearer ${token}` };
      const isModern = number % 2 === 0;
      const session = isModern ? headers : await beginSession(`${url}/mcp?project=${project}`, headers);
      everybody.push({ number, person, project, headers: session, isModern });
    }
    // Until every project is open, times are those of a start.
    const openAll = async () => {
      for (const { own, token, person } of team) {
        for (const project of own) {
          const headers = { authorization: `Bearer ${token}` };
          await one({ number: 0, person, project, headers, isModern: true }, 0);
        }
      }
    };
    await openAll();
    const memory = residentMemory(program.pid);
    const alone: number[] = [];
    for (let turn = 0; turn < 400; turn++) alone.push(await one(everybody[turn % clients]!, turn >> 1));
    const until = performance.now() + ms;
    const times: number[] = [];
    let [isSettled, requests] = [true, 0];
    const restarting = (async () => {
      for (let n = 0; n < restarts; n++) {
        await pause(ms / (restarts + 1));
        isSettled = false;
        await program[Symbol.asyncDispose]();
        program = await start(address);
        await openAll();
        isSettled = true;
      }
    })();
    const begun = performance.now();
    await Promise.all(everybody.map(async (client) => {
      // At times of its own, also after a restart for which all have waited.
      const first = begun + client.number * PAUSE_MS / clients;
      const untilNext = () => {
        const since = performance.now() - first;
        return pause(Math.ceil(since / PAUSE_MS) * PAUSE_MS - since);
      };
      await untilNext();
      for (let turn = client.number; performance.now() < until; turn++) {
        const wasSettled = isSettled;
        const took = await one(client, turn).catch((error) => {
          errors.push(`${client.person}: ${error}`);
          return 0;
        });
        if (wasSettled && isSettled) times.push(took);
        requests++;
        await untilNext();
      }
    }));
    await restarting;
    await program[Symbol.asyncDispose]();
    return { requests, errors, alone: quantile(alone, 0.99), together: quantile(times, 0.99), memory };
  });
}
