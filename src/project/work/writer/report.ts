/**
 * What a change has done, in words and as data.
 */
import type { Report } from "../../../base/report.ts";
import { command, counted, oneLine, withCommand } from "../../../base/text.ts";
import { identityOf, type QuestionCalls, questionLine, renderEnd } from "../board/mod.ts";
import { isOver, nameOfHolder, questionsOf, questionWords, stateOf } from "../formats/mod.ts";
import type { Claimed } from "./claim.ts";
import type { Marked } from "./mark.ts";
import type { Told } from "./question.ts";

/** What was marked, which files changed, and how far the epic is. */
export function reportMark(
  { key, target: { epic: { ref, title, stories } }, changes, files, notes, hasEnded }: Marked,
  { isVersioned }: { readonly isVersioned: boolean },
): Report {
  const done = stories.filter((story) => {
    const change = changes.find((one) => one.key === story.key || one.key === story.ref);
    return (change === undefined ? story.state : stateOf(change.to)) === "done";
  }).length;
  const already = `${key} has that status already${files.length === 0 ? "" : "; its file follows"}.`;
  return {
    text: [
      ...(changes.length === 0
        ? [already]
        : changes.map(({ key, from, to }) => `${key}: ${from ?? "none"} → ${to}`)),
      ...files.map((path) => `Changed: ${oneLine(path)}`),
      // A build begins only where nothing is left to be committed.
      ...(isVersioned && hasEnded && files.length > 0
        ? [withCommand("Commit with the story", command`git add ${{ args: files }}`)]
        : []),
      ...notes.map((note) => `Note: ${oneLine(note)}`),
      `${/^\d/.test(ref) ? `Epic ${ref}` : title}: ${done} of ${
        counted(stories.length, "story is", "stories are")
      } done.`,
    ].join("\n"),
    data: { story: key, changes, files, notes, epic: { ref, title, done, total: stories.length } },
  };
}

/** What was asked or answered, and what follows for its story; `remembered` says what became of the decision. */
export function reportQuestion(
  { question, outcome, found, files, notes }: Told,
  { answer }: QuestionCalls,
  remembered?: string,
): Report {
  const { number, isOpen, answer: words } = question;
  const name = found && identityOf(found.epic, found.story);
  const others = found === undefined ? [] : questionsOf(found.story).filter((one) => one !== number);
  const waits = name === undefined || isOver(found!.story.state)
    ? []
    : isOpen
    ? [`${name} waits for the answer; \`next\` hands out other stories.`]
    : [others.length === 0 ? `${name} can go on.` : `${name} still waits for ${questionWords(others)}.`];
  return {
    text: [
      isOpen
        ? `${outcome === "known" ? "Asked before: question" : "Question"} ${questionLine(question)}`
        : `Question ${number} is answered${outcome === "known" ? " already" : ""}: ${words}`,
      ...files.map((path) => `Changed: ${oneLine(path)}`),
      ...waits,
      ...(isOpen && answer !== undefined ? [`Answer: ${answer(number)}`] : []),
      ...(remembered === undefined ? [] : [remembered]),
      ...notes.map((note) => `Note: ${oneLine(note)}`),
    ].join("\n"),
    data: {
      number,
      question: question.text,
      story: name,
      to: question.to,
      choices: question.choices,
      outcome,
      answer: words,
      files,
      notes: [...notes, ...(remembered === undefined ? [] : [remembered])],
    },
  };
}

/** Who holds a story now. */
export function reportClaim({ found: { story, epic }, claim, before, notes = [] }: Claimed): Report {
  const name = identityOf(epic, story);
  const text = claim !== undefined
    ? `${claim.by} holds ${name} until ${renderEnd(claim)}${
      before === undefined ? "" : `, taken from ${nameOfHolder(before)}`
    }.`
    : before === undefined
    ? `${name} has no owner.`
    : `${nameOfHolder(before)} no longer holds ${name}.`;
  const { by, until } = claim ?? {};
  return {
    text: [text, ...notes.map((note) => `Note: ${note}.`)].join("\n"),
    data: { story: name, title: story.title, by, until, before: before?.by, notes },
  };
}
