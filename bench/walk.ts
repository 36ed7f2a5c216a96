/**
 * A client that knows nothing of us: it has the server's instructions, its list of tools and a user's words, and takes
 * every call from a text that came before it. A call that nothing printed is a fault, and so is a call that is refused.
 *
 * It reads as a model does that takes texts literally. Of a skill it opens the files that the texts name, runs the script
 * lines that the header prints, and has agents with a context of their own do what is handed to them. Of what a text says
 * for one case (`CASES`), it does what is for this user's. Then it writes what the texts ask for, with tools of its own,
 * and goes on with the call that the last answer prints.
 */
import type { ProgramClient } from "../tests/support/client.ts";

interface Cost {
  readonly calls: number;
  readonly tokens: number;
}

/** What a user wants, and what comes of it. */
export interface Scenario {
  readonly name: string;
  readonly limits: Cost;
  /** The same without MCP. */
  readonly terminal: Cost;
  /** The repository before the first call. */
  readonly files: Readonly<Record<string, string>>;
  /** What the user asks for, in turn. */
  readonly wishes: readonly string[];
  /** Whether the user wants all that comes next, too. */
  readonly wantsAll: boolean;
  /** Which of the cases are the user's. */
  readonly cases: readonly string[];
  /** What the user says where a text leaves room for words. */
  readonly words: readonly string[];
  /** What the client writes when it has read a skill. */
  readonly work: Readonly<Record<string, (desk: Desk, stage: Stage) => Promise<void>>>;
  readonly flaw: Flaw;
}

/** Something that a review finds as long as it is there. */
export interface Flaw {
  /** The skill whose reviewers see it, or "review" for those of the operation. */
  readonly finder: string;
  readonly story: string;
  readonly finding: string;
  readonly file: string;
  readonly wrong: string;
  readonly right: string;
}

/** A skill that has begun. */
export interface Stage {
  readonly skill: string;
  /** Without its module. */
  readonly name: string;
  /** What it was begun with. */
  readonly message: string;
  /** A value of the header, with those that it names in their places. */
  value(name: string): string;
}

/** The client's own tools, which are not counted. */
export interface Desk {
  read(path: string): Promise<string>;
  write(path: string, text: string): Promise<void>;
  git(...args: readonly string[]): Promise<string>;
  /** Commits what has changed, if anything has. */
  commit(message: string): Promise<void>;
}

type Call = readonly [tool: string, args: Readonly<Record<string, unknown>>];

/** Cases that texts speak of, by the words that tell them. */
const CASES: Readonly<Record<string, RegExp>> = {
  unattended: /headless/i,
  "existing document": /\bupdat(?:e|ing)\b|\bvalidat(?:e|ing)\b|\brefresh|\badopti|\baudit|\brecord$/i,
  trouble:
    /on failure|fails|fallback|in order of preference|cannot|unavailable|loop ?back|intent_gap|bad_spec/i,
  resumed: /resum|legacy/i,
  "other skill": /real ask|misroute/i,
  "small change": /change is small/i,
  "story of a sprint": /`\{story_key\}` is not empty/,
  "on request": /by default|opt-in|user asks|only when asked|can invoke|or invoke|offer|\bIF [ABD-Z]:/i,
  example: /e\.g\./i,
};
/** The files that are for one case only. */
const CASE_FILES: typeof CASES = {
  unattended: /headless/,
  "existing document": /\/validat|-validation-/,
  "small change": /oneshot/,
};

