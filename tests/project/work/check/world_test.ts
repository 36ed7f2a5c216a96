/** Does a check use what the user allows, git and the project's own script, and nothing else? */
import assert from "node:assert/strict";
import { fail } from "../../../../src/base/errors.ts";
import type { Report } from "../../../../src/base/report.ts";
import { openLibrary } from "../../../../src/content/library/mod.ts";
import { openLedgers, openWork, type WorkTools } from "../../../../src/project/work/mod.ts";
import { runGit } from "../../../support/git.ts";
import { opening } from "../../../support/library.ts";
import { treeTest, writeTree } from "../../../support/trees.ts";

const PROJECT = {
  "_bmad/bmm/config.yaml":
    "output_folder: out\nplanning_artifacts: out/plan\nimplementation_artifacts: out/impl\n",
  "_bmad/_config/manifest.yaml": "installation:\n  version: 6.12.0\nmodules:\n  - name: bmm\n",
  "out/impl/sprint-status.yaml": "development_status:\n  1-1-a: done\n  1-2-b: backlog\n",
  "README.md": "one\n",
};

const storyOf = (baseline: string, list = "- README.md\n") =>
  `---\nbaseline_commit: ${baseline}\n---\n# Story 1.1: A\n\nStatus: done\n\n## Acceptance Criteria\n\n1. It works\n\n` +
  `## Tasks\n\n- [x] Do it\n\n### File List\n\n${list}`;

const passes = { status: "PASS", script: "cc-verify.sh" };

async function checked(root: string, hasGit: boolean, verify: () => Report["data"], story?: string) {
  const library = await openLibrary([opening("project", 1, root)], { project: root });
  const kit = { root, base: "_bmad", output: "out" };
  const git = { environment: {}, timeout: 60_000, within: root, settings: [] };
  const tools = {
    config: {
      kit,
      project: root,
      work: { root, output: "out", writable: [], refused: [], ...(hasGit && { git }) },
    },
    clock: { now: () => 0 },
    ledgers: openLedgers({ now: Date.now }),
    ask: (work: (given: typeof library) => unknown) => Promise.resolve(work(library)),
    verify: () => Promise.resolve().then(() => ({ text: "", data: verify() })),
  } as unknown as WorkTools;
  const { data, unchecked, text } = await openWork(tools).check(story);
  const findings = data["findings"] as readonly { readonly code: string }[];
  return { codes: findings.map(({ code }) => code), unchecked, text };
}

treeTest(
  "commits and commands count if allowed [work:check, work:check-unchecked]",
  PROJECT,
  async (root) => {
    runGit(root, "init", "-q");
    runGit(root, "add", "-A");
    runGit(root, "commit", "-qm", "start");
    const first = runGit(root, "rev-parse", "HEAD");
    await writeTree(root, { "out/impl/1-1-a.md": storyOf(first) });
    runGit(root, "add", "-A");
    runGit(root, "commit", "-qm", "docs: story");
    const lied = await checked(root, true, () => passes);
    assert.deepEqual([lied.codes, lied.unchecked], [["not-changed", "empty-diff"], []]);
    const absent = () => fail({ code: "not-found", what: "contract", name: "x" });
    const forbidden = await checked(root, false, absent);
    const unread = "Commits were not read: the user has not allowed it (BMAD_ALLOW_GIT).";
    assert.deepEqual([forbidden.codes, forbidden.unchecked], [[], [unread]]);
    // What is not committed yet was changed, too.
    await writeTree(root, { "README.md": "two\n" });
    assert.deepEqual((await checked(root, true, () => passes)).codes, []);
    const failed = await checked(root, true, () => ({ ...passes, status: "FAIL" }), "1-1");
    assert.deepEqual(failed.codes, ["command-failed"]);
    assert.match(
      failed.text,
      /^Story 1-1 is done, but:\n- command-failed: The project's own commands failed\. \(cc-verify/,
    );
    const none = await checked(root, true, () => ({ ...passes, status: "NONE", note: "no stack" }));
    assert.deepEqual([none.codes, none.unchecked], [[], ["cc-verify.sh checked nothing: no stack."]]);
    const refuse = () => fail({ code: "not-allowed", what: "run it", hint: "ask", setting: "allowExec" });
    const refused = await checked(root, true, refuse);
    assert.deepEqual(refused.unchecked, [
      "The project's commands were not run: the user has not allowed it (--allow-exec, BMAD_ALLOW_EXEC).",
    ]);
    // Nothing claims to be done, so nothing has to be proven.
    const asked = await checked(root, true, () => assert.fail("it must not run"), "1-2");
    assert.deepEqual([asked.codes, asked.unchecked], [[], []]);
  },
);

treeTest("a folder without commits is not a finding [work:check-unchecked]", {
  ...PROJECT,
  "out/impl/1-1-a.md": storyOf("a".repeat(40)),
}, async (root) => {
  const { codes, unchecked } = await checked(root, true, () => passes);
  assert.deepEqual(codes, []);
  assert.match(unchecked.join(), /^Commits were not read: not a git repository/);
});

treeTest("only what was changed counts as changed, whatever a story lists [work:check]", {
  ...PROJECT,
  "src/a.ts": "1\n",
  "tests/old_test.ts": "1\n",
}, async (root) => {
  runGit(root, "init", "-q");
  runGit(root, "add", "-A");
  runGit(root, "commit", "-qm", "start");
  const first = runGit(root, "rev-parse", "HEAD");
  const found = async (files: Readonly<Record<string, string>>, ...list: readonly string[]) => {
    const story = storyOf(first, list.map((path) => `- ${path}\n`).join(""));
    await writeTree(root, { ...files, "out/impl/1-1-a.md": story });
    return await checked(root, true, () => passes, "1-1");
  };
  const { codes, text } = await found({ "lib/new/b.ts": "1\n" }, "src/a.ts");
  assert.deepEqual(codes, ["not-changed", "empty-diff"]);
  assert.match(
    text,
    /nothing in its list was changed since its baseline [0-9a-f]{12}; not committed: "lib\/new\/b\.ts"\./,
  );
  assert.deepEqual((await found({}, "src/ghost.ts")).codes, ["file-missing", "empty-diff"]);
  const changed = { "src/a.ts": "2\n" };
  assert.deepEqual((await found(changed, "src/a.ts")).codes, ["no-test"]);
  const untested = { old: "not-changed", ghost: "file-missing" };
  for (const [name, code] of Object.entries(untested)) {
    assert.deepEqual((await found(changed, "src/a.ts", `tests/${name}_test.ts`)).codes, [code, "no-test"]);
  }
  const tested = await found({ "tests/old_test.ts": "2\n" }, "src/a.ts", "tests/old_test.ts");
  assert.deepEqual(tested.codes, []);
});
