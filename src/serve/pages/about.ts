/**
 * About the server: its version, the sources and their state, the settings in force, and issues.
 */
import { type OriginFacts, originState } from "../../app.ts";
import { PRODUCT } from "../../base/model.ts";
import { counted } from "../../base/text.ts";
import { SETTING_KEYS, shownValue } from "../../settings/mod.ts";
import { knownIssues } from "./issues.ts";
import { type Markup, markup } from "../../base/markup.ts";
import { link, rowList, type Site, tag, type View } from "./site.ts";

/** What the server is, and what it reads. */
export async function aboutPage(site: Site): Promise<View> {
  const { app } = site.project;
  const [origins, issues] = await Promise.all([app.origins(), knownIssues(site)]);
  const { settings, provenance, project } = app.config;
  const rows = SETTING_KEYS.map((key) => ({
    key,
    value: valueText(shownValue(key, settings)),
    from: provenance[key],
  }));
  const chosen = rows.filter(({ from }) => from !== "default");
  const usual = rows.filter(({ from }) => from === "default");
  return {
    title: "About",
    tab: "about",
    body: markup`<h1>About this server</h1>
<p>${PRODUCT.name} ${PRODUCT.version}${
      project === undefined ? ", without a project" : markup`, project <span class="path">${project}</span>`
    }</p>
<h2>Sources, highest priority first</h2>
${rowList(origins.map((facts) => originRow(site, facts)))}
<h2>Issues</h2>
${issues}
<h2>Settings</h2>
${
      chosen.length === 0
        ? markup`<p class="quiet">All have their defaults.</p>`
        : markup`<div class="card">${settingList(chosen)}</div>`
    }
<details class="card text"><summary>Defaults <span class="count">${usual.length}</span></summary>${
      settingList(usual)
    }</details>`,
  };
}

function settingList(rows: readonly Readonly<Record<"key" | "value" | "from", string>>[]): Markup {
  return markup`<dl>${
    rows.map(({ key, value, from }) =>
      markup`<dt>${key}</dt><dd>${value}${
        from !== "default" && markup` <span class="quiet">(${from})</span>`
      }</dd>`
    )
  }</dl>`;
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
  return markup`<div class="head"><strong>${origin.id}</strong>${
    tag(state, STATE_COLOURS[state])
  }<span class="quiet">priority ${origin.priority}</span><span class="end">${
    things > 0 &&
    markup`${counted(things, "item")}, ${link(site, { list: "resources", origin: origin.id }, "files")}`
  }</span></div><p><span class="path">${origin.location}</span></p>${
    about !== "" && markup`<p class="quiet">${about}</p>`
  }`;
}
