/**
 * Runs the benches in turn and says at the end which of them are above a limit.
 *
 *     deno task bench            every bench of BENCHES
 *     deno task bench start cli  only these; also one of ON_REQUEST
 *
 * One bench above its limits does not stop the others. The load of the machine is printed before each, because the
 * figures of a busy machine say little. A bench that takes arguments of its own is run by itself, as its head says.
 */
import { fileURLToPath } from "node:url";
import { print } from "./support.ts";

/** What runs when nothing is named. */
export const BENCHES: readonly string[] = [
  "start",
  "cli",
  "git",
  "tokens",
  "scenario",
  "inventory",
  "scale",
  "closure",
  "finding",
  "memory",
  "scripts",
  "calls",
  "board",
  "trace",
  "context",
];

/** What only runs by name, with the reason. */
export const ON_REQUEST: Readonly<Record<string, string>> = {
  board_page:
    "opens Chromium, and compares with another checkout: deno run -A --config deno.dev.json bench/board_page.ts FOLDER",
  recall:
    "measures sets that are not in this repository: deno run -A --config deno.dev.json bench/recall.ts FILE…",
};

interface Result {
  readonly name: string;
  readonly load: number;
  readonly seconds: number;
  readonly code: number;
  /** The lines that name a limit. */
  readonly limits: readonly string[];
}

const ROOT = fileURLToPath(new URL("../", import.meta.url));

async function runBench(name: string): Promise<Result> {
  const load = Deno.loadavg()[0]!;
  print(`== ${name} (load ${load.toFixed(2)})`);
  const start = performance.now();
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "--allow-all", "--config", "deno.dev.json", `bench/${name}.ts`],
    cwd: ROOT,
    stdin: "null",
    stdout: "piped",
  }).spawn();
  let text = "";
  for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
    Deno.stdout.writeSync(new TextEncoder().encode(chunk));
    text += chunk;
  }
  const { code } = await child.status;
  const limits = text.split("\n").filter((line) => /\blimits?\b/i.test(line));
  return { name, load, seconds: (performance.now() - start) / 1000, code, limits };
}

function renderResult({ name, load, seconds, code, limits }: Result): string {
  const row = [name.padEnd(10), load.toFixed(2).padStart(5), `${seconds.toFixed(0)} s`.padStart(7)].join(
    "  ",
  );
  if (code === 0) return `${row}  ok`;
  // A bench prints each figure with its limit; which is above it differs in form from one bench to the next.
  return [`${row}  FAILED (exit status ${code})`, ...limits.map((line) => `    ${line.trim()}`)].join("\n");
}

async function main(names: readonly string[]): Promise<number> {
  const known = [...BENCHES, ...Object.keys(ON_REQUEST)];
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    print(`Unknown bench ${unknown.join(", ")}. Choose from ${known.join(", ")}`);
    return 2;
  }
  const results: Result[] = [];
  for (const name of names.length > 0 ? names : BENCHES) results.push(await runBench(name));
  print(`\n${"bench".padEnd(10)}  ${"load".padStart(5)}  ${"time".padStart(7)}  result`);
  for (const result of results) print(renderResult(result));
  if (names.length === 0) {
    for (const [name, reason] of Object.entries(ON_REQUEST)) print(`left out: ${name}, which ${reason}`);
  }
  return results.some(({ code }) => code !== 0) ? 1 : 0;
}

if (import.meta.main) Deno.exit(await main(Deno.args));
