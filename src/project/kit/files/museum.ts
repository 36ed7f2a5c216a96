/**
 * The failure museum. An entry is a heading `### [2026-02-10] [dev] CC-FAIL — title`, or such a point of a list,
 * with labelled lines below it, in a chapter for its severity. Everything else is kept as notes, except the examples
 * that every new file has.
 */
import { chooseFrom } from "../../../base/errors.ts";
import { FAILURE_CATEGORIES } from "../../../base/model.ts";
import { counted } from "../../../base/text.ts";
import { projectWords } from "./context.ts";
import { dayOf, newestFirst, type ReadRemembered, type Remembered, titleOf } from "./records.ts";
import { noteOf } from "./chapters.ts";
import { bodyOf, labelsIn, type Line, plainWords, type Section, sectionsOf } from "../../../base/markdown.ts";
import { findFile, memoryPaths, type ProjectFolder } from "./project_folder.ts";
import { joinLines, type Report } from "../../../base/report.ts";

const SEVERITIES = ["critical", "important", "minor"] as const;
type Severity = typeof SEVERITIES[number];

interface MuseumEntry {
  readonly severity?: Severity;
  readonly date?: string;
  readonly agent?: string;
  readonly category: string;
  readonly title: string;
  readonly facts: Readonly<Record<string, string>>;
}

export interface MuseumRequest {
  readonly category?: string;
  readonly limit?: number;
}

const DEFAULT_LIMIT = 10;
const ANY = "all";
const UNKNOWN = "UNKNOWN";

export async function reportMuseum(
  project: ProjectFolder,
  { category = ANY, limit = DEFAULT_LIMIT }: MuseumRequest,
  read: ReadRemembered,
): Promise<Report> {
  const wanted = category.toUpperCase() === UNKNOWN
    ? UNKNOWN
    : chooseFrom([ANY, ...FAILURE_CATEGORIES], "category", category);
  const paths = memoryPaths(project, "failure-museum.md");
  const file = findFile(project, paths);
  const { entries, notes } = parseMuseum(project.clean.text(file?.text ?? ""), projectWords(project));
  const { memories, problem: unread } = await read({ type: "failures" });
  const all = [...entries, ...memories.map(asFailure)];
  const fitting = all.filter((entry) => wanted === ANY || entry.category === wanted).sort(mostSevereFirst);
  const shown = fitting.slice(0, limit);
  const head = file === undefined && all.length === 0
    ? `No failures recorded: ${paths[0]} does not exist`
    : file?.problem !== undefined && all.length === 0
    ? `${file.path}: ${file.problem}`
    : counted(fitting.length, "failure") + (wanted === ANY ? "" : ` in category ${wanted}`) +
      ", most severe first" +
      (shown.length < fitting.length ? `; ${shown.length} shown, raise the limit for more` : "");
  const { path, problem } = file ?? {};
  const others = wanted === ANY && notes !== "" ? [notes] : [];
  return {
    text: joinLines(
      head,
      all.length > 0 && problem !== undefined && `${path}: ${problem}`,
      unread,
      shown.map(render),
      others.map((text) => `\n## Notes\n${text}`),
    ),
    data: {
      file: path,
      problem: problem ?? unread,
      total: all.length,
      fitting: fitting.length,
      failures: shown,
      ...(others.length === 0 ? {} : { notes }),
    },
  };
}

function mostSevereFirst(a: MuseumEntry, b: MuseumEntry): number {
  const rank = ({ severity }: MuseumEntry) =>
    severity === undefined ? SEVERITIES.length : SEVERITIES.indexOf(severity);
  return rank(a) - rank(b) || newestFirst(a, b);
}

const CHAPTERS: readonly (readonly [Severity, RegExp])[] = [
  ["critical", /🔴|\bcriti/],
  ["important", /🟡|\bimportant/],
  ["minor", /🟢|\bm(?:icro|inor|ineur)/],
];

