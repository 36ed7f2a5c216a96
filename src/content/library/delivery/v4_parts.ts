/**
 * v4: a task together with the template or checklist that it is run with.
 *
 * The agents of v4 load a task, and the task asks for a template; `*create-doc prd-tmpl` means both. They are delivered
 * together, the task first, because it says what to do with the rest.
 */
import { type Entry, type Kind, type MenuItem, qualifiedName } from "../../../base/model.ts";
import type { Values } from "../../../base/values.ts";
import { uriOf } from "../files/files.ts";
import { fillPlaceholders } from "../files/placeholders.ts";
import { rawText } from "../files/reading.ts";
import { fileOf, type Library } from "../library.ts";

/** A text of several files. */
export interface Bundle {
  /** Lines for the front matter: what comes along. */
  readonly head: readonly string[];
  readonly text: string;
}

/** The task that each kind is run by. */
const RUNNERS: Readonly<Partial<Record<Kind, string>>> = {
  template: "create-doc",
  checklist: "execute-checklist",
};

const DELIVERED: readonly Kind[] = ["task", "template", "checklist"];

/** A task and its template; more is a text that only lists names. */
const MAX_PARTS = 3;
/** The name comes first in the user's text. */
const MAX_SEARCHED = 2_000;

/** What names files: the command of an agent, or the user's text for a task. */
type Naming = MenuItem | { readonly message?: string; readonly params?: Values };

/** An entry of v4, which has the text `text`, with the files that it needs. Undefined if nothing comes along. */
export function bundleOf(library: Library, entry: Entry, text: string, naming: Naming): Bundle | undefined {
  if (entry.generation !== "v4") return undefined;
  const words = wordsOf(entry, naming);
  const find = (kind: Kind, id: string) => findNear(library, entry, kind, id);
  const runnerOf = ({ kind }: Entry) => {
    const runner = RUNNERS[kind];
    return runner === undefined ? undefined : find("task", runner);
  };
  const own = runnerOf(entry);
  if (own !== undefined) return bundle(library, [own], entry, text);
  const ids = new Set(
    words.slice(0, MAX_SEARCHED).toLowerCase().split(/[^a-z0-9-]/).filter((id) => id.includes("-")),
  );
  const named = DELIVERED.flatMap((kind) => [...ids].map((id) => find(kind, id)))
    .filter((one) => one !== undefined && one !== entry && one.key !== entry.key) as readonly Entry[];
  const runners = named.map(runnerOf).filter((one) => one !== undefined && one.key !== entry.key) as Entry[];
  // A task that is only mentioned in the user's text for another task is not run.
  const wanted = [...runners, ...named].filter(({ kind }) => entry.kind === "agent" || kind !== "task");
  const parts = [...new Map(wanted.map((one) => [one.key, one])).values()].slice(0, MAX_PARTS);
  return parts.length === 0 ? undefined : bundle(library, parts, entry, text, true);
}

function wordsOf({ kind }: Entry, naming: Naming): string {
  if ("code" in naming) return `${naming.label} ${naming.code}`;
  const { message = "", params = {} } = naming;
  return kind === "task" ? `${JSON.stringify(params)} ${message}` : "";
}

function bundle(
  library: Library,
  parts: readonly Entry[],
  entry: Entry,
  text: string,
  isFirst = false,
): Bundle {
  const sections = parts.map((part) =>
    sectionOf(library, part, fillPlaceholders(rawText(library, part), fileOf(library, part)))
  );
  return {
    head: parts.map((part) => `${part.kind}: ${qualifiedName(part)}`),
    text: (isFirst ? [text.trimEnd(), ...sections] : [...sections, sectionOf(library, entry, text)]).join(
      "\n\n",
    ),
  };
}

function sectionOf(library: Library, entry: Entry, text: string): string {
  return `=== ${entry.kind}: ${uriOf(library, entry)} ===\n${text.trimEnd()}`;
}

/** The entry with an id: of the same pack if it has one, else of another. */
function findNear(library: Library, { module }: Entry, kind: Kind, id: string): Entry | undefined {
  const found = library.effective.filter((one) =>
    one.generation === "v4" && one.kind === kind && one.id === id
  );
  return found.find((one) => one.module === module) ?? found.find((one) => one.module === "bmad-core") ??
    found[0];
}
