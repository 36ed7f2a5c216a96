/** What a text has its reader load in any case comes along, so that nobody asks for it file by file. */
import { splitLines } from "../../../base/text.ts";
import { LIMITS } from "../../limits.ts";
import { isChoice } from "./choices.ts";

/** Sentences that begin so, `Load the rules from X and Y`, `Run the Reviewer Gate (X)`, or name the template. */
const LOAD =
  /(?:^\s{0,12}(?:[-*+] |\d{1,3}\. )?(?:\*\*|<action>)?|[.!?:*] {1,2})(?:Load|Read|Follow|Run)\b(?<how>[^`.\n]{0,60}?)(?:`(?<file>[^`\n]{1,200}\.md)`(?: and `(?<other>[^`\n]{1,200}\.md)`)?|(?<bare>\.{1,2}\/[\w./-]{1,200}\.md))(?<rest>[^.\n]{0,20})/g;
const TEMPLATE = /\{workflow\.(?!\w*(?:valid|check|report|review))\w{0,60}template\}/g;
const CONDITION = /\b(?:if|when|unless|once|only|skip|optional|otherwise|intent|after)\b/i;

/** Empty of steps where a text has several: it then chooses among them. */
export function followUps(text: string) {
  const [steps, files] = [new Set<string>(), new Set<string>()];
  let [isCode, checks] = [false, 0];
  for (const line of splitLines(text)) {
    if (/^ {0,3}(?:```|~~~)/.test(line)) isCode = !isCode;
    checks += line.split("<check ").length - line.split("</check>").length;
    const sentences = isCode || checks > 0 || isChoice(line) ? "" : line.slice(0, LIMITS.choices.line);
    for (const { 0: whole, index, groups = {} } of sentences.matchAll(LOAD)) {
      const { how = "", file, other, bare, rest = "" } = groups;
      if ([sentences.slice(0, index), how, rest].some((part) => CONDITION.test(part))) continue;
      const isStep = /\b(?:follow|execute)\b/i.test(whole.slice(0, whole.search(/[`/]/)));
      for (const one of [file ?? bare, other]) if (one !== undefined) (isStep ? steps : files).add(one);
    }
    for (const { 0: name, index } of sentences.matchAll(TEMPLATE)) {
      const sentence = sentences.slice(0, index).split(/[.;] /).at(-1)!;
      if (!CONDITION.test(sentence)) files.add(name);
    }
  }
  return { steps: steps.size > 1 ? [] : [...steps], files: [...files].slice(0, LIMITS.choices.files) };
}
