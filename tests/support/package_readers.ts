/**
 * Which packages see content or what clients send, and through which of our functions?
 *
 * Every package of deno.json has a row: its readers, with what hostile texts for them are made of, or why none of its
 * input is anybody else's.
 */
import { parseJSONRPCMessage } from "@modelcontextprotocol/server";
import * as skills from "@modelcontextprotocol/server/ext/skills";
import { renderDiff } from "../../src/commands/cli/diff.ts";
import { cutTo, padTo } from "../../src/commands/cli/screen.ts";
import { cutJson, locateJson, parseJson, setJson } from "../../src/commands/clients/json_text.ts";
import { formatDiff } from "../../src/content/library/compare/differences.ts";
import { formatToml, formatYaml, isValues, parseAnyYaml, parseToml } from "../../src/content/parse.ts";
import type { Tree } from "../../src/content/tree/mod.ts";
import { createRulesReader, NO_RULES } from "../../src/project/codebase/scan.ts";
import { renderProse } from "../../src/serve/pages/prose.ts";
import { describeFiles } from "../../src/serve/mcp/resources.ts";
import type { Lures } from "./hostile_texts.ts";

interface PackageReader extends Lures {
  /** Reads, and for a promise has read once it returns. */
  readonly read: (text: string) => unknown;
}

/** The readers of each package by what they read, or why it needs none. */
export const PACKAGE_READERS: Readonly<Record<string, Readonly<Record<string, PackageReader>> | string>> = {
  "js-yaml": {
    "a YAML text": {
      read: (text) => {
        const { value } = parseAnyYaml(text);
        if (isValues(value)) formatYaml(value);
      },
      heads: [
        'a: "',
        "a: '",
        "a: |\n ",
        "a: >\n ",
        "a: | #",
        "a: [",
        "a: {",
        "a: &",
        "a: !",
        "%",
        "? ",
        "a:\n  ",
      ],
      parts: [
        ..."a: |- |- a\n|&a |*a,|a: &a b\n|{a: |!!a |--- \n|\\x41|''| \n|\n  |? a\n".split("|"),
        ..."  <<: {a: b}\n|2026-11-17|1_|0.".split("|"),
      ],
    },
    "a value in YAML": {
      read: (text) => formatYaml({ [text]: text, list: [text] }),
      heads: [" ", "- ", "a\n"],
      parts: ["a: b\n", " \n", "\n\n", "a\n ", "---\n"],
    },
  },
  "smol-toml": {
    "a TOML text": {
      read: (text) => {
        const { value, problem } = parseToml(text);
        if (problem === undefined) formatToml(value);
      },
      heads: ['a = "', "a = '", 'a = """', "a = '''", "a = [", "a = {", "[", "a = ", "a = 1", "# ", "a."],
      parts: [
        "[a.b]\n",
        "[[a]]\n",
        "{a=",
        "a.",
        "1_",
        "1e",
        "\\u0041",
        '""',
        "# a\n",
        "a = 1\n",
        "2026-11-17T",
        "[1],",
        "'a'.",
      ],
    },
    "a value in TOML": {
      read: (text) => formatToml({ [text]: text, list: [text, { text }] }),
      heads: [],
      parts: ["a\n", '"""'],
    },
  },
  "jsonc-parser": {
    "a client's file": {
      read: (text) => {
        const { value, problem } = parseJson(text, { comments: true });
        if (problem !== undefined || !isValues(value)) return;
        const key = Object.keys(value)[0] ?? "a";
        locateJson(setJson(text, ["mcpServers", "a"], { command: "b" }), ["mcpServers"]);
        cutJson(text, [key], 1);
      },
      heads: ['{"a": "', "{", "[", "{ // ", "{ /* ", '{"a": 1', '{"a": {', '{"a": 1} // ', '{"a": 1 /* '],
      parts: ['{"a":', '"a":1,', "[1,", "/**/", "//\n", "\\u0041", "1e", '""', " \n", "/*", "*/"],
    },
    "a whole client's file": {
      read: (text) => {
        const file = `{"a": 1 /*${text}*/, /*${text}*/ "b": {}}`;
        cutJson(setJson(file, ["c"], {}), ["a"], 1);
      },
      heads: ["*/ ,//"],
      parts: ["* /", "*/\n/*"],
    },
  },
  "markdown-it": {
    "a page of Markdown": {
      read: renderProse,
      heads: [
        "# ",
        "[a](",
        "[a](<",
        "[a]: ",
        "`",
        "```",
        "~~~",
        "> ",
        "- ",
        "1. ",
        "| a |\n|---|\n",
        "http://",
        "http://a.b/",
        "a@",
        "![",
        "&",
        "---\n",
        "    ",
        '[a](b "',
        "<http://",
      ],
      parts: [
        ..."[a](¦![a](¦[a]: b\n¦[a][¦[]¦a@b.c ¦a@b.¦a.com/¦www.a.¦http://a¦http://a.b?".split("¦"),
        ..."http://a.b/(¦//a.b¦mailto:¦ftp://a.b?¦&amp;¦&#1¦&a¦<a ¦<!--¦`a¦``a`¦**a¦*a_¦_a*".split("¦"),
        ..."~~a¦***a**¦> ¦- ¦  - x\n¦1. a\n¦a\n=\n¦a\n-\n¦|-|\n¦|a|\n¦\\|¦\t- ¦> - ¦```\n".split("¦"),
        ..."# a\n¦\\\n¦  \n¦- [ ] a\n¦%41¦xn--¦“a".split("¦"),
      ],
    },
  },
  ignore: {
    "the patterns of a .gitignore": {
      read: (text) => PATHS.map((path) => rulesOf(text).ignores(path, true)),
      heads: ["a/", "*", "/", "!", "**/", "[", "\\"],
      parts: "*a|a*|?*|*[a]|*/|**/|**a|*a\n|a/*/|[a-|[[:alpha:]]|\\ |\\*| \n|*?a|a*b*/".split("|"),
    },
    "a path": {
      read: (text) => RULES.ignores(text.slice(0, MAX_PATH), false),
      heads: ["a/"],
      parts: ["a/", "ab", "a.", "ab/"],
    },
  },
  diff: {
    "two texts that hardly differ": {
      read: (text) => formatDiff("a", "b", text, `a\n${text}\nb`),
      heads: [],
      parts: ["a\n", "\r\n", "\\ No newline\n", "--- a\n", "@@ -1 +1 @@\n"],
    },
    "a client's file and its change": {
      read: (text) => renderDiff("a", text, `${text}\nb`),
      heads: ["{"],
      parts: ["a\n", "\r\n", "--- a\n"],
    },
    "the name of a file": {
      read: (text) => formatDiff(text, `${text}b`, "a\n", "b\n"),
      heads: ["a/"],
      parts: ["a/", '\\"'],
    },
  },
  "get-east-asian-width": {
    "a cell of a table": {
      read: (text) => padTo(cutTo(text, 40), 40, "left"),
      heads: [],
      parts: ["\u200d", "👩‍", "🇩🇪", "🇩", "🏴", "가", "ᄀ", "\ufe0f", "1\ufe0f\u20e3", "क्", "中"],
    },
  },
  "@modelcontextprotocol/server": {
    "a message": {
      read: (text) => {
        for (const message of messagesOf(text)) {
          try {
            parseJSONRPCMessage(message);
          } catch { /* An error is an answer too. */ }
        }
      },
      heads: ["data:", "http://", "2026-"],
      parts: ["a=", "a/b;", "AAAA", "%41"],
    },
    "the front matter of a skill": {
      read: (text) => describe(`---\n${text}\n---\nA text.\n`),
      heads: [
        "name: a\ndescription: ",
        "a: | #",
        "a: >",
        'a: "',
        "a: '",
        "a: [",
        "a: {",
        "a:\n  ",
        "a:\n- ",
        "a: b #",
        "a: 1",
        "---",
      ],
      parts: "a: |- |- - |[|{a: |a, |''|\\x41| \n|\n  |a:\n |--- |# a\n".split("|"),
    },
    "a skill without front matter": { read: describe, heads: ["---\n"], parts: ["--- ", "---\r", "\n---a"] },
  },
  fflate: "packs bytes, and looks for nothing in a text",
  jose: "sees a token of at most 16,384 characters, splits it at its dots and decodes each part",
  "@clack/prompts": "shows the names of clients and the paths of their files",
};

