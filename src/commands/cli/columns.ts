/** Pipes always get name and about, which programs read. */
import { renderTime } from "../../base/time.ts";
import { asValues } from "../../base/values.ts";
import type { Row } from "../../app.ts";
import { stateNamed } from "./style.ts";
import type { Column } from "./screen.ts";

const NAME: Column<Row> = { heading: "NAME", cell: ({ name }) => name, isWhole: true };
const ABOUT: Column<Row> = { heading: "ABOUT", cell: ({ about }) => about };

const fact = (heading: string, key: string, rest: Partial<Column<Row>> = {}): Column<Row> => ({
  heading,
  cell: ({ data }) => textOf(data[key]),
  ...rest,
});

const time = (heading: string, key: string): Column<Row> => ({
  heading,
  cell: ({ data }) => renderTime(Date.parse(textOf(data[key]))),
});

const SOURCE = fact("SOURCE", "origin", {
  isOptional: true,
  // Embedded content that stands in for installed skills.
  cell: ({ data, why }) => textOf(data["installed"] === undefined ? data["origin"] : why),
});
const DESCRIPTION = fact("ABOUT", "description");

const persona = ({ data }: Row) => {
  const name = [data["displayName"], data["title"]].map(textOf).filter((text) => text !== "").join(", ");
  return [textOf(data["icon"]), name].filter((text) => text !== "").join(" ");
};

const layouts = ({ data }: Row) => {
  const roots = (data["roots"] ?? []) as readonly { readonly layout: string; readonly version?: string }[];
  return [...new Set(roots.map(({ layout, version = "" }) => `${layout} ${version}`.trim()))].join(", ");
};

const servedAs = ({ data }: Row) => {
  const { version, origin } = asValues(data["here"]);
  return [version, origin].map(textOf).filter((text) => text !== "").join(", ");
};

const ITEMS: readonly Column<Row>[] = [
  NAME,
  fact("CATEGORY", "category", { isOptional: true }),
  SOURCE,
  ABOUT,
];