const NAMED_FILE =
  /`((?:\.{1,2}\/)?(?:[\w-]+\/)+[\w.-]+\.(?:md|html|csv)|\.\/[\w.-]+\.md|bmad:\/\/[^`\s]+)`|(?<= )(\.{1,2}\/(?:[\w-]+\/)*[\w.-]+\.md)|\{workflow\.(\w+)\}/g;
const NAMED_SKILL = /\binvoke (?:the )?(?:skill )?\**`(bmad-[\w-]+)`\**(?: skill)? ?([^.]*)/i;
const JSON_CALL = /(?:\b(bmad(?:_work)?)`? )?(\{(?:"(?:[^"\\]|\\.)*"|[^"{}])*\})/g;
const PLACEHOLDER = / \[--[^\]]*\]|'\[\{.*?\]'|<[^>]*>|\{\{?[\w-]+\}\}?|…|\b[A-Z]{4,}(?::[A-Z]+)?\b|^words$/g;

/** Placeholders that a client fills from git. */
const REVISIONS: Readonly<Record<string, string>> = {
  "<range>": "HEAD~1..HEAD",
  "<story-ids>": "1-1,1-2,1-3",
};

const AGAIN = '"again":true';

interface Heard {
  readonly place: string;
  readonly text: string;
  readonly calls: readonly Call[];
}

export class Walk {
  /** Each call of the client, with its tokens and the text that printed it. */
  readonly calls: string[] = [];
  readonly faults: string[] = [];
  readonly others = { calls: 0, tokens: 0 };
  tokens = 0;
  readonly #scenario: Scenario;
  readonly #client: Pick<ProgramClient, "callTool" | "listTools" | "instructions">;
  readonly #desk: Desk;
  readonly #count: (text: string) => number;
  readonly #heard: Heard[] = [];
  readonly #delivered = new Set<string>();
  /** What a skill has agents ask, by what is asked. */
  readonly #agents = new Map<string, Map<string, Call>>();
  /** The answers with which skills have begun. */
  readonly #begun = new Map<string, string>();
  /** What was put together from values of a header. */
  readonly #filled = new Set<string>();
  #tools: Awaited<ReturnType<ProgramClient["listTools"]>> = [];
  #said = 0;