export function packageReaders(): readonly (PackageReader & { readonly name: string })[] {
  return Object.entries(PACKAGE_READERS).flatMap(([name, readers]) =>
    typeof readers === "string"
      ? []
      : Object.entries(readers).map(([what, reader]) => ({ name: `${name}: ${what}`, ...reader }))
  );
}

/** In characters: no system has longer ones. */
const MAX_PATH = 4_096;

const PATHS = ["a".repeat(250), `${"ab/".repeat(20)}${"a".repeat(250)}`];
const RULES = rulesOf("*a*a*b\n**/a/**/b/**/c\na/*/a/*/b\n*.[a-z]?[!a]\n/a*b*c/\n");

function rulesOf(text: string) {
  const bytes = new TextEncoder().encode(text);
  return createRulesReader()({ read: () => bytes } as Partial<Tree> as Tree, "", NO_RULES);
}

function messagesOf(text: string): readonly unknown[] {
  const base = { jsonrpc: "2.0", id: text };
  const content = { type: "image", data: text, mimeType: text };
  return [
    { ...base, method: text, params: { _meta: { progressToken: text, [text]: text }, uri: text } },
    { ...base, result: { content: [content], nextCursor: text } },
    { ...base, error: { code: 1, message: text } },
  ];
}

/** The digests of a skill follow later; what reads its text does not wait. */
function describe(text: string): void {
  const file = {
    path: "SKILL.md",
    mimeType: "text/markdown",
    read: () => ({ text, bytes: new TextEncoder().encode(text) }),
  };
  described.push(describeFiles(skills, "bmm/a", [file]));
}

const described: Promise<unknown>[] = [];

export async function settleReaders(): Promise<void> {
  await Promise.all(described.splice(0));
}
