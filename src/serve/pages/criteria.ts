/**
 * Acceptance criteria for people: each clause on a line of its own.
 */
import type { TracedCriterion } from "../../app.ts";
import { oneLine } from "../../base/text.ts";
import { type Markup, markup } from "../../base/markup.ts";

/** The most criteria of a list, and the most tests of one of them. */
const MAX_CRITERIA = 100, MAX_TESTS = 5;

/** A text of Markdown without the marks of emphasis. */
export function plain(text: string): string {
  return text.replaceAll(/\*\*|__|`/g, "");
}

/** Where more clauses begin: only as people write them, for "and" and "but" also stand inside of one. */
const MORE = /,? (?=(?:And|But|When|Then|AND|BUT|WHEN|THEN)\b)/;

/** The clauses of a criterion, each with its first word: Given, When, Then. */
function clausesOf(text: string): readonly (readonly [word: string, rest: string])[] {
  const words = oneLine(plain(text));
  const when = /^given\b/i.test(words) ? words.search(/ when\b/i) : -1;
  const then = when < 0 ? -1 : words.slice(when + 1).search(/ then\b/i);
  if (then < 0) return [["", words]];
  const parts = [words.slice(0, when), words.slice(when + 1, when + 1 + then), words.slice(when + then + 2)];
  return parts.map((part) => part.replace(/,$/, "")).flatMap((part) => part.split(MORE)).map((part) => {
    const [, word = "", rest = part] = /^(\w+)[ :,]+(.*)/.exec(part) ?? [];
    return [`${word.charAt(0).toUpperCase()}${word.slice(1).toLowerCase()}`, rest];
  });
}

/** The criteria of a story, with the tests that name them. */
export function criteriaList(criteria: readonly string[], traced: readonly TracedCriterion[] = []): Markup {
  const testsOf = (number: number) => traced.find((one) => one.number === number)?.tests ?? [];
  return markup`<ol class="criteria card">${
    criteria.slice(0, MAX_CRITERIA).map((criterion, at) =>
      markup`<li>${
        clausesOf(criterion).map(([word, rest]) =>
          markup`<span class="clause">${word !== "" && markup`<strong>${word}</strong> `}${rest}</span>`
        )
      }${
        testsOf(at + 1).slice(0, MAX_TESTS).map((test) =>
          markup`<span class="clause quiet">Tested by <span class="path">${test}</span></span>`
        )
      }</li>`
    )
  }</ol>`;
}
