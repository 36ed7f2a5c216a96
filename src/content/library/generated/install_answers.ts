/**
 * What an author wanted to ask at installation, answered with the defaults.
 *
 * An agent's source may have questions (`install_config`), and its texts may depend on the answers: `{{tone}}`,
 * `{{#if tone == "calm"}}…{{/if}}`, `{{#unless quiet}}…{{/unless}}`. A name that is no answer stays as it is: it
 * may be for the one who reads the text.
 */
import { asText, asValues, isValues, type Values } from "../../parse.ts";

/** The agent with its answers filled in; `saved` are those that somebody gave before. */
export function fillAnswers(agent: Values, saved: Values): Values {
  const { install_config: config, ...rest } = agent;
  const questions = asValues(config)["questions"];
  const defaults = (Array.isArray(questions) ? questions : []).map(asValues)
    .filter((question) => question["default"] !== undefined)
    .map((question) => [asText(question["var"]) ?? "", question["default"]] as const);
  const answers = { ...Object.fromEntries(defaults), ...saved };
  return Object.keys(answers).length === 0 ? rest : asValues(fill(rest, { answers, room: ROOM }));
}

/** How many characters the answers of one agent may take in all, so that no file can ask for endless text. */
const ROOM = 100_000;

interface Filling {
  readonly answers: Values;
  room: number;
}

function fill(value: unknown, filling: Filling): unknown {
  if (typeof value === "string") return value.includes("{{") ? fillText(value, filling) : value;
  if (Array.isArray(value)) return value.map((part) => fill(part, filling));
  if (!isValues(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, fill(inner, filling)]));
}

const MARK = /(\{\{[^{}]*\}\})/;
const BEGIN = /^\{\{#(if|unless)\s+(\w+)\s*(?:==\s*"([^"]*)"\s*)?\}\}$/;
const END = /^\{\{\/(if|unless)\}\}$/;

function fillText(text: string, filling: Filling): string {
  const { answers } = filling;
  const answerTo = (name: string) => Object.hasOwn(answers, name) ? answers[name] : undefined;
  /** For each block that we are in, whether it is to be read. */
  const blocks: boolean[] = [];
  const isRead = () => blocks.at(-1) ?? true;
  const parts = text.split(MARK).map((part, at) => {
    // Every second part is a mark.
    if (at % 2 === 0) return isRead() ? part : "";
    const [, word, name, wanted] = BEGIN.exec(part) ?? [];
    if (word !== undefined) {
      const answer = answerTo(name!);
      const holds = wanted === undefined ? Boolean(answer) : asText(answer) === wanted;
      blocks.push(isRead() && holds === (word === "if"));
      return "";
    }
    if (END.test(part)) {
      blocks.pop();
      return "";
    }
    const answer = asText(answerTo(part.slice(2, -2)));
    if (answer === undefined) return isRead() ? part : "";
    filling.room -= answer.length;
    return filling.room < 0 ? part : isRead() ? answer : "";
  });
  return parts.join("");
}
