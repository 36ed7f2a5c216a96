/** Does the line that is printed for a ticket in a tracker move it there, and then here? */
import assert from "node:assert/strict";
import { readTicketStore, trackedIn } from "../../../../src/project/work/formats/mod.ts";
import { flatSource } from "../../../support/flat.ts";
import { runHere } from "../../../support/program.ts";
import { makeProgram } from "../../../support/programs.ts";
import { wordsOf } from "../../../support/shell.ts";
import { treeTest, writeTree } from "../../../support/trees.ts";

const STATUSES = ["backlog", "in-progress", "review", "done", "dropped"] as const;

function linesIn(config: string, fields: Record<string, unknown>) {
  const tracked = trackedIn(readTicketStore(() => config), { type: "story", ...fields });
  return tracked && STATUSES.map((status) => tracked[status]);
}

const set = (store: string, status: string, state: string, more = "") =>
  `in ${store}, set 7 to "${status}" (${state}${more})`;
const SEE = "; see _bmad/custom/ticketing-store-config.toml";

Deno.test("each store has the lines of its recipe, with the project's own words [work:tracker]", () => {
  const [labels, at] = ['--remove-label "backlog,', "-R acme/shop"];
  assert.equal(linesIn('[tickets]\nstore = "repo"\n', { tracker_id: 7 }), undefined);
  assert.deepEqual(linesIn('[tickets]\nstore = "github"\nrepo = "acme/shop"\n', { tracker_id: 7 }), [
    `gh issue edit 7 ${at} --add-label backlog --remove-label "in-progress,review"`,
    `gh issue edit 7 ${at} --add-label in-progress ${labels}review"`,
    `gh issue edit 7 ${at} --add-label review ${labels}in-progress"`,
    `gh issue edit 7 ${at} ${labels}in-progress,review" && gh issue close 7 ${at}`,
    `gh issue edit 7 ${at} ${labels}in-progress,review" && gh issue close 7 ${at} --reason "not planned"`,
  ]);
  // A state that the tracker lacks has the word of the one before it, which is not taken away.
  const fewer = '[tickets]\nstore = "gh"\n[tickets.status]\nbacklog = "to do"\nreview = "in-progress"\n';
  assert.deepEqual(linesIn(fewer, { tracker_id: "#7", tracker_status: "done" })!.slice(1, 4), [
    'gh issue reopen 7 && gh issue edit 7 --add-label in-progress --remove-label "to do"',
    'gh issue reopen 7 && gh issue edit 7 --add-label in-progress --remove-label "to do"',
    'gh issue edit 7 --remove-label "to do,in-progress" && gh issue close 7',
  ]);
  assert.deepEqual(linesIn('[tickets]\nstore = "jira"\n', { tracker_id: "SHOP-7" })!.slice(2), [
    'acli jira workitem transition --key SHOP-7 --status "In Review" --yes',
    "acli jira workitem transition --key SHOP-7 --status Done --yes",
    // Only its resolution tells it from what is done.
    'in jira, set SHOP-7 to "Done" (dropped)',
  ]);
  const remote = { tracker_id: "7", remote: "https://example.com/7" };
  const called = ["linear", "notion", "trello"].map((store) =>
    linesIn(`[tickets]\nstore = "${store}"\n`, remote)![4]
  );
  assert.deepEqual(called, [
    'call save_issue for https://example.com/7: state "Canceled"',
    'call notion-update-page for https://example.com/7: Status "Dropped"',
    'call trelloWriteCard for https://example.com/7: action "archive"',
  ]);
});

