/** What becomes of two versions of a ledger? */
import assert from "node:assert/strict";
import { readQuestions } from "../../../../src/project/work/formats/mod.ts";
import { mergeLedger } from "../../../../src/project/work/merge/mod.ts";
import { assertEnds } from "../../../support/cpu.ts";
import { mergeBothWays, mergeNoise, mergePairs } from "../../../support/merge_fuzz.ts";

const SPRINT = "_bmad-output/implementation-artifacts/sprint-status.yaml";
const DEFERRED = "_bmad-output/implementation-artifacts/deferred-work.md";

const BASE = `# generated: 07-01-2026 09:00
# STATUS DEFINITIONS: none

generated: 07-01-2026 09:00
last_updated: 07-01-2026 09:00
project: Shop

development_status:
  epic-1: in-progress
  # the first one
  1-1-login: review
  1-2-cart: backlog # small
  epic-1-retrospective: optional

  epic-2: backlog
  2-1-pay: 'backlog'

# Action items
action_items:
  - epic: 1
    action: "Write tests"
    owner: Ann
    status: open
`;

type Edit = readonly [from: string | RegExp, to: string];

function edited(text: string, edits: readonly Edit[]): string {
  return edits.reduce((left, [from, to]) => {
    const next = left.replace(from, () => to);
    assert.notEqual(next, left, `nothing to replace: ${from}`);
    return next;
  }, text);
}

