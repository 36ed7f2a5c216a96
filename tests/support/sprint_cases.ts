/** Calls of `sprint_plan.py` and `sprint_status.py` on generated ledgers and epics. */
import { load } from "js-yaml";
import { type Chance, chanceFrom } from "../support/chance.ts";
import type { Outcome, ScriptCase } from "./scripts.ts";

const LEDGER = "impl/sprint-status.yaml";
const STATUSES = [
  ...["backlog", "ready-for-dev", "in-progress", "review", "done", "drafted", "contexted"],
  ...["optional"],
];
const ODD_STATUSES = [
  ...["shipped", "awaiting-operator", "", "~", "3", "true", "1.5", "2026-01-02", "'done'"],
  ...['"review"'],
];
const TITLES = [
  ...["Sign in", "Account Management", "Über: naïve — test!", "用户认证", "???", "A # B ##", "x_y  z"],
  ...["", "Very long title that goes on and on until it is longer than any key may be"],
];
const STAMPS = [
  ...["01-02-2026 09:00", "'07-30-2026 09:00'", "2026-07-01", '"2026-07-30 10:00"', "whenever", ""],
  ...["7"],
];

function epicsText({ below, pick }: Chance): string {
  const lines: string[] = ["# Epics"];
  for (let epic = 1 + below(2); epic < 4; epic += 1 + below(2)) {
    lines.push(
      `${pick(["#", "##", "###", "####"])} Epic ${epic}${pick([":", " ", " :"])} ${pick(TITLES)}`,
      "Prose.",
    );
    for (let story = 1; story <= below(4); story++) {
      const letter = pick(["", "", "", "a", "B"]);
      const start = pick(["###", "###", "##", "#####", "- ", "###Story"]);
      lines.push(
        `${start} Story ${epic}.${story}${letter}${pick([": ", " ", ":"])}${pick(TITLES)}${
          pick(["", " ##"])
        }`,
      );
    }
    if (below(5) === 0) lines.push("```", `## Epic ${epic + 50}: in code`, pick(["```", "~~~", "text"]));
    if (below(5) === 0) {
      lines.push(pick(["## The story of an epic", "# Epics and stories", "### STORY 1-1: dash"]));
    }
  }
  return `${lines.join(pick(["\n", "\n", "\r\n"]))}\n`;
}

const KEYS = [
  ...["epic-1", "1-1-sign-in", "1-2-account-management", "1-3-x_y-z", "epic-1-retrospective"],
  ...["epic-2", "2-1-sign-in", "2-2a-account-management", "2-10-用户认证", "epic-2-retrospective"],
  ...["epic-3", "3-1-b", "9-9-ghost", "weird", "epic-abc-retrospective"],
];

function ledgerText({ below, pick }: Chance): string {
  const meta = [
    `generated: ${pick(STAMPS)}`,
    `last_updated: ${pick(STAMPS)}`,
    `project: ${pick(["Shop", '"My Shop"', "'It''s'", "42"])}`,
    `project_key: ${pick(["NOKEY", "JIRA", ""])}`,
    "tracking_system: jira",
    'story_location: "docs/stories"',
  ].filter(() => below(6) > 0);
  const keys = KEYS.filter(() => below(3) > 0);
  const ordered = below(4) === 0 ? keys.toReversed() : keys;
  const rows = ordered.map((key) => `  ${key}: ${below(8) === 0 ? pick(ODD_STATUSES) : pick(STATUSES)}`);
  const items = Array.from({ length: below(4) }, (_, at) =>
    [
      `  - ${pick([`id: "item-${at}"`, "kind: x"])}`,
      `    epic: ${pick(["1", "2", "true", '"1"'])}`,
      `    action: ${pick(['"Review: errors, twice"', "Plain text", "'Same'"])}`,
      `    owner: ${pick(['"Charlie"', "Dana"])}`,
      ...below(6) === 0 ? [] : [`    status: ${pick(["open", '"open"', "'in-progress'", "done", "closed"])}`],
    ].join("\n"));
  if (below(6) === 0) items.push('  - "only a text"');
  return [
    ...below(2) === 0 ? ["# Our ledger"] : [],
    ...meta,
    "",
    ...rows.length > 0 ? ["development_status:", ...rows] : [pick(["development_status:", "other: 1"])],
    ...items.length > 0 ? ["", "# From the retrospectives", "action_items:", ...items] : [],
    ...below(4) === 0 ? ["", "# Our own note", "sprint_goal: Ship it"] : [],
    "",
  ].join("\n");
}

