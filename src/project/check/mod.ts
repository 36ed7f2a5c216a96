/**
 * Is it really done? Compares what a project claims of its stories with what its files show.
 *
 * A rule looks for one kind of lie; to add one, add it to its list and its fix to `FIXES`. A rule that cannot know keeps
 * silent: an honest project has no findings, whatever its style and language.
 */
import { counted } from "../../base/text.ts";
import { findText, type Tree } from "../../content/tree/mod.ts";
import { costOf, type Found, MAX_COST } from "../board/mod.ts";
import { DOCUMENT_RULES } from "./documents.ts";
import { type Checked, type CheckWorld, type Finding, FIXES } from "./model.ts";
import { checkEpic, sentenceOf, STATUS_RULES } from "./statuses.ts";
import { readStoryText, type StoryText } from "./story_text.ts";
import type { Rule, Subject } from "./subject.ts";

export type { Checked, CheckWorld, Code, Finding } from "./model.ts";

/** A document of that length was written by a machine. */
const MAX_LENGTH = 1 << 20;

/**
 * Checks one story. Work that has begun is measured as if it were done, because that is the question; `isMarking` leaves
 * out the statuses, which are about to change.
 */
export function checkStory(
  world: CheckWorld,
  found: Found,
  { isMarking = false }: { readonly isMarking?: boolean } = {},
): Promise<Checked> {
  const { state: own } = found.story;
  const state = isMarking || own === "in-progress" || own === "blocked" ? "done" : own;
  const rules = isMarking ? DOCUMENT_RULES : RULES;
  return Promise.resolve(judge(world, [{ ...found, state }], rules));
}

/** Checks all stories by the states that they have, and the ledgers themselves. */
export function checkAll(world: CheckWorld): Promise<Checked> {
  const { epics, problems } = world.board;
  const all = epics.flatMap((epic) => epic.stories.map((story) => ({ story, epic, state: story.state })));
  const { findings, unchecked } = judge(world, all, RULES);
  const ofLedgers = problems.map((one): Finding => ({
    code: "ledger-problem",
    problem: sentenceOf(one),
    path: one.path,
    ...(one.line !== undefined && { line: one.line }),
    fix: FIXES["ledger-problem"],
  }));
  return Promise.resolve({ findings: [...ofLedgers, ...epics.flatMap(checkEpic), ...findings], unchecked });
}

const RULES: readonly Rule[] = [...STATUS_RULES, ...DOCUMENT_RULES];

function judge(
  world: CheckWorld,
  stories: readonly (Found & Pick<Subject, "state">)[],
  rules: readonly Rule[],
): Checked {
  const textsOf = openTexts(world.tree);
  const findings: Finding[] = [];
  let left = 0;
  for (const one of stories.filter(({ state }) => state !== "dropped")) {
    const texts = textsOf(one);
    if (texts === undefined) left++;
    else findings.push(...rules.flatMap((rule) => rule({ ...one, texts, world })));
  }
  const isAre = counted(left, "story was", "stories were");
  return {
    findings,
    unchecked: left === 0 ? [] : [`${isAre} not looked at: the files of all others reach the limit.`],
  };
}

/** Reads the files of stories; undefined once the limit of one answer is reached. */
function openTexts(tree: Tree): (found: Found) => readonly StoryText[] | undefined {
  let left = MAX_COST;
  return ({ story: { file, plan } }) => {
    if (left <= 0) return undefined;
    return [...new Set([file, plan])].flatMap((path) => {
      const text = path === undefined ? undefined : findText(tree, path);
      if (text === undefined) return [];
      left -= costOf(path!, text);
      return text.length > MAX_LENGTH ? [] : [readStoryText(path!, text)];
    });
  };
}
