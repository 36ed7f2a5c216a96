/**
 * The record: who changed what on this server, the newest first.
 */
import { markup } from "../../base/markup.ts";
import type { RecordedDeed } from "../../process/record_file.ts";
import { rowList, tag, type View } from "./site.ts";

/** Where it is. */
export const RECORD_PATH = "/record";

/** The page, for whoever may see it. */
export function recordPage(deeds: readonly RecordedDeed[]): View {
  const rows = deeds.map(({ at, name, role, address, request, project, deed }) =>
    markup`<div class="head"><strong>${deed}</strong><span class="end">${tag(project, "mark")}</span></div>
<p>${name ?? "without a name"}, ${role}, from ${address} <span class="quiet">${
      new Date(at).toISOString().slice(0, 19).replace("T", " ")
    } UTC · request ${request}</span></p>`
  );
  return {
    title: "Record",
    tab: "record",
    body: markup`<h1>Record</h1>
<p class="quiet">Who changed what through this server, the newest first.</p>
${rowList(rows, "Nothing was changed yet.")}`,
  };
}
