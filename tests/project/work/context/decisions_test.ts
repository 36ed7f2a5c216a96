/** Does a developer learn what reviews of neighbouring stories have decided, in few lines? */
import assert from "node:assert/strict";
import { tokensIn } from "../../../../src/base/tokens.ts";
import { packOf } from "../../../support/context_pack.ts";
import { treeTest, withTree } from "../../../support/trees.ts";

const PRD = `# PRD\n\n## Sessions\n\n${"A session belongs to one person and one device. ".repeat(60)}\n`;

function project(reviews: Readonly<Record<string, string>>): Record<string, string> {
  const keys = Object.keys(reviews);
  return {
    "out/plan/prd.md": PRD,
    "out/impl/sprint-status.yaml": `development_status:\n${
      ["1-9-mine", ...keys].sort().map((key) => `  ${key}: ${key === "1-9-mine" ? "in-progress" : "done"}\n`)
        .join("")
    }`,
    "out/impl/1-9-mine.md":
      "# Story 1.9: Mine\n\nStatus: in-progress\n\nSessions end.\n\n## File List\n\n- src/session.ts\n",
    ...Object.fromEntries(Object.entries(reviews).map(([key, text]) => [`out/impl/${key}.md`, text])),
  };
}

const review = (key: string, rows: string, file = `src/${key}.ts`) =>
  `# ${key}\n\nStatus: done\n\n## File List\n\n- ${file}\n\n${rows}`;

treeTest(
  "neighbours' verdicts are told, rejected first [work:context-findings]",
  project({
    "1-1-login": review(
      "login",
      "### Review Findings\n\n- [x] [Review][Patch] The cookie has no limit [src/a.ts:4] — fixed: an hour\n" +
        "- [ ] [Review][Patch] Still open [src/a.ts:5]\n- [x] [Review][Defer] Logs are long — deferred: later\n\n" +
        "### Review Findings (pass 2)\n\n- [x] [Review][Dismiss] hunter2 is in the log — rejected: it is a test\n",
    ),
    "2-1-far": review(
      "far",
      "### Review Findings\n\n- [x] [Review][Patch] Nobody near needs this — fixed\n",
    ),
    "2-2-near": review(
      "near",
      "### Review Findings\n\n- [x] [Review][Dismiss] A lock is missing — rejected: one thread\n",
      "src/session.ts",
    ),
  }),
  async (root) => {
    const { text, data } = await packOf(root, "1-9");
    const [, part] = text.split("## Settled in reviews of neighbouring stories\n");
    assert.deepEqual(part!.split("\n## ")[0]!.trim().split("\n").filter(Boolean), [
      "### 2-2: near",
      "- rejected: A lock is missing – one thread",
      "### 1-1: login",
      "- deferred: Logs are long – later",
      "- rejected: [removed] is in the log – it is a test",
      "- fixed: The cookie has no limit (src/a.ts:4) – an hour",
    ]);
    const settled = data["settled"] as readonly Readonly<Record<string, unknown>>[];
    assert.deepEqual(settled[2], {
      story: "1-1",
      path: "out/impl/1-1-login.md",
      line: 17,
      pass: 2,
      verdict: "rejected",
      text: "[removed] is in the log",
      reason: "it is a test",
    });
    const own = await packOf(root, "2-1");
    assert.match(own.text, /## Settled[^]*### 2-2/);
    assert.doesNotMatch(own.text, /### 1-1/);
  },
);

Deno.test("a pack keeps to few lines [work:context-findings]", () => {
  const rows = Array.from(
    { length: 200 },
    (_, at) =>
      `- [x] [Review][Dismiss] Doubt ${at} ${"about it ".repeat(100)} — rejected: ${"no ".repeat(300)}\n`,
  ).join("");
  const reviews = Object.fromEntries(
    Array.from({ length: 9 }, (_, at) => [`1-${at}-s`, review(`s${at}`, `### Review Findings\n\n${rows}`)]),
  );
  return withTree(project(reviews), async (root) => {
    for (const budget of [1, 400, 2_000, 8_000]) {
      const { text, pack } = await packOf(root, "1-9", budget);
      const lines = text.match(/^- rejected: .*$/gm) ?? [];
      const cost = tokensIn(lines.join("\n"));
      assert.ok(
        lines.length <= 10 && cost <= budget / 10 + lines.length,
        `${budget}: ${lines.length}, ${cost}`,
      );
      assert.ok(lines.length > 0 || budget < 2_000, `${budget}`);
      assert.ok(pack.tokens <= budget, `${pack.tokens} of ${budget}`);
    }
  });
});