/** Each: what is merged, the edits of either side, and those that lead to the result. */
const CLEAN: readonly (readonly [string, readonly Edit[], readonly Edit[], readonly Edit[]])[] = [
  [
    "different stories",
    [["1-1-login: review", "1-1-login: done"]],
    [["1-2-cart: backlog", "1-2-cart: ready-for-dev"]],
    [["1-1-login: review", "1-1-login: done"], ["1-2-cart: backlog", "1-2-cart: ready-for-dev"]],
  ],
  [
    "one story, one side further",
    [["1-2-cart: backlog", "1-2-cart: ready-for-dev"]],
    [["1-2-cart: backlog", "1-2-cart: in-progress"]],
    [["1-2-cart: backlog", "1-2-cart: in-progress"]],
  ],
  [
    "a story that a review sent back, and nothing on the other side",
    [["1-1-login: review", "1-1-login: in-progress"]],
    [["project: Shop", "project: Shop 2"]],
    [["1-1-login: review", "1-1-login: in-progress"], ["project: Shop", "project: Shop 2"]],
  ],
  [
    "quotes stay where the other side changed the status",
    [["2-1-pay: 'backlog'", "2-1-pay: 'ready-for-dev'"]],
    [["2-1-pay: 'backlog'", "2-1-pay: 'review'"]],
    [["2-1-pay: 'backlog'", "2-1-pay: 'review'"]],
  ],
  [
    "an epic and a retrospective",
    [["epic-2: backlog", "epic-2: in-progress"], ["retrospective: optional", "retrospective: done"]],
    [["epic-2: backlog", "epic-2: done"]],
    [["epic-2: backlog", "epic-2: done"], ["retrospective: optional", "retrospective: done"]],
  ],
  [
    "a word of an older release, and one of today",
    [["1-2-cart: backlog", "1-2-cart: drafted"]],
    [["1-2-cart: backlog", "1-2-cart: review"]],
    [["1-2-cart: backlog", "1-2-cart: review"]],
  ],
  [
    "the later of two times, in a field and in a comment",
    [["last_updated: 07-01-2026 09:00", "last_updated: 12-31-2025 23:00"], [
      "# generated: 07-01-2026 09:00",
      "# generated: 2026-07-02",
    ]],
    [["last_updated: 07-01-2026 09:00", "last_updated: 2026-08-01 10:00"], [
      "# generated: 07-01-2026 09:00",
      "# generated: 07-03-2026 10:00",
    ]],
    [["last_updated: 07-01-2026 09:00", "last_updated: 2026-08-01 10:00"], [
      "# generated: 07-01-2026 09:00",
      "# generated: 07-03-2026 10:00",
    ]],
  ],
  [
    "new stories in one place, by number",
    [["  epic-1-retrospective", "  1-4-ship: backlog\n  epic-1-retrospective"]],
    [["  epic-1-retrospective", "  # new\n  1-3-find: backlog\n  epic-1-retrospective"]],
    [["  epic-1-retrospective", "  # new\n  1-3-find: backlog\n  1-4-ship: backlog\n  epic-1-retrospective"]],
  ],
  [
    "the same new epic with different stories",
    [["'backlog'\n", "'backlog'\n\n  epic-3: backlog\n  3-2-b: backlog\n"]],
    [["'backlog'\n", "'backlog'\n\n  epic-3: in-progress\n  3-1-a: in-progress\n"]],
    [["'backlog'\n", "'backlog'\n\n  epic-3: in-progress\n  3-1-a: in-progress\n  3-2-b: backlog\n"]],
  ],
  [
    "comments above one row and at the end",
    [["  1-2-cart", "  # Ann: careful\n  1-2-cart"], [/$/, "# Ann was here\n"]],
    [["  1-2-cart", "  # Bob: easy\n  1-2-cart"], [/$/, "# Bob was here\n"]],
    [["  1-2-cart", "  # Ann: careful\n  # Bob: easy\n  1-2-cart"], [
      /$/,
      "# Ann was here\n# Bob was here\n",
    ]],
  ],
  [
    "action items, added and ticked",
    [["status: open", 'status: done\n  - epic: 1\n    action: "Measure"\n    status: open']],
    [["status: open", 'status: in-progress\n  - epic: 2\n    action: "Ask"\n    status: open']],
    [[
      "status: open",
      'status: done\n  - epic: 2\n    action: "Ask"\n    status: open\n  - epic: 1\n    action: "Measure"\n    status: open',
    ]],
  ],
  [
    "a story that one side removed",
    [["  1-2-cart: backlog # small\n", ""]],
    [["1-1-login: review", "1-1-login: done"]],
    [["  1-2-cart: backlog # small\n", ""], ["1-1-login: review", "1-1-login: done"]],
  ],
  [
    "rows that one side moved while the other marked",
    [[
      "  1-1-login: review\n  1-2-cart: backlog # small\n",
      "  1-2-cart: backlog # small\n  1-1-login: review\n",
    ]],
    [["1-1-login: review", "1-1-login: done"]],
    [[
      "  1-1-login: review\n  1-2-cart: backlog # small\n",
      "  1-2-cart: backlog # small\n  1-1-login: done\n",
    ]],
  ],
  [
    "keys that nobody knows",
    [["project: Shop", "project: Shop\nteam: blue"]],
    [["project: Shop", "project: Shop\narea: north"]],
    [["project: Shop", "project: Shop\narea: north\nteam: blue"]],
  ],
];

Deno.test("what does not contradict each other in a sprint is merged [team:merge]", async (t) => {
  for (const [name, ours, theirs, result] of CLEAN) {
    await t.step(name, () => {
      const merged = mergeBothWays(SPRINT, BASE, edited(BASE, ours), edited(BASE, theirs));
      assert.equal(merged.text, edited(BASE, result));
      assert.equal(merged.conflicts, 0);
    });
  }
});

