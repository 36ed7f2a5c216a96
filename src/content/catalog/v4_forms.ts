/**
 * The commands of v4 that say what they are for: `*create-doc prd-tmpl`, `*task shard-doc`, `*kb-mode`.
 *
 * Each agent of v4 has some of them; models and users write them wherever a name is expected.
 */
import type { Kind } from "../../base/model.ts";

/** What a command leads to: an item of a kind, under one of several words. */
export interface Form {
  readonly kind: Kind;
  readonly words: readonly string[];
}

/** A pattern, the kind of what it names, and how the ids of that kind end. */
const FORMS: readonly (readonly [pattern: RegExp, kind: Kind, ending: string])[] = [
  [/^create-doc\s+(\S.*)$/, "template", "-tmpl"],
  [/^(?:execute-)?checklist\s+(\S.*)$/, "checklist", "-checklist"],
  [/^task\s+(\S.*)$/, "task", ""],
  [/^agent\s+(\S.*)$/, "agent", ""],
  [/^workflow\s+(\S.*)$/, "workflow", ""],
];

const KB_MODE: Form = { kind: "task", words: ["kb-mode-interaction"] };

/** The form of a text in lower case, without its star; undefined for any other text. */
export function readForm(text: string): Form | undefined {
  if (/^kb(?:-mode)?$/.test(text)) return KB_MODE;
  for (const [pattern, kind, ending] of FORMS) {
    const word = pattern.exec(text)?.[1]?.trim();
    if (word !== undefined) return { kind, words: [...new Set([word, `${word}${ending}`])] };
  }
  return undefined;
}
