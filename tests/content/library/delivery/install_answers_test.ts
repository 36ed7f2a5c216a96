/**
 * Are an agent's installation questions answered with their defaults in its texts?
 */
import assert from "node:assert/strict";
import { load } from "js-yaml";
import { fillAnswers } from "../../../../src/content/library/delivery/install_answers.ts";
import type { Values } from "../../../../src/content/parse.ts";

const QUESTIONS = `
questions:
  - {var: nick, prompt: Which name?, type: text, default: Ann}
  - {var: tone, prompt: Which tone?, type: choice, default: calm}
  - {var: loud, prompt: Loud?, type: boolean, default: false}
  - {var: crew, prompt: How many?, default: 3}
  - {var: open, prompt: No default}
  - just text
`;

const AGENT: Values = { install_config: load(QUESTIONS) };

const fill = (text: string, saved: Values = {}) => fillAnswers({ ...AGENT, text }, saved)["text"];

/** A text, what becomes of it with the defaults, and what with other answers. */
const TEXTS: readonly (readonly [text: string, plain: string, saved: string])[] = [
  ["{{nick}} and {{ nick }}", "Ann and {{ nick }}", "Ann and {{ nick }}"],
  ["{{crew}} times {{tone}}", "3 times calm", "3 times wild"],
  ["{{nobody}}, {user_name}, {{{nick}}}", "{{nobody}}, {user_name}, {Ann}", "{{nobody}}, {user_name}, {Ann}"],
  ['{{#if tone == "calm"}}Sea{{/if}}{{#if tone == "wild"}}Storm{{/if}}', "Sea", "Storm"],
  ["{{#if loud}}Ho!{{/if}}{{#unless loud}}Hush.{{/unless}}", "Hush.", "Ho!"],
  ["{{#if loud}}A{{#if crew}}B{{/if}}C{{/if}}D", "D", "ABCD"],
  ["{{#if crew}}A{{#unless loud}}{{tone}}{{/unless}}{{/if}}", "Acalm", "A"],
  [
    "{{#if open}}x{{/if}}{{#unless toString}}y{{/unless}}{{constructor}}",
    "y{{constructor}}",
    "y{{constructor}}",
  ],
  ["a {{/if}} b {{#if", "a  b {{#if", "a  b {{#if"],
];

Deno.test("texts contain the default answers, or the saved ones", () => {
  for (const [text, plain, saved] of TEXTS) {
    assert.equal(fill(text), plain, text);
    assert.equal(fill(text, { tone: "wild", loud: true }), saved, text);
  }
});

Deno.test("answers reach every depth, and the questions themselves are left out", () => {
  const agent = fillAnswers({ ...AGENT, menu: [{ action: "Say {{tone}}", n: 1, none: null }], on: true }, {});
  assert.deepEqual(agent, { menu: [{ action: "Say calm", n: 1, none: null }], on: true });
});

Deno.test("an agent without questions keeps its texts", () => {
  const agent = { text: "{{tone}} {{#if x}}y{{/if}}" };
  assert.deepEqual(fillAnswers(agent, {}), agent);
});

Deno.test("answers of any length and number stay within bounds", () => {
  const text = String(fill("{{a}}".repeat(20_000), { a: "y".repeat(1_000) }));
  assert.ok(text.length < 300_000, `${text.length} characters`);
  assert.ok(text.startsWith("yyy") && text.endsWith("{{a}}"));
});
