/** Does a command that we print run what it says, whatever names it holds, in whichever shell it is pasted? */
import assert from "node:assert/strict";
import { command, NO_COMMAND, withCommand } from "../../src/base/text.ts";
import { cmdSpecial, fishWords, HOSTILE_WORDS, powershellWords } from "../support/hostile_words.ts";
import { hasShell } from "../support/shell.ts";
import { withTree } from "../support/trees.ts";

/** What a shell makes of the words behind `show`. */
async function wordsIn(shell: string, line: string, cwd: string): Promise<readonly string[]> {
  const { stdout, success } = await new Deno.Command(shell, {
    args: ["-c", `show() { printf '%s\\0' "$@"; }\n${line}`],
    cwd,
    env: { HOME: "/home/evil", PATH: Deno.env.get("PATH")! },
    clearEnv: true,
  }).output();
  assert.ok(success, line);
  return new TextDecoder().decode(stdout).split("\0").slice(0, -1);
}

/** As our commands spell it: Windows takes both slashes. */
const meant = (word: string) => /^[A-Za-z]:\\/.test(word) ? word.replaceAll("\\", "/") : word;

Deno.test("every word arrives as it is in every shell, or there is no command [commands:safe]", () =>
  withTree({ "x": "" }, async (dir) => {
    const shells = ["bash", "sh", "dash", "zsh", "ksh"].filter(hasShell);
    assert.ok(shells.length > 0);
    let shown = 0;
    for (const word of HOSTILE_WORDS) {
      const line = command`show ${word} --to ${word} end`;
      const given = command`show ${{ args: ["--flag", word] }}`;
      for (
        const [text, wanted] of [[line, [word, "--to", word, "end"]], [given, ["--flag", word]]] as const
      ) {
        if (text === undefined) continue;
        shown++;
        const expected = wanted.map(meant);
        assert.equal(cmdSpecial(text), undefined, text);
        assert.deepEqual(powershellWords(text).slice(1), expected, text);
        assert.deepEqual(fishWords(text).slice(1), expected, text);
        for (const shell of shells) {
          assert.deepEqual(await wordsIn(shell, text, dir), expected, `${shell}: ${text}`);
        }
      }
    }
    // The odd but honest ones can be written.
    const honest = [
      "a b",
      "Ünïcode 家",
      "my shop/it",
      "C:\\Users\\Ann Lee\\x",
      "a'b",
      "x; touch PWNED",
      "$HOME",
    ];
    for (const word of honest) assert.notEqual(command`show ${word}`, undefined, word);
    assert.ok(shown >= 40, `${shown} commands`);
    // Two words that are harmless alone open and close nothing together.
    for (const one of HOSTILE_WORDS) {
      for (const other of HOSTILE_WORDS.slice(0, 30)) {
        const text = command`show ${one} ${other}`;
        if (text === undefined) continue;
        assert.equal(cmdSpecial(text), undefined, text);
        assert.deepEqual(powershellWords(text).slice(1), [one, other].map(meant), text);
        assert.deepEqual(fishWords(text).slice(1), [one, other].map(meant), text);
      }
    }
    assert.deepEqual([...Deno.readDirSync(dir)].map(({ name }) => name), ["x"]);
  }));

Deno.test("an operand is never a flag, and a command without a word is none [commands:safe]", () => {
  assert.equal(command`rm ${"-rf"}`, undefined);
  assert.equal(command`rm ${{ args: ["-rf", "x"] }}`, "rm -rf x");
  assert.equal(command`${{ line: command`a ${"\n"}` }} && b`, undefined);
  assert.equal(command`${{ line: "bmad-mcp" }} mark ${"1-2"}`, "bmad-mcp mark 1-2");
  assert.equal(withCommand("Do it", undefined), `Do it ${NO_COMMAND}`);
  assert.equal(withCommand("Do it", command`chmod 600 ${"/a b"}`), 'Do it: chmod 600 "/a b"');
});