  constructor(
    scenario: Scenario,
    client: Pick<ProgramClient, "callTool" | "listTools" | "instructions">,
    desk: Desk,
    count: (text: string) => number,
  ) {
    [this.#scenario, this.#client, this.#desk, this.#count] = [scenario, client, desk, count];
  }

  async run(): Promise<void> {
    this.#tools = await this.#client.listTools();
    const instructions = this.#client.instructions() ?? "";
    this.tokens += this.#count(instructions) + this.#count(JSON.stringify(this.#tools));
    this.#hear("the instructions", instructions);
    for (const { name, description, inputSchema } of this.#tools) {
      this.#hear(`the description of ${name}`, `${description}\n${JSON.stringify(inputSchema)}`, name);
    }
    for (const wish of this.#scenario.wishes) {
      this.#hear("the user", wish);
      const found = await this.#ask(["bmad", { operation: "search", query: wish }]);
      const [, skill = ""] = /^- (\S+):/m.exec(found) ?? [];
      let begun = await this.#ask(["bmad", { operation: "execute", skill, message: wish }]);
      for (let advice = ""; begun !== "";) {
        const isAdvised = await this.#doSkill(begun);
        [begun, advice] = await this.#goOn(advice, isAdvised);
      }
    }
  }

  /** Makes the calls that lead to the next skill; its answer, or nothing at the end, and the advice that named it. */
  async #goOn(finished: string, isAdvised: boolean): Promise<readonly [begun: string, advice: string]> {
    const next: Call = ["bmad", { operation: "next" }];
    const help: Call = ["bmad", { operation: "execute", skill: "bmad-help" }];
    const mark = callBehind(finished, "When finished");
    if (mark === undefined && !this.#scenario.wantsAll) return ["", ""];
    let advice = await this.#ask(mark ?? (isAdvised ? help : next));
    for (;;) {
      await this.#desk.commit("chore: status");
      const call = callBehind(advice, "Call");
      // The user takes the shorter way where there is one.
      const short = callBehind(advice, "Or");
      if (call === undefined) {
        if (this.calls.at(-1)!.startsWith('bmad {"operation":"next"}')) return ["", advice];
        advice = await this.#ask(next);
      } else if (short === undefined) return [await this.#ask(call), advice];
      else if (short[1]["operation"] === "review") {
        await this.#review(short);
        advice = await this.#ask(callBehind(advice, "When finished") ?? next);
      } else advice = await this.#ask(short);
    }
  }

  /** Reviews a story as the answers say, until they say that the review is over. */
  async #review(call: Call): Promise<void> {
    const { finding, file } = this.#scenario.flaw;
    let packet = await this.#ask(call);
    for (let round = 0; round < 8; round++) {
      const find = callBehind(packet, "Record a finding");
      const settle = callBehind(packet, "Settle one");
      const begin = callBehind(packet, "Begin the pass");
      const again = callBehind(packet, "When the pass is over");
      if (settle !== undefined) {
        await this.#mend("review");
        packet = await this.#ask(settle);
      } else if (find !== undefined && await this.#isFlawSeenBy("review")) {
        packet = await this.#ask([find[0], { ...find[1], text: finding, file: `${file}:1` }]);
      } else if (begin !== undefined) {
        const lens = /^ {4}- id: (\S+)$/m.exec(this.#heard.map(({ text }) => text).join("\n"))?.[1];
        packet = await this.#ask([begin[0], { ...begin[1], lens }]);
      } else if (again !== undefined) packet = await this.#ask(again);
      else return;
    }
    this.faults.push(`the review has no end after ${this.#heard.at(-1)!.place}`);
  }

  async #isFlawSeenBy(finder: string): Promise<boolean> {
    const { flaw } = this.#scenario;
    return flaw.finder === finder && (await this.#desk.read(flaw.file)).includes(flaw.wrong);
  }

  /** Mends what reviewers have found; whether there was anything. */
  async #mend(finder: string): Promise<boolean> {
    if (!await this.#isFlawSeenBy(finder)) return false;
    const { file, wrong, right } = this.#scenario.flaw;
    await this.#desk.write(file, (await this.#desk.read(file)).replace(wrong, right));
    await this.#desk.commit("fix: what the review found");
    return true;
  }

  /** Does what a skill says; whether its text says to ask for advice at the end. */
  async #doSkill(answer: string): Promise<boolean> {
    const { skill } = readStage(answer);
    const before = this.#begun.get(skill);
    const isShort = before !== undefined && /^Unchanged since this session had it:/m.test(answer);
    const text = isShort ? withPromptOf(answer, before) : answer;
    this.#begun.set(skill, text);
    const stage = readStage(text);
    const [main = "", ...along] = text.split(/^(?==== [\w ]+: \S+ ===$)/m);
    const uris = along.map((section) => /^=== [\w ]+: (\S+) ===/.exec(section)![1]!);
    for (const uri of uris) this.#delivered.add(keyOf(stage.skill, uri, ""));
    const scripts = scriptsIn(text);
    const begin = main.slice(headerOf(main).length);
    await this.#runScripts(scripts.filter((line) => namesScript(begin, line)), stage);
    const begun = this.#heard.length;
    let isAdvised = await this.#follow(main, stage, "");
    for (const [at, section] of along.entries()) {
      isAdvised = await this.#follow(section, stage, uris[at]!) || isAdvised;
    }
    await this.#scenario.work[stage.name]?.(this.#desk, stage);
    const later = [...along, ...this.#heard.slice(begun).map(({ text }) => text)].join("\n");
    const isLate = (line: string) =>
      namesScript(begin, line) ? line.includes(" append ") : namesScript(later, line);
    await this.#runScripts(scripts.filter(isLate), stage);
    for (const [, skill, message] of text.matchAll(/^ {4}- skill:(\S+) (.+)$/gm)) {
      this.#give(stage, ["bmad", { operation: "execute", skill, message }]);
    }
    do {
      for (const call of this.#agents.get(stage.name)?.values() ?? []) await this.#ask(call, true);
    } while (await this.#mend(stage.name));
    await this.#desk.commit(`docs: ${stage.skill}`);
    return isAdvised;
  }

  #give(stage: Stage, call: Call): void {
    this.#agents.getOrInsertComputed(stage.name, () => new Map()).set(JSON.stringify(call), call);
  }

  /** Reads what a text names, in its order, and gives to agents what is theirs; whether it says to ask for advice. */
  async #follow(text: string, stage: Stage, from: string): Promise<boolean> {
    let [isAdvised, isExample, leftOut] = [false, false, 0];
    for (const line of text.split("\n")) {
      if (/^ *```/.test(line)) isExample = !isExample;
      const depth = /^(#+) /.exec(line)?.[1]?.length ?? 0;
      // A heading that is little more than the name of a case stands over what is for that case.
      const isCase = /^#+ [\w-]+(?: [\w-]+)?$|\)$/.test(line) && this.#isOf(CASES, line, false);
      if (depth > 0 && (leftOut === 0 || depth <= leftOut)) leftOut = isCase ? depth : 0;
      const isExit = line.includes("EARLY EXIT");
      if (isExample || leftOut > 0 || (isExit && !this.#isOf(CASES, line, true))) continue;
      for (const sentence of line.split(/(?<=[.;]) (?=[A-Z*`])/)) {
        // The name of a file says nothing about the case.
        if (this.#isOf(CASES, sentence.replaceAll(NAMED_FILE, ""), false)) continue;
        for (const [, call] of sentence.matchAll(/`(bmad \{[^`]*\})`/g)) {
          this.#give(stage, callsIn(call!)[0]!);
        }
        for (const [, quoted, bare, key] of sentence.matchAll(NAMED_FILE)) {
          isAdvised = await this.#open(quoted ?? bare ?? stage.value(key!), stage, from) || isAdvised;
        }
        const [, skill, message = ""] = NAMED_SKILL.exec(sentence) ?? [];
        if (skill === "bmad-help") isAdvised = true;
        else if (skill) {
          await this.#doSkill(await this.#ask(["bmad", { operation: "execute", skill, message }]));
        }
      }
      if (isExit) break;
    }
    return isAdvised;
  }

  /** Whether a text is of a case that is the user's, or is not. */
  #isOf(cases: typeof CASES, text: string, isOurs: boolean): boolean {
    return Object.entries(cases).some(([name, pattern]) =>
      this.#scenario.cases.includes(name) === isOurs && pattern.test(text)
    );
  }

  async #open(name: string, stage: Stage, from: string): Promise<boolean> {
    const key = keyOf(stage.skill, name, from);
    if (!/\.(?:md|html|csv)$/.test(name) || this.#isOf(CASE_FILES, key, false)) return false;
    if (this.#delivered.has(key)) return false;
    this.#delivered.add(key);
    const text = await this.#ask(["bmad", { skill: stage.skill, uri: name }]);
    return await this.#follow(text, stage, name.startsWith("bmad://") ? name : key.split(" ")[1]!);
  }

  /** Runs printed lines, in one call, with what their placeholders stand for. */
  async #runScripts(lines: readonly string[], stage: Stage): Promise<void> {
    const filled = lines.map((line) =>
      line.replaceAll(PLACEHOLDER, (found) => {
        const value = this.#valueOf(found, stage);
        this.#filled.add(value);
        return value;
      })
    );
    if (filled.length > 0) {
      await this.#ask(["bmad_work", { script: filled.length === 1 ? filled[0] : filled }]);
    }
  }

  #valueOf(placeholder: string, stage: Stage): string {
    if (placeholder.startsWith(" [")) return "";
    if (Object.hasOwn(REVISIONS, placeholder)) return REVISIONS[placeholder]!;
    if (/^(?:<N>|\{\{)/.test(placeholder)) return /\d+/.exec(stage.message)?.[0] ?? "1";
    if (placeholder.startsWith("{")) return stage.value(placeholder.slice(1, -1));
    const [first, ...more] = placeholder.slice(1, -1).split("|");
    if (placeholder.startsWith("<") && more.length > 0) return first!.trim();
    const { words } = this.#scenario;
    const word = words[this.#said++ % words.length]!;
    return placeholder.startsWith("'") ? `'${JSON.stringify([{ action: word, owner: "Ann" }])}'` : word;
  }

  async #ask([tool, given]: Call, isOther = false): Promise<string> {
    const item = String(given["workflow"] ?? given["skill"]);
    const isAgain = !isOther && given["operation"] === "execute" && this.#begun.has(item) &&
      this.#isHeld(AGAIN);
    const args = isAgain ? { ...given, again: true } : given;
    const asked = `${tool} ${JSON.stringify(args)}`;
    const place = this.#placeOf([tool, args]);
    if (this.calls.length + this.others.calls > 5 * this.#scenario.limits.calls) {
      throw new Error(`no end in sight: ${asked}`);
    }
    const at = this.#heard.at(-1)!.place;
    if (place === undefined) this.faults.push(`nothing printed ${asked}, wanted after ${at}`);
    let whole = "";
    for (let [part, parts] = [1, 1]; part <= parts; part++) {
      const request = part === 1 ? args : { ...args, part };
      const answer = await this.#client.callTool(tool, request);
      const text = answer.content.map((one) => one.text).join("\n");
      if (answer.isError || ("script" in args && /^\{\s*"ok": ?false/m.test(text))) {
        this.faults.push(`${asked}, printed by ${place}, was refused: ${text}`);
      }
      parts = Number(/\n\[part \d+ of (\d+)/.exec(text)?.[1] ?? 1);
      whole += text.replace(/\[part \d+ of \d+[^\n]*\]$/, "");
      const tokens = this.#count(JSON.stringify(request)) + this.#count(text);
      if (isOther) {
        this.others.calls++;
        this.others.tokens += tokens;
      } else {
        this.calls.push(`${tool} ${JSON.stringify(request)} (${tokens} tokens; printed by ${place})`);
        this.tokens += tokens;
      }
    }
    if (!isOther) this.#hear(asked.length > 120 ? `${asked.slice(0, 119)}…` : asked, whole);
    return whole;
  }

  #hear(place: string, text: string, tool = "bmad"): void {
    this.#heard.push({ place, text, calls: callsIn(text, tool) });
  }

  /** The text that printed a call, the latest first; or the tools, for an operation alone that they list. */
  #placeOf([tool, args]: Call): string | undefined {
    const { script, ...rest } = args;
    const heard = this.#heard.toReversed();
    const lines = script === undefined ? [] : heard.flatMap(({ text }) => scriptsIn(text));
    const isLine = (line: unknown) => lines.some((printed) => this.#isFilled(printed, String(line)));
    if (![script ?? []].flat().every(isLine)) return undefined;
    // Where a call begins a skill, the instructions add the user's words.
    const extra = rest["operation"] === "execute" ? "message" : "";
    const formOf = (form: Call[1], key: string) =>
      String(form[key] ?? (key === extra ? "…" : key === "again" ? this.#isHeld(AGAIN) : ""));
    const isForm = ([named, { script: _, ...form }]: Call) =>
      named === tool && Object.keys(form).every((key) => key in rest) &&
      Object.entries(rest).every(([key, value]) => this.#isFilled(formOf(form, key), String(value)));
    const printed = heard.find(({ calls }) => calls.some(isForm));
    if (printed !== undefined) {
      // A form is printed once; the file that it is to be filled with stands in another text.
      const named = rest["uri"] ?? rest["skill"];
      return (heard.find(({ text }) => named !== undefined && text.includes(String(named))) ?? printed).place;
    }
    const listed = this.#tools.find(({ name }) => name === tool)?.inputSchema.properties ?? {};
    const isListed = Object.keys(rest).join() === "operation" &&
      listed["operation"]?.enum?.includes(String(rest["operation"]));
    return isListed ? `the description of ${tool}` : undefined;
  }

  /** Whether a text is a printed one, its placeholders filled with what was heard or said. */
  #isFilled(printed: string, text: string): boolean {
    const parts = printed.split(PLACEHOLDER).map((part) => RegExp.escape(part));
    const values = new RegExp(`^${parts.join("(.*?)")}$`, "s").exec(text)?.slice(1);
    return values?.every((value) => this.#isHeld(value)) ?? false;
  }

  #isHeld(value: string): boolean {
    const { words, wishes, flaw } = this.#scenario;
    const said = [...words, ...wishes, flaw.finding, `${flaw.file}:1`];
    return said.includes(value) || this.#filled.has(value) ||
      this.#heard.some(({ text }) => text.includes(value));
  }
}

function callsIn(text: string, tool = "bmad"): readonly Call[] {
  return Array.from(text.matchAll(JSON_CALL)).flatMap(([, named = tool, json]): Call[] => {
    try {
      return [[named, JSON.parse(json!.replaceAll(/:([A-Z]+)(?=[,}])/g, ':"$1"'))]];
    } catch {
      // A form with "…" for its value.
      return [];
    }
  });
}

function scriptsIn(text: string): readonly string[] {
  return Array.from(text.matchAll(/^ {4}- ([\w.]+\.py .+)$/gm), ([, line]) => line!);
}

/** Whether a text has the begin of a script line. */
function namesScript(text: string, line: string): boolean {
  return text.replaceAll(/\\\n */g, "").includes(line.split(" ", 3).join(" "));
}

/** The call that a text prints behind a word at the begin of a line. */
function callBehind(text: string, word: string): Call | undefined {
  const [, rest] = new RegExp(`^(?:- )?${word}\\b[^{]*?: (bmad.*)$`, "m").exec(text) ?? [];
  return rest === undefined ? undefined : callsIn(rest)[0];
}

/** What was served before, for what the user wants now. */
function withPromptOf(answer: string, before: string): string {
  const [prompt = ""] = /^user-prompt: .*\n/m.exec(answer) ?? [];
  return before.replace(/^user-prompt: .*\n/m, "").replace(
    /^(?:workflow|skill): .*\n/m,
    (line) => line + prompt,
  );
}

/** What stands before the text of a skill: what was begun, and what is resolved. */
function headerOf(text: string): string {
  return text.split("\n---\n", 2).join("\n");
}

function readStage(text: string): Stage {
  const header = headerOf(text);
  const value = (name: string): string => {
    if (name === "doc_workspace") {
      const folder = /^ {2}(\w+_output_path):/m.exec(header)?.[1] ?? "";
      return `${value(folder)}/${value("run_folder_pattern")}`;
    }
    const [, quoted, plain = ""] =
      new RegExp(`^ *${name}: (?:['"](.*)['"]|(.*?)(?: #.*)?)$`, "m").exec(header) ?? [];
    return (quoted ?? plain).replaceAll(/\{([\w-]+)\}/g, (_, inner) => value(inner));
  };
  const [, skill = ""] = /^(?:workflow|skill): (\S+)$/m.exec(header) ?? [];
  const [, message = ""] = /^user-prompt: "(.*)"$/m.exec(header) ?? [];
  return { skill, name: skill.split("/").at(-1)!, message, value };
}

/** What a file is told apart by, however a text spells it. */
function keyOf(skill: string, name: string, from: string): string {
  const plain = (path: string) => path.replace(/^bmad:\/\/(?:rendered\/)?[\w-]+\/[\w-]+\//, "");
  const folder = plain(from).replace(/[^/]*$/, "");
  const path = name.startsWith(".") ? folder + name : plain(name);
  return `${skill} ${new URL(path, "file:///").pathname.slice(1)}`;
}
