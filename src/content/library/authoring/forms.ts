/**
 * The forms of an export: one text file for products without files, or a folder that is a plain skill.
 */
import { asText, formatYaml } from "../../parse.ts";
import { openNames } from "../../../base/paths.ts";
import { counted, shorten } from "../../../base/text.ts";
import type { FileContent } from "../files/reading.ts";
import { SCHEME } from "../files/mounts.ts";
import type { Calls } from "../delivery/calls.ts";
import type { Collection, LeftOut } from "./collect.ts";

/** The files of an export by their path, and what was left out. */
export interface Exported {
  readonly files: ReadonlyMap<string, Uint8Array<ArrayBuffer>>;
  readonly leftOut: readonly LeftOut[];
}

/** How the reader of an export opens files and starts items. */
export const EXPORT_CALLS: Calls = { open: "read the file URI", start: "start the KIND NAME" };

const encode = (text: string) => new TextEncoder().encode(text);

/** One text with every part. Files that are not text are left out. */
export function toBundle({ entry, items, files, named, leftOut }: Collection, name: string): Exported {
  const isRead = ({ uri, text }: FileContent) => text !== undefined && (named.has(uri) || DOCUMENT.test(uri));
  const texts = files.filter(isRead);
  const others = files.filter((file) => !isRead(file)).map(({ uri, text }) => ({
    name: uri,
    why: text === undefined ? "it is not text" : "no text names it, and it is a program or a page",
  }));
  const parts = [
    ...items.slice(1).map(({ name, text }) => ({ head: `item ${name}`, text })),
    ...texts.map(({ uri, text = "" }) => ({ head: `file ${uri}`, text })),
  ];
  const mark = markFor([items[0]!.text, ...parts.map(({ text }) => text)]);
  const intro = [
    `# ${shorten(entry.title ?? entry.name)}`,
    "",
    "This one file holds everything for this chat: instructions, and the files and other instructions that they name.",
    `Each part begins with a line \`${mark} …\`. Follow the part \`${mark} start\` now.`,
    "",
    `- To read a file, find the part \`${mark} file bmad://…\`. A relative path belongs to the part that names it.`,
    `- To start another agent, workflow or skill, follow its part \`${mark} item …\`.`,
    "- Nothing can be run and no disk can be read here. Instead of writing a file, print it in the chat.",
  ];
  const contents = parts.length === 0 ? [] : ["", "Parts:", "", ...parts.map(({ head }) => `- ${head}`)];
  const body = [{ head: "start", text: items[0]!.text }, ...parts]
    .map(({ head, text }) => `\n${mark} ${head}\n\n${text.trimEnd()}\n`);
  const text = `${[...intro, ...contents].join("\n")}\n${body.join("")}\n${mark} end\n`;
  return { files: new Map([[name, encode(text)]]), leftOut: [...leftOut, ...others] };
}

/** What is read, not run or shown. */
const DOCUMENT = /\.(?:md|mdc|ya?ml|csv|xml|toml|json|txt)$/i;

/** A line beginning that no part has. */
function markFor(texts: readonly string[]): string {
  let mark = "=====";
  while (texts.some((text) => text.startsWith(`${mark} `) || text.includes(`\n${mark} `))) mark += "=";
  return mark;
}

/** Written into the front matter, so that a later export knows its own folder. */
export const GENERATOR = "bmad-mcp export";

/** A folder with a SKILL.md, the other instructions in `items` and everything else in `files`. */
export function toSkill({ entry, items, files, leftOut }: Collection, name: string): Exported {
  const result = new Map<string, Uint8Array<ArrayBuffer>>();
  const lost: LeftOut[] = [];
  const description = (asText(entry.description) ?? entry.title ?? entry.name).slice(0, 1_000);
  const front = formatYaml({ name, description, metadata: { generator: GENERATOR } });
  const others = items.slice(1);
  const intro = [
    "`bmad://PATH` is the file `files/PATH` beside this one.",
    ...(others.length === 0
      ? []
      : ["To start another agent, workflow or skill, follow `items/MODULE/NAME.md` beside this file."]),
  ].join(" ");
  const whyUnsafe = openNames();
  const put = (path: string, uri: string, bytes: Uint8Array<ArrayBuffer>) => {
    const why = whyUnsafe(path);
    if (why === undefined) result.set(path, bytes);
    else lost.push({ name: uri, why: `its name is not safe on every system: ${why}` });
  };
  put("SKILL.md", "SKILL.md", encode(`---\n${front}---\n\n${intro}\n\n${items[0]!.text.trimEnd()}\n`));
  for (const { name, text } of others) put(`items/${name}.md`, name, encode(`${text.trimEnd()}\n`));
  for (const file of files) put(`files/${pathOf(file.uri)}`, file.uri, file.bytes ?? encode(file.text ?? ""));
  return { files: result, leftOut: [...leftOut, ...lost] };
}

function pathOf(uri: FileContent["uri"]): string {
  const path = uri.startsWith(SCHEME) ? uri.slice(SCHEME.length) : uri;
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** `12 files, 340 KB`. */
export function sizeOf(files: Exported["files"]): string {
  const bytes = files.values().reduce((sum, each) => sum + each.length, 0);
  return `${counted(files.size, "file")}, ${Math.max(1, Math.round(bytes / 1_024))} KB`;
}
