/**
 * Does the Tab key know our commands, flags and names?
 *
 * The bash script is loaded into a real bash and asked as bash asks it; other shells, where they are here, must at
 * least understand their scripts. What can come next is asked of the program itself.
 */
import assert from "node:assert/strict";
import { COMMAND_NAMES } from "../../src/config/mod.ts";
import { assertFailed, type ProgramOptions, runCli } from "../support/program.ts";
import { verifies } from "../support/requirements.ts";
import { hasShell, runShell } from "../support/shell.ts";
import { withTree } from "../support/trees.ts";

/** What bash would offer for the last of some words. */
async function offered(words: readonly string[], options: ProgramOptions = {}): Promise<readonly string[]> {
  const script = [
    'eval "$(bmad-mcp completions bash)"',
    // Bash calls the function that was registered for the program.
    "complete -p bmad-mcp | grep -q -- '-F _bmad_mcp bmad-mcp' || exit 9",
    `COMP_WORDS=(${["bmad-mcp", ...words].map((word) => `'${word}'`).join(" ")})`,
    `COMP_CWORD=${words.length}`,
    "_bmad_mcp",
    `printf '%s\\n' "\${COMPREPLY[@]}"`,
  ];
  const { code, stdout, stderr } = await runShell(script.join("\n"), options);
  assert.deepEqual([code, stderr], [0, ""]);
  return stdout.split("\n").filter((line) => line !== "");
}

Deno.test({
  name: verifies("cli:completions", "bash completes commands, flags, values and names"),
  ignore: !hasShell("bash"),
  fn: async (t) => {
    const table: readonly (readonly [words: readonly string[], candidates: readonly string[]])[] = [
      [[""], COMMAND_NAMES],
      [["se"], ["serve", "search"]],
      [["list", "ag"], ["agents"]],
      [["help", "ver"], ["version"]],
      [["completions", ""], ["bash", "zsh", "fish", "powershell"]],
      [["--lo"], ["--log-level"]],
      [["show", "--r"], ["--raw", "--read-only"]],
      [["list", "--r"], ["--read-only"]],
      [["--mode", ""], ["auto", "local", "user", "strict"]],
      // Bash cuts words at the sign.
      [["--mode", "=", "lo"], ["local"]],
      [["--mode", "="], ["auto", "local", "user", "strict"]],
      [["list", "workflows", "--category", "pl"], ["planning"]],
      [["list", "agents", "--module", ""], ["bmm", "core", "tea"]],
      [["show", "analy"], ["analyst"]],
      [["show", "bmad-agent-a"], ["bmad-agent-analyst", "bmad-agent-architect"]],
      [["execute", "--module", "bmm", "bmm/bmad-agent-p"], ["bmm/bmad-agent-pm"]],
      [["call", "execute_"], ["execute_workflow", "execute_task"]],
      [["call", "bmm-an"], ["bmm-analyst"]],
      // What is no word of ours is left to bash, which offers files.
      [["show", "analyst", ""], []],
      [["~/tea"], []],
      [["--project", ""], []],
    ];
    for (const [words, candidates] of table) {
      await t.step(words.join(" "), async () => assert.deepEqual(await offered(words), candidates));
    }
  },
});

Deno.test({
  name: "names come from what the line will serve, and none that a shell could run",
  ignore: !hasShell("bash"),
  fn: () => {
    const skill = (name: string) => `---\nname: ${name}\ndescription: A thing\n---\nDo it.\n`;
    return withTree({
      "a/.claude/skills/bmad-sail/SKILL.md": skill("bmad-sail"),
      "a/.claude/skills/bmad-sail$(touch x)/SKILL.md": skill("bmad-sail$(touch x)"),
      "b/.claude/skills/bmad-saint/SKILL.md": skill("bmad-saint"),
    }, async (dir) => {
      const names = await runCli(["list", "skills", "--project", `${dir}/a`, "--pack", "none"]);
      assert.match(names.stdout, /sail\$\(touch x\)/, "it is there, only not offered");
      assert.deepEqual(await offered(["show", "bmad-sai"], { cwd: `${dir}/a` }), ["bmad-sail"]);
      assert.deepEqual(await offered(["--project", `${dir}/b`, "show", "bmad-sai"], { cwd: `${dir}/a` }), [
        "bmad-saint",
      ]);
    });
  },
});

for (const shell of ["zsh", "fish"]) {
  Deno.test({
    name: `${shell} understands its script`,
    ignore: !hasShell(shell),
    fn: async () => {
      const { code, stderr } = await runShell(`bmad-mcp completions ${shell} > script && ${shell} -n script`);
      assert.deepEqual([code, stderr], [0, ""]);
    },
  });
}

Deno.test("every shell's script asks the program, and other shells are refused", async () => {
  for (const shell of ["bash", "zsh", "fish", "powershell"]) {
    const { code, stdout, stderr } = await runCli(["completions", shell]);
    assert.deepEqual([code, stderr], [0, ""]);
    assert.match(stdout, / complete '?--'? /, shell);
  }
  assertFailed(
    await runCli(["completions", "bsh"]),
    1,
    /shell "bsh": nearest are bash.*\. There are bash, zsh,/,
  );
  assertFailed(await runCli(["completions"]), 2, /Write: bmad-mcp completions SHELL/);
});

Deno.test("candidates come with a word about each, and the command for it is not told of", async () => {
  const { code, stdout, stderr } = await runCli(["complete", "--", "show", "analyst"]);
  assert.deepEqual([code, stdout, stderr], [0, "analyst\tBusiness Analyst\n", ""]);
  assert.doesNotMatch((await runCli(["--help"])).stdout, /^ {2}complete /m);
});
