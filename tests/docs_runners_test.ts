/** Is what docs/runners.md promises to runners what happens? */
import assert from "node:assert/strict";
import { commandsIn } from "./support/rehearsal.ts";
import { runShell } from "./support/shell.ts";

const [TURN] = commandsIn(await Deno.readTextFile(new URL("../docs/runners.md", import.meta.url)));

const SPRINT = "_bmad-output/implementation-artifacts";

/** Two stories, and an agent that finishes the first one only. */
const PROJECT = `git init --quiet && git config user.name Ann && git config user.email ann@example.com
mkdir -p ${SPRINT}
printf 'development_status:\\n  epic-1: in-progress\\n  1-1-login: ready-for-dev\\n  1-2-pay: ready-for-dev\\n' \\
  > ${SPRINT}/sprint-status.yaml
for story in 1-1-login 1-2-pay; do
  printf 'Status: ready-for-dev\\n\\n## Acceptance Criteria\\n\\n1. It works\\n\\n## Tasks\\n\\n- [ ] Do it (AC: 1)\\n' \\
    > ${SPRINT}/$story.md
done
git add --all && git commit --quiet --message begin
build() {
  [ -s "$2" ] || exit 70
  echo "// AC1" > "$1_test.ts"
  case $1 in 1-1*) sed 's/\\[ \\]/[x]/' ${SPRINT}/$1.md > new && mv new ${SPRINT}/$1.md ;; esac
}
turn() (
${TURN}
)`;

function hasJq(): boolean {
  return new Deno.Command("bash", { args: ["-c", "command -v jq"] }).outputSync().success;
}

Deno.test({
  name: "the turn of a runner ends with a story that is done, a question, or nothing to take [docs:runners]",
  ignore: Deno.build.os === "windows" || !hasJq(),
  fn: async () => {
    const { stdout, stderr } = await runShell(`${PROJECT}
turn > /dev/null; echo "first $?"
turn > /dev/null; echo "second $?"
turn > /dev/null; echo "third $?"
git log --format=%s
bmad-mcp board
bmad-mcp answer
bmad-mcp check 1-2 > /dev/null; echo "check $?"
bmad-mcp claim 1-9; echo "unknown $?"
bmad-mcp check 1-9; echo "unchecked $?"
bmad-mcp claim --to; echo "usage $?"`);
    assert.match(stdout, /^first 0\nsecond 0\nthird 3\nfeat: 1-1-login\nbegin\n/, stderr);
    assert.match(stdout, /^1-1\tdone/m);
    assert.match(stdout, /1 of 1 box under "Tasks" is not ticked.* What now\?/);
    assert.match(stdout, /^check 1\nunknown 1\nunchecked 1\nusage 2\n$/m);
    assert.match(stderr, /^\{"error":\{"code":"not-allowed","message":"Cannot claim a story: /m);
  },
});
