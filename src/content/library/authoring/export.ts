/** Exports what an agent or a workflow leads to, collected as a reader reads, as one text or a plain skill. */
import { attempt, recover } from "../../../base/absence.ts";
import { BmadError } from "../../../base/errors.ts";
import { type Entry, qualifiedName } from "../../../base/model.ts";
import { shorten } from "../../../base/text.ts";
import type { Work } from "../../../base/work.ts";
import { findByName } from "../../catalog/mod.ts";
import { asText, asTexts, formatYaml, parseYaml } from "../../parse.ts";
import { filesOf, uriOf } from "../files/files.ts";
import { SCHEME } from "../files/mounts.ts";
import { type FileContent, rawText } from "../files/reading.ts";
import type { Calls } from "../delivery/calls.ts";
import { type ExecuteRequest, readMenu } from "../delivery/execute.ts";
import { isLauncher } from "../delivery/launcher.ts";
import type { Library } from "../library.ts";
import { referencesAt } from "../health/closure.ts";
import { entryInForce } from "../rows/in_force.ts";
import type { ReadOptions } from "../uris/read.ts";
import { openNames } from "../../../base/paths.ts";
import { LIMITS } from "../../limits.ts";

interface Reader {
  execute(library: Library, entry: Entry, request: ExecuteRequest): Promise<string>;
  read(library: Library, reference: string, options: ReadOptions): Promise<FileContent>;
}

export interface ExportRequest {
  readonly form: "skill" | "web-bundle";
  readonly name: string;
}

export async function exportWith(
  reader: Reader,
  library: Library,
  entry: Entry,
  { form, name }: ExportRequest,
  work: Work,
): Promise<Exported> {
  const collection = await collect(reader, library, entry, work);
  return form === "skill" ? toSkill(collection, name) : toBundle(collection, name);
}

type LeftOut = Readonly<Record<"name" | "why", string>>;
type Collection = Awaited<ReturnType<typeof collect>>;

async function collect(reader: Reader, library: Library, entry: Entry, { signal }: Work) {
  const started = new Map<string, string>();
  const files = new Map<string, FileContent>();
  const named = new Set<string>();
  const leftOut = new Map<string, string>();
  const itemNamed = (name: string) => findByName(library.effective, { name });
  const ids = new Map(library.effective.map((item) => [item.id, item]));
  const queue = new Map([[qualifiedName(entry), entry]]);
  let bytes = 0;
  const add = (file: FileContent): boolean => {
    const [uri = ""] = file.uri.split("#");
    if (files.has(uri)) return false;
    bytes += file.bytes?.length ?? file.text?.length ?? 0;
    if (files.size >= LIMITS.exports.files || bytes > LIMITS.exports.bytes) {
      leftOut.set(uri, "too much for one export");
      return false;
    }
    files.set(uri, { ...file, uri });
    return true;
  };
  const start = (other: Entry | undefined, name: string) => {
    if (other === undefined || other.status === "no-file-found") leftOut.set(name, "it does not exist");
    else if (queue.size >= LIMITS.exports.items) leftOut.set(name, "too much for one export");
    else queue.set(qualifiedName(other), other);
  };
  for (const [name, item] of queue) {
    signal?.throwIfAborted();
    const text = await reader.execute(library, item, { calls: CALLS });
    started.set(name, text);
    const texts = [{ uri: uriOf(library, item), text }];
    const open = async (reference: string, isNamed = true) => {
      signal?.throwIfAborted();
      await recover(BmadError, async () => {
        const file = await reader.read(library, reference, { of: item, calls: CALLS });
        if (isNamed) named.add(file.uri.split("#")[0]!);
        const other = file.item === undefined ? undefined : itemNamed(file.item);
        if (add(file) && other === undefined && file.text !== undefined) {
          texts.push({ uri: file.uri, text: file.text });
        }
        if (other !== undefined) start(other, file.item!);
      }, (error) => leftOut.getOrInsert(reference, explainFailure(error)));
    };
    // What only the text of the launcher itself needs is done.
    const own = isLauncher(library, item) ? [] : filesOf(library, item);
    for (const { uri } of own) if (uri !== uriOf(library, item)) await open(uri, false);
    for (const target of await targetsOf(library, item)) {
      if (target.includes("/")) await open(target);
      else start(itemNamed(target), target);
    }
    const startNamed = (each: string) => {
      for (const [, before, after] of each.matchAll(NAMED_SKILL)) {
        const other = ids.get(before ?? after ?? "");
        if (other !== undefined) start(other, other.id);
      }
    };
    for (const each of texts) {
      startNamed(each.text);
      const uris = each.text.matchAll(URI).map(([uri]) => uri);
      for (const reference of new Set([...referencesAt(each.uri, each.text), ...uris])) {
        if (!reference.startsWith(SKILL)) await open(reference);
        else start(itemNamed(reference.slice(SKILL.length)), reference.slice(SKILL.length));
      }
    }
  }
  return {
    entry,
    items: Array.from(started, ([name, text]) => ({ name, text })),
    files: [...files.values()].toSorted((a, b) => a.uri < b.uri ? -1 : 1),
    named,
    leftOut: Array.from(leftOut, ([name, why]) => ({ name, why })),
  };
}

