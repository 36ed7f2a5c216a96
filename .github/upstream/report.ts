/**
 * The list of what to do, as Markdown that is also the text of an issue: a box for each group of changes, checked if a
 * table of ours knows them already. Where no table can, a release that was noted as compared counts, and the row says
 * so.
 */
import { counted, oneLine } from "../../src/base/text.ts";
import type { Change } from "./compare.ts";
import { KINDS } from "./facts.ts";
import { type Advice, adviseOn, type Knowledge } from "./advice.ts";

/** What differs between two releases, and whether something is left to do. */
export interface UpstreamReport {
  readonly text: string;
  readonly open: number;
}

/** The report on the changes from one release to another. */
export function reportChanges(
  title: string,
  changes: readonly Change[],
  knowledge: Knowledge,
): UpstreamReport {
  const rows = changes.map((change): Row => {
    const advice = adviseOn(change, knowledge);
    const isShown = adviseOn(change, { ...knowledge, isCompared: false }).isDone;
    return { change, advice, isByWord: advice.isDone && !isShown };
  });
  const open = rows.filter(({ advice }) => !advice.isDone).length;
  const byWord = rows.filter(({ isByWord }) => isByWord).length;
  const groups = Map.groupBy(
    rows,
    ({ change: { kind, is }, advice: { isDone, todo }, isByWord }) =>
      JSON.stringify([kind, is, isDone, isByWord, isDone ? "" : todo]),
  );
  const sections = Map.groupBy(groups.values(), (rows) => rows[0]!.change.kind);
  const head = changes.length === 0
    ? "No differences."
    : `${counted(changes.length, "difference")}, ${open === 0 ? "nothing" : open} to do.` +
      (byWord === 0
        ? ""
        : ` No table of ours shows ${byWord} of them: they count as done because the release was noted.`);
  return {
    text: [
      `## ${title}`,
      "",
      head,
      ...[...sections].flatMap((
        [kind, groups],
      ) => ["", `### ${KINDS[kind]}`, "", ...groups.map(renderGroup)]),
      "",
    ].join("\n"),
    open,
  };
}

interface Row {
  readonly change: Change;
  readonly advice: Advice;
  /** Whether it counts as done only because the release was noted as compared. */
  readonly isByWord: boolean;
}

function renderGroup(rows: readonly Row[]): string {
  const { change: { is }, advice: { isDone, todo }, isByWord } = rows[0]!;
  const names = rows.map(({ change }) => shownChange(change)).join(", ");
  return `- [${isDone ? "x" : " "}] ${is}: ${names}${
    isDone ? isByWord ? " (noted as looked at)" : "" : `. ${todo}`
  }`;
}

/** `bmad-x` (`src/a` → `src/b`); hashes say nothing to people. */
function shownChange({ kind, is, name, from = "", to = "" }: Change): string {
  if (is === "renamed") return `${code(name)} → ${code(to)}`;
  return is === "changed" && kind !== "script"
    ? `${code(name)} (${code(from || "–")} → ${code(to || "–")})`
    : code(name);
}

/** A text of strangers as code, in which nothing is a link or a mention. */
function code(text: string): string {
  return `\`${oneLine(text).replaceAll("`", "'")}\``;
}