/** Each: what contradicts what, the edits of either side, and what stands between the marks. */
const CONTRADICTIONS: readonly (readonly [string, readonly Edit[], readonly Edit[], string, string])[] = [
  [
    "forwards and backwards",
    [["1-1-login: review", "1-1-login: done"]],
    [["1-1-login: review", "1-1-login: in-progress"]],
    "  1-1-login: done\n",
    "  1-1-login: in-progress\n",
  ],
  [
    "words that nobody knows",
    [["1-1-login: review", "1-1-login: parked"]],
    [["1-1-login: review", "1-1-login: with-legal"]],
    "  1-1-login: parked\n",
    "  1-1-login: with-legal\n",
  ],
  [
    "done and dropped",
    [["1-1-login: review", "1-1-login: done"]],
    [["1-1-login: review", "1-1-login: dropped"]],
    "  1-1-login: done\n",
    "  1-1-login: dropped\n",
  ],
  [
    "removed and marked",
    [["  1-2-cart: backlog # small\n", ""]],
    [["1-2-cart: backlog", "1-2-cart: review"]],
    "",
    "  1-2-cart: review # small\n",
  ],
  [
    "a field with two new values",
    [["project: Shop", "project: Store"]],
    [["project: Shop", "project: Market"]],
    "project: Store\n",
    "project: Market\n",
  ],
  [
    "two comments behind one row",
    [["# small", "# tiny"]],
    [["# small", "# large"]],
    "  1-2-cart: backlog # tiny\n",
    "  1-2-cart: backlog # large\n",
  ],
  [
    "an owner with two new names",
    [["owner: Ann", "owner: Bob"]],
    [["owner: Ann", "owner: Cem"]],
    "    owner: Bob\n",
    "    owner: Cem\n",
  ],
];

Deno.test("contradictions stay between git's marks [team:merge-conflict]", async (t) => {
  for (const [name, ours, theirs, mine, yours] of CONTRADICTIONS) {
    await t.step(name, () => {
      const merged = mergeBothWays(SPRINT, BASE, edited(BASE, ours), edited(BASE, theirs));
      assert.equal(merged.conflicts, 1);
      const marked = `<<<<<<< ours\n${mine}=======\n${yours}>>>>>>> theirs\n`;
      assert.ok(merged.text.includes(marked), merged.text);
      const rest = merged.text.replace(marked, "");
      assert.equal(rest.split("\n").length, BASE.split("\n").length - 1);
    });
  }
});

const WORK = `# Deferred work

- [ ] Fix the race in the login
  It shows on slow disks.
- Rename the table

## Deferred from: code review of 1-1 (2026-03-18)

- source_spec: \`spec-1-1.md\`
  summary: The cache never ends
  evidence: seen twice: Monday, Friday
`;

const ENTRIES: readonly (readonly [string, readonly Edit[], readonly Edit[], readonly Edit[]])[] = [
  [
    "entries that both added",
    [["- Rename the table", "- Rename the table\n- Zip the logs"]],
    [["- Rename the table", "- Rename the table\n- Cut the page"]],
    [["- Rename the table", "- Rename the table\n- Cut the page\n- Zip the logs"]],
  ],
  [
    "the same entry on both sides",
    [["- Rename the table", "- Rename the table\n- Cut the page"]],
    [["- Rename the table", "- Rename the table\n- Cut the page"], ["# Deferred work", "# Later"]],
    [["- Rename the table", "- Rename the table\n- Cut the page"], ["# Deferred work", "# Later"]],
  ],
  [
    "ticked on one side, edited on the other",
    [["- [ ] Fix the race in the login", "- [x] Fix the race in the login"]],
    [["- [ ] Fix the race in the login", "- [ ] Fix the race in the login and logout"]],
    [["- [ ] Fix the race in the login", "- [x] Fix the race in the login and logout"]],
  ],
  [
    "open on one side, ticked on the other",
    [["- Rename the table", "- [ ] Rename the table"]],
    [["- Rename the table", "- [x] Rename the table"]],
    [["- Rename the table", "- [x] Rename the table"]],
  ],
  [
    "new sections",
    [[/$/, "\n## Deferred from: code review of 1-3\n\n- c\n"]],
    [[/$/, "\n## Deferred from: code review of 1-2\n\n- b\n"]],
    [[/$/, "\n## Deferred from: code review of 1-2\n\n- b\n\n## Deferred from: code review of 1-3\n\n- c\n"]],
  ],
  [
    "records as 6.12 adds them",
    [[/$/, "- source_spec: none\n  summary: B\n  evidence: b\n"]],
    [[/$/, "- source_spec: none\n  summary: A\n  evidence: a\n"]],
    [[
      /$/,
      "- source_spec: none\n  summary: A\n  evidence: a\n- source_spec: none\n  summary: B\n  evidence: b\n",
    ]],
  ],
  [
    "a status in a record",
    [["Monday, Friday", "Monday, Friday\n  status: open"]],
    [["Monday, Friday", "Monday, Friday\n  status: done"]],
    [["Monday, Friday", "Monday, Friday\n  status: done"]],
  ],
];

