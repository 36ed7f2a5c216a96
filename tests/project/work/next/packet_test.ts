/**
 * Does the next piece of work come with its story, files and exact call, in every generation, and as `list next` says?
 */
import assert from "node:assert/strict";
import { openLibrary } from "../../../../src/content/library/mod.ts";
import {
  listNext,
  reportNext,
  type RoadmapOptions,
  type WriteCalls,
} from "../../../../src/project/work/next/mod.ts";
import { type ClaimRecord, mapStories, NOTHING_ASKED } from "../../../../src/project/work/board/mod.ts";
import { BMM } from "../../../support/bmm_project.ts";
import { opening } from "../../../support/library.ts";
import { treeTest, withTree } from "../../../support/trees.ts";

function handedOut(
  files: Readonly<Record<string, string>>,
  about: Pick<RoadmapOptions, "by" | "compare"> & { readonly claims?: readonly ClaimRecord[] } = {},
) {
  return withTree(files, async (dir) => {
    const library = await openLibrary([opening("project", 1, dir)], { project: dir });
    const calls: WriteCalls = {
      execute: ({ entry: { id }, item, message }) => `do ${id}${item ? ` *${item}` : ""}: ${message}`,
      mark: (story, status, by, why) => `mark ${[story, status, by, why].join(" ").trim()}`,
      plan: () => "plan",
      review: (story) => `review ${story}`,
    };
    const records = about.claims &&
      { claims: about.claims, moves: [], forced: [], beginnings: [], asked: NOTHING_ASKED };
    const ahead = { ...about, records };
    const clean = (text: string) => text.replace("sk-1", "***");
    const { text, data } = await reportNext(library, { ...ahead, calls, clean });
    const [packet] = data["next"] as readonly Readonly<Record<string, unknown>>[];
    const [row] = await listNext(library, {}, ahead);
    // The list agrees, whatever decides.
    if (packet!["item"] !== undefined) {
      assert.deepEqual([row!.name, row!.why], [packet!["item"], packet!["why"]]);
      const { id, item, message } = row!.data;
      assert.equal(packet!["call"], `do ${id}${item ? ` *${item}` : ""}: ${message}`);
    } else assert.equal(row!.about, packet!["why"]);
    return { text, held: data["held"], packet: packet! };
  });
}

const sprint = (rows: string) => ({ "out/impl/sprint-status.yaml": `development_status:\n${rows}` });

Deno.test("a sprint's story comes with its files, criteria and the call [work:next]", async () => {
  const { text, held } = await handedOut({
    ...BMM,
    ...sprint(
      "  1-1-a: done\n  1-2-b: in-progress\n  1-3-c: in-progress\n  1-4-d: fermenting\n  1-5-e: backlog\n",
    ),
    "out/impl/1-2-b.md":
      "Status: in-progress\n## Acceptance Criteria\n1. sk-1 is kept\n## Tasks\n- [x] a\n- [ ] b\n",
    "out/impl/1-3-c.md": "---\nstatus: in-progress\nowner: Ann\n---\n",
  });
  assert.deepEqual(text.split("\n"), [
    "Continue “B” (1-2)",
    "Next: bmm/bmad-build",
    'Why: story 1-2-b is in progress; 1 of 5 stories in out/impl/sprint-status.yaml are done; sprint-status.yaml, line 5: story 1-4-d has the unknown status "fermenting". Fix that line',
    "Call: do bmad-build: Story 1-2-b (out/impl/1-2-b.md)",
    "When finished: mark 1-2 review",
    "Tests: name each criterion by its number, as in AC2: trace and check look for that",
    "Story: 1-2 “B” (in-progress)",
    "File: out/impl/1-2-b.md",
    "Boxes: 1 of 2 ticked",
    "Done when:",
    "  - *** is kept",
    "",
    "Others at work:",
    "- 1-3 in-progress: C (Ann)",
  ]);
  const json = JSON.parse(JSON.stringify(held));
  assert.deepEqual(json, [{ ref: "1-3", title: "C", state: "in-progress", owner: "Ann" }]);
});

type Files = Readonly<Record<string, string>>;

/** A state of the project, and what is handed out then: values, or what a text has to match. */
type Row = readonly [
  files: Files,
  wanted: Readonly<Record<string, unknown>>,
  about?: Parameters<typeof handedOut>[1],
];

