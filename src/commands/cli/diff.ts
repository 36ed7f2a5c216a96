/** Unified diffs, which `patch` understands. */
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from "diff";
import { safeText } from "../../base/text.ts";
import type { Host } from "../../process/host.ts";
import { printText } from "./output.ts";
import { type Painter, painter } from "./style.ts";

export function printDiff(host: Pick<Host, "terminal" | "colours" | "writeOut">, text: string): void {
  printText(host, text, (safe) => paintDiff(safe, painter(host.colours.stdout)));
}

/** What would change in a file. Programs read pipes, and want every byte. */
export function printChange(host: Host, path: string, before: string | undefined, after: string | undefined) {
  const show = (text: string | undefined) => host.terminal.stdout && text ? safeText(text) : text;
  host.writeOut(paintDiff(renderDiff(path, show(before), show(after)), painter(host.colours.stdout)));
}

export function renderDiff(path: string, before: string | undefined, after: string | undefined): string {
  if (before === after) return "";
  const nameOf = (text: string | undefined) => text === undefined ? "/dev/null" : path;
  const options = { headerOptions: FILE_HEADERS_ONLY };
  const [from, to] = [nameOf(before), nameOf(after)];
  return createTwoFilesPatch(from, to, before ?? "", after ?? "", undefined, undefined, options);
}

function paintDiff(text: string, paint: Painter): string {
  return text.split("\n").map((line) => {
    if (/^(?:---|\+\+\+|@@) /.test(line)) return paint("aside", line);
    return line.startsWith("+") ? paint("good", line) : line.startsWith("-") ? paint("bad", line) : line;
  }).join("\n");
}