Deno.test("entries of deferred work are all kept once [team:merge]", async (t) => {
  for (const [name, ours, theirs, result] of ENTRIES) {
    await t.step(name, () => {
      const renamed = (edits: readonly Edit[]) => edited(WORK, edits);
      const merged = mergeBothWays(DEFERRED, WORK, renamed(ours), renamed(theirs));
      assert.equal(merged.text, renamed(result));
    });
  }
});

Deno.test("two edits of one entry of deferred work stay a conflict [team:merge-conflict]", () => {
  const merged = mergeBothWays(
    DEFERRED,
    WORK,
    edited(WORK, [["Rename the table", "Rename the table to orders"]]),
    edited(WORK, [["Rename the table", "Rename the table to carts"]]),
  );
  assert.equal(merged.conflicts, 1);
  assert.ok(merged.text.includes("- Rename the table to orders\n=======\n- Rename the table to carts\n"));
});

Deno.test("line ends, a byte order mark and a missing last line end stay", () => {
  const [ours, theirs] = [
    edited(BASE, [["1-1-login: review", "1-1-login: done"]]),
    edited(BASE, [["1-2-cart: backlog", "1-2-cart: review"]]),
  ];
  const result = edited(BASE, [["1-1-login: review", "1-1-login: done"], [
    "1-2-cart: backlog",
    "1-2-cart: review",
  ]]);
  const forms: readonly ((text: string) => string)[] = [
    (text) => text.replaceAll("\n", "\r\n"),
    (text) => text.trimEnd(),
    (text) => `\uFEFF${text}`,
    (text) => `---\n${text}`,
  ];
  for (const form of forms) {
    assert.equal(mergeBothWays(SPRINT, form(BASE), form(ours), form(theirs)).text, form(result));
    // A form that only one side changed counts.
    const changed = mergeBothWays(SPRINT, BASE, form(ours), theirs);
    if (form(BASE).startsWith("---")) continue;
    assert.equal(changed.text, form(result));
  }
});

Deno.test("what is no such ledger is merged line by line, as git does it", () => {
  const base = "a\nb\nc\nd\ne\n";
  const merged = mergeBothWays("notes.txt", base, "a\nB\nc\nd\ne\n", "a\nb\nc\nd\nE\nf\n");
  assert.deepEqual(merged, { text: "a\nB\nc\nd\nE\nf\n", conflicts: 0 });
  const odd = "\tkey: [1,\n2]\nmore\n";
  const conflict = mergeBothWays(SPRINT, odd, odd.replace("more", "mine"), odd.replace("more", "yours"));
  assert.equal(conflict.text, "\tkey: [1,\n2]\n<<<<<<< ours\nmine\n=======\nyours\n>>>>>>> theirs\n");
  // A new row does not fit between rows that the other side has indented.
  const rows = "development_status:\n  1-1-a: backlog\n  1-2-b: backlog\n";
  const indented = mergeBothWays(SPRINT, rows, rows.replaceAll("  1", "    1"), `${rows}  1-3-c: backlog\n`);
  assert.equal(indented.conflicts, 1);
  const sized = mergeLedger("notes.txt", { base: "a\n", ours: "b\n", theirs: "c\n" }, 9);
  assert.equal(sized.text, "<<<<<<<<< ours\nb\n=========\nc\n>>>>>>>>> theirs\n");
});

Deno.test("writers who keep to the rules lose nothing [team:merge-fuzz]", async () => {
  const { clean, contradictions } = await mergePairs(400, 20_261_117);
  assert.ok(clean > 250 && contradictions > 20, `${clean} ${contradictions}`);
});

