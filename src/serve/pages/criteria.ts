/**
 * Acceptance criteria for people: each clause on a line of its own.
 */
import type { TracedCriterion } from "../../app.ts";
import { type Markup, markup } from "./markup.ts";

/** The most criteria of a list, and the most tests of one of them. */
const MAX_CRITERIA = 100, MAX_TESTS = 5;

const CLAUSES = /^(given\b[^]*?),?\s+(when\b[^]*?),?\s+(then\b[^]*)$/i;

/** A text of Markdown without the marks of emphasis. */
export function plain(text: string): string {
  return text.replaceAll(/\*\*|__|`/g, "");
}

/** The clauses of a criterion, each with its first word: Given, When, Then. */
function clausesOf(text: string): readonly (readonly [word: string, rest: string])[] {
  const words = plain(text).trim();
  const [, ...parts] = CLAUSES.exec(words) ?? [];
  if (parts.length === 0) return [["", words]];
  return parts.flatMap((part) => part.split(/,?\s+(?=(?:And|But|When|Then|AND|BUT|WHEN|THEN)\b)/))
    .map((part) => {
      const [, word = "", rest = part] = /^(\w+)[\s:,]+([^]*)$/.exec(part) ?? [];
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
