/** Help catalogues, `module-help.csv` and `bmad-help.csv`, with the defects of each release. */
import type { HelpRow } from "../../base/model.ts";
import { counted } from "../../base/text.ts";
import { baseName } from "../tree/mod.ts";
import { LIMITS } from "../limits.ts";
import { parseCsv, type Parsed } from "../parse.ts";

const LEGACY_COLUMN = "workflow-file";
const PHASE = /^(\d-[\w-]+|anytime|plan|ship|gametest|)$/;

const COLUMNS = [
  "module",
  "skill",
  "display-name",
  "menu-code",
  "description",
  "action",
  "args",
  "phase",
  "preceded-by",
  "followed-by",
  "required",
  "output-location",
  "outputs",
] as const;

/** `file`: what an old row is about, if not a skill. */
type HelpRecord = Readonly<Record<typeof COLUMNS[number] | "file", string>>;

export function parseHelp(text: string): Parsed<readonly HelpRow[]> {
  const { value, ...rest } = parseRecords(text);
  return { value: value.filter(isAboutSkill).map(rowOf), ...rest };
}

export interface HelpStep extends HelpRow {
  /** `status`, for one of several actions of a skill; usually empty. */
  readonly action: string;
  /** `planning_artifacts`, `{output_folder}/brainstorming`, empty or prose. */
  readonly location: string;
  /** `_bmad/bmm/…/workflow.md` in an old row; otherwise empty. */
  readonly file: string;
}

export function parseSteps(text: string): readonly HelpStep[] {
  return parseRecords(text).value.filter(isAboutSkill).map((row) => ({
    ...rowOf(row),
    action: row.action,
    location: row["output-location"],
    file: row.file,
  }));
}

function isAboutSkill({ skill }: HelpRecord): boolean {
  return skill !== "" && skill !== "_meta";
}

function parseRows(text: string) {
  const { value: [header = [], ...rows], ...rest } = parseCsv(text);
  if (rows.length <= LIMITS.help.rows) return { header, rows, ...rest };
  const problem = `only the first ${LIMITS.help.rows} rows of a help catalogue are read`;
  return { header, rows: rows.slice(0, LIMITS.help.rows), problem, isLimit: true as const };
}

function parseRecords(text: string): Parsed<readonly HelpRecord[]> {
  const { header, rows, problem, isLimit } = parseRows(text);
  const legacy = header.includes(LEGACY_COLUMN);
  const decoded = rows.map((row) => {
    if (!legacy) return recordOf(named(header, row));
    return PHASE.test(row[1] ?? "") ? fromLegacy(named(header, row)) : recordOf(shifted(row));
  });
  const value = decoded.filter(({ skill }) => skill === "" || !PHASE.test(skill));
  const foreign = decoded.length - value.length;
  return {
    value,
    ...(isLimit || foreign === 0
      ? { problem, ...(isLimit && { isLimit }) }
      : { problem: `skipped ${counted(foreign, "help row")} of another schema` }),
  };
}

/** As installers do: sorted by module and phase, in the newest columns. The first row of a module's skill counts. */
export function mergeHelp(catalogues: readonly Record<"module" | "text", string>[]): string {
  const seen = new Set<string>();
  const rows = catalogues.flatMap(({ module, text }) => {
    const fresh = parseRecords(text).value
      .filter((row) => (row.skill !== "" || row["menu-code"] !== "") && !seen.has(`${module}/${row.skill}`));
    for (const { skill } of fresh) if (skill !== "") seen.add(`${module}/${skill}`);
    // The core's tools belong to no module.
    return fresh.map((row) => ({ ...row, module: row.module || (module === "core" ? "" : module) }));
  });
  const sorted = rows.toSorted((a, b) =>
    a.module.toLowerCase().localeCompare(b.module.toLowerCase()) || a.phase.localeCompare(b.phase)
  );
  const lines = sorted.map((row) => COLUMNS.map((column) => quoted(row[column])).join(","));
  return [COLUMNS.join(","), ...lines].join("\n");
}

function quoted(field: string): string {
  return /[",\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
}

export function parseHelpByFile(text: string): Parsed<ReadonlyMap<string, HelpRow>> {
  const { header, rows, ...rest } = parseRows(text);
  if (!header.includes(LEGACY_COLUMN)) return { value: new Map() };
  const legacy = rows.map((row) => named(header, row))
    .map((row) => [row[LEGACY_COLUMN] ?? "", rowOf(fromLegacy(row))] as const)
    .filter(([file]) => file.includes("/") && !file.startsWith("skill:"));
  // The first row of a file counts; later ones are variants.
  return { value: new Map(legacy.toReversed()), ...rest };
}

export function helpBySkill(rows: readonly HelpRow[]): ReadonlyMap<string, HelpRow> {
  return new Map(rows.toReversed().map((row) => [baseName(row.skill), row]));
}

type Columns = Readonly<Record<string, string | undefined>>;

function named(header: readonly string[], row: readonly string[]): Columns {
  const at = header.indexOf("args");
  const whole = at >= 0 && row.length === header.length - 1 ? row.toSpliced(at, 0, "") : row;
  return Object.fromEntries(header.map((name, i) => [name, whole[i]]));
}

/** 6.2.2–6.5.0 wrote new rows under the old header. */
function shifted(fields: readonly string[]): Columns {
  // The eighth old column is `required`: the installer wrote `false` into it where it was empty.
  const row = fields.map((field, i) => i === 7 && field === "false" ? "" : field);
  // From the seventh field on, the installer spread the rest over the old columns, with or without `args`.
  const hasArgs = PHASE.test(row[7] ?? "") && row[7] !== "";
  const rest = hasArgs ? [6, 7, 8, 12, 13, 14, 15] : [-1, 6, 7, 8, 12, 13, 14];
  const places = [0, 1, 2, 3, 4, 5, ...rest];
  return Object.fromEntries(COLUMNS.map((column, i) => [column, row[places[i]!]]));
}

function recordOf(row: Columns, file = ""): HelpRecord {
  const values: Columns = {
    ...row,
    "preceded-by": row["preceded-by"] ?? row["after"],
    "followed-by": row["followed-by"] ?? row["before"],
  };
  const pairs = COLUMNS.map((column) => [column, values[column] ?? ""]);
  return { ...Object.fromEntries(pairs), file } as HelpRecord;
}

function fromLegacy(row: Columns): HelpRecord {
  const file = row[LEGACY_COLUMN] ?? "";
  return recordOf({
    ...row,
    "skill": file.startsWith("skill:") ? file.slice("skill:".length) : row["command"],
    "display-name": row["name"],
    "menu-code": row["code"],
  }, file.startsWith("skill:") ? "" : file);
}

function rowOf(row: HelpRecord): HelpRow {
  return {
    module: row.module,
    skill: row.skill,
    title: row["display-name"],
    code: row["menu-code"],
    description: row.description,
    phase: row.phase,
    after: row["preceded-by"],
    before: row["followed-by"],
    required: row.required === "true",
    outputs: row.outputs,
  };
}
