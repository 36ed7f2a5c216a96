/** Is everything that users and models read written in ordinary technical English? */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { describe, type Failure } from "../src/base/errors.ts";
import { renderHelp } from "../src/commands/cli/help.ts";
import { CLIENTS } from "../src/commands/clients/mod.ts";
import { instructionsFor } from "../src/serve/handshake/mod.ts";
import { TOOLS } from "../src/serve/mcp/toolsets.ts";
import { actionsOf, COMMAND_NAMES } from "../src/operations/mod.ts";
import { resolveConfig } from "./support/config.ts";

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
  "with commas between": "comma-separated",
  "by what people say": "in plain language",
  "nearest are": "Did you mean …?",
  "leads? nowhere": "broken",
};

interface Text {
  readonly file: string;
  readonly text: string;
}

/** `FILE:LINE: phrase (advice)` for every phrase to avoid. */
function complaintsIn({ file, text }: Text): readonly string[] {
  return Object.entries(AVOIDED).flatMap(([phrase, advice]) => {
    const pattern = new RegExp(`\\b(?:${phrase.replaceAll(" ", "\\s+")})\\b`, "gi");
    return [...text.matchAll(pattern)].map(({ index, 0: found }) => {
      const line = text.slice(0, index).split("\n").length;
      return `${file}:${line}: "${found.replaceAll(/\s+/g, " ")}" (${advice})`;
    });
  });
}

Deno.test("the word list finds a phrase across lines, in any case, and leaves ordinary English alone", () => {
  const text = "Some Things\nhere. This is no\ncommand; there is no other, and it is no longer one.";
  assert.deepEqual(complaintsIn({ file: "x.md", text }), [
    'x.md:1: "Things" (the kind itself: agent, workflow, file)',
    'x.md:2: "is no command" (unknown, not a …)',
  ]);
});

Deno.test("the help of every command and action is in ordinary English", () => {
  const calls = COMMAND_NAMES.flatMap((
    name,
  ) => [[name], ...Object.keys(actionsOf(name)).map((action) => [name, action])]);
  const texts = [[], ...calls].map((words) => ({
    file: `bmad-mcp help ${words.join(" ")}`,
    text: renderHelp(words),
  }));
  assert.deepEqual(texts.flatMap(complaintsIn), []);
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
  assert.deepEqual([...tools, ...instructions].flatMap(complaintsIn), []);
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
  "not-writable": { code: "not-writable", path: "/x.md", reason: "the disk is full", fix: "Free some space" },
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
  assert.deepEqual(texts.flatMap(complaintsIn), []);
});

Deno.test("the documents are in ordinary English", () => {
  const complaints = documents().flatMap((file) =>
    complaintsIn({ file, text: withoutCode(Deno.readTextFileSync(new URL(file, ROOT))) })
  );
  assert.deepEqual(complaints, []);
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

/** Those for users; pages for contributors are left to reviewers. */
function documents(): readonly string[] {
  const pages = readdirSync(new URL("docs", ROOT)).filter((name) => name.endsWith(".md"));
  return ["README.md", "CHANGELOG.md", ...pages.map((name) => `docs/${name}`)];
}

function withoutCode(markdown: string): string {
  return markdown.replaceAll(/^```[^]*?^```|`[^`]*`/gm, (code) => code.replaceAll(/[^\n]/g, ""));
}
