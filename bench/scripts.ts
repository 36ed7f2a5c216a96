/**
 * How long does a native script take through a running server, compared with `python3 script.py`?
 *
 * Both do the same work in turns, in projects with the same files. Fails if a native call takes more than a fifth. Needs
 * Python 3.11.
 *
 *     deno run -A bench/scripts.ts [ROUNDS]
 */
import { sourceTree } from "../tests/support/installs.ts";
import { NO_PYTHON } from "../tests/support/python.ts";
import { withTree } from "../tests/support/trees.ts";
import { buildBundle, median, print, timeToExit } from "./support.ts";

const ROUNDS = Number(Deno.args[0] ?? 15);
const LIMIT = 0.2;

const REPORT = `${
  "A claim [1] and another [2].\n".repeat(400)
}\n| [1] | x | https://example.org |\n| [2] | y | z |\n`;
const PROJECT = {
  "_bmad/config.toml": '[core]\noutput_folder = "{project-root}/_bmad-output"\n',
  "_bmad-output/w/.memlog.md": `---\ntopic: x\n---\n\n${"- (note) an entry\n".repeat(200)}`,
  "_bmad-output/w/ARCHITECTURE-SPINE.md": "## AD-1 x\nBinds Prevents Rule\n".repeat(100),
  "_bmad-output/w/report.md": REPORT,
};

/** A script by the folder it lies in, and its arguments. */
const CALLS: readonly (readonly [folder: string, line: string])[] = [
  ["scripts", "memlog.py append --workspace _bmad-output/w --text more"],
  ["core-skills/bmad-deep-recon/scripts", "recon_kit.py citations _bmad-output/w/report.md"],
  ["core-skills/bmad-review/scripts", "word_metrics.py _bmad-output/w/report.md"],
  ["core-skills/bmad-advanced-elicitation/scripts", "pick_methods.py categories"],
  ["core-skills/bmad-brainstorming/scripts", "brain.py list --all"],
  ["bmm-skills/plan/bmad-architecture/scripts", "lint_spine.py --workspace _bmad-output/w"],
];

/** Starts a server; the result sends a request and waits for its answer. */
function startServer([command, ...args]: readonly string[], cwd: string) {
  const child = new Deno.Command(command!, { args, cwd, stdin: "piped", stdout: "piped", stderr: "null" })
    .spawn();
  const writer = child.stdin.getWriter();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let [last, rest] = [0, ""];
  const send = (message: object) => writer.write(new TextEncoder().encode(`${JSON.stringify(message)}\n`));
  return {
    notify: (method: string) => send({ jsonrpc: "2.0", method }),
    ask: async (method: string, params: object) => {
      const id = ++last;
      await send({ jsonrpc: "2.0", id, method, params });
      while (true) {
        const cut = rest.indexOf("\n");
        if (cut >= 0) {
          const answer = JSON.parse(rest.slice(0, cut));
          rest = rest.slice(cut + 1);
          if (answer.id === id) return answer.result ?? answer.error;
          continue;
        }
        const { value, done } = await reader.read();
        if (done) throw new Error("The server ended");
        rest += value;
      }
    },
    close: async () => {
      await writer.close();
      await reader.cancel();
      await child.status;
    },
  };
}

if (NO_PYTHON) {
  print("native scripts: skipped, Python 3.11 is missing");
  Deno.exit();
}
const originals = `${await sourceTree("bmad-method@6.12.0")}/src`;
await withTree(PROJECT, (own) =>
  withTree({ ...PROJECT, "bundle/": "" }, async (theirs) => {
    const server = startServer([...await buildBundle(`${theirs}/bundle`), "--root", own], own);
    const clientInfo = { name: "bench", version: "1" };
    await server.ask("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
    await server.notify("notifications/initialized");
    for (const [folder, line] of CALLS) {
      const [script, ...args] = line.split(" ");
      const [native, python]: [number[], number[]] = [[], []];
      // The first round loads what a call needs and does not count.
      for (let round = 0; round <= ROUNDS; round++) {
        const start = performance.now();
        const answer = await server.ask("tools/call", { name: "bmad_work", arguments: { script: line } });
        const took = performance.now() - start;
        if (answer.isError !== false && answer.isError !== undefined || answer.content === undefined) {
          throw new Error(`${line}: ${JSON.stringify(answer)}`);
        }
        const original = await timeToExit(["python3", `${originals}/${folder}/${script}`, ...args], theirs);
        if (round > 0) [native, python].forEach((list, at) => list.push(at === 0 ? took : original));
      }
      const ratio = median(native) / median(python);
      print(
        `${script!.padEnd(18)} ${median(native).toFixed(1).padStart(6)} ms, Python ${
          median(python).toFixed(0).padStart(4)
        } ms: ${ratio.toFixed(3)} (limit ${LIMIT})`,
      );
      if (ratio > LIMIT) Deno.exitCode = 1;
    }
    await server.close();
  }));
