/**
 * The failure museum: what went wrong in a project, and what was learned from it.
 *
 * An entry is a heading `### [2026-02-10] [dev] CC-FAIL — title` with labelled lines below it, in a chapter for its
 * severity. The examples that every new file has, in comments and a code fence, do not count.
 */
import { FAILURE_CATEGORIES } from "../../base/model.ts";
import { counted } from "../../base/text.ts";
import { chooseFrom } from "./closed_set.ts";
import { newestFirst } from "./dates.ts";
import { labelsIn, plainWords, type Section, sectionsOf } from "../../base/markdown.ts";
import { findFile, memoryPaths, type ProjectFolder } from "./project_folder.ts";
import type { Report } from "../../base/report.ts";

/** Most severe first. */
const SEVERITIES = ["critical", "important", "minor"] as const;
type Severity = typeof SEVERITIES[number];

export interface MuseumEntry {
  readonly severity?: Severity;
  readonly date?: string;
  readonly agent?: string;
  /** One of the kit's categories, or `UNKNOWN`. */
  readonly category: string;
  readonly title: string;
  /** What happened, cause, impact, lesson and rule; everything else under its own label. */
  readonly facts: Readonly<Record<string, string>>;
}

/** Which entries are wanted. */
export interface MuseumRequest {
  /** `all`, or one of the categories. */
  readonly category?: string;
  readonly limit?: number;
}

const DEFAULT_LIMIT = 10;
const ANY = "all";
const UNKNOWN = "UNKNOWN";

/** The entries of a project's museum, most severe first, then newest first. */
export function reportMuseum(
  project: ProjectFolder,
  { category = ANY, limit = DEFAULT_LIMIT }: MuseumRequest,
): Report {
  const wanted = category.toUpperCase() === UNKNOWN
    ? UNKNOWN
    : chooseFrom([ANY, ...FAILURE_CATEGORIES], "category", category);
  const paths = memoryPaths(project, "failure-museum.md");
  const file = findFile(project, paths);
  const all = parseMuseum(project.clean.text(file?.text ?? ""));
  const fitting = all.filter((entry) => wanted === ANY || entry.category === wanted).sort(mostSevereFirst);
  const shown = fitting.slice(0, limit);
  const head = file === undefined
    ? `No failures recorded: ${paths[0]} does not exist`
    : file.problem !== undefined
    ? `${file.path}: ${file.problem}`
    : counted(fitting.length, "failure") + (wanted === ANY ? "" : ` in category ${wanted}`) +
      ", most severe first" +
      (shown.length < fitting.length ? `; ${shown.length} shown, raise the limit for more` : "");
  const { path, problem } = file ?? {};
  const data = { file: path, problem, total: all.length, fitting: fitting.length, failures: shown };
  return { text: [head, ...shown.map(render)].join("\n"), data };
}

function mostSevereFirst(a: MuseumEntry, b: MuseumEntry): number {
  const rank = ({ severity }: MuseumEntry) =>
    severity === undefined ? SEVERITIES.length : SEVERITIES.indexOf(severity);
  return rank(a) - rank(b) || newestFirst(a, b);
}

/** The sign or the word in a chapter's heading that tells the severity of its entries. */
const CHAPTERS: readonly (readonly [Severity, RegExp])[] = [
  ["critical", /🔴|\bcriti/],
  ["important", /🟡|\bimportant/],
  ["minor", /🟢|\bm(?:icro|inor|ineur)/],
];

export function parseMuseum(text: string): readonly MuseumEntry[] {
  const entries: MuseumEntry[] = [];
  let severity: Severity | undefined;
  for (const section of sectionsOf(text)) {
    if (section.level <= 2) {
      const heading = `${section.heading} ${plainWords(section.heading)}`;
      severity = CHAPTERS.find(([, sign]) => sign.test(heading))?.[0];
    } else if (section.level === 3) {
      const entry = entryOf(section, severity);
      if (entry !== undefined) entries.push(entry);
    }
  }
  return entries;
}

function entryOf({ heading, lines }: Section, severity: Severity | undefined): MuseumEntry | undefined {
  const [, date, agent, named] = /^\[(\d{4}-\d{2}-\d{2})\]\s*(?:\[([^\]]*)\])?\s*(.*)$/.exec(heading) ?? [];
  // In a chapter of entries a heading without a date is an entry too, unless it is the template's form to fill in.
  if (date === undefined && (severity === undefined || heading.startsWith("["))) return undefined;
  const rest = named ?? heading;
  const category = FAILURE_CATEGORIES.find((one) => rest.toUpperCase().includes(one));
  const [, title = rest] = /^[^—–]*[—–]\s*(.*)$/.exec(rest) ?? [];
  return {
    ...(severity === undefined ? {} : { severity }),
    ...(date === undefined ? {} : { date }),
    ...(agent === undefined || agent === "" ? {} : { agent }),
    category: category ?? UNKNOWN,
    title: title.replace(`[${category}]`, "").trim(),
    facts: Object.fromEntries(labelsIn(lines).map(([label, value]) => [factOf(label), value])),
  };
}

/** How the labels of an entry begin, in French and English. */
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
