/** Is a status that somebody forgot to set told, with the call that sets it, and never taken for another story's? */
import assert from "node:assert/strict";
import { withRepository } from "../../../support/project_repository.ts";

const FOLDER = "out/implementation-artifacts";
const storyOf = (number: string, status: string) => `# Story ${number}: Part\n\nStatus: ${status}\n`;
const PROJECT = {
  "_bmad/config.toml": '[core]\noutput_folder = "out"\n',
  [`${FOLDER}/sprint-status.yaml`]:
    "development_status:\n  epic-1: in-progress\n  1-1-one: ready-for-dev\n  1-2-two: in-progress\n  1-3-three: ready-for-dev\n",
  [`${FOLDER}/1-1-one.md`]: storyOf("1.1", "in-progress"),
  [`${FOLDER}/1-2-two.md`]: storyOf("1.2", "in-progress"),
  [`${FOLDER}/1-3-three.md`]: storyOf("1.3", "ready-for-dev"),
};
const CALL = /^Bring ledger and files in step: (bmad-mcp \S+)$/m;

Deno.test("where ledger and files differ, the call that repairs it is printed, and nowhere else [work:repair]", () =>
  withRepository(PROJECT, async ({ run, save }) => {
    for (const words of [["board"], ["next"], ["check"], ["check", "1-1"]]) {
      assert.equal(CALL.exec(await run(...words))?.[1], "bmad-mcp reconcile", words.join(" "));
      const { repair } = JSON.parse(await run(...words, "--json"));
      assert.equal(repair, "bmad-mcp reconcile");
    }
    assert.doesNotMatch(await run("check", "1-2"), CALL);
    assert.match(await run("reconcile"), /^1-1-one: ready-for-dev → in-progress$/m);
    save("Repaired");
    for (const words of [["board"], ["next"], ["check"], ["check", "1-1"]]) {
      assert.doesNotMatch(await run(...words), CALL, words.join(" "));
    }
  }));

Deno.test("another story in progress is mentioned before one is begun [work:repair]", () =>
  withRepository(PROJECT, async ({ run }) => {
    const other = /Note: 1-2 is in progress, too\.?$/m;
    assert.match(await run("claim", "1-3", "--by", "Ann"), other);
    assert.match(await run("mark", "1-3", "in-progress", "--by", "Ann"), other);
    assert.doesNotMatch(await run("mark", "1-2", "in-progress", "--by", "Ann"), /in progress, too/);
    await run("claim", "1-2", "--by", "Bob");
    // A bare 1-2 also stands in dates: a claim made on 2026-11-19 may end on 2026-11-20.
    assert.doesNotMatch(await run("claim", "1-1", "--by", "Cy"), other, "what others hold is theirs");
  }));

Deno.test("an activation for a named story has that story, and none as current [work:repair]", () =>
  withRepository(PROJECT, async ({ run }) => {
    const linesFor = async (message: string) =>
      (await run("execute", "bmad-build", "-m", message)).split("\n").filter((line) =>
        /^- (?:\w+ )*(?:story|progress): /.test(line)
      );
    const story = (label: string, name: string, status: string) =>
      `- ${label}: ${FOLDER}/${name}.md (${status})`;
    const other = story("also in progress", "1-2-two", "in-progress");
    for (
      const name of ["Story 1-3-three (x.md)", "build 1.3", `${FOLDER}/1-3-three.md`, "story 1-3, please"]
    ) {
      assert.deepEqual(await linesFor(name), [story("story", "1-3-three", "ready-for-dev"), other], name);
    }
    assert.deepEqual(await linesFor("Story 1-2-two"), [story("story", "1-2-two", "in-progress")]);
    for (const name of ["go on", "fix 3 bugs in 12.1"]) {
      assert.deepEqual(await linesFor(name), [story("current story", "1-2-two", "in-progress")], name);
    }
  }));

Deno.test("an activation names a story by its file, its title or the words of its key, too [work:repair]", () =>
  withRepository({
    "_bmad/config.toml": '[core]\noutput_folder = "out"\n',
    [`${FOLDER}/sprint-status.yaml`]:
      "development_status:\n  1-1-sign-in: in-progress\n  1-2-sign-out: backlog\n  1-3-sign-out-all: backlog\n  1-4-tests: backlog\n",
    [`${FOLDER}/spec-1-1-sign-in.md`]: "---\nstatus: in-progress\n---\n# Spec\n",
    "out/planning-artifacts/epics.md":
      "## Epic 1: Shop\n\n### Story 1.1: Sign in\n\nX\n\n### Story 1.2: Leave the shop\n\nX\n\n### Story 1.4: Tests\n\nX\n",
  }, async ({ run }) => {
    const storyIn = async (message: string) =>
      /^- (story|current story): .*?(\d-\d)/m.exec(await run("execute", "bmad-build", "-m", message))
        ?.slice(1).join(" ");
    for (
      const name of [
        "sign-out",
        "Sign out",
        "please build Leave the shop",
        "1-2-sign-out.md",
        "Leave the shop!",
      ]
    ) {
      assert.equal(await storyIn(name), "story 1-2", name);
    }
    for (const name of ["spec-1-1-sign-in.md", "build spec-1-1-sign-in", "Sign in again"]) {
      assert.equal(await storyIn(name), "story 1-1", name);
    }
    assert.equal(await storyIn("Sign out all"), "story 1-3", "the longest name");
    assert.equal(await storyIn("Story 1-4: sign in first"), "story 1-4", "a reference counts for more");
    assert.equal(await storyIn("tests"), "story 1-4");
    assert.equal(await storyIn("run the tests"), "current story 1-1", "one word may mean anything");
  }));
