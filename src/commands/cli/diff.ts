/**
 * Unified diffs, which `patch` understands: of a file that changes, and of an item and what it overrides.
 */
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from "diff";
import type { App } from "../../app.ts";
import type { Host } from "../../process/host.ts";
import type { Invocation } from "../../operations/mod.ts";
import { printJson, printText } from "./output.ts";
import { type Painter, painter } from "./style.ts";

export async function diff(host: Host, app: App, { operands, options }: Invocation): Promise<void> {
  const { module, origin, json } = options;
  const { text, data } = await app.compare(await app.resolve({ name: operands[0]!, module, origin }));
  if (json) return printJson(host, data);
  printDiff(host, text);
}

export function printDiff(host: Pick<Host, "terminal" | "colours" | "writeOut">, text: string): void {
  printText(host, text, (safe) => paintDiff(safe, painter(host.colours.stdout)));
}

/** The diff of two texts, empty if they are equal; undefined is a file that does not exist. */
export function renderDiff(
  path: string,
  before: string | undefined,
  after: string | undefined,
  paint: Painter,
): string {
  if (before === after) return "";
  const [from, to] = [before, after].map((text) => text === undefined ? "/dev/null" : path) as [
    string,
    string,
  ];
  const headerOptions = FILE_HEADERS_ONLY;
  return paintDiff(
    createTwoFilesPatch(from, to, before ?? "", after ?? "", undefined, undefined, { headerOptions }),
    paint,
  );
}

function paintDiff(text: string, paint: Painter): string {
  return text.split("\n").map((line) => {
    if (/^(?:---|\+\+\+|@@) /.test(line)) return paint("aside", line);
    return line.startsWith("+") ? paint("good", line) : line.startsWith("-") ? paint("bad", line) : line;
  }).join("\n");
}