const planned = (text: string) => ({ "out/plan/epics.md": text });
const story = (status: string) => sprint(`  1-1-pay-by-card: ${status}\n`);
const spec = (status: string) => ({ "out/impl/spec-1-1-a.md": `---\nstatus: ${status}\n---\n` });
const record = (status: string) => ({
  "out/specs/spec-x/stories.yaml": "- id: a\n",
  "out/specs/spec-x/stories/a.md": `---\nstatus: ${status}\n---\n`,
});
const begun = { ...sprint("  1-1-a: in-progress\n") };
const reviewed = { ...sprint("  1-1-a: review\n") };
const PLAN = planned("## Epic 1: A\n### Story 1.1: B\n### Story 1.2: C\n");
const RETRO = "  epic-1: done\n  1-1-a: done\n  epic-1-retrospective: optional\n";
const FINISHED = {
  item: "bmm/bmad-code-review",
  begin: "mark 1-1 review",
  end: "mark 1-1 done",
  why: /^story 1-1-a is in progress, but \S+\.md says that it is finished;/,
};
const BUILD = { item: "bmm/bmad-build", begin: undefined, end: "mark 1-1 review" };
/** In which a step of its own writes the story's file. */
const PREPARED = {
  "_bmad/bmm/module-help.csv": BMM["_bmad/bmm/module-help.csv"]!.replace(
    "BMad Method,bmad-build",
    "BMad Method,bmad-code-review,Prepare,PR,Prepares.,,,ship,bmad-sprint-planning,bmad-build,true,,\n" +
      "BMad Method,bmad-build",
  ),
};
const stale: RoadmapOptions["compare"] = ({ board }) =>
  Promise.resolve(mapStories(board, (story) => ({ ...story, stale: ["FR1"] })));
const HELD = [{ ledger: "out/impl/sprint-status.yaml", story: "1-1-b", by: "Ann", until: "2099-01-01" }];

