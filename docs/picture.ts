/**
 * Draws docs/picture.svg: the program in a terminal, from a real run.
 *
 * The commands run in their own home folder with a small project, on a terminal that `script` of util-linux provides;
 * only the folder names are replaced. The picture is plain text in the reader's own monospaced font, light or dark
 * like the reader's system. Run by `deno task pictures`.
 */
import { cleanEnv, programArgs } from "../tests/support/program.ts";
import { copyTree, withTree } from "../tests/support/trees.ts";
import { installation } from "../tests/support/installs.ts";
import { widthOf } from "../src/commands/cli/screen.ts";

/** The width of a picture in characters. */
export const COLUMNS = 100;
const SCREENS: readonly string[] = ["bmad-mcp list modules", "bmad-mcp doctor"];

const [CELL, LINE, MARGIN, BAR] = [8.4, 19, 20, 34];

/** A piece of a line in one style. */
export interface Run {
  readonly column: number;
  readonly text: string;
  /** A CSS class; undefined for plain text. */
  readonly style?: string;
}

const STYLES: Readonly<Record<string, string | undefined>> = {
  "1": "heading",
  "2": "aside",
  "31": "bad",
  "32": "good",
  "33": "warning",
};

/** Splits a line at its terminal codes. Wide characters are runs of their own, because fonts differ in their width. */
export function runsOf(line: string): readonly Run[] {
  const runs: Run[] = [];
  let style: string | undefined;
  let column = 0;
  // deno-lint-ignore no-control-regex
  for (const [, code, text] of line.matchAll(/\x1b\[(\d+)m|([^\x1b]+)/g)) {
    if (code !== undefined) {
      style = STYLES[code];
      continue;
    }
    for (const part of text!.match(/ +|(?:[\x21-\x7e]| (?! ))+|[^\x20-\x7e]/gu) ?? []) {
      if (part.trim() !== "") runs.push({ column, text: part, ...(style && { style }) });
      column += widthOf(part);
    }
  }
  return runs;
}

/** The lines as an SVG image. */
export function renderPicture(lines: readonly string[], title: string): string {
  const width = Math.round(COLUMNS * CELL + 2 * MARGIN);
  const height = BAR + lines.length * LINE + MARGIN;
  const texts = lines.flatMap((line, at) =>
    runsOf(line).map(({ column, text, style }) => {
      const x = (MARGIN + column * CELL).toFixed(1);
      const y = BAR + (at + 1) * LINE;
      const length = text.trimEnd().length > 1
        ? ` textLength="${(text.trimEnd().length * CELL).toFixed(1)}"`
        : "";
      return `<text x="${x}" y="${y}"${style ? ` class="${style}"` : ""}${length}>${
        escaped(text.trimEnd())
      }</text>`;
    })
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>${escaped(title)}</title>`,
    "<style>",
    "svg { --page: #ffffff; --edge: #d0d7de; --ink: #1f2328; --dim: #656d76; --good: #1a7f37; --warn: #9a6700; --bad: #cf222e }",
    "@media (prefers-color-scheme: dark) {",
    "svg { --page: #0d1117; --edge: #30363d; --ink: #e6edf3; --dim: #7d8590; --good: #3fb950; --warn: #d29922; --bad: #f85149 }",
    "}",
    "text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, 'Liberation Mono', monospace; fill: var(--ink); white-space: pre }",
    ".heading { font-weight: 700 } .aside { fill: var(--dim) } .good { fill: var(--good) }",
    ".warning { fill: var(--warn) } .bad { fill: var(--bad) } .prompt { fill: var(--dim) }",
    ".page { fill: var(--page); stroke: var(--edge) } .dot { fill: var(--edge) }",
    "</style>",
    `<rect class="page" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>`,
    ...[20, 38, 56].map((x) => `<circle class="dot" cx="${x}" cy="18" r="5"/>`),
    ...texts,
    "</svg>",
    "",
  ].join("\n");
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** The terminal output of each command, after its prompt. */
async function record(): Promise<readonly string[]> {
  const skill = "---\nname: bmad-release-notes\ndescription: Writes release notes\n---\nWrite them.\n";
  return await withTree({ "ann/shop/.claude/skills/bmad-release-notes/SKILL.md": skill }, async (dir) => {
    await copyTree(await installation({ version: "6.12.0", tools: "claude-code" }), `${dir}/ann/shop`);
    const program = [Deno.execPath(), ...programArgs()].map((word) => `'${word}'`).join(" ");
    const lines: string[] = [];
    for (const screen of SCREENS) {
      const line = screen.replace("bmad-mcp", program);
      const { code, stdout } = await new Deno.Command("/usr/bin/script", {
        args: ["-qec", `stty cols ${COLUMNS}; ${line} 2>/dev/null`, "/dev/null"],
        cwd: `${dir}/ann/shop`,
        env: { ...cleanEnv(`${dir}/ann`), SHELL: "/bin/bash", TERM: "xterm", NO_COLOR: "" },
        clearEnv: true,
        stdin: "null",
      }).output();
      const text = new TextDecoder().decode(stdout).replaceAll("\r\n", "\n").trimEnd();
      if (code !== 0) throw new Error(`${screen} exited with ${code}:\n${text}`);
      const root = programArgs().at(-1)!.replace(/\/main\.ts$/, "");
      const shown = text.replaceAll(`${dir}/ann`, "/home/ann").replaceAll(root, "/home/ann/bmad-mcp")
        .replaceAll(Deno.execPath(), "/usr/bin/deno");
      lines.push(`\x1b[2m$\x1b[22m \x1b[1m${screen}\x1b[22m`, ...shown.split("\n"), "");
    }
    return lines;
  });
}

/** Draws the terminal. */
export async function drawTerminal(folder: URL): Promise<void> {
  const title = `A terminal with ${SCREENS.join(" and ")}`;
  await Deno.writeTextFile(new URL("picture.svg", folder), renderPicture(await record(), title));
}
