/** Does the Tab key complete commands, flags and names? */
import assert from "node:assert/strict";
import { COMMAND_NAMES } from "../../../src/operations/mod.ts";
import { assertFailed, type ProgramOptions, runCli } from "../../support/program.ts";
import { hasShell, runShell } from "../../support/shell.ts";
import { withTree } from "../../support/trees.ts";

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

Deno.test("bash completes what is typed [cli:completions]", { ignore: !hasShell("bash") }, async (t) => {
  const table: readonly (readonly [words: readonly string[], candidates: readonly string[]])[] = [
    [[""], COMMAND_NAMES],
    [["se"], ["search", "serve"]],
    [["list", "ag"], ["agents"]],
    [["help", "vers"], ["version"]],
    [["completions", ""], ["bash", "zsh", "fish", "powershell"]],
    [["--lo"], ["--log-level", "--log-format", "--log-file"]],
    [["show", "--r"], ["--raw", "--read-only", "--remember-usage", "--roles"]],
    [["list", "--r"], ["--read-only", "--remember-usage", "--roles"]],
    [["--mode", ""], ["auto", "local", "user", "strict"]],
    // Bash splits words at the equals sign.
    [["--mode", "=", "lo"], ["local"]],
    [["--mode", "="], ["auto", "local", "user", "strict"]],
    [["list", "workflows", "--category", "pl"], ["planning"]],
    [["list", "agents", "--module", ""], ["bmm", "core", "tea", "bmb"]],
    [["list", "agents", "--origin", "us"], ["user", "user-2", "user-3"]],
    [["show", "analy"], ["analyst"]],
    [["show", "bmad-agent-a"], ["bmad-agent-analyst", "bmad-agent-architect"]],
    [["execute", "--module", "bmm", "bmm/bmad-agent-p"], ["bmm/bmad-agent-pm"]],
    [["call", "execute_"], ["execute_workflow", "execute_task"]],
    [["call", "bmm-an"], ["bmm-analyst"]],
    [["install", "--d"], ["--dry-run"]],
    [["install", "claude-c"], ["claude-code"]],
    [["uninstall", "codex", "gem"], ["gemini"]],
    // Without a candidate of ours, bash offers files.
    [["show", "analyst", ""], []],
    [["~/tea"], []],
    [["memory", "re"], ["remember", "recall", "restore"]],
    [["memory", "remember", "re"], []],
    [["cache", "update", "l"], []],
    [["--project", ""], []],
  ];
  for (const [words, candidates] of table) {
    await t.step(words.join(" "), async () => assert.deepEqual(await offered(words), candidates));
  }
});

Deno.test("names follow the line's settings, none is executed", { ignore: !hasShell("bash") }, () => {
  const skill = (name: string) => `---\nname: ${name}\ndescription: A thing\n---\nDo it.\n`;
  return withTree({
    "a/.claude/skills/bmad-sail/SKILL.md": skill("bmad-sail"),
    "a/.claude/skills/bmad-sail$(touch x)/SKILL.md": skill("bmad-sail$(touch x)"),
    "b/.claude/skills/bmad-saint/SKILL.md": skill("bmad-saint"),
  }, async (dir) => {
    const names = await runCli(["list", "skills", "--project", `${dir}/a`, "--pack", "none"]);
    assert.match(names.stdout, /sail\$\(touch x\)/, "it exists, but is not offered");
    assert.deepEqual(await offered(["show", "bmad-sai"], { cwd: `${dir}/a` }), ["bmad-sail"]);
    assert.deepEqual(await offered(["--project", `${dir}/b`, "show", "bmad-sai"], { cwd: `${dir}/a` }), [
      "bmad-saint",
    ]);
  });
});

