/**
 * The failure museum: what went wrong in a project, and what was learned from it.
 *
 * An entry is a heading `### [2026-02-10] [dev] CC-FAIL — title` with labelled lines below it, in a chapter for its
 * severity. The examples that every fresh file has, in comments and in a code fence, are no entries.
 */
import { fail } from "../../base/errors.ts";
import { FAILURE_CATEGORIES } from "../../base/model.ts";
import { labelsIn, plainWords, type Section, sectionsOf } from "../../base/markdown.ts";
import { findFile, memoryPaths, type Project } from "./project.ts";
import type { Report } from "../../base/report.ts";

/** How grave an entry is, from the gravest. */
const SEVERITIES = ["critical", "important", "minor"] as const;
type Severity = typeof SEVERITIES[number];

/** What went wrong once. */
export interface Exhibit {
  readonly severity?: Severity;
  readonly date?: string;
  readonly agent?: string;
  /** One of the kit's, or `UNKNOWN`. */
  readonly category: string;
  readonly title: string;
  /** What is said of it: what happened, the cause, the impact, the lesson, the rule, and under its own label the rest. */
  readonly facts: Readonly<Record<string, string>>;
}

/** Which entries are wanted. */
export interface MuseumRequest {
  /** `all`, or one of the categories. */
  readonly category?: string;
  /** So many of the gravest; of those that are equally grave, the youngest. */
  readonly topN?: number;
}

const USUAL = 10;

/** The entries of a project's museum, the gravest first. */
export function visitMuseum(project: Project, { category = "all", topN = USUAL }: MuseumRequest): Report {
  const wanted = [...FAILURE_CATEGORIES, "UNKNOWN"].find((one) => one === category.toUpperCase());
  if (wanted === undefined && category.toLowerCase() !== "all") {
    const problem = `${JSON.stringify(category.slice(0, 60).toWellFormed())} is no category`;
    fail({
      code: "invalid-input",
      field: "category",
      problem,
      hint: `Use all or one of ${FAILURE_CATEGORIES.join(", ")}`,
    });
  }
  const paths = memoryPaths(project, "failure-museum.md");
  const file = findFile(project, paths);
  const all = parseMuseum(project.clean.text(file?.text ?? ""));
  const fitting = all.filter((entry) => wanted === undefined || entry.category === wanted).sort(byGravity);
  const shown = fitting.slice(0, topN);
  const of = wanted === undefined ? "" : ` of ${wanted}`;
  const head = file === undefined
    ? `No failures are written down: there is no ${paths[0]}.`
    : file.problem !== undefined
    ? `${file.path}: ${file.problem}.`
    : `${fitting.length} ${fitting.length === 1 ? "failure" : "failures"}${of}, the gravest first` +
      (shown.length < fitting.length ? `; ${shown.length} shown, top_n shows more` : "");
  return {
    text: [head, ...shown.map(render)].join("\n"),
    data: {
      file: file?.path,
      problem: file?.problem,
      total: all.length,
      fitting: fitting.length,
      failures: shown,
    },
  };
}

function byGravity(a: Exhibit, b: Exhibit): number {
  const place = ({ severity }: Exhibit) =>
    severity === undefined ? SEVERITIES.length : SEVERITIES.indexOf(severity);
  return place(a) - place(b) || ((a.date ?? "") < (b.date ?? "") ? 1 : a.date === b.date ? 0 : -1);
}

/** What chapters are called, by the sign or the word that tells how grave their entries are. */
const CHAPTERS: readonly (readonly [Severity, RegExp])[] = [
  ["critical", /🔴|\bcriti/],
  ["important", /🟡|\bimportant/],
  ["minor", /🟢|\bm(?:icro|inor|ineur)/],
];

/** Every entry of a museum, in the order of the file. */
export function parseMuseum(text: string): readonly Exhibit[] {
  const found: Exhibit[] = [];
  let severity: Severity | undefined;
  for (const section of sectionsOf(text)) {
    if (section.level <= 2) {
      const heading = `${section.heading} ${plainWords(section.heading)}`;
      severity = CHAPTERS.find(([, sign]) => sign.test(heading))?.[0];
    } else if (section.level === 3) {
      const entry = entryOf(section, severity);
      if (entry !== undefined) found.push(entry);
    }
  }
  return found;
}

function entryOf({ heading, lines }: Section, severity: Severity | undefined): Exhibit | undefined {
  const [, date, agent, named] = /^\[(\d{4}-\d{2}-\d{2})\]\s*(?:\[([^\]]*)\])?\s*(.*)$/.exec(heading) ?? [];
  // A heading without a date is an entry where entries stand, unless it is the form to fill in.
  if (date === undefined && (severity === undefined || heading.startsWith("["))) return undefined;
  const rest = named ?? heading;
  const category = FAILURE_CATEGORIES.find((one) => rest.toUpperCase().includes(one));
  const [, title = rest] = /^[^—–]*[—–]\s*(.*)$/.exec(rest) ?? [];
  return {
    ...(severity === undefined ? {} : { severity }),
    ...(date === undefined ? {} : { date }),
    ...(agent === undefined || agent === "" ? {} : { agent }),
    category: category ?? "UNKNOWN",
    title: title.replace(`[${category}]`, "").trim(),
    facts: Object.fromEntries(labelsIn(lines).map(([label, value]) => [factOf(label), value])),
  };
}

/** The labels of an entry, in French and English, by what their words begin with. */
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

function render({ severity, date, agent, category, title, facts }: Exhibit): string {
  const head = [`\n## ${date ?? "undated"}`, agent, severity, `${category}: ${title}`];
  const lines = Object.entries(facts).map(([fact, value]) => `${fact}: ${value}`);
  return [head.filter((part) => part !== undefined).join(" · "), ...lines].join("\n");
}