const ODD_LEDGERS = [
  "",
  "# only a comment\n",
  "- a\n- b\n",
  "just text\n",
  "42\n",
  "development_status: [a\n",
  "a: b\na: c\n",
];

function planCase(chance: Chance): ScriptCase {
  const { below, pick } = chance;
  const files: Record<string, string> = { "epics.md": epicsText(chance), "impl/1-1-sign-in.md": "x" };
  if (below(2) === 0) files["more.md"] = epicsText(chance);
  if (below(3) === 0) files["impl/2-1-sign-in.md"] = "x";
  if (below(5) > 0) files[LEDGER] = below(12) === 0 ? pick(ODD_LEDGERS) : ledgerText(chance);
  const date = pick(["08-01-2026 14:30", "08-01-2026 14:30", "2026-08-01", "soon: #1"]);
  const file = ["--status-file", LEDGER];
  const kind = below(5);
  if (kind === 0) {
    const dates = pick([[], ["--date", date], ["--date", date, "--stale-days", pick(["3", "300", "x"])]]);
    return { files, args: ["status", ...file, ...dates] };
  }
  if (kind === 1) return { files, args: ["validate", ...file] };
  const optional = [
    ["--project-key", "KEY"],
    ["--tracking-system", "linear"],
    ["--story-location=docs/s"],
    ["--fresh"],
    ["--dry-run"],
    ["--set", pick(["1-1-sign-in=review", "epic-1=done", "epic-1=review", "9-9-none=done", "epic-1", "=x"])],
    ["--epic-file", pick(["more.md", "none.md", "impl"])],
  ].filter(() => below(5) === 0).flat();
  const project = pick(["Shop", "My Shop", 'It\'s: "odd" # yes', "yes", "42", "null", "- x", "é 😀"]);
  const dir = ["--stories-dir", pick(["impl", "impl", "none"])];
  const args = ["generate", "--epic-file", "epics.md", ...file, ...dir, "--project", project, "--date", date];
  return { files, args: [...args, ...optional] };
}

const ADDED = [
  '[{"action":"Write: tests, \\"all\\" of them #1","owner":"Amy"}]',
  '[{"action":"Two\\nlines\\tand a tab"},{"action":"Second","owner":null,"id":"own-id","ref":"r.md"}]',
  '[{"action":"審査を追加する","owner":5,"id":""}]',
  '[{"action":"!!!","ref":["a"]}]',
  "[]",
  "",
  "{not json",
  '{"action":"x"}',
  '["x"]',
  '[{"action":"ok"},{"action":"  "}]',
  '[{"owner":"x"},"y"]',
];
const CHANGED = [
  '[{"id":"item-0","status":"done"}]',
  '[{"id":"item-1","status":"in-progress"},{"id":"item-0","status":"open"}]',
  '[{"epic":1,"action":"Plain text","status":"done"}]',
  '[{"epic":1,"action":"Same","status":"done"},{"id":"item-0","status":"done"}]',
  '[{"id":"item-0","status":"done"},{"id":"item-0","status":"open"}]',
  '[{"id":"nobody","status":"done"}]',
  '[{"id":"item-0","status":"closed"}]',
  '[{"id":42,"status":"done"}]',
  '[{"id":" ","status":"done"}]',
  '[{"epic":"1","action":"Same","status":"done"}]',
  '[{"epic":true,"action":"Same","status":"done"}]',
  '[{"epic":1,"action":"  ","status":"done"}]',
  '[{"epic":1}]',
  "[1]",
  "{}",
  "[]",
];