Deno.test("a merge loses nothing of either side [team:merge-fuzz]", async () => {
  assert.ok(await mergeNoise(BASE, SPRINT, 300, 1) + await mergeNoise(WORK, DEFERRED, 300, 1_000) > 400);
});

Deno.test("20,000 lines are merged in bounded time [team:merge-speed]", async (t) => {
  const rows = (word: (at: number) => string) =>
    `development_status:\n${
      Array.from(
        { length: 20_000 },
        (_, at) => `  ${1 + at % 50}-${at}-${"story".repeat(7)}: ${word(at)}\n`,
      ).join("")
    }`;
  const large: Readonly<Record<string, readonly [string, string, string, string]>> = {
    "rows": [
      SPRINT,
      rows(() => "backlog"),
      rows((at) => at % 2 ? "backlog" : "review"),
      rows(() => "ready-for-dev"),
    ],
    "new on both sides": [SPRINT, "", rows(() => "done"), rows(() => "review")],
    "comments": [
      SPRINT,
      "# a\n".repeat(20_000),
      "# b\n".repeat(20_000),
      `${"# a\n# c\n".repeat(10_000)}key: 1\n`,
    ],
    "deep": [
      SPRINT,
      "",
      Array.from({ length: 1_000 }, (_, at) => `${" ".repeat(at)}k${at}:\n`).join(""),
      Array.from({ length: 1_000 }, (_, at) => `${" ".repeat(at)}l${at}:\n`).join(""),
    ],
    "items": [DEFERRED, "- a\n".repeat(20_000), "- b\n".repeat(20_000), "- [x] a\n".repeat(20_000)],
    "headings": [
      DEFERRED,
      "",
      Array.from({ length: 20_000 }, (_, at) => `${"#".repeat(1 + at % 6)} h${at}\n`).join(""),
      Array.from({ length: 20_000 }, (_, at) => `${"#".repeat(6 - at % 6)} g${at}\n`).join(""),
    ],
    "fences": [DEFERRED, "", "- a\n```\n".repeat(10_000), "- b\n~~~\n".repeat(10_000)],
    "lines": ["notes.txt", "a\nb\n".repeat(10_000), "b\na\n".repeat(10_000), "c\na\n".repeat(10_000)],
  };
  for (const [name, [path, base, ours, theirs]] of Object.entries(large)) {
    await t.step(name, () => assertEnds(name, 1_000, () => mergeLedger(path, { base, ours, theirs })));
  }
});

const ASKED = `# Open questions

- **Q1** Who pays?
  - Story: 1-1-login
- **Q2** Why?

## Answered

- **Q0** What?
  - Answer: This
`;

Deno.test("no question is lost [team:merge, work:questions-list]", () => {
  const path = "_bmad-output/implementation-artifacts/open-questions.md";
  const ours = edited(ASKED, [["- **Q2** Why?\n", "- **Q2** Why?\n- **Q3** Red?\n"]]);
  const theirs = edited(ASKED, [
    ["- **Q1** Who pays?\n  - Story: 1-1-login\n", ""],
    ["- **Q2** Why?\n", "- **Q2** Why?\n- **Q3** Blue?\n"],
    ["  - Answer: This\n", "  - Answer: This\n- **Q1** Who pays?\n  - Story: 1-1-login\n  - Answer: Ann\n"],
  ]);
  const { text, conflicts } = mergeLedger(path, { base: ASKED, ours, theirs });
  assert.equal(conflicts, 0);
  assert.deepEqual(
    readQuestions(text).questions.map(({ number, text, isOpen }) => `${number} ${text} ${isOpen}`).sort(),
    ["0 What? false", "1 Who pays? false", "2 Why? true", "3 Blue? true", "3 Red? true"],
  );
  const other = edited(theirs, [["Answer: Ann", "Answer: Bob"]]);
  assert.equal(mergeLedger(path, { base: ASKED, ours: other, theirs }).conflicts, 1);
});