Deno.test("a project's own recipe counts for more, and nothing is guessed [work:tracker]", () => {
  const store = (name: string, write = "") => `[tickets]\nstore = "${name}"\n[verbs]\n${write}`;
  const own = store("github", 'write = "bin/move <n> [tickets.status].<state>"\n');
  assert.equal(linesIn(own, { tracker_id: 7 })![2], "bin/move 7 review");
  assert.equal(linesIn(own, { tracker_id: "7; rm -rf ." })![2]!.startsWith("in github, set 7; rm"), true);
  const other = store("github", 'write = """\nUse our own tool:\nbin/move <n>\n"""\n');
  assert.equal(linesIn(other, { tracker_id: 7 })![2], set("github", "review", "review", SEE));
  // Older projects have the whole recipe of BMAD in their file.
  const whole = store("github", 'write = """\nCreate: `gh issue create`\nClose: `gh issue close <n>`\n"""\n');
  assert.match(linesIn(whole, { tracker_id: 7 })![2]!, /^gh issue edit 7 --add-label review /);
  assert.equal(linesIn(store("redmine"), { tracker_id: 7 })![3], set("redmine", "done", "done"));
  // The id of an initiative is that of a milestone.
  assert.equal(
    linesIn(store("github"), { type: "initiative", tracker_id: 7 })![3],
    set("github", "closed", "done"),
  );
  assert.equal(
    linesIn(store("github"), { tracker_id: "$(id)" })![3],
    'in github, set $(id) to "closed" (done)',
  );
  assert.deepEqual(trackedIn(readTicketStore(() => store("linear")), {}), { store: "linear" });
});

/** `gh issue` 2.94 as its manual has it: what it does not know fails, and so does a label that the repository lacks. */
const GH = `#!/bin/sh
fail() { echo "gh: $*" >&2; exit 1; }
[ "$1" = issue ] || fail "unknown command $1"
verb=$2; shift 2
add= remove= reason= issue= repo=
while [ $# -gt 0 ]; do
  case "$verb $1" in
    *" -R"|*" --repo") repo=$2; shift ;;
    "edit --add-label") add=$2; shift ;;
    "edit --remove-label") remove=$2; shift ;;
    "close --reason"|"close -r")
      case "$2" in completed|"not planned"|duplicate) reason=$2 ;; *) fail "invalid reason $2" ;; esac; shift ;;
    "edit "-*|"close "-*|"reopen "-*) fail "unknown flag: $1" ;;
    "edit "[0-9]*|"close "[0-9]*|"reopen "[0-9]*) [ -z "$issue" ] || fail "two issues"; issue=$1 ;;
    *) fail "unknown: $verb $1" ;;
  esac
  shift
done
[ "$issue" = 7 ] && [ "$repo" = acme/shop ] || fail "no issue $issue in $repo"
for label in $(echo "$add,$remove" | tr , ' '); do
  case $label in backlog|in-progress|review) ;; *) fail "'$label' not found" ;; esac
done
cd "$(dirname "$0")"
for label in $(echo "$remove" | tr , ' '); do rm -f "label-$label"; done
for label in $(echo "$add" | tr , ' '); do touch "label-$label"; done
case $verb in close) echo "$reason" > closed ;; reopen) rm -f closed ;; esac
`;

const EPIC = "_bmad-output/initiative-shop/epic-pay";
const LEAF = `${EPIC}/story-sign-in.md`;

