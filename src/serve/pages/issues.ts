/**
 * What is wrong, and what several sources have: the pages of a full scan, and what is known without one.
 *
 * Both count the same: every diagnostic that is no notice is an issue, and so is what the board says is wrong with its files.
 */
import { countSeveral, listOverridden, type Row, severalText } from "../../app.ts";
import { groupProblems, type LocatedProblem } from "../../base/problem_groups.ts";
import { type Diagnostic, isNotice } from "../../base/model.ts";
import { command, counted, NO_COMMAND } from "../../base/text.ts";
import { type Content, type Markup, markup } from "../../base/markup.ts";
import {
  firstRows,
  itemRow,
  line,
  link,
  linkedName,
  place,
  quietLine,
  section,
  type Site,
  tag,
  withCount,
} from "./elements.ts";

/** The most rows of a list that has its own page. */
const MAX_SHOWN = 8;

const DOCTOR = command`bmad-mcp doctor` ?? NO_COMMAND;

/** The page of issues, from the rows of a full scan. */
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

function issueRows(
  diagnostics: readonly Diagnostic[],
  ledgers: readonly LocatedProblem[],
): readonly Markup[] {
  const problems = groupProblems(ledgers).map(({ first: { path, line: number, problem }, others }) =>
    markup`${line([tag("warning", "warn"), place(path, number)])}<p>${problem}${others}</p>`
  );
  return [...diagnostics.map(diagnosticRow), ...problems];
}

/** What the board says is wrong with the files that track the work. */
async function ledgerProblems({ project: { app } }: Site): Promise<readonly LocatedProblem[]> {
  return app.config.kit === undefined ? [] : (await (await app.project.work()).ledgers()).problems;
}

/** What is known to be wrong without a full scan; nothing is called right that was not looked at. */
export async function knownIssues(site: Site): Promise<Content> {
  const diagnostics = (await site.project.app.diagnostics()).filter((one) => !isNotice(one));
  const issues = issueRows(diagnostics, await ledgerProblems(site));
  const scan = link(site, { list: "doctor" }, "Check every file");
  return issues.length === 0
    ? quietLine(["None known so far. ", scan])
    : [firstRows(issues, undefined, MAX_SHOWN), markup`<p>${scan}</p>`];
}

const NO_CONFLICTS = "No item is in several sources.";

/** What several sources have, without a comparison of their files. */
export async function knownConflicts(site: Site): Promise<Content> {
  const rows = await site.project.app.ask(listOverridden);
  const words = severalText(countSeveral(rows));
  if (words === undefined) return quietLine(NO_CONFLICTS);
  return [
    firstRows(rows.map((row) => itemRow(site, row)), undefined, MAX_SHOWN),
    markup`<p>${words}. ${link(site, { list: "conflicts" }, "Compare their files")}</p>`,
  ];
}

/** The page of conflicts, from the rows of a full scan: items first, then files; broken references are issues. */
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