const COLUMNS: Readonly<Record<string, readonly Column<Row>[]>> = {
  agents: [NAME, { heading: "WHO", cell: persona, isWhole: true }, SOURCE, DESCRIPTION],
  workflows: ITEMS,
  tasks: ITEMS,
  tools: ITEMS,
  skills: ITEMS,
  modules: [
    { ...NAME, heading: "MODULE" },
    fact("TITLE", "title"),
    fact("VERSION", "version"),
    fact("AGENTS", "agents", { side: "right" }),
    fact("OTHERS", "others", { side: "right" }),
    fact("SOURCE", "origin"),
  ],
  "official modules": [
    { ...NAME, heading: "CODE" },
    { heading: "HERE", cell: servedAs },
    {
      heading: "FOR",
      cell: ({ data, why }) => `${textOf(data["purpose"])}${why ? ` (${why})` : ""}`,
      isWrapped: true,
    },
  ],
  check: [
    fact("CODE", "code"),
    {
      heading: "FOUND",
      cell: ({ name, about, data }) => `${about} (${name}) Fix: ${textOf(data["fix"])}`,
      isWrapped: true,
    },
  ],
  validate: [{ ...NAME, heading: "WHERE", isWhole: true }, { ...ABOUT, heading: "FAULT", isWrapped: true }],
  sources: [
    { ...NAME, heading: "SOURCE" },
    fact("PRIORITY", "priority", { side: "right" }),
    fact("ITEMS", "things", { side: "right" }),
    { heading: "LAYOUT", cell: layouts, isOptional: true },
    { heading: "CHANGED", cell: ({ data }) => textOf(data["changed"]).slice(0, 10), isOptional: true },
    fact("LOCATION", "location", { isWhole: true }),
  ],
  copies: [{ ...NAME, heading: "REPOSITORY" }, { ...ABOUT, isWhole: true }],
  tokens: [NAME, { ...ABOUT, isWhole: true }],
  record: [
    { ...NAME, heading: "WHO" },
    time("AT", "at"),
    fact("PROJECT", "project"),
    fact("ADDRESS", "address", { isOptional: true }),
    fact("DID", "deed"),
  ],
  resources: [
    fact("TYPE", "mimeType", { isOptional: true }),
    fact("SIZE", "size", { side: "right" }),
    SOURCE,
    { ...NAME, heading: "URI", isWhole: true },
  ],
  conflicts: [NAME, { ...ABOUT, isWrapped: true }],
  next: [
    NAME,
    {
      heading: "ABOUT",
      cell: ({ about, why }) => why === undefined ? about : `${about}: ${why}`,
      isWrapped: true,
    },
  ],
  board: [
    { ...NAME, heading: "STORY" },
    fact("STATE", "state", { meaning: ({ data }) => stateNamed(data["state"]) }),
    {
      heading: "STATUS",
      cell: ({ data: { state, status } }) =>
        lettersOf(status).includes(lettersOf(state)) ? "" : textOf(status),
      isOptional: true,
    },
    // Rather cut than without holder and boxes.
    fact("TITLE", "title", { least: 16 }),
  ],
  log: [
    fact("TIME", "time"),
    { ...NAME, heading: "STORY" },
    fact("WHAT", "what", { isWhole: true }),
  ],
  settings: [
    { ...NAME, heading: "SETTING" },
    fact("VALUE", "value", { isWhole: true }),
    fact("FROM", "from", { isWhole: true }),
  ],
  usage: [
    NAME,
    fact("KIND", "kind", { isOptional: true }),
    fact("USES", "count", { side: "right" }),
    time("LAST", "last"),
  ],
  "found stories": [
    { ...NAME, heading: "STORY" },
    fact("STATE", "state"),
    fact("EPIC", "epic", { isOptional: true }),
    fact("TITLE", "title"),
  ],
  "found documents": [
    fact("TITLE", "title"),
    fact("STATUS", "status", { isOptional: true }),
    { ...NAME, heading: "FILE", isWhole: true },
  ],
  "found memories": [fact("TYPE", "type"), fact("AGENT", "agent", { isOptional: true }), {
    ...ABOUT,
    heading: "TEXT",
    isWrapped: true,
  }],
  "found files": [fact("SIZE", "size", { side: "right" }), { ...NAME, heading: "URI", isWhole: true }],
  search: [NAME, { heading: "WHY", cell: ({ why = "" }) => why, isOptional: true }, ABOUT],
};

/** By the list's name as typed: `agent` or `agents`. */
export function columnsOf(list: string, rows: readonly Row[]): readonly Column<Row>[] {
  const known = [list, `${list}s`].map((name) => name.toLowerCase())
    .find((name) => Object.hasOwn(COLUMNS, name));
  const columns = known === undefined ? [NAME, ABOUT] : COLUMNS[known]!;
  const headings = new Set(rows.flatMap(({ columns = {} }) => Object.keys(columns)));
  const at = columns.findIndex(({ isOptional }) => isOptional);
  return columns.toSpliced(at, 0, ...headings.values().map((heading) => ownColumn(heading, rows)));
}

/** Counts such as `2/4` are compared from their ends. Rows are stacked rather than without their holder and boxes. */
function ownColumn(heading: string, rows: readonly Row[]): Column<Row> {
  const cell = ({ columns = {} }: Row) => columns[heading] ?? "";
  const isCount = rows.every((row) => /^(?:\d+\/\d+)?$/.test(cell(row)));
  const isOptional = !["held by", "boxes"].includes(heading);
  return { heading: heading.toUpperCase(), cell, isOptional, ...(isCount && { side: "right" }) };
}

/** `InProgress` and `in-progress` say the same, and `ready-for-dev` no more than `ready`. */
function lettersOf(value: unknown): string {
  return textOf(value).toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
}

function textOf(value: unknown): string {
  return value === undefined || value === null ? "" : String(value);
}
