/**
 * Does the next piece of work come with its story, files and exact call, in every generation, and as `list next` says?
 */
import assert from "node:assert/strict";
import { openLibrary } from "../../../../src/content/library/mod.ts";
import { type Ahead, listNext, reportNext, type WriteCalls } from "../../../../src/project/work/next/mod.ts";
import { type ClaimRecord, NOTHING_ASKED } from "../../../../src/project/work/board/mod.ts";
import { BMM } from "../../../support/bmm_project.ts";
import { opening } from "../../../support/library.ts";
import { verifies } from "../../../support/requirements.ts";
import { withTree } from "../../../support/trees.ts";

/** What is handed out in a project with these files: item, story and the rest. */
function handedOut(
  files: Readonly<Record<string, string>>,
  about: Pick<Ahead, "by" | "compare"> & { readonly claims?: readonly ClaimRecord[] } = {},
) {
  return withTree(files, async (dir) => {
    const library = await openLibrary([opening("project", 1, dir)], { project: dir });
    const calls: WriteCalls = {
      execute: ({ entry: { id }, item, message }) => `do ${id}${item ? ` *${item}` : ""}: ${message}`,
      mark: (story, status, by) => `mark ${[story, status, by].join(" ").trim()}`,
      plan: () => "plan",
    };
    const ahead = {
      ...about,
      ...(about.claims && { records: { claims: about.claims, forced: [], asked: NOTHING_ASKED } }),
    };
    const { text, data } = await reportNext(library, {
      ...ahead,
      calls,
      clean: (text) => text.replace("sk-1", "***"),
    });
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

Deno.test(verifies("work:next", "a sprint's story comes with its files, criteria and the call"), async () => {
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
    "When finished: mark 1-2-b review",
    "Story: 1-2 B (in-progress)",
    "File: out/impl/1-2-b.md",
    "Boxes: 1 of 2 ticked",
    "Done when:",
    "  - *** is kept",
    "",
    "Others at work:",
    "- 1-3 in-progress: C (Ann)",
  ]);
  assert.deepEqual(held, [{ ref: "1-3", title: "C", state: "in-progress", owner: "Ann", claim: undefined }]);
});

Deno.test("spec folders and ticket trees are followed, and waiting stories passed over", async () => {
  const spec = await handedOut({
    ...BMM,
    "out/specs/spec-x/stories.yaml": "- id: a\n  after: [b]\n- id: b\n",
    "out/specs/spec-x/stories/c.md": "",
  });
  assert.equal(spec.packet["call"], "do bmad-build: Story spec-x/b");
  const tickets = await handedOut({
    ...BMM,
    "out/initiative-x/initiative-x.md": "",
    "out/initiative-x/epic-y/tickets.toml": "[[entry]]\nid = 1\n[[entry]]\nid = 2\nafter = [1]\n",
    "out/initiative-x/epic-y/story-q.md": "---\nid: 1\n---\n",
    "out/initiative-x/epic-y/story-q-plan.md": "---\nticket: 1\nstatus: built\n---\n",
  });
  assert.deepEqual([tickets.packet["item"], tickets.packet["is"]], ["bmm/bmad-code-review", "next"]);
});

Deno.test("what is all done, blocked or only planned is said so", async () => {
  const spec = (status: string) =>
    handedOut({
      ...BMM,
      "out/specs/spec-x/stories.yaml": "- id: a\n",
      "out/specs/spec-x/stories/a.md": `---\nstatus: ${status}\n---\n`,
    });
  const [done, blocked] = [await spec("done"), await spec("awaiting-operator")];
  assert.deepEqual([done.packet["is"], blocked.packet["is"]], ["done", "unknown"]);
  assert.match(`${blocked.packet["why"]}`, /awaiting-operator/);
  const planned = await handedOut({ ...BMM, "out/plan/epics.md": "## Epic 1: A\n### Story 1.1: B\n" });
  assert.deepEqual([planned.packet["item"], planned.packet["or"]], ["bmm/bmad-sprint-planning", "plan"]);
  assert.match(planned.text, /^Or: plan \(makes the sprint from the epics, without a model\)$/m);
  const empty = await handedOut({ ...BMM, "out/plan/epics.md": "# Epics, still to be written\n" });
  assert.deepEqual([empty.packet["item"], empty.packet["or"]], ["bmm/bmad-sprint-planning", undefined]);
});

Deno.test(
  verifies(
    "work:next",
    "all is done only once the sprint has every story of the plan; then an epic is looked back at",
  ),
  async () => {
    const plan = { "out/plan/epics.md": "## Epic 1: A\n### Story 1.1: B\n### Story 1.2: C\n" };
    const grown = await handedOut({ ...BMM, ...plan, ...sprint("  1-1-b: done\n") });
    assert.deepEqual([grown.packet["item"], grown.packet["or"]], ["bmm/bmad-sprint-planning", "plan"]);
    assert.match(
      `${grown.packet["why"]}`,
      /^the plan has stories that the sprint does not have: 1-2; 1 of 1 story/,
    );
    const whole = await handedOut({
      ...BMM,
      ...plan,
      ...sprint("  epic-1: done\n  1-1-b: done\n  1-2-c: done\n  epic-1-retrospective: optional\n"),
    });
    assert.equal(whole.packet["call"], "do bmad-retrospective: Epic 1");
  },
);

Deno.test(verifies("work:next", "open action items are told beside the next step"), async () => {
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

Deno.test(verifies("work:next", "a review is told which changes it is about"), async () => {
  const base = "0123456789abcdef";
  const spec = `---\nstatus: done\nbaseline_commit: ${base}\n---\n`;
  const documents: readonly Readonly<Record<string, string>>[] = [
    { "out/impl/spec-1-1-a.md": spec },
    { "out/impl/1-1-a.md": "Status: review\n" },
    {},
  ];
  const messages = await Promise.all(
    documents.map(async (files) =>
      (await handedOut({ ...BMM, ...sprint("  1-1-a: review\n"), ...files })).packet["call"]
    ),
  );
  assert.match(`${messages[0]}`, /Story 1-1-a \(out\/impl\/spec-1-1-a\.md\), diff 0123456789abcdef\.\.HEAD/);
  assert.match(
    `${messages[1]}`,
    /\(out\/impl\/1-1-a\.md\), diff: from before the commit that added that file, with what is not committed$/,
  );
  assert.doesNotMatch(`${messages[2]}`, /diff/);
});

Deno.test(
  verifies(["work:next", "work:forms"], "work that its file calls finished is reviewed, not built again"),
  async () => {
    const next = async (ledger: string, files: Readonly<Record<string, string>>) => {
      const { packet, text } = await handedOut({ ...BMM, ...sprint(`  1-1-a: ${ledger}\n`), ...files });
      return [packet["item"], packet["begin"], packet["end"], /^Why: story ([^;]+);/m.exec(text)?.[1]];
    };
    const behind = "is in progress, but its file says that it is finished";
    const spec = (status: string) => ({ "out/impl/spec-1-1-a.md": `---\nstatus: ${status}\n---\n` });
    assert.deepEqual(await next("in-progress", spec("done")), [
      "bmm/bmad-code-review",
      "mark 1-1-a review",
      "mark 1-1-a done",
      `1-1-a ${behind}`,
    ]);
    assert.deepEqual(await next("in-progress", { "out/impl/1-1-a.md": "Status: review\n" }), [
      "bmm/bmad-code-review",
      "mark 1-1-a review",
      "mark 1-1-a done",
      `1-1-a ${behind}`,
    ]);
    // The build itself is still reviewing it.
    assert.equal((await next("in-progress", spec("in-review")))[0], "bmm/bmad-build");
    assert.equal((await next("in-progress", spec("in-progress")))[0], "bmm/bmad-build");
    // What its file calls done is done once the check agrees.
    assert.deepEqual(await next("in-progress", { "out/impl/1-1-a.md": "Status: done\n" }), [
      "bmm/bmad-code-review",
      undefined,
      "mark 1-1-a done",
      `1-1-a ${behind}`,
    ]);
  },
);

Deno.test(
  verifies("work:next-claims", "what others hold is left to them, and one's own comes first"),
  async () => {
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
    assert.deepEqual([bob.packet["begin"], bob.packet["end"]], [undefined, "mark 1-2-b review Bob"]);
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
  },
);

Deno.test(
  verifies("work:next-order", "a retrospective is optional, and keeps no epic from beginning"),
  async () => {
    const rows = "  epic-1: done\n  1-1-a: done\n  epic-1-retrospective: optional\n  epic-2: backlog\n";
    const next = await handedOut({ ...BMM, ...sprint(`${rows}  2-1-b: backlog\n`) });
    assert.match(`${next.packet["call"]}`, /Story 2-1-b/);
    assert.match(`${next.packet["why"]}`, /; epic 1 has no retrospective yet \(optional\)$/);
    const last = await handedOut({ ...BMM, ...sprint(rows) });
    assert.deepEqual([last.packet["item"], last.packet["end"]], [
      "bmm/bmad-retrospective",
      "mark epic-1-retrospective done",
    ]);
  },
);

Deno.test(
  verifies("tool:list-next", "a required step of the story cycle comes later, not optionally"),
  () =>
    withTree({
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
    }),
);

Deno.test(
  verifies("work:next", "a story without a file is told what writes it, where that is a step of its own"),
  async () => {
    const files = {
      ...BMM,
      "_bmad/bmm/module-help.csv": BMM["_bmad/bmm/module-help.csv"]!.replace(
        "BMad Method,bmad-build",
        "BMad Method,bmad-code-review,Prepare,PR,Prepares.,,,ship,bmad-sprint-planning,bmad-build,true,,\n" +
          "BMad Method,bmad-build",
      ),
    };
    const bare = await handedOut({ ...files, ...sprint("  1-1-a: in-progress\n") });
    assert.match(
      `${bare.packet["why"]}`,
      /^story 1-1-a is in progress, but has no story file \(bmad-code-review writes it\); /,
    );
    assert.deepEqual(
      [bare.packet["item"], bare.packet["begin"], bare.packet["end"]],
      ["bmm/bmad-build", undefined, "mark 1-1-a review"],
    );
    const ready = await handedOut({
      ...files,
      ...sprint("  1-1-a: in-progress\n"),
      "out/impl/1-1-a.md": "Status: in-progress\n",
    });
    assert.deepEqual([ready.packet["item"], ready.packet["end"]], ["bmm/bmad-build", "mark 1-1-a review"]);
    const next = await handedOut({
      ...files,
      ...sprint("  1-1-a: ready-for-dev\n"),
      "out/impl/1-1-a.md": "Status: ready-for-dev\n",
    });
    assert.equal(next.packet["begin"], "mark 1-1-a in-progress");
    assert.match(next.text, /\nBefore: mark 1-1-a in-progress\nCall: do /);
    // Where one step does all of it, it begins at once.
    const whole = await handedOut({ ...BMM, ...sprint("  1-1-a: in-progress\n") });
    assert.deepEqual([whole.packet["item"], whole.packet["end"]], ["bmm/bmad-build", "mark 1-1-a review"]);
  },
);

Deno.test(
  verifies("work:next", "each kind of next step has a headline for people and a sentence for a client"),
  async () => {
    const told = async (files: Readonly<Record<string, string>>, about?: Parameters<typeof handedOut>[1]) => {
      const { packet, text } = await handedOut({ ...BMM, ...files }, about);
      const { headline, say, story } = packet;
      const { ref } = (story ?? {}) as { readonly ref?: string };
      if (packet["is"] === "next") {
        assert.equal(text.split("\n")[0], ref === undefined ? headline : `${headline} (${ref})`);
      }
      return [headline, say];
    };
    const story = (status: string) => told(sprint(`  1-1-pay-by-card: ${status}\n`));
    assert.deepEqual(await story("in-progress"), [
      "Continue “Pay by card”",
      "Continue story 1-1 with bmad-build",
    ]);
    assert.deepEqual(await story("ready-for-dev"), [
      "Start “Pay by card”",
      "Start story 1-1 with bmad-build",
    ]);
    assert.deepEqual(await story("backlog"), ["Start “Pay by card”", "Start story 1-1 with bmad-build"]);
    assert.deepEqual(await story("review"), [
      "Review “Pay by card”",
      "Review story 1-1 with bmad-code-review",
    ]);
    assert.deepEqual(await story("done"), ["All done", undefined]);
    assert.deepEqual(await story("fermenting"), ["Next step unknown", undefined]);
    assert.deepEqual(
      await told(sprint("  1-1-a: done\n  epic-1-retrospective: optional\n  epic-1: done\n")),
      [
        "Look back at “Epic 1”",
        "Hold the retrospective of epic 1 with bmad-retrospective",
      ],
    );
    const plan = "## Epic 1: A\n### Story 1.1: B\n";
    assert.deepEqual(await told({ "out/plan/epics.md": plan }), [
      "Plan the sprint",
      "Plan the sprint with bmad-sprint-planning",
    ]);
    const claims = [{
      ledger: "out/impl/sprint-status.yaml",
      story: "1-1-b",
      by: "Ann",
      until: "2099-01-01",
    }];
    assert.deepEqual(await told(sprint("  1-1-b: in-progress\n"), { claims, by: "Bob" }), [
      "Nothing is free",
      undefined,
    ]);
  },
);

Deno.test(
  verifies("work:next", "a done story whose requirement has changed is not handed out again"),
  async () => {
    const compare: Ahead["compare"] = ({ board }) =>
      Promise.resolve({
        ...board,
        epics: board.epics.map((epic) => ({
          ...epic,
          stories: epic.stories.map((story) => ({ ...story, stale: ["FR1"] })),
        })),
      });
    const files = { ...BMM, ...sprint("  1-1-a: done\n  1-2-b: backlog\n") };
    const { packet } = await handedOut(files, { compare });
    assert.equal(packet["headline"], "Start “B”");
    const over = await handedOut({ ...BMM, ...sprint("  1-1-a: done\n") }, { compare });
    assert.equal(over.packet["is"], "done");
  },
);
