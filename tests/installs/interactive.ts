/**
 * Runs the installer of an early 6.0.0 without a terminal, by answering its questions:
 * `interactive.ts npm:bmad-method@VERSION/tools/cli/commands/install.js FOLDER MODULES TOOLS`, both comma-separated.
 */
import { createRequire } from "node:module";
import process from "node:process";

// deno-lint-ignore no-explicit-any
type Any = any;

const [program, folder, modules, tools] = process.argv.slice(2) as [string, string, string, string];
const require = createRequire(import.meta.resolve(program));
const chosen = { modules: modules.split(","), tools: tools.split(",") };

/** Alphas ask by the names of answers. */
const ANSWERS: Any = {
  directory: folder,
  proceed: true,
  create: true,
  modules: chosen.modules,
  selectedModules: chosen.modules,
  ides: chosen.tools,
  wantsOfficialModules: true,
  wantsCustomContent: false,
  enableTts: false,
  install: "none",
  selected: [],
  installLocation: "project",
  customAction: "none",
  goBack: false,
  shouldInstall: false,
};

const valueOf = async (one: Any, so: Any) => typeof one === "function" ? await one(so) : one;

async function answerOf(question: Any, given: Any): Promise<Any> {
  if (question.name in ANSWERS) return ANSWERS[question.name];
  const usual = await valueOf(question.default, given);
  if (usual !== undefined) return usual;
  const choices = (await valueOf(question.choices, given)) ?? [];
  if (question.type === "checkbox") {
    return choices.filter((one: Any) => one.checked).map((one: Any) => one.value);
  }
  if (question.type === "list") return choices[0].value ?? choices[0];
  return question.type === "confirm" ? true : "";
}

async function prompt(questions: Any): Promise<Any> {
  const given: Any = {};
  for (const question of Array.isArray(questions) ? questions : [questions]) {
    if (question.when !== undefined && !await valueOf(question.when, given)) continue;
    const answer = await answerOf(question, given);
    const isTaken = question.filter === undefined || question.name === "directory";
    given[question.name] = isTaken ? answer : await question.filter(answer, given);
  }
  return given;
}

const isOfTools = (message: string) => /tool|ide|integrat/i.test(message);

const pick = ({ message, choices, options }: Any) => {
  const all = (choices ?? options).flat().map((one: Any) => one.value);
  return isOfTools(message) ? chosen.tools : chosen.modules.filter((one) => all.includes(one));
};

/** Betas have prompts of their own, of which each returns a promise. */
const PROMPTS: Any = {
  text: ({ message, default: usual, initialValue }: Any) =>
    /director/i.test(message) ? folder : usual ?? initialValue ?? "",
  confirm: ({ message, default: usual = true }: Any) => /custom/i.test(message) ? false : usual,
  select: ({ default: usual, choices, options }: Any) => usual ?? (choices ?? options)[0].value,
  multiselect: pick,
  groupMultiselect: ({ message }: Any) => isOfTools(message) ? chosen.tools : chosen.modules,
};

try {
  const prompts = require("../lib/prompts.js");
  for (const [name, answer] of Object.entries<Any>(PROMPTS)) {
    prompts[name] = (question: Any) => Promise.resolve(answer(question));
  }
  prompts.prompt = prompt;
} catch {
  const inquirer = require("inquirer");
  (inquirer.default ?? inquirer).prompt = prompt;
}
process.chdir(folder);
await require(program.replace(/^.*\/tools\/cli\/commands\//, "./")).action({});
