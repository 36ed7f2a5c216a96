/**
 * An entry is a heading `### [2026-02-10] [dev] CC-FAIL — title`, or such a point of a list, in a chapter for its
 * severity. Everything else is kept as notes, except the examples of a new file.
 */
import { chooseFrom } from "../../../base/errors.ts";
import { FAILURE_CATEGORIES } from "../../../base/model.ts";
import { counted } from "../../../base/text.ts";
import { readContext, wordsIn } from "./context.ts";
import { dayOf, newestFirst, type ReadRemembered, type Remembered, titleOf } from "./records.ts";
import { noteOf, splitPoints } from "./documents.ts";
import { bodyOf, labelsIn, type Line, plainWords, sectionsOf } from "../../../base/markdown.ts";
import { findFile, memoryPaths, type ProjectFolder } from "./project_folder.ts";
import { joinLines, type Report } from "../../../base/report.ts";

/** The signs in headings of their chapters, most severe first. */
const SEVERITIES = {
  critical: /🔴|\bcriti/,
  important: /🟡|\bimportant/,
  minor: /🟢|\bm(?:icro|inor|ineur)/,
};
type Severity = keyof typeof SEVERITIES;
const RANKING = Object.keys(SEVERITIES) as readonly Severity[];

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
  const { entries, notes } = parseMuseum(
    project.clean.text(file?.text ?? ""),
    wordsIn(readContext(project).project),
  );
  const { memories, problem: unread } = await read({ type: "failures" });
  const all = [...entries, ...memories.map(asFailure)];
  const fitting = all.filter((entry) => wanted === ANY || entry.category === wanted)
    .sort((a, b) => rankOf(a) - rankOf(b) || newestFirst(a, b));
  const shown = fitting.slice(0, limit);
  const { path, problem } = file ?? {};
  const fault = problem !== undefined && `${path}: ${problem}`;
  const about = wanted === ANY ? "" : ` in category ${wanted}`;
  const head = `${counted(fitting.length, "failure")}${about}, most severe first` +
    (shown.length < fitting.length ? `; ${shown.length} shown, raise the limit for more` : "");
  const nothing = fault || (file === undefined && `No failures recorded: ${paths[0]} does not exist`);
  const hasNotes = wanted === ANY && notes !== "";
  return {
    text: joinLines(
      all.length === 0 && nothing ? nothing : head,
      all.length > 0 && fault,
      unread,
      shown.map(render),
      hasNotes && `\n## Notes\n${notes}`,
    ),
    data: {
      file: path,
      problem: problem ?? unread,
      total: all.length,
      fitting: fitting.length,
      failures: shown,
      ...(hasNotes && { notes }),
    },
  };
}

function rankOf({ severity }: MuseumEntry): number {
  return severity === undefined ? RANKING.length : RANKING.indexOf(severity);
}