function retroCase(chance: Chance): ScriptCase {
  const { below, pick } = chance;
  const text = below(10) === 0 ? pick(ODD_LEDGERS) : ledgerText(chance);
  const files: Readonly<Record<string, string>> = below(20) === 0 ? {} : { [LEDGER]: text };
  const epic = below(10) === 0 ? pick(["0", "-1"]) : pick(["1", "1", "2", "3"]);
  if (below(3) === 0) {
    return { files, args: ["detect-epic", "--file", LEDGER, ...below(2) === 0 ? ["--epic", epic] : []] };
  }
  const optional = [
    ["--set-retro-done"],
    ["--set-retro-done"],
    ["--add-action", below(3) === 0 ? pick(ADDED) : pick(ADDED.slice(0, 4))],
    ["--set-action-status", below(3) === 0 ? pick(CHANGED) : pick(CHANGED.slice(0, 3))],
    ["--ref", "docs/retro 1.md"],
    ["--verdict", below(6) === 0 ? "fine" : pick(["accepted", "rejected"])],
  ].filter(() => below(2) === 0).flat();
  const date = below(8) === 0
    ? pick(["02-30-2026 10:00", "2026-08-01"])
    : pick(["08-01-2026 14:30", "8-1-2026 9:05"]);
  return { files, args: ["update", "--file", LEDGER, "--epic", epic, "--date", date, ...optional] };
}

/** Calls with wrong arguments; the originals have no help, and ours do. */
const PLAN_COMPLAINTS = [
  ...[[], ["generate"], ["plan"], ["status"], ["status", "--status-file"]],
  ["validate", "--status-file", LEDGER, "more", "--x"],
];
const RETRO_COMPLAINTS = [
  [],
  ["update", "--file", LEDGER],
  ["detect-epic", "--file", LEDGER, "--epic", "x"],
  ["detect-epic", "--file", "impl"],
  ["update", "--file", "impl", "--epic", "1"],
];

function cases(
  seed: number,
  count: number,
  complaints: readonly (readonly string[])[],
  make: (chance: Chance) => ScriptCase,
): readonly ScriptCase[] {
  return [
    ...complaints.map((args) => ({ files: { "impl/x.md": "" }, args })),
    ...Array.from({ length: count }, (_, at) => make(chanceFrom(seed * 100_000 + at))),
  ];
}

export function planCases(count: number, seed = 1): readonly ScriptCase[] {
  return cases(seed, count, PLAN_COMPLAINTS, planCase);
}

export function retroCases(count: number, seed = 1): readonly ScriptCase[] {
  return cases(seed, count, RETRO_COMPLAINTS, retroCase);
}

/**
 * What parsers and the system say differs, and so does what is said of the file's own form. Of a ledger, the lines count
 * if it is new, else the values; one that stayed as it was is left out.
 */
export function normalizeSprint({ status, stdout, files }: Outcome, { files: given }: ScriptCase): Outcome {
  const rest = String.raw`(?:[^"\\]|\\.)*`;
  const shown = stdout.replaceAll(/\[Errno \d+\] | \(got \w+\)/g, "")
    .replaceAll(/, file (?:datetime\.\w+\([\d, ]+\)|'\d[\d-]+')/g, ", file …")
    .replaceAll(new RegExp(`((?:valid YAML|JSON): )${rest}`, "g"), "$1…")
    .replace(
      new RegExp(`"error": "(?:while |expected |the YAML |line \\d|could not )${rest}"`),
      '"error": "…"',
    );
  const [before, after] = [given[LEDGER], files[LEDGER]];
  const left = after === before ? "" : before === undefined ? linesOf(after!) : valuesOf(after);
  return { status, stdout: shown, files: { ...files, [LEDGER]: left } };
}

/** The values of a ledger in their order. Dates and numbers are compared as texts: the original puts them in quotes. */
function valuesOf(text = ""): string {
  try {
    const value = load(text) ?? null;
    const isMap = typeof value === "object" && value !== null && !Array.isArray(value);
    if (!isMap) return JSON.stringify(value);
    const entries = Object.entries(value);
    return JSON.stringify(
      entries.map(([key, inner]) => [key, typeof inner === "number" ? `${inner}` : inner]),
    );
  } catch {
    return text;
  }
}

function linesOf(text: string): string {
  return text.split("\n").filter((line) => !line.startsWith("#")).join("\n").trim();
}

export const CASE_LEDGER: string = LEDGER;
