/** Version, sources, settings, issues and conflicts of the server; and the record of changes. */
import {
  countSeveral,
  listOverridden,
  type OriginFacts,
  originsOf,
  originState,
  type Row,
  severalText,
} from "../../app.ts";
import { type Content, type Markup, markup } from "../../base/markup.ts";
import { type Diagnostic, isNotice, PRODUCT } from "../../base/model.ts";
import { groupProblems, type LocatedProblem } from "../../base/problem_groups.ts";
import { command, counted, NO_COMMAND } from "../../base/text.ts";
import { renderTime } from "../../base/time.ts";
import type { RecordEntry } from "../../process/record_file.ts";
import { SETTING_KEYS, shownValue } from "../../settings/mod.ts";
import {
  factCard,
  factList,
  firstRows,
  head,
  itemRow,
  line,
  link,
  linkedName,
  place,
  quiet,
  quietLine,
  rowList,
  section,
  type Site,
  tag,
  type View,
  withCount,
} from "./site.ts";

export async function aboutPage(site: Site): Promise<View> {
  const { app } = site.project;
  const [origins, issues] = await Promise.all([app.ask(originsOf), knownIssues(site)]);
  const { settings, provenance, project } = app.config;
  const [chosen, usual] = [false, true].map((isDefault) =>
    SETTING_KEYS.filter((key) => (provenance[key] === "default") === isDefault)
  );
  const facts = (keys: typeof SETTING_KEYS) =>
    keys.map((key) => {
      const from = provenance[key] !== "default" && [" ", quiet(`(${provenance[key]})`)];
      return [key, [valueText(shownValue(key, settings)), from]] as const;
    });
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
      factCard("Settings", facts(chosen!)) || section("Settings", quietLine("All have their defaults.")),
      markup`<details class="card text"><summary>${withCount("Defaults", usual!.length)}</summary>${
        factList(facts(usual!))
      }</details>`,
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

export function recordPage(entries: readonly RecordEntry[]): View {
  const rows = entries.map(({ at, name, role, address, request, project, deed }) => {
    return markup`${head(deed, tag(project, "mark"))}
<p>${name ?? "the server's own token"}, ${role}, from ${address} ${
      quiet(`${renderTime(at)} · request ${request}`)
    }</p>`;
  });
  return {
    title: "Record",
    tab: "record",
    body: markup`<h1>Record</h1>
${quietLine("Who changed what through this server, the newest first.")}
${rowList(rows, "Nothing was changed yet.")}`,
  };
}

const MAX_SHOWN = 8;

const DOCTOR = command`bmad-mcp doctor` ?? NO_COMMAND;

export async function issuesBody(site: Site, rows: readonly Row[]): Promise<Content> {
  const of = (what: string) => rows.filter(({ data }) => data["what"] === what);
  const diagnostics = of("diagnostic").map(({ data }) => data as unknown as Diagnostic);
  const issues = issueRows(diagnostics.filter((one) => !isNotice(one)), await ledgerProblems(site));
  const broken = of("reference");
  return [
    markup`<h1>${withCount("Issues", issues.length)}</h1>
<p>From a full scan of every served file, and of the files that track the work. The command <code>${DOCTOR}</code> also looks at this machine, its clients and the memory.</p>`,
    issues.length === 0 ? markup`<p class="note good">No issues found.</p>` : firstRows(issues),
    section(
      withCount("Broken references", broken.length),
      firstRows(broken.map((row) => itemRow(site, row)), "None."),
    ),
    quietLine(of("references").map(({ about }) => `${about}.`)),
    countedSection("Notices", diagnostics.filter(isNotice).map(diagnosticRow)),
    countedSection("Files that nothing serves", of("unserved").map(({ about }) => about)),
  ];
}

function countedSection(title: string, rows: readonly Content[]): Content {
  return section(withCount(title, rows.length), rows.length > 0 && firstRows(rows));
}

function issueRows(diagnostics: readonly Diagnostic[], ledgers: readonly LocatedProblem[]) {
  const problems = groupProblems(ledgers).map(({ first: { path, line: number, problem }, others }) =>
    markup`${line([tag("warning", "warn"), place(path, number)])}<p>${problem}${others}</p>`
  );
  return [...diagnostics.map(diagnosticRow), ...problems];
}

async function ledgerProblems({ project: { app } }: Site): Promise<readonly LocatedProblem[]> {
  return app.config.kit === undefined ? [] : (await (await app.project.work()).ledgers()).problems;
}

/** Nothing is called right that was not looked at. */
async function knownIssues(site: Site): Promise<Content> {
  const diagnostics = (await site.project.app.diagnostics()).filter((one) => !isNotice(one));
  const issues = issueRows(diagnostics, await ledgerProblems(site));
  const scan = link(site, { list: "doctor" }, "Check every file");
  return issues.length === 0
    ? quietLine(["None known so far. ", scan])
    : [firstRows(issues, undefined, MAX_SHOWN), markup`<p>${scan}</p>`];
}

const NO_CONFLICTS = "No item is in several sources.";

export async function knownConflicts(site: Site): Promise<Content> {
  const rows = await site.project.app.ask(listOverridden);
  const words = severalText(countSeveral(rows));
  if (words === undefined) return quietLine(NO_CONFLICTS);
  return [
    firstRows(rows.map((row) => itemRow(site, row)), undefined, MAX_SHOWN),
    markup`<p>${words}. ${link(site, { list: "conflicts" }, "Compare their files")}</p>`,
  ];
}

export async function conflictsBody(site: Site, rows: readonly Row[]): Promise<Content> {
  const of = (what: string) => rows.filter(({ data }) => data["what"] === what);
  const [items, files, broken] = [of("thing"), of("file"), of("reference")];
  const words = severalText(countSeveral(await site.project.app.ask(listOverridden)));
  const same = of("identical").reduce((sum, { data }) => sum + Number(data["count"]), 0);
  const [differ, copies] = [
    counted(items.length, "of them differs", "of them differ"),
    counted(same, "is an identical copy", "are identical copies"),
  ];
  const references = link(site, { list: "doctor" }, counted(broken.length, "broken reference"));
  return [
    markup`<h1>${withCount("Conflicts", items.length + files.length)}</h1>
<p>${words === undefined ? NO_CONFLICTS : `${words}: ${differ}, ${copies}.`}${
      broken.length > 0 && markup` ${references} under Issues.`
    }</p>`,
    firstRows(items.map((row) => conflictRow(site, row)), "No item differs."),
    countedSection("Other files that differ", files.map((row) => conflictRow(site, row))),
  ];
}

function conflictRow(site: Site, row: Row): Content {
  const { differing = [] } = row.data as { readonly differing?: readonly string[] };
  const files = differing.map((uri) => markup`<p>${linkedName(site, uri)}</p>`);
  return [
    itemRow(site, row),
    files.length > 0 && markup`<details><summary class="quiet">Which files</summary>${files}</details>`,
  ];
}

const LEVEL_COLOURS = { error: "bad", warning: "warn", info: "" } as const;

function diagnosticRow({ level, origin, path, message, fix }: Diagnostic): Markup {
  const where = place([origin, path].filter(Boolean).join(": "));
  return markup`${line([tag(level, LEVEL_COLOURS[level]), where])}<p>${message}</p>${
    fix !== undefined && quietLine(fix)
  }`;
}
