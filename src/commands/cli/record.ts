/**
 * `bmad-mcp record`: who changed what through the user's server over HTTP.
 */
import type { Row } from "../../app.ts";
import type { Host } from "../../process/host.ts";
import { openRecordFile } from "../../process/record_file.ts";
import type { Invocation } from "../../operations/mod.ts";
import { columnsOf } from "./columns.ts";
import { parseCount } from "./input.ts";
import { printJson, printRows } from "./output.ts";

const COUNT = 100;
const MAX_COUNT = 100_000;

export async function record(
  host: Host,
  folder: string | undefined,
  { options: { count, json } }: Invocation,
): Promise<void> {
  const deeds = folder === undefined
    ? []
    : openRecordFile(folder).latest(parseCount("--count", count, [1, MAX_COUNT]) ?? COUNT);
  const items = deeds.map(({ at, ...deed }) => ({ at: new Date(at).toISOString(), ...deed }));
  if (json) return printJson(host, { items, total: items.length });
  const rows = items.map((item): Row => ({ name: item.name ?? "–", about: item.deed, data: item }));
  await printRows(host, rows, columnsOf("record"));
  if (rows.length === 0) host.writeErr("Nothing was changed yet.\n");
}
