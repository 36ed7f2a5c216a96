/**
 * A client without MCP: it has the skill and a shell. What is printed for a terminal is read as the calls that it stands
 * for, and a call is typed as its command line, so that `walk.ts` walks both ways. What is counted are the lines and what
 * they print.
 */
import { renderSkill } from "../src/commands/clients/skill.ts";
import { OPERATIONS, type Param } from "../src/operations/mod.ts";
import type { ProgramClient } from "../tests/support/client.ts";
import { runShell, wordsOf } from "../tests/support/shell.ts";

type Args = Readonly<Record<string, unknown>>;
export type TerminalClient = Pick<ProgramClient, "callTool" | "listTools" | "instructions"> & {
  count(text: string): number;
};

/** What a tool calls the first operand of a command. */
const FIRST: Readonly<Record<string, string>> = { execute: "skill", search: "query", list: "query" };

export function openTerminal(cwd: string, count: (text: string) => number): TerminalClient {
  const typed = new Map<string, string>();
  const read = (text: string) => {
    const calls = callsFor(text);
    typed.set(calls, text);
    return calls;
  };
  return {
    count: (text) => count(typed.get(text) ?? text),
    listTools: () => Promise.resolve([]),
    instructions: () => read(renderSkill()),
    callTool: async (_, args = {}) => {
      const line = lineFor(args);
      typed.set(JSON.stringify(args), line);
      const { code, stdout, stderr } = await runShell(line, { cwd });
      return { content: [{ type: "text", text: read(stdout + stderr) }], isError: code !== 0 };
    },
  };
}

function quote(value: unknown): string {
  const word = String(value);
  return /^[\w./:=-]+$/.test(word) ? word : `"${word.replaceAll(/["$`\\]/g, "\\$&")}"`;
}

function lineFor({ script, operation, skill, workflow, uri, ...args }: Args): string {
  if (Array.isArray(script)) return `bmad-mcp script - <<'LINES'\n${script.join("\n")}\nLINES`;
  if (script !== undefined) return `bmad-mcp script ${script}`;
  if (uri !== undefined) {
    const path = new URL(String(uri), `http://skill/`).pathname;
    return `bmad-mcp show ${quote(String(uri).includes("://") ? uri : `bmad://${skill}${path}`)}`;
  }
  const name = String(operation) as keyof typeof OPERATIONS;
  const given: Record<string, unknown> = { [FIRST[name] ?? "name"]: skill ?? workflow, ...args };
  const params = Object.entries<Param>(OPERATIONS[name].params).filter(([, { only }]) => only !== "tool");
  const words = params.map(([key, { operand, flag = `--${key}`, short = flag }]) => {
    const value = given[operand !== undefined && FIRST[name] !== undefined ? FIRST[name] : key];
    if (value === undefined) return "";
    return operand === undefined ? ` ${short} ${quote(value)}` : ` ${quote(value)}`;
  });
  return `bmad-mcp ${name}${words.join("")}`;
}

/** A text with the calls that its command lines stand for. */
function callsFor(text: string): string {
  return text
    .replaceAll(
      /^- `([a-z]+(?: [^`]+)?)`: /gm,
      (_, usage) => `- ${callFor(usage.replaceAll(/[[\]]/g, ""))}: `,
    )
    .replaceAll(
      /bmad-mcp(?: --project \S+)? ([a-z]+(?: (?:"(?:[^"\\]|\\.)*"|'[^']*'|[^`\n;"'])*)?)/g,
      (line, words) => callFor(words.trimEnd()) ?? line,
    )
    .replaceAll(/^([\w-]+\/[\w-]+)\t/gm, "- $1: ");
}

function callFor(line: string): string | undefined {
  const [command, ...words] = wordsOf(
    // Outside quotes, a shell would read these.
    `bmad-mcp ${
      line.replaceAll(/("(?:[^"\\]|\\.)*"|'[^']*')|[<>|()&]/g, (sign, quoted) => quoted ?? `\\${sign}`)
    }`,
  );
  if (command === "show") {
    const [, skill, path] = /^bmad:\/\/(?:rendered\/)?([\w-]+\/[\w-]+)\/(PATH)$/.exec(words[0] ?? "") ?? [];
    return `bmad ${
      JSON.stringify(skill ? { skill, uri: path } : { operation: "read", uri: words[0] ?? "" })
    }`;
  }
  if (command === "script") return 'bmad_work {"script":"LINE"}';
  if (!Object.hasOwn(OPERATIONS, command!)) return undefined;
  const name = command as keyof typeof OPERATIONS;
  const row = OPERATIONS[name] as { readonly params: Readonly<Record<string, Param>> };
  const params = Object.entries(row.params).filter(([, { only }]) => only !== "tool");
  const operands = params.filter(([, { operand }]) => operand !== undefined).map(([key]) =>
    FIRST[name] ?? key
  );
  const args: Record<string, string> = { operation: name };
  for (let at = 0, place = 0; at < words.length; at++) {
    const word = words[at]!;
    const [flag] = params.find(([key, { flag = `--${key}`, short }]) => word === flag || word === short) ??
      [];
    if (flag !== undefined) args[flag] = words[++at] ?? "";
    else if (operands[place] !== undefined) args[operands[place++]!] = word;
  }
  const { changes } = OPERATIONS[name] as { readonly changes?: true | readonly string[] };
  const isWrite = changes === true || changes?.some((key) => key in args);
  return `${isWrite ? "bmad_work" : "bmad"} ${JSON.stringify(args)}`;
}
