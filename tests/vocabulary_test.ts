/**
 * Is everything that users and models read written in ordinary technical English?
 *
 * A short list of phrases that made readers stumble, checked in the tables that texts come from, in `--help`, and in
 * the documents. It is a reminder, not a grammar. Code in documents is exempt, and so are the phrases of `EXEMPT`.
 */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { describe, type Failure } from "../src/base/errors.ts";
import { CLIENTS } from "../src/commands/clients/mod.ts";
import { instructionsFor } from "../src/serve/handshake/mod.ts";
import { TOOLS } from "../src/serve/mcp/toolsets.ts";
import {
  actionsOf,
  type Command,
  COMMAND_NAMES,
  COMMANDS,
  optionsOf,
  SETTING_KEYS,
  SETTINGS,
} from "../src/settings/mod.ts";
import { resolveConfig } from "./support/config.ts";
import { runHere } from "./support/program.ts";

const NOT_A = "unknown, not a …";

/** Phrases to avoid, and what to write instead. A space also matches a line end. */
const AVOIDED: Readonly<Record<string, string>> = {
  "things?": "the kind itself: agent, workflow, file",
  "mend(?:s|ed|ing)?": "fix",
  "told of": "notified of, informed about",
  "(?<!there )(?:is|are) no (?!longer|smaller|worse)[a-z]+": NOT_A,
  "such as it is": "as it is",
  "anew": "again, restart",
  "wholly": "completely",
  "stands(?! for| in for)": "is",
  "behind it": "its source, its cause",
  "with commas between": "comma-separated",
  "by what people say": "in plain language",
  "nearest are": "Did you mean …?",
  "leads? nowhere": "broken",
};

/** Sentence openers to avoid in tables, where each sentence has to be short. */
const OPENERS = /(?:^|[.:!?]\s+)((?:There|What) (?:is|are|was|were))\b/g;

/** Phrases that are right, each with the reason. Keep this short. */
const EXEMPT: Readonly<Record<string, string>> = { "the real thing": "an idiom" };

/** A text and where it is: a file, or a row of a table in a folder. */
interface Text {
  readonly file: string;
  readonly text: string;
}

/** `FILE:LINE: phrase (advice)` for every phrase to avoid. */
function complaintsIn({ file, text: written }: Text, isTable = false): readonly string[] {
  const text = Object.keys(EXEMPT).reduce((rest, phrase) => rest.replaceAll(phrase, ""), written);
  const lineAt = (index: number) => text.slice(0, index).split("\n").length;
  const phrases = Object.entries(AVOIDED).flatMap(([phrase, advice]) => {
    const pattern = new RegExp(`\\b(?:${phrase.replaceAll(" ", "\\s+")})\\b`, "gi");
    return [...text.matchAll(pattern)].map(({ index, 0: found }) => ({ index, found, advice }));
  });
  const openers = isTable
    ? [...text.matchAll(OPENERS)].map(({ index, 1: found }) => ({
      index,
      found: found!,
      advice: "say who does what",
    }))
    : [];
  return [...phrases, ...openers].map(({ index, found, advice }) =>
    `${file}:${lineAt(index)}: "${found.replaceAll(/\s+/g, " ")}" (${advice})`
  );
}

Deno.test("the word list finds a phrase across lines, in any case, and leaves ordinary English alone", () => {
  const text = "Some Things\nhere, the real thing. This is no\ncommand; it stands for one.\nThere is more.";
  assert.deepEqual(complaintsIn({ file: "x.md", text }), [
    'x.md:1: "Things" (the kind itself: agent, workflow, file)',
    'x.md:2: "is no command" (unknown, not a …)',
  ]);
  assert.deepEqual(complaintsIn({ file: "x", text: "Is it? There is one." }, true), [
    'x:1: "There is" (say who does what)',
  ]);
});

Deno.test("settings, commands and options are described in ordinary English", () => {
  const texts = [
    ...SETTING_KEYS.map((key) => ({ file: `src/settings SETTINGS.${key}`, text: SETTINGS[key].help })),
    ...COMMAND_NAMES.map((name) => {
      const { summary, details = "" }: Command = COMMANDS[name];
      return { file: `src/settings COMMANDS.${name}`, text: `${summary} ${details}` };
    }),
    ...COMMAND_NAMES.flatMap((name) =>
      [undefined, ...Object.keys(actionsOf(name))].flatMap((action) =>
        optionsOf(name, action).map(({ key, help }) => ({
          file: `src/settings ${name} ${action ?? ""} --${key}`,
          text: help,
        }))
      )
    ),
  ];
  assert.deepEqual(texts.flatMap((text) => complaintsIn(text, true)), []);
});

