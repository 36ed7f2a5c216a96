/**
 * What is wrong, and what several sources have: the pages of a full scan, and what is known without one.
 *
 * Both count the same: what `isNotice` lets pass is an issue, and what the board says is wrong with its files is one, too.
 */
import { countSeveral, type Row, severalText } from "../../app.ts";
import { groupAlike, type Told } from "../../base/alike.ts";
import { type Diagnostic, isNotice } from "../../base/model.ts";
import { command, counted, NO_COMMAND } from "../../base/text.ts";
import { type Content, type Markup, markup } from "../../base/markup.ts";
import { link, linkedName, MAX_ROWS, rowList, rowOf, type Site, tag } from "./site.ts";

/** The most rows of a list that has its own page. */
const MAX_SHOWN = 8;

const DOCTOR = command`bmad-mcp doctor` ?? NO_COMMAND;

/** The page of issues, from the rows of a full scan. */
export async function issuesBody(site: Site, rows: readonly Row[]): Promise<Markup> {
  const of = (what: string) => rows.filter(({ data }) => data["what"] === what);
  const diagnostics = of("diagnostic").map(({ data }) => data as unknown as Diagnostic);
  const issues = issueRows(diagnostics.filter((one) => !isNotice(one)), await ledgerProblems(site));
  const notices = diagnostics.filter(isNotice).map(diagnosticRow);
  const [broken, unserved] = [of("reference"), of("unserved")];
  return markup`<h1>Issues <span class="count">${issues.length}</span></h1>
<p>From a full scan of every served file, and of the files that track the work. The command <code>${DOCTOR}</code> also looks at this machine, its clients and the memory.</p>
${issues.length === 0 ? markup`<p class="note good">No issues found.</p>` : cut(issues)}
<h2>Broken references <span class="count">${broken.length}</span></h2>
${cut(broken.map((row) => rowOf(site, row)), "None.")}
<p class="quiet">${of("references").map(({ about }) => `${about}.`)}</p>
${section("Notices", notices)}
${section("Files that nothing serves", unserved.map(({ about }) => about))}`;
}

function section(title: string, rows: readonly Content[]): Content {
  return rows.length > 0 && markup`<h2>${title} <span class="count">${rows.length}</span></h2>${cut(rows)}`;
}

/** The first of many rows, and how many there are more. */
function cut(rows: readonly Content[], none?: string, most = MAX_ROWS): Markup {
  const hidden = rows.length - most;
  return markup`${rowList(rows.slice(0, most), none)}${
    hidden > 0 && markup`<p class="quiet">${hidden} more.</p>`
  }`;
}

function issueRows(diagnostics: readonly Diagnostic[], ledgers: readonly Told[]): readonly Markup[] {
  const told = groupAlike(ledgers).map(({ first: { path, line, problem }, others }) =>
    markup`<div class="head">${tag("warning", "warn")}<span class="path">${path}${
      line !== undefined && `:${line}`
    }</span></div><p>${problem}${others}</p>`
  );
  return [...diagnostics.map(diagnosticRow), ...told];
}

/** What the board says is wrong with the files that track the work. */
async function ledgerProblems({ project: { app } }: Site): Promise<readonly Told[]> {
  return app.config.kit === undefined ? [] : (await (await app.work()).ledgers()).problems;
}

/** What is known to be wrong without a full scan; nothing is called right that was not looked at. */
export async function knownIssues(site: Site): Promise<Markup> {
  const diagnostics = (await site.project.app.diagnostics()).filter((one) => !isNotice(one));
  const issues = issueRows(diagnostics, await ledgerProblems(site));
  const scan = link(site, { list: "doctor" }, "Check every file");
  return issues.length === 0
    ? markup`<p class="quiet">None known so far. ${scan}</p>`
    : markup`${cut(issues, undefined, MAX_SHOWN)}<p>${scan}</p>`;
}

/** What several sources have, without a comparison of their files. */
export async function knownConflicts(site: Site): Promise<Markup> {
  const rows = await site.project.app.overridden();
  const words = severalText(countSeveral(rows));
  if (words === undefined) return markup`<p class="quiet">No item is in several sources.</p>`;
  return markup`${cut(rows.map((row) => rowOf(site, row)), undefined, MAX_SHOWN)}<p>${words}. ${
    link(site, { list: "conflicts" }, "Compare their files")
  }</p>`;
}

/** The page of conflicts, from the rows of a full scan: items first, then files; broken references are issues. */
export async function conflictsBody(site: Site, rows: readonly Row[]): Promise<Markup> {
  const of = (what: string) => rows.filter(({ data }) => data["what"] === what);
  const [items, files, broken] = [of("thing"), of("file"), of("reference")];
  const words = severalText(countSeveral(await site.project.app.overridden()));
  const same = of("identical").reduce((sum, { data }) => sum + Number(data["count"]), 0);
  return markup`<h1>Conflicts <span class="count">${items.length + files.length}</span></h1>
<p>${
    words === undefined
      ? "No item is in several sources."
      : `${words}: ${counted(items.length, "of them differs", "of them differ")}, ${
        counted(same, "is an identical copy", "are identical copies")
      }.`
  }${
    broken.length > 0 &&
    markup` ${link(site, { list: "doctor" }, counted(broken.length, "broken reference"))} under Issues.`
  }</p>
${cut(items.map((row) => conflictRow(site, row)), "No item differs.")}
${section("Other files that differ", files.map((row) => conflictRow(site, row)))}`;
}

function conflictRow(site: Site, row: Row): Markup {
  const { differing = [] } = row.data as { readonly differing?: readonly string[] };
  return markup`${rowOf(site, row)}${
    differing.length > 0 &&
    markup`<details><summary class="quiet">Which files</summary>${
      differing.map((uri) => markup`<p>${linkedName(site, { name: uri })}</p>`)
    }</details>`
  }`;
}

const LEVEL_COLOURS = { error: "bad", warning: "warn", info: "" } as const;

function diagnosticRow({ level, origin, path, message, fix }: Diagnostic): Markup {
  return markup`<div class="head">${tag(level, LEVEL_COLOURS[level])}<span class="path">${
    [origin, path].filter(Boolean).join(": ")
  }</span></div><p>${message}</p>${fix !== undefined && markup`<p class="quiet">${fix}</p>`}`;
}