const TYPED: readonly (readonly [typed: string, completed: string])[] = [
  ["bmad-mcp comp", "bmad-mcp completions "],
  ["bmad-mcp list age", "bmad-mcp list agents "],
  ["bmad-mcp list --mod", "bmad-mcp list --mod"],
  ["bmad-mcp --toolsets w", "bmad-mcp --toolsets workflows "],
  ["bmad-mcp --mode=lo", "bmad-mcp --mode=local "],
  ["bmad-mcp show analy", "bmad-mcp show analyst "],
  ["bmad-mcp show --origin pa", "bmad-mcp show --origin package "],
  ["bmad-mcp execute bmm/bmad-agent-p", "bmad-mcp execute bmm/bmad-agent-pm "],
  ["bmad-mcp --project some-f", "bmad-mcp --project some-folder/"],
];

/** Types lines into an interactive zsh on its own terminal, presses Tab, and prints the result. */
const ZSH_TYPIST = `
zmodload zsh/zpty
zpty -b shell 'zsh -f -i'
zpty -w shell 'PS1=; autoload -U compinit; compinit -u -D; eval "$(bmad-mcp completions zsh)"
  tell() { print -r -- "$BUFFER" >> told; BUFFER= }
  zle -N tell; bindkey "^X" tell; : > told'
patience() { repeat 400 { eval "$1" && return; sleep 0.05 }; print -u2 "waited in vain: $1"; exit 9 }
patience '[[ -e told ]]'
at=0
while IFS= read -r line; do
  zpty -w -n shell "$line"$'\t'$'\x18'
  (( ++at ))
  patience '(( $(wc -l < told) >= at ))'
done
cat told
`;

Deno.test("the Tab key completes in zsh [cli:completions]", { ignore: !hasShell("zsh") }, async () => {
  const typed = TYPED.map(([line]) => line).join("\n");
  const { code, stdout, stderr } = await runShell(
    `mkdir some-folder; zsh -f -c '${ZSH_TYPIST.replaceAll("'", `'\\''`)}' <<'END'\n${typed}\nEND`,
  );
  assert.deepEqual([code, stderr], [0, ""]);
  assert.deepEqual(stdout.trimEnd().split("\n"), TYPED.map(([, completed]) => completed));
});

Deno.test("the Tab key completes in fish [cli:completions]", { ignore: !hasShell("fish") }, async () => {
  const asks = TYPED.map(([typed]) => `echo "> ${typed}"; complete -C "${typed}"`).join("\n");
  const { code, stdout, stderr } = await runShell(
    `mkdir some-folder\nbmad-mcp completions fish | source\n${asks}`,
    { shell: "fish" },
  );
  assert.deepEqual([code, stderr], [0, ""]);
  const offers = stdout.split("> ").slice(1).map((part) => {
    const [typed = "", ...lines] = part.trimEnd().split("\n");
    // Fish completes by itself when there is one candidate, and puts a space behind what is no folder.
    const [only, ...more] = lines.map((line) => line.split("\t")[0]!);
    const whole = `${typed.slice(0, typed.lastIndexOf(" ") + 1)}${only}`;
    return only === undefined || more.length > 0 ? typed : only.endsWith("/") ? whole : `${whole} `;
  });
  assert.deepEqual(offers, TYPED.map(([, completed]) => completed));
});

Deno.test("every shell's script asks the program, and unknown shells are refused", async () => {
  for (const shell of ["bash", "zsh", "fish", "powershell"]) {
    const { code, stdout, stderr } = await runCli(["completions", shell]);
    assert.deepEqual([code, stderr], [0, ""]);
    assert.match(stdout, / complete '?--'? /, shell);
  }
  assertFailed(
    await runCli(["completions", "bsh"]),
    2,
    /^bmad-mcp: Unknown shell "bsh"\. Did you mean bash or zsh\?\n$/,
  );
  assertFailed(await runCli(["completions", "nu"]), 2, /"nu"\. Use one of bash, zsh, fish, powershell\n$/);
  assertFailed(await runCli(["completions"]), 2, /Usage: bmad-mcp completions SHELL/);
});

Deno.test("candidates have a description, and the hidden command is not in the help", async () => {
  const { code, stdout, stderr } = await runCli(["complete", "--", "show", "analyst"]);
  assert.deepEqual([code, stdout, stderr], [0, "analyst\tBusiness Analyst\n", ""]);
  assert.doesNotMatch((await runCli(["--help"])).stdout, /^ {2}complete /m);
});
