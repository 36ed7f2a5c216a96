/**
 * Clients without the token that send large bodies slowly: what do they cost those who have it?
 *
 * Strangers hold connections, each with a body of 10 MB of which a little is sent at a time, and open a new one whenever
 * theirs is closed. They run in a thread of their own, so that they slow down the server and not who measures it.
 */
import { type HttpProgram, startHttp } from "../support/http.ts";
import { drive, MIX } from "./load.ts";
import { residentMemory } from "./measure.ts";

const TOKEN = "a-token-of-many-letters";

/** `alone` and `beside`: the time below which 99 of 100 requests with the token were answered, in milliseconds. */
export async function besideStrangers(connections: number, ms: number) {
  await using program = await startHttp([], { env: { BMAD_TOKEN: TOKEN } });
  const load = () =>
    drive(`${program.url}/mcp`, MIX, {
      clients: 2,
      ms,
      pid: program.pid,
      headers: { authorization: `Bearer ${TOKEN}` },
    });
  // The first requests read everything.
  await load();
  const alone = await load();
  const before = residentMemory(program.pid);
  const strangers = await startStrangers(program, connections);
  const beside = await load();
  const opened = await strangers.stop();
  return {
    alone: alone.p99,
    beside: beside.p99,
    growth: Math.max(...beside.memory, residentMemory(program.pid)) - before,
    opened,
    errors: [...alone.errors, ...beside.errors],
  };
}

async function startStrangers({ url }: HttpProgram, connections: number) {
  const worker = new Worker(new URL("strangers_worker.ts", import.meta.url), { type: "module" });
  const next = () => new Promise<number>((resolve) => worker.onmessage = ({ data }) => resolve(data));
  const ready = next();
  worker.postMessage({ port: Number(new URL(url).port), connections });
  await ready;
  return {
    stop: async (): Promise<number> => {
      const opened = next();
      worker.postMessage("stop");
      const count = await opened;
      worker.terminate();
      return count;
    },
  };
}