const SKILL = "skill:";

const URI = /\bbmad:\/\/[\w./%@+-]{1,300}\.\w{1,10}\b/g;

/** Prose that tells its reader to start a skill: the `x` skill, skill `x`. */
const NAMED_SKILL = /`([a-z][\w-]{1,80})` skill\b|\bskill `([a-z][\w-]{1,80})`/g;

async function targetsOf(library: Library, entry: Entry): Promise<readonly string[]> {
  if (entry.kind === "team") return teamMembers(library, entry);
  const menu = readMenu(library, await entryInForce(library, entry));
  return menu.map(({ target }) => target ?? "").filter((target) => target !== "" && !/^todo/i.test(target));
}

function teamMembers(library: Library, entry: Entry): readonly string[] {
  const agents = library.effective.filter(({ kind, module }) => kind === "agent" && module === entry.module);
  const names = asTexts(parseYaml(rawText(library, entry)).value["agents"] ?? []);
  return names.flatMap((name) => name === "*" ? agents.map(({ id }) => id) : [name]);
}

function explainFailure({ failure, message }: BmadError): string {
  if (failure.code === "not-found") return "it does not exist";
  return failure.code === "invalid-input" && message.includes("of your project")
    ? "it is a file of the project"
    : shorten(message);
}

export interface Exported {
  readonly files: ReadonlyMap<string, Uint8Array<ArrayBuffer>>;
  readonly leftOut: readonly LeftOut[];
}

const CALLS: Calls = { open: "read the file URI", start: "start the KIND NAME" };

const encode = (text: string) => new TextEncoder().encode(text);

function toBundle({ entry, items, files, named, leftOut }: Collection, name: string): Exported {
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

const DOCUMENT = /\.(?:md|mdc|ya?ml|csv|xml|toml|json|txt)$/i;

function markFor(texts: readonly string[]): string {
  let mark = "=====";
  while (texts.some((text) => text.startsWith(`${mark} `) || text.includes(`\n${mark} `))) mark += "=";
  return mark;
}

function toSkill({ entry, items, files, leftOut }: Collection, name: string): Exported {
  const result = new Map<string, Uint8Array<ArrayBuffer>>();
  const lost: LeftOut[] = [];
  const description = (asText(entry.description) ?? entry.title ?? entry.name).slice(0, 1_000);
  // A later export knows its own folder by its generator.
  const front = formatYaml({ name, description, metadata: { generator: "bmad-mcp export" } });
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

function pathOf(uri: string): string {
  const path = uri.startsWith(SCHEME) ? uri.slice(SCHEME.length) : uri;
  return attempt(() => decodeURIComponent(path)) ?? path;
}