const HOW_TO = /\b(?:ajouter une entree|add(?:ing)? an entry|how to add)\b/;
/** What the kit writes into an empty file, and the form of an entry, to be filled in. */
const TEMPLATE = /^(?:>\s*Format\s*:.*|\*?\(?(?:Aucune?|None)\b[^\n]{0,60})$/i;
const FORM = /^\[?[A-Z]{4}-[A-Z]{2}-[A-Z]{2}\b/i;

type Draft = Omit<MuseumEntry, "facts"> & { readonly facts: (readonly [name: string, value: string])[] };

export function parseMuseum(text: string, names: readonly string[] = []) {
  const entries: Draft[] = [];
  const notes: string[] = [];
  let severity: Severity | undefined;
  let isHowTo = false, isOpen = false;
  const add = (entry: Draft) => entries.push(severity === undefined ? entry : { ...entry, severity });
  for (const section of sectionsOf(text)) {
    const { level, heading, lines } = section;
    if (level <= 2) {
      const words = plainWords(heading);
      isHowTo = HOW_TO.test(words);
      severity = RANKING.find((one) => SEVERITIES[one].test(`${heading} ${words}`));
    }
    if (isHowTo || FORM.test(heading)) continue;
    // In a chapter of entries a heading without a date is an entry too.
    const isEntry = level >= 1 && (DATED.test(heading) || (level === 3 && severity !== undefined));
    if (isEntry) add(entryOf(heading, lines));
    else if (level > 3 && isOpen) entries.at(-1)!.facts.push([heading, bodyOf(lines)]);
    else {
      // A code fence outside an entry is an example.
      const said = lines.filter(({ text, isCode }) => !isCode && !TEMPLATE.test(text.trim()));
      const { points, others } = splitPoints(said, (point) => /^\[\d/.test(point) ? DATED.exec(point) : null);
      for (const { head, lines } of points) add(entryOf(head[0], lines));
      const note = noteOf(section, bodyOf(others), names);
      if (note !== "") notes.push(note);
    }
    isOpen = isEntry || (level > 3 && isOpen);
  }
  const joined = entries.map(({ facts, ...entry }): MuseumEntry => {
    const byName = Map.groupBy(facts, ([name]) => name).entries();
    const texts = byName.map(([name, own]) => [name, own.map(([, value]) => value).join("\n")]);
    return { ...entry, facts: Object.fromEntries(texts) };
  });
  return { entries: joined, notes: notes.join("\n\n") };
}

const DATED = /^\[?(\d{4}-\d{2}-\d{2})\]?\s*(?:\[([^\]]*)\])?\s*(.*)$/s;

function entryOf(heading: string, lines: readonly Line[]): Draft {
  const [, date, agent, rest = heading] = DATED.exec(heading) ?? [];
  const category = categoryIn([rest]);
  const [, before = "", after = ""] = /^([^—–]*)[—–]\s*(.*)$/s.exec(rest) ?? [];
  const title = after !== "" && /^\W*$/.test(before.toUpperCase().replace(category, "")) ? after : rest;
  const first = lines.findIndex((line) => labelsIn([line]).length > 0);
  const unlabelled = bodyOf(first < 0 ? lines : lines.slice(0, first));
  return {
    ...(date !== undefined && { date }),
    ...(agent && { agent }),
    category,
    title: title.replace(`[${category}]`, "").trim(),
    facts: [
      ...(unlabelled === "" ? [] : [["notes", unlabelled] as const]),
      ...labelsIn(lines).map(([label, value]) => {
        const words = plainWords(label);
        return [FACTS.find(([, sign]) => sign.test(words))?.[0] ?? label, value] as const;
      }),
    ],
  };
}

function categoryIn(texts: readonly string[]): string {
  const said = texts.map((text) => text.toUpperCase());
  return FAILURE_CATEGORIES.find((one) => said.some((text) => text.includes(one))) ?? UNKNOWN;
}

const FACTS: readonly (readonly [fact: string, label: RegExp])[] = [
  ["happened", /^(?:ce qui s est passe|what happened)/],
  ["cause", /^(?:root )?cause/],
  ["impact", /^impact/],
  ["lesson", /^(?:lecon|lesson)/],
  ["rule", /^(?:regle|(?:new )?rule)/],
];

function render({ severity, date, agent, category, title, facts }: MuseumEntry): string {
  const head = [`\n## ${date ?? "undated"}`, agent, severity, `${category}: ${title}`];
  const lines = Object.entries(facts).map(([fact, value]) => `${fact}: ${value}`);
  return [head.filter((part) => part !== undefined).join(" · "), ...lines].join("\n");
}

function asFailure({ agent, text, tags, createdAt }: Remembered): MuseumEntry {
  const { title, rest } = titleOf(text);
  return {
    ...dayOf(createdAt),
    agent,
    category: categoryIn([...tags, text]),
    title,
    facts: {
      ...(rest !== "" && { notes: rest }),
      ...(tags.length > 0 && { tags: tags.join(", ") }),
      source: "memory",
    },
  };
}