const STEPS: Readonly<Record<string, readonly Row[]>> = {
  "spec folders and ticket trees are followed, and waiting stories passed over": [
    [{
      "out/specs/spec-x/stories.yaml": "- id: a\n  after: [b]\n- id: b\n",
      "out/specs/spec-x/stories/c.md": "",
    }, { call: "do bmad-build: Story spec-x/b" }],
    [{
      "out/initiative-x/initiative-x.md": "",
      "out/initiative-x/epic-y/tickets.toml": "[[entry]]\nid = 1\n[[entry]]\nid = 2\nafter = [1]\n",
      "out/initiative-x/epic-y/story-q.md": "---\nid: 1\n---\n",
      "out/initiative-x/epic-y/story-q-plan.md": "---\nticket: 1\nstatus: built\n---\n",
    }, { item: "bmm/bmad-code-review", is: "next" }],
  ],
  "what is all done, blocked or only planned is said so": [
    [record("done"), { is: "done" }],
    [record("awaiting-operator"), { is: "unknown", why: /awaiting-operator/ }],
    [PLAN, {
      item: "bmm/bmad-sprint-planning",
      or: "plan",
      text: /^Or: plan \(makes the sprint from the epics, without a model\)$/m,
    }],
    [planned("# Epics, still to be written\n"), { item: "bmm/bmad-sprint-planning", or: undefined }],
  ],
  "all is done only once the sprint has every story of the plan; then an epic is looked back at": [
    [{ ...PLAN, ...sprint("  1-1-b: done\n") }, {
      item: "bmm/bmad-sprint-planning",
      or: "plan",
      why: /^the plan has stories that the sprint does not have: 1-2; 1 of 1 story/,
    }],
    [{
      ...PLAN,
      ...sprint("  epic-1: done\n  1-1-b: done\n  1-2-c: done\n  epic-1-retrospective: optional\n"),
    }, { call: "do bmad-retrospective: Epic 1" }],
  ],
  "a review is told which changes it is about": [
    [{
      ...reviewed,
      "out/impl/spec-1-1-a.md": "---\nstatus: done\nbaseline_commit: 0123456789abcdef\n---\n",
    }, { call: /Story 1-1-a \(out\/impl\/spec-1-1-a\.md\), diff: as named by review 1-1-a$/ }],
    [{ ...reviewed, "out/impl/1-1-a.md": "Status: review\n" }, {
      call: /a\.md\), diff: as named by review 1-1-a$/,
    }],
    // Without a document, nothing can be reviewed.
    [reviewed, { call: /^(?!.*diff)/ }],
  ],
  "a build that has logged its review leaves the user a short way": [
    [{
      ...reviewed,
      "out/impl/spec-1-1-a.md":
        "---\nstatus: done\n---\n# A\n\n## Review Triage Log\n\n### Review pass 1\n\n- `[low]` `[patch]` A — b\n",
    }, {
      item: "bmm/bmad-code-review",
      or: "review 1-1",
      end: "mark 1-1 done",
      text: /^Or: review 1-1 \(the short way, /m,
    }],
    [{
      ...reviewed,
      "out/impl/spec-1-1-a.md": "---\nstatus: done\n---\n# A\n\n## Review Triage Log\n\n## Verification\n",
    }, { or: undefined }],
    [{ ...begun, ...spec("in-progress") }, { or: undefined }],
  ],
  "work that its file calls finished is reviewed, not built again": [
    [{ ...begun, ...spec("done") }, FINISHED],
    [{ ...begun, "out/impl/1-1-a.md": "Status: review\n" }, FINISHED],
    // The build itself is still reviewing it.
    [{ ...begun, ...spec("in-review") }, { item: "bmm/bmad-build" }],
    [{ ...begun, ...spec("in-progress") }, { item: "bmm/bmad-build" }],
    // What its file calls done is done once the check agrees.
    [{ ...begun, "out/impl/1-1-a.md": "Status: done\n" }, { ...FINISHED, begin: undefined }],
  ],
  "a retrospective is optional, and keeps no epic from beginning": [
    [sprint(`${RETRO}  epic-2: backlog\n  2-1-b: backlog\n`), {
      call: /Story 2-1-b/,
      why: /; epic 1 has no retrospective yet \(optional\)$/,
    }],
    [sprint(RETRO), { item: "bmm/bmad-retrospective", end: "mark epic-1-retrospective done" }],
  ],
  "a story without a file is told what writes it, where that is a step of its own": [
    [{ ...PREPARED, ...begun }, {
      ...BUILD,
      why: /^story 1-1-a is in progress, but has no story file \(bmad-code-review writes it\); /,
    }],
    [{ ...PREPARED, ...begun, "out/impl/1-1-a.md": "Status: in-progress\n" }, BUILD],
    [{
      ...PREPARED,
      ...sprint("  1-1-a: ready-for-dev\n"),
      "out/impl/1-1-a.md": "Status: ready-for-dev\n",
    }, { begin: "mark 1-1 in-progress", text: /\nBefore: mark 1-1 in-progress\nCall: do / }],
    // Where one step does all of it, it begins at once.
    [begun, BUILD],
  ],
  "each kind of next step has a headline for people and a sentence for a client": [
    [story("in-progress"), {
      headline: "Continue “Pay by card”",
      say: "Continue story 1-1 with bmad-build",
    }],
    [story("ready-for-dev"), { headline: "Start “Pay by card”", say: "Start story 1-1 with bmad-build" }],
    [story("backlog"), { headline: "Start “Pay by card”", say: "Start story 1-1 with bmad-build" }],
    [story("review"), { headline: "Review “Pay by card”", say: "Review story 1-1 with bmad-code-review" }],
    [story("done"), { headline: "All done", say: undefined }],
    [story("fermenting"), { headline: "Next step unknown", say: undefined }],
    [sprint(RETRO), {
      headline: "Look back at “Epic 1”",
      say: "Hold the retrospective of epic 1 with bmad-retrospective",
    }],
    [PLAN, { headline: "Plan the sprint", say: "Plan the sprint with bmad-sprint-planning" }],
    [sprint("  1-1-b: in-progress\n"), { headline: "Nothing is free", say: undefined }, {
      claims: HELD,
      by: "Bob",
    }],
  ],
  "a done story whose requirement has changed is not handed out again": [
    [sprint("  1-1-a: done\n  1-2-b: backlog\n"), { headline: "Start “B”" }, { compare: stale }],
    [sprint("  1-1-a: done\n"), { is: "done" }, { compare: stale }],
  ],
  "a story whose requirement has changed is done with a reason": [
    [reviewed, { end: "mark 1-1 done  WHY" }, { compare: stale }],
  ],
};

