/**
 * `bmad-mcp verify-scripts`: whether native scripts answer as the installed ones do, run by the user's own Python.
 */
import type { App, Verification } from "../../app.ts";
import type { Host } from "../../process/host.ts";
import { counted, oneLine, shorten } from "../../base/text.ts";
import type { Invocation } from "../../settings/mod.ts";
import { parseCount } from "./input.ts";
import { printJson } from "./output.ts";

const DEFAULT_CALLS = 24;
const MAX_CALLS = 1_000;
/** Of one script: the first ones show what the matter is. */
const MAX_SHOWN = 3;

/** Prints what was compared. The exit status is 1 if something differs, and 2 if nothing could be compared. */
export async function verifyScripts(
  host: Host,
  app: App,
  { operands, options }: Invocation,
): Promise<number> {
  const calls = parseCount("--count", options.count, MAX_CALLS) ?? DEFAULT_CALLS;
  const found = await (await app.work()).verifyScripts(operands, calls);
  const differing = found.scripts.filter(({ differences }) => differences.length > 0);
  const compared = found.scripts.filter(({ problem }) => problem === undefined);
  if (options.json) printJson(host, dataOf(found));
  else host.writeOut(render(found));
  return compared.length === 0 ? 2 : differing.length > 0 ? 1 : 0;
}

function dataOf({ python, seed, scripts }: Verification): Readonly<Record<string, unknown>> {
  return {
    python: python ?? null,
    seed,
    scripts: scripts.map(({ release, rules, problem, ...script }) => ({
      ...script,
      release: release ?? null,
      rules: rules ?? null,
      problem: problem ?? null,
    })),
  };
}

type Compared = Verification["scripts"][number];

function render({ python, seed, scripts }: Verification): string {
  const compared = scripts.filter(({ problem }) => problem === undefined);
  const same = compared.filter(({ differences }) => differences.length === 0).length;
  const calls = compared.reduce((sum, one) => sum + one.calls, 0);
  const width = Math.max(0, ...scripts.map(({ name }) => name.length));
  const lines = scripts.flatMap((script) => [
    `${signOf(script)} ${oneLine(script.name).padEnd(width)}  ${resultOf(script)}`,
    ...script.differences.slice(0, MAX_SHOWN).flatMap(({ call, ours, theirs }) => [
      `    ${shown(call)}`,
      ...(["status", "stdout", "files"] as const).flatMap((part) => {
        const [own, other] = [ours, theirs].map((result) => JSON.stringify(result[part]));
        const at = firstDifference(own!, other!);
        return at === undefined
          ? []
          : [`      ours, ${part}: ${shown(own!, at)}`, `      the original's: ${shown(other!, at)}`];
      }),
    ]),
  ]);
  const left = scripts.length - compared.length;
  const summary = compared.length === 0
    ? scripts.length === 0 ? "No native script is installed here." : "Nothing was compared."
    : `${counted(compared.length, "script")} compared by ${python} on ${
      counted(calls, "generated call")
    } (seed ${seed}): ` +
      `${same} the same, ${compared.length - same} different${left === 0 ? "" : `; ${left} not compared`}.`;
  return [...lines, ...(lines.length === 0 ? [] : [""]), summary, ""].join("\n");
}

function signOf({ problem, differences }: Compared): string {
  return problem !== undefined ? "·" : differences.length === 0 ? "✓" : "✗";
}

function resultOf({ problem, calls, differences, release }: Compared): string {
  const known = release === undefined ? "in no release that ours was compared with" : `of BMAD ${release}`;
  if (problem !== undefined) return `${known}; not compared: ${oneLine(problem)}`;
  const result = differences.length === 0 ? "same answers" : `${differences.length} differ`;
  return `${known}; ${counted(calls, "call")}, ${result}`;
}

/** How much of an answer is shown before the first difference. */
const BEFORE = 40;

/** The part of a text around a place, on one line. */
function shown(text: string, at = 0): string {
  const from = Math.max(0, at - BEFORE);
  return `${from === 0 ? "" : "…"}${shorten(oneLine(text.slice(from)), 160)}`;
}

function firstDifference(one: string, other: string): number | undefined {
  if (one === other) return undefined;
  let at = 0;
  while (one[at] === other[at]) at++;
  return at;
}