Deno.test("tools, their parameters and the instructions are described in ordinary English", () => {
  const overview = {
    isEstimate: false,
    isUnread: false,
    agents: 1,
    workflows: 2,
    modules: ["bmm"],
    origins: [],
  };
  const tools = Object.values(TOOLS).flat().flatMap(({ name, title, describe, parameters }) => [
    { file: `src/serve/mcp ${name}`, text: `${title}\n${describe(overview, 1)}` },
    ...Object.entries(parameters).map(([key, { description }]) => ({
      file: `src/serve/mcp ${name}.${key}`,
      text: String(description ?? ""),
    })),
  ]);
  const instructions = ["bmad", "all"].map((sets) => ({
    file: `src/serve/handshake instructions (${sets})`,
    text: instructionsFor(resolveConfig({
      args: ["--toolsets", sets],
      cwd: "/",
      home: undefined,
      os: "linux",
      contentDir: "/",
      env: () => undefined,
      readSettings: () => undefined,
    })),
  }));
  assert.deepEqual([...tools, ...instructions].flatMap((text) => complaintsIn(text, true)), []);
});

/** One failure of each kind; a new kind does not compile without one. */
const FAILURES: { readonly [C in Failure["code"]]: Extract<Failure, { code: C }> } = {
  "not-found": { code: "not-found", what: "list", name: "agnts", suggestions: ["agents"], known: ["agents"] },
  "ambiguous": {
    code: "ambiguous",
    what: "agent",
    name: "dev",
    candidates: [{ name: "bmm/dev", description: "Writes code" }],
  },
  "invalid-input": { code: "invalid-input", field: "limit", problem: "expected a number" },
  "invalid-config": {
    code: "invalid-config",
    setting: "--pack",
    value: "v9",
    source: "--pack",
    problem: "expected one of latest, v4, none",
  },
  "invalid-file": { code: "invalid-file", path: "/x.toml", line: 1, column: 2, problem: "expected a value" },
  "origin-unavailable": { code: "origin-unavailable", origin: "/x", reason: "not found" },
  "memory-unavailable": { code: "memory-unavailable", problem: "disk-full", reason: "the disk is full" },
  "outside-root": { code: "outside-root", path: "../x" },
  "not-allowed": { code: "not-allowed", what: "run a script", hint: "allow it first" },
};

Deno.test("failures and the steps after an installation are in ordinary English", () => {
  const texts = [
    ...Object.values(FAILURES).map((failure) => ({
      file: `src/base/errors.ts ${failure.code}`,
      text: describe(failure),
    })),
    ...CLIENTS.flatMap(({ id, next, trust, manualSteps }) =>
      [next, trust, manualSteps].map((text) => ({ file: `src/commands/clients ${id}`, text: text ?? "" }))
    ),
  ];
  assert.deepEqual(texts.flatMap((text) => complaintsIn(text, true)), []);
});

Deno.test("the help of every command is in ordinary English", async () => {
  const complaints: string[] = [];
  for (const args of [["--help"], ...COMMAND_NAMES.map((name) => [name, "--help"])]) {
    const { stdout } = await runHere(args);
    assert.notEqual(stdout, "", args.join(" "));
    complaints.push(...complaintsIn({ file: `bmad-mcp ${args.join(" ")}`, text: stdout }));
  }
  assert.deepEqual(complaints, []);
});

Deno.test("the documents are in ordinary English", async () => {
  const complaints: string[] = [];
  for await (const file of documents()) {
    const text = await Deno.readTextFile(new URL(file, ROOT));
    complaints.push(...complaintsIn({ file, text: withoutCode(text) }));
  }
  assert.deepEqual(complaints.toSorted(), []);
});

Deno.test("no message says that something “is no …”", () => {
  const complaints: string[] = [];
  for (const file of readdirSync(new URL("src", ROOT), { recursive: true, encoding: "utf8" })) {
    if (!file.endsWith(".ts")) continue;
    const source = Deno.readTextFileSync(new URL(`src/${file}`, ROOT));
    const text = source.replaceAll(/^[ \t]*(?:\/\/|\/?\*).*$/gm, "");
    complaints.push(...complaintsIn({ file, text }).filter((complaint) => complaint.endsWith(`(${NOT_A})`)));
  }
  assert.deepEqual(complaints, []);
});

const ROOT = new URL("../", import.meta.url);

async function* documents(): AsyncGenerator<string> {
  yield* ["README.md", "CHANGELOG.md"];
  for (const folder of [".github", "docs", "docs/decisions"]) {
    for await (const { name } of Deno.readDir(new URL(folder, ROOT))) {
      if (name.endsWith(".md")) yield `${folder}/${name}`;
    }
  }
}

/** Removes code, fenced or in backticks, and keeps the line ends. */
function withoutCode(markdown: string): string {
  return markdown.replaceAll(/^```[^]*?^```|`[^`]*`/gm, (code) => code.replaceAll(/[^\n]/g, ""));
}
