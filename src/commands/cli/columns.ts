/**
 * What a person sees of each list on a terminal: which facts, in which columns.
 *
 * A list without a row here shows the name of each thing and what is said about it. Pipes get that always: what
 * programs read must not follow what looks good.
 */
import type { Row } from "../../app.ts";
import type { Column } from "./table.ts";

const NAME: Column<Row> = { heading: "NAME", cell: ({ name }) => name };
const ABOUT: Column<Row> = { heading: "ABOUT", cell: ({ about }) => about };

const fact = (heading: string, key: string, rest: Partial<Column<Row>> = {}): Column<Row> => ({
  heading,
  cell: ({ data }) => textOf(data[key]),
  ...rest,
});

const ORIGIN = fact("ORIGIN", "origin", { isOptional: true });
const DESCRIPTION = fact("ABOUT", "description");

const who = ({ data }: Row) => {
  const name = [data["displayName"], data["title"]].map(textOf).filter((text) => text !== "").join(", ");
  return [textOf(data["icon"]), name].filter((text) => text !== "").join(" ");
};

const layouts = ({ data }: Row) => {
  const roots = (data["roots"] ?? []) as readonly { readonly layout: string; readonly version?: string }[];
  return [...new Set(roots.map(({ layout, version = "" }) => `${layout} ${version}`.trim()))].join(", ");
};

const THINGS: readonly Column<Row>[] = [
  NAME,
  fact("CATEGORY", "category", { isOptional: true }),
  ORIGIN,
  ABOUT,
];

const COLUMNS: Readonly<Record<string, readonly Column<Row>[]>> = {
  agents: [NAME, { heading: "WHO", cell: who }, ORIGIN, DESCRIPTION],
  workflows: THINGS,
  tasks: THINGS,
  tools: THINGS,
  skills: THINGS,
  modules: [
    { ...NAME, heading: "MODULE" },
    fact("TITLE", "title"),
    fact("VERSION", "version"),
    fact("AGENTS", "agents", { side: "right" }),
    fact("OTHERS", "others", { side: "right" }),
    fact("ORIGIN", "origin"),
  ],
  sources: [
    { ...NAME, heading: "ORIGIN" },
    fact("PRIORITY", "priority", { side: "right" }),
    fact("THINGS", "things", { side: "right" }),
    { heading: "FOUND", cell: layouts, isOptional: true },
    { heading: "CHANGED", cell: ({ data }) => textOf(data["changed"]).slice(0, 10), isOptional: true },
    fact("LOCATION", "location", { isWhole: true }),
  ],
  copies: [{ ...NAME, heading: "REPOSITORY" }, { ...ABOUT, isWhole: true }],
  resources: [
    fact("TYPE", "mimeType", { isOptional: true }),
    fact("SIZE", "size", { side: "right" }),
    ORIGIN,
    { ...NAME, heading: "URI", isWhole: true },
  ],
  conflicts: [NAME, { ...ABOUT, isWhole: true }],
  next: [
    NAME,
    {
      heading: "ABOUT",
      cell: ({ about, why }) => why === undefined ? about : `${about}: ${why}`,
      isWhole: true,
    },
  ],
  settings: [
    { ...NAME, heading: "SETTING" },
    fact("VALUE", "value", { isWhole: true }),
    fact("FROM", "from", { isWhole: true }),
  ],
  search: [NAME, { heading: "WHY", cell: ({ why = "" }) => why, isOptional: true }, ABOUT],
};

/** The columns of a list, by its name as it was asked for: `agent` and `agents` are one. */
export function columnsOf(list: string): readonly Column<Row>[] {
  const known = [list, `${list}s`].map((name) => name.toLowerCase())
    .find((name) => Object.hasOwn(COLUMNS, name));
  return known === undefined ? [NAME, ABOUT] : COLUMNS[known]!;
}

function textOf(value: unknown): string {
  return value === undefined || value === null ? "" : String(value);
}