const HOW_TO = /\b(?:ajouter une entree|add(?:ing)? an entry|how to add)\b/;
/** What the kit writes into an empty file, and the form of an entry, to be filled in. */
const TEMPLATE = /^(?:>\s*Format\s*:.*|\*?\(?(?:Aucune?|None)\b[^\n]{0,60})$/i;
const FORM = /^\[?[A-Z]{4}-[A-Z]{2}-[A-Z]{2}\b/i;

type Draft = Omit<MuseumEntry, "facts"> & { readonly facts: (readonly [name: string, value: string])[] };

export function parseMuseum(
  text: string,
  names: readonly string[] = [],
): { readonly entries: readonly MuseumEntry[]; readonly notes: string } {
  const entries: Draft[] = [];
  const notes: string[] = [];
  let severity: Severity | undefined;
  let isHowTo = false, isOpen = false;
  for (const section of sectionsOf(text)) {
    const { level, heading, lines } = section;
    if (level <= 2) {
      const words = plainWords(heading);
      isHowTo = HOW_TO.test(words);
      severity = CHAPTERS.find(([, sign]) => sign.test(`${heading} ${words}`))?.[0];
    }
    if (isHowTo || FORM.test(heading)) continue;
    const entry = level < 1 ? undefined : entryOf(section, level === 3 ? severity : undefined);
    if (entry !== undefined) {
      entries.push(severity === undefined ? entry : { ...entry, severity });
      isOpen = true;
    } else if (level > 3 && isOpen) entries.at(-1)!.facts.push([heading, bodyOf(lines)]);
    else {
      isOpen = false;
      // A code fence outside an entry is an example.
      const said = lines.filter(({ text, isCode }) => !isCode && !TEMPLATE.test(text.trim()));
      const points = pointEntries(said, severity);
      entries.push(...points.entries);
      const note = noteOf(section, bodyOf(points.others), names);
      if (note !== "") notes.push(note);
    }
  }
  const joined = entries.map(({ facts, ...entry }) => ({ ...entry, facts: joinFacts(facts) }));
  return { entries: joined, notes: notes.join("\n\n") };
}

function pointEntries(lines: readonly Line[], severity: Severity | undefined) {
  const entries: Draft[] = [];
  const others: Line[] = [];
  let open: { readonly heading: string; readonly lines: Line[] } | undefined;
  const close = () => {
    const entry = open && entryOf(open, undefined);
    if (entry !== undefined) entries.push(severity === undefined ? entry : { ...entry, severity });
    open = undefined;
  };
  for (const line of lines) {
    const [, point] = /^\s{0,3}[-*+]\s+(\[\d{4}-\d{2}-\d{2}\].*)$/.exec(line.text) ?? [];
    const goesOn = open !== undefined && line.text.trim() !== "" && !/^[-*+]\s/.test(line.text);
    if (point !== undefined) {
      close();
      open = { heading: point, lines: [] };
    } else if (goesOn) open!.lines.push(line);
    else {
      close();
      others.push(line);
    }
  }
  close();
  return { entries, others };
}

function entryOf(
  { heading, lines }: Pick<Section, "heading" | "lines">,
  severity: Severity | undefined,
): Draft | undefined {
  const [, date, agent, named] = /^\[?(\d{4}-\d{2}-\d{2})\]?\s*(?:\[([^\]]*)\])?\s*(.*)$/s.exec(heading) ??
    [];
  // In a chapter of entries a heading without a date is an entry too.
  if (date === undefined && severity === undefined) return undefined;
  const rest = named ?? heading;
  const category = FAILURE_CATEGORIES.find((one) => rest.toUpperCase().includes(one));
  const [, before = "", after = ""] = /^([^—–]*)[—–]\s*(.*)$/s.exec(rest) ?? [];
  const title = after !== "" && /^\W*$/.test(before.toUpperCase().replace(category ?? "", "")) ? after : rest;
  const labels = labelsIn(lines);
  const first = lines.findIndex(({ text, isCode }) =>
    !isCode && labelsIn([{ text, isCode, number: 0 }]).length > 0
  );
  const unlabelled = bodyOf(first < 0 ? lines : lines.slice(0, first));
  return {
    ...(date === undefined ? {} : { date }),
    ...(agent === undefined || agent === "" ? {} : { agent }),
    category: category ?? UNKNOWN,
    title: title.replace(`[${category}]`, "").trim(),
    facts: [
      ...(unlabelled === "" ? [] : [["notes", unlabelled] as const]),
      ...labels.map(([label, value]) => [factOf(label), value] as const),
    ],
  };
}

function joinFacts(facts: readonly (readonly [string, string])[]): Readonly<Record<string, string>> {
  const joined = Map.groupBy(facts, ([name]) => name).entries();
  return Object.fromEntries(joined.map(([name, own]) => [name, own.map(([, value]) => value).join("\n")]));
}

const FACTS: readonly (readonly [fact: string, label: RegExp])[] = [
  ["happened", /^(?:ce qui s est passe|what happened)/],
  ["cause", /^(?:cause|root cause)/],
  ["impact", /^impact/],
  ["lesson", /^(?:lecon|lesson)/],
  ["rule", /^(?:regle|rule|new rule)/],
];

function factOf(label: string): string {
  const words = plainWords(label);
  return FACTS.find(([, sign]) => sign.test(words))?.[0] ?? label;
}

function render({ severity, date, agent, category, title, facts }: MuseumEntry): string {
  const head = [`\n## ${date ?? "undated"}`, agent, severity, `${category}: ${title}`];
  const lines = Object.entries(facts).map(([fact, value]) => `${fact}: ${value}`);
  return [head.filter((part) => part !== undefined).join(" · "), ...lines].join("\n");
}

function asFailure({ agent, text, tags, createdAt }: Remembered): MuseumEntry {
  const { title, rest } = titleOf(text);
  const named = [...tags, text].map((part) => part.toUpperCase());
  const category = FAILURE_CATEGORIES.find((one) => named.some((part) => part.includes(one)));
  return {
    ...dayOf(createdAt),
    agent,
    category: category ?? UNKNOWN,
    title,
    facts: {
      ...(rest === "" ? {} : { notes: rest }),
      ...(tags.length === 0 ? {} : { tags: tags.join(", ") }),
      source: "memory",
    },
  };
}