treeTest("every printed line moves the issue, then the ticket [work:tracker]", {
  ...flatSource("tickets", ".agents/skills"),
  "_bmad/config.toml": '[core]\noutput_folder = "{project-root}/_bmad-output"\n',
  "_bmad/custom/ticketing-store-config.toml": '[tickets]\nstore = "github"\nrepo = "acme/shop"\n',
  "_bmad-output/initiative-shop/tickets.toml": '[[epic]]\nid = 1\nslug = "epic-pay"\n',
  [`${EPIC}/epic-pay.md`]: "---\ntype: epic\ntitle: Pay\n---\n",
  [`${EPIC}/tickets.toml`]: '[[entry]]\nid = 1\ntype = "story"\ntitle = "Sign in"\n' +
    '[[entry]]\nid = 2\ntype = "story"\ntitle = "Card"\n',
  [LEAF]:
    "---\nid: 1\ntype: story\ntitle: Sign in\ntracker_id: 7\ntracker_status: backlog\n---\n# Sign in\n\n" +
    "## Acceptance Criteria\n\nVerify: one can sign in\n",
  "bin/gh": GH,
  "bin/label-backlog": "",
}, async (root) => {
  if (Deno.build.os === "windows") return;
  makeProgram(`${root}/bin/gh`);
  const run = async (...args: readonly string[]) => await runHere(args, { cwd: root });
  const gh = async (line: string) => {
    const env = { PATH: `${root}/bin:/usr/bin:/bin` };
    const { success, stderr } = await new Deno.Command("sh", { args: ["-c", line], env }).output();
    assert.ok(success, `${line}: ${new TextDecoder().decode(stderr)}`);
  };
  const issue = () =>
    Array.from(Deno.readDirSync(`${root}/bin`), ({ name }) => name).filter((name) => name !== "gh").sort();
  const status = () => /tracker_status: (\S+)/.exec(Deno.readTextFileSync(`${root}/${LEAF}`))?.[1];
  /** Takes what `next` says under a label. */
  const follow = async (label: string) => {
    const { stdout } = await run("next");
    const [, there, here] = RegExp(`^${label}: (.*); then: (.*)$`, "m").exec(stdout) ?? assert.fail(stdout);
    await gh(there!);
    const { code, stderr } = await run(...wordsOf(here!));
    assert.equal(code, 0, stderr);
  };
  const board = await run("board");
  assert.match(board.stderr, /^Statuses change in github first\. To begin 1\.1: gh issue edit 7 /m);
  await follow("Before");
  assert.deepEqual([issue(), status()], [["label-in-progress"], "in-progress"]);
  await follow("When finished");
  assert.deepEqual([issue(), status()], [["label-review"], "review"]);
  // What the tracker has to do first is refused, with the line; from `done`, it comes back.
  for (const [word, labels, more] of [["done", "closed"], ["in-progress", "label-in-progress", "--force"]]) {
    const refused = await run("mark", "1.1", word!);
    if (more === undefined) {
      assert.match(refused.stderr, /keeps its status\. First: /);
      await gh(/First: (.*)/.exec(refused.stderr)![1]!);
    } else await gh((JSON.parse((await run("board", "1.1", "--json")).stdout)).tracked[word!]);
    const { code, stderr } = await run("mark", "1.1", word!, "--reason", "moved", ...more ? [more] : []);
    assert.equal(code, 0, stderr);
    assert.deepEqual([issue(), status()], [[labels], word]);
  }
  const bare = await run("mark", "1.2", "in-progress", "--reason", "moved");
  assert.match(bare.stderr, /github keeps its status\. First: let bmad-ticket publish it in github/);
  // What the file says besides stays, and an unknown word is none of a tracker.
  const leaf = "---\nid: 1\ntype: story\ntitle: Sign in\ntracker_id: 7\nstatus: draft\n---\n# Sign in\n";
  await writeTree(root, { [LEAF]: leaf });
  assert.equal((await run("mark", "1.1", "ready-for-dev", "--reason", "moved")).code, 0);
  assert.equal(
    Deno.readTextFileSync(`${root}/${LEAF}`),
    leaf.replace("draft\n", "draft\ntracker_status: backlog\n"),
  );
  assert.match((await run("mark", "1.1", "odd", "--force")).stderr, /Unknown status "odd"/);
  const login = leaf.replace("status: draft", "remote: https://ann:s3cret-pass@example.com/7");
  await writeTree(root, { [LEAF]: login });
  assert.doesNotMatch((await run("board", "1.1", "--json")).stdout, /s3cret/);
  // An epic's own file has its status, and only what is published is anywhere else.
  assert.equal((await run("mark", "epic-pay", "in-progress")).code, 0);
  await writeTree(root, { [`${EPIC}/epic-pay.md`]: "---\ntype: epic\ntracker_id: 5\n---\n" });
  assert.match(
    (await run("mark", "epic-pay", "in-progress")).stderr,
    /First: gh issue edit 5 -R acme\/shop /,
  );
});