for (const [name, rows] of Object.entries(STEPS)) {
  Deno.test(`${name} [work:next, work:forms, work:next-order]`, async () => {
    for (const [at, [files, wanted, about]] of rows.entries()) {
      const { packet, text } = await handedOut({ ...BMM, ...files }, about);
      for (const [key, value] of Object.entries(wanted)) {
        const said = key === "text" ? text : packet[key];
        if (value instanceof RegExp) assert.match(`${said}`, value, `row ${at + 1}`);
        else assert.equal(said, value, `row ${at + 1}: ${key}`);
      }
      const { headline, is, story } = packet as Record<string, { readonly ref: string }>;
      if (`${is}` === "next") {
        assert.equal(text.split("\n")[0], story === undefined ? headline : `${headline} (${story.ref})`);
      }
    }
  });
}

Deno.test("open action items are told beside the next step [work:next]", async () => {
  const items = ["a", "b", "c", "d"].map((name) => `  - action: Do ${name}\n    epic: 1\n    status: open\n`);
  const done = "  - action: Old\n    epic: 1\n    status: done\n";
  const { text } = await handedOut({
    ...BMM,
    ...sprint(`  1-1-a: backlog\naction_items:\n${items.join("")}${done}`),
  });
  assert.match(
    text,
    /\n\nOpen action items: Do a \(epic 1\), Do b \(epic 1\), Do c \(epic 1\) and Do d \(epic 1\)$/,
  );
});

Deno.test("what others hold is left to them [work:next-claims]", async () => {
  const until = "2099-01-01T00:00:00.000Z";
  const held = (story: string, by: string) => ({ ledger: "out/impl/sprint-status.yaml", story, by, until });
  const files = {
    ...BMM,
    ...sprint("  1-1-a: in-progress\n  1-2-b: ready-for-dev\n  1-3-c: backlog\n  1-4-d: backlog\n"),
    "out/impl/1-3-c.md": "---\ndepends_on: [1-1]\n---\n",
  };
  const claims = [held("1-1-a", "Ann")];
  const bob = await handedOut(files, { claims, by: "Bob" });
  // The build marks the story itself; a change before it would keep it from beginning.
  assert.deepEqual([bob.packet["begin"], bob.packet["end"]], [undefined, "mark 1-2 review Bob"]);
  assert.match(bob.text, /\nCall: do [^]*\n- 1-1 in-progress: A \(held by Ann\)$/);
  assert.match(`${(await handedOut(files, { claims, by: "Ann" })).packet["call"]}`, /Story 1-1-a/);
  // What waits for a story that somebody holds is passed over.
  const third = await handedOut(files, { claims: [...claims, held("1-2-b", "Bob")], by: "Cat" });
  assert.match(`${third.packet["call"]}`, /Story 1-4-d/);
  const all = ["1-1-a", "1-2-b", "1-4-d"].map((story) => held(story, "Ann"));
  const none = await handedOut(files, { claims: all, by: "Bob" });
  assert.match(
    none.text,
    /^Nothing is free\nWhy: everything that can be done is held: 1-1-a \(Ann until 2099-01-01 00:00 UTC\), 1-2-b \(Ann until/,
  );
  assert.equal(none.packet["is"], "held");
});

treeTest("a required step of the story cycle comes later, not optionally [tool:list-next]", {
  ...BMM,
  "_bmad/bmm/module-help.csv": BMM["_bmad/bmm/module-help.csv"]!.replace(
    "ship,bmad-build,,false",
    "ship,,bmad-build,true",
  ),
  ...sprint("  1-1-a: in-progress\n  1-2-b: backlog\n"),
  "out/impl/1-1-a.md": "Status: in-progress\n",
}, async (dir) => {
  const library = await openLibrary([opening("project", 1, dir)], { project: dir });
  const rows = await listNext(library, {});
  assert.deepEqual(rows.map(({ name, data }) => [name, data["standing"]]), [
    ["bmm/bmad-build", "next"],
    ["bmm/bmad-code-review", "later"],
    ["bmm/bmad-retrospective", "later"],
    ["bmm/bmad-sprint-planning", "found"],
  ]);
  assert.match(rows[1]!.about, /^later \(required/);
});
