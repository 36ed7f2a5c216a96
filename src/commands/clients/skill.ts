/** The skill with which a model works through the terminal. */
import { type CommandName, describeCommand } from "../../operations/mod.ts";
import type { Edit } from "./file_text.ts";
import { type Launch, renderLaunch } from "./shapes.ts";

/** Not `bmad-…`: BMAD's installer removes skills of that name which it does not know. */
export const SKILL = "use-bmad-mcp";

const MARK = "<!-- Written by bmad-mcp install --skill; bmad-mcp uninstall removes it. -->";

const DESCRIPTION =
  "Work with the BMAD Method through the terminal. Use it when the user names BMAD, one of its agents such as " +
  "Mary, a product brief, PRD, epic, story or sprint, or asks what is next in the project.";

const PARTS: Readonly<Record<string, readonly CommandName[]>> = {
  "See where the project is": ["next", "board", "search", "list", "context", "trace"],
  "Work on a story": ["claim", "mark", "check", "release"],
  "Review it": ["review", "finding", "evidence"],
  "Ask people": ["ask", "answer"],
  "Use BMAD's texts": ["execute", "show", "script"],
  "Keep the plan": ["plan", "reconcile"],
};

export function renderSkill(launch: Launch = { command: PROGRAM, args: [] }): string {
  return textFor(renderLaunch(launch));
}

const PROGRAM = "bmad-mcp";

function textFor(line: string): string {
  const start = line === PROGRAM
    ? []
    : ["", `Here, wherever \`${PROGRAM}\` is written, run \`${line}\` instead.`];
  const parts = Object.entries(PARTS).flatMap((
    [title, names],
  ) => ["", `### ${title}`, "", ...linesFor(names)]);
  return `${[BEGIN, ...start, RULES, ...parts, END].join("\n")}\n`;
}

function linesFor(names: readonly CommandName[]): readonly string[] {
  return names.flatMap((name) => {
    const { purpose, usage, examples: [example] } = describeCommand(name);
    return [`- \`${usage}\`: ${purpose}`, ...(example === `bmad-mcp ${usage}` ? [] : [`  \`${example}\``])];
  });
}

/** The whole file is the program's. One that it did not write stays, and what somebody added is kept in a backup. */
export function addSkill(text: string | undefined, wanted: string): Edit {
  if (text === wanted) return { outcome: "same" };
  if (text !== undefined && !isOurs(text)) {
    return { outcome: "invalid", problem: "another skill has this name" };
  }
  return text === undefined
    ? { outcome: "added", text: wanted, needsBackup: false }
    : { outcome: "updated", text: wanted, needsBackup: !isUntouched(text) };
}

export function removeSkill(text: string | undefined): Edit {
  return text !== undefined && isOurs(text)
    ? { outcome: "removed", text: undefined, needsBackup: !isUntouched(text) }
    : { outcome: "absent" };
}

function isOurs(text: string): boolean {
  return text.startsWith(`---\nname: ${SKILL}\n`) && text.split("\n---\n\n", 2)[1]?.startsWith(MARK) === true;
}

function isUntouched(text: string): boolean {
  const [, line = PROGRAM] = /^Here, wherever `[\w-]+` is written, run `(.*)` instead\.$/m.exec(text) ?? [];
  return text === textFor(line);
}

const BEGIN = `---
name: ${SKILL}
description: ${DESCRIPTION}
---

${MARK}

# BMAD in the terminal

BMAD is a method of building software with agents. A product brief leads to requirements (PRD), an
architecture, epics and stories; each step is a workflow, a text that you follow. The program \`bmad-mcp\` has all
of these texts, and keeps the project's board of stories. It needs no MCP server: run it in the project's folder.
If you have the MCP tools \`bmad\` and \`bmad_work\`, use them instead.`;

const RULES = `
## How to work

1. \`bmad-mcp next\` says what to do now and why, and prints the command for it. Run that command as it is printed.
   When the user asks for something else, \`bmad-mcp search "product brief"\` finds the workflow or agent.
2. \`bmad-mcp execute NAME -m "what the user wants"\` prints a workflow or an agent. Its text is what you do now: read
   it whole, and follow it. If your shell cuts long output, write it to a temporary file and read that.
   What stands under “Already resolved” is done: skip those steps, and use the values.
3. Where a text names a file (\`./step-02.md\`), open it as the line “Files:” says. Where it runs a Python script
   (\`memlog.py\`, \`sprint_status.py\`), run \`bmad-mcp script\` with the same words: no Python is needed. Several lines
   go at once, by stdin, to \`bmad-mcp script -\`.
4. Answers print commands: run those, with values for what is in capitals, in \`<…>\` or \`{…}\`. When a workflow has
   come to its end, \`bmad-mcp next\` says how it goes on.
5. Never write a status into \`sprint-status.yaml\` or a story's file yourself: \`mark\` does both, and checks before
   \`done\`. If it refuses, repair what it lists. Use \`--force\` only when the user says so.
6. Claim a story before you work on it. When people have to decide something, \`ask\` them and take another story.

## Commands

A story is named as the board does: \`1-2\`, \`epic-1\`. Words with spaces are quoted. \`--json\` gives data,
\`bmad-mcp help COMMAND\` every option.`;

const END = `
## Exit codes

0: done. 1: no match, or \`check\` has findings. 2: a wrong command line; the message has the right one.
3: refused; the message says why, and what to do.`;
