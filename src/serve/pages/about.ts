/**
 * About the server: its version, the sources and their state, the settings in force, and issues; and the record of changes.
 */
import { type OriginFacts, originsOf, originState } from "../../app.ts";
import { PRODUCT } from "../../base/model.ts";
import { counted } from "../../base/text.ts";
import type { RecordEntry } from "../../process/record_file.ts";
import { SETTING_KEYS, shownValue } from "../../settings/mod.ts";
import { knownIssues } from "./issues.ts";
import { type Markup, markup } from "../../base/markup.ts";
import {
  factList,
  head,
  link,
  place,
  quiet,
  quietLine,
  rowList,
  section,
  type Site,
  tag,
} from "./elements.ts";
import type { View } from "./site.ts";

export async function aboutPage(site: Site): Promise<View> {
  const { app } = site.project;
  const [origins, issues] = await Promise.all([app.ask(originsOf), knownIssues(site)]);
  const { settings, provenance, project } = app.config;
  const [chosen, usual] = [false, true].map((isDefault) =>
    SETTING_KEYS.filter((key) => (provenance[key] === "default") === isDefault)
  );
  const settingList = (keys: typeof SETTING_KEYS) =>
    factList(keys.map((key) => {
      const from = provenance[key] !== "default" && [" ", quiet(`(${provenance[key]})`)];
      return [key, [valueText(shownValue(key, settings)), from]];
    }));
  return {
    title: "About",
    tab: "about",
    body: [
      markup`<h1>About this server</h1>
<p>${PRODUCT.name} ${PRODUCT.version}${
        project === undefined ? ", without a project" : [", project ", place(project)]
      }</p>`,
      section("Sources, highest priority first", rowList(origins.map((facts) => originRow(site, facts)))),
      section("Issues", issues),
      section(
        "Settings",
        chosen!.length === 0
          ? quietLine("All have their defaults.")
          : markup`<div class="card">${settingList(chosen!)}</div>`,
      ),
      markup`<details class="card text"><summary>Defaults <span class="count">${
        usual!.length
      }</span></summary>${settingList(usual!)}</details>`,
    ],
  };
}

function valueText(value: unknown): string {
  if (value === null) return "–";
  return Array.isArray(value) ? value.join(", ") || "–" : String(value);
}

const STATE_COLOURS = {
  ready: "good",
  standby: "",
  empty: "",
  missing: "",
  fetching: "warn",
  failed: "bad",
} as const;

function originRow(site: Site, facts: OriginFacts): Markup {
  const { origin, roots, things, copy, changed } = facts;
  const state = originState(facts);
  const layouts = [...new Set(roots.map((root) => `${root.layout} ${root.version ?? ""}`.trim()))];
  const about = [
    ...layouts,
    copy?.commit && `commit ${copy.commit.slice(0, 10)}`,
    changed !== undefined && `changed ${new Date(changed).toISOString().slice(0, 10)}`,
    copy?.problem,
  ].filter(Boolean).join(" · ");
  const files = link(site, { list: "resources", origin: origin.id }, "files");
  const end = things > 0 && [counted(things, "item"), ", ", files];
  const marks = [tag(state, STATE_COLOURS[state]), quiet(`priority ${origin.priority}`)];
  return markup`${head(origin.id, end, marks)}<p>${place(origin.location)}</p>${
    about !== "" && quietLine(about)
  }`;
}

export const RECORD_PATH = "/record";

/** Who changed what on this server, the newest first. */
export function recordPage(entries: readonly RecordEntry[]): View {
  const rows = entries.map(({ at, name, role, address, request, project, deed }) => {
    const time = new Date(at).toISOString().slice(0, 19).replace("T", " ");
    return markup`${head(deed, tag(project, "mark"))}
<p>${name ?? "without a name"}, ${role}, from ${address} ${quiet(`${time} UTC · request ${request}`)}</p>`;
  });
  return {
    title: "Record",
    tab: "record",
    body: markup`<h1>Record</h1>
${quietLine("Who changed what through this server, the newest first.")}
${rowList(rows, "Nothing was changed yet.")}`,
  };
}
