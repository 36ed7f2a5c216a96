/**
 * Help catalogues: which skill comes when, as `module-help.csv` and `bmad-help.csv` say.
 *
 * The files come in several schemas and with known defects. 6.2.2–6.5.0 wrote new rows under the old header
 * (they are told apart by their second column), many releases left out the `args` field of most rows, and 6.12
 * mixes rows of foreign schemas into the merged file (those name no skill and are dropped, with a diagnostic).
 */
import type { HelpRow } from "../model.ts";
import { baseName } from "../tree.ts";
import { parseCsv, type Parsed } from "../parse.ts";

/** A module's own catalogue. */
export const HELP_FILE = "module-help.csv";

const LEGACY_COLUMN = "workflow-file";
const PHASE = /^(\d-[\w-]+|anytime|plan|ship|gametest|)$/;

/** The rows of a help catalogue. Rows about the module itself (`_meta`) are left out. */
export function parseHelp(text: string): Parsed<readonly HelpRow[]> {
  const { value: [header = [], ...rows], problem } = parseCsv(text);
  const legacy = header.includes(LEGACY_COLUMN);
  const decoded = rows.map((row) => {
    if (!legacy) return fromColumns(named(header, row));
    return PHASE.test(row[1] ?? "") ? fromLegacy(named(header, row)) : fromColumns(shifted(row));
  });
  const kept = decoded.filter((row) => row.skill !== "" && row.skill !== "_meta");
  const foreign = kept.filter((row) => PHASE.test(row.skill));
  return {
    value: kept.filter((row) => !foreign.includes(row)),
    problem: foreign.length > 0 ? `${foreign.length} help rows of another schema name no skill` : problem,
  };
}

/** The rows of an old catalogue by the file that they are about; what names a skill is left out. */
export function parseHelpByFile(text: string): Parsed<ReadonlyMap<string, HelpRow>> {
  const { value: [header = [], ...rows], problem } = parseCsv(text);
  if (!header.includes(LEGACY_COLUMN)) return { value: new Map() };
  const legacy = rows.map((row) => named(header, row))
    .map((row) => [row[LEGACY_COLUMN] ?? "", fromLegacy(row)] as const)
    .filter(([file]) => file.includes("/") && !file.startsWith("skill:"));
  // The first row of a file counts: the later ones are variants of it.
  return { value: new Map(legacy.toReversed()), problem };
}

/** The first row of each skill: the later ones are variants of it. */
export function helpBySkill(rows: readonly HelpRow[]): ReadonlyMap<string, HelpRow> {
  return new Map(rows.toReversed().map((row) => [baseName(row.skill), row]));
}

type Columns = Readonly<Record<string, string | undefined>>;

function named(header: readonly string[], row: readonly string[]): Columns {
  const at = header.indexOf("args");
  const whole = at >= 0 && row.length === header.length - 1
    ? [...row.slice(0, at), "", ...row.slice(at)]
    : row;
  return Object.fromEntries(header.map((name, i) => [name, whole[i]]));
}

/** A new row under the old header: the fields stand where the old header has other names. */
function shifted(fields: readonly string[]): Columns {
  // The eighth old column is `required`, and the writer put `false` into it where it was empty.
  const row = fields.map((field, i) => i === 7 && field === "false" ? "" : field);
  // Behind the sixth field the writer spread the rest over the old columns, with or without `args`.
  const hasArgs = PHASE.test(row[7] ?? "") && row[7] !== "";
  const [phase, after, before, required, location, outputs] = hasArgs
    ? [7, 8, 12, 13, 14, 15]
    : [6, 7, 8, 12, 13, 14];
  return {
    "module": row[0],
    "skill": row[1],
    "display-name": row[2],
    "menu-code": row[3],
    "description": row[4],
    "phase": row[phase!],
    "after": row[after!],
    "before": row[before!],
    "required": row[required!],
    "output-location": row[location!],
    "outputs": row[outputs!],
  };
}

function fromColumns(row: Columns): HelpRow {
  return {
    module: row["module"] ?? "",
    skill: row["skill"] ?? "",
    title: row["display-name"] ?? "",
    code: row["menu-code"] ?? "",
    description: row["description"] ?? "",
    phase: row["phase"] ?? "",
    after: row["preceded-by"] ?? row["after"] ?? "",
    before: row["followed-by"] ?? row["before"] ?? "",
    required: row["required"] === "true",
    outputs: row["outputs"] ?? "",
  };
}

function fromLegacy(row: Columns): HelpRow {
  const file = row[LEGACY_COLUMN] ?? "";
  return {
    module: row["module"] ?? "",
    skill: file.startsWith("skill:") ? file.slice("skill:".length) : row["command"] ?? "",
    title: row["name"] ?? "",
    code: row["code"] ?? "",
    description: row["description"] ?? "",
    phase: row["phase"] ?? "",
    after: "",
    before: "",
    required: row["required"] === "true",
    outputs: row["outputs"] ?? "",
  };
}
