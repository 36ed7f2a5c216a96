/**
 * Answers the questions that an agent's author asks at installation, with their defaults.
 *
 * An agent's source may have questions (`install_config`), and its texts may depend on the answers: `{{tone}}`,
 * `{{#if tone == "calm"}}…{{/if}}`, `{{#unless quiet}}…{{/unless}}`. An unknown name is left in the text: it may be meant
 * for the model.
 */
import { asText, asValues, isValues, type Values } from "../../parse.ts";

/** The agent with the answers filled in; `saved` answers override the defaults. */
export function fillAnswers(agent: Values, saved: Values): Values {
  const { install_config: config, ...rest } = agent;
  const questions = asValues(config)["questions"];
  const defaults = (Array.isArray(questions) ? questions : []).map(asValues)
    .filter((question) => question["default"] !== undefined)
    .map((question) => [asText(question["var"]) ?? "", question["default"]] as const);
  const answers = { ...Object.fromEntries(defaults), ...saved };
  return Object.keys(answers).length === 0 ? rest : asValues(fill(rest, { answers, left: MAX_CHARACTERS }));
}

/** How many characters of answers an agent may have in all: a hostile file must not produce endless text. */
const MAX_CHARACTERS = 100_000;

interface Filling {
  readonly answers: Values;
  left: number;
}

function fill(value: unknown, filling: Filling): unknown {
  if (typeof value === "string") return value.includes("{{") ? fillText(value, filling) : value;
  if (Array.isArray(value)) return value.map((part) => fill(part, filling));
  if (!isValues(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, fill(inner, filling)]));
}

const TAG = /(\{\{[^{}]*\}\})/;
const BEGIN = /^\{\{#(if|unless)\s+(\w+)\s*(?:==\s*"([^"]*)"\s*)?\}\}$/;
const END = /^\{\{\/(if|unless)\}\}$/;

function fillText(text: string, filling: Filling): string {
  const { answers } = filling;
  const answerTo = (name: string) => Object.hasOwn(answers, name) ? answers[name] : undefined;
  /** For each open block, whether its text is kept. */
  const blocks: boolean[] = [];
  const isKept = () => blocks.at(-1) ?? true;
  const parts = text.split(TAG).map((part, at) => {
    // Every second part is a tag.
    if (at % 2 === 0) return isKept() ? part : "";
    const [, word, name, wanted] = BEGIN.exec(part) ?? [];
    if (word !== undefined) {
      const answer = answerTo(name!);
      const holds = wanted === undefined ? Boolean(answer) : asText(answer) === wanted;
      blocks.push(isKept() && holds === (word === "if"));
      return "";
    }
    if (END.test(part)) {
      blocks.pop();
      return "";
    }
    const answer = asText(answerTo(part.slice(2, -2)));
    if (answer === undefined) return isKept() ? part : "";
    filling.left -= answer.length;
    return filling.left < 0 ? part : isKept() ? answer : "";
  });
  return parts.join("");
}
