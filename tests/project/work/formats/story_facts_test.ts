/** Does every form of story keep every fact of the table, and does every surface show it? */
import assert from "node:assert/strict";
import { aboutOf } from "../../../../src/project/work/board/mod.ts";
import {
  type FormName,
  STORY_FACTS,
  storyChanges,
  storyFacts,
  storyNotes,
} from "../../../../src/project/work/formats/mod.ts";
import { boardOf, foldersOf } from "../../../support/board.ts";

/** A value of each fact that files keep, and what a story has of it. A row of the table with keys needs one here. */
const VALUES: Readonly<Record<string, readonly [written: string, read: unknown]>> = {
  title: ["Pay now", "Pay now"],
  reason: ["no key", "no key"],
  owner: ["Ann", "Ann"],
  baseline: ["ABCDEF1234", "abcdef1234"],
  after: ["1-1", ["1-1"]],
  covers: ["[FR 3]", ["FR3"]],
};

const SPRINT = "development_status:\n  1-2-pay: blocked\n";

const FILES: Readonly<Record<string, readonly [FormName, (field: string) => Record<string, string>]>> = {
  "the file of a story": ["story-file", (field) => ({
    "out/impl/sprint-status.yaml": SPRINT,
    "out/impl/1-2-pay.md": `---\n${field}\n---\n\nStatus: in-progress\n`,
  })],
  "the record of a build": ["build-spec", (field) => ({
    "out/impl/sprint-status.yaml": SPRINT,
    "out/impl/spec-1-2-pay.md": `---\n${field}\nstatus: in-progress\n---\n`,
  })],
  "a story of v4": ["v4-story", (field) => ({
    "docs/stories/1.2.pay.md": `---\n${field}\n---\n\n## Status\n\nApproved\n`,
  })],
  "a row of a spec": ["spec-story", (field) => ({
    "out/specs/spec-shop/stories.yaml": `- id: pay\n  ${field}\n`,
  })],
  "the record of a spec's story": ["spec-story", (field) => ({
    "out/specs/spec-shop/stories.yaml": "- id: pay\n",
    "out/specs/spec-shop/stories/pay.md": `---\n${field}\n---\n`,
  })],
  "a ticket": ["ticket", (field) => ticketFiles("", field)],
  "the entry of a ticket": [
    "ticket",
    (field) => ticketFiles(field.replace(/: ([^[]*)$/, ' = "$1"').replace(/: \[(.*)\]/, ' = ["$1"]'), ""),
  ],
};

function ticketFiles(entry: string, field: string): Record<string, string> {
  const folder = "out/initiative-shop";
  return {
    [`${folder}/initiative-shop.md`]: "---\ntype: initiative\n---\n",
    [`${folder}/tickets.toml`]: '[[epic]]\nid = 1\nslug = "epic-pay"\n',
    [`${folder}/epic-pay/epic-pay.md`]: "---\ntype: epic\n---\n",
    [`${folder}/epic-pay/tickets.toml`]: `[[entry]]\nid = 2\ntype = "story"\n${entry}\n`,
    ...(entry === "" && { [`${folder}/epic-pay/story-pay.md`]: `---\nid: 2\ntype: story\n${field}\n---\n` }),
  };
}

/** Links of tickets have a notation of their own, and what blocks one stands in its files alone. */
const OTHERWISE = (form: string, name: string) =>
  name === "after" && /ticket|spec/.test(form) || name === "reason" && /row|entry/.test(form);

Deno.test("every form can keep a fact [work:board, work:forms]", async () => {
  const kept = Object.entries(STORY_FACTS).filter(([, row]) => "keys" in row);
  assert.deepEqual(kept.map(([name]) => name).sort(), Object.keys(VALUES).sort());
  for (const [where, [form, files]] of Object.entries(FILES)) {
    for (const [name, row] of kept) {
      const [written, read] = VALUES[name]!;
      for (const key of (row as { keys: readonly string[] }).keys) {
        if (OTHERWISE(where, name)) continue;
        const { epics } = await boardOf(files(`${key}: ${written}`), foldersOf(form));
        const story = epics.flatMap(({ stories }) => stories)[0]!;
        assert.equal(story.form, where === "the file of a story" ? "story-file" : form, where);
        assert.deepEqual(story[name as keyof typeof story], read, `${key} in ${where}`);
      }
    }
  }
});

Deno.test("a fact has its words in lists and changes [work:show]", async () => {
  const { epics } = await boardOf({
    "out/impl/sprint-status.yaml": "development_status:\n  1-1-key: backlog\n  1-2-pay: blocked\n",
    "out/impl/1-2-pay.md":
      "---\nowner: Ann\nblocked_reason: no key\nafter: 1-1\n---\n\n# Pay (FR3)\n\nStatus: blocked\n\n" +
      "## Acceptance Criteria\n\n1. Paid\n\n## Tasks\n\n- [x] One\n- [ ] Two\n",
  });
  const story = epics[0]!.stories[1]!;
  assert.equal(aboutOf(story), "blocked: Pay (no key, Ann, 1 of 2 boxes ticked, waits for 1-1)");
  assert.deepEqual(storyFacts(story).map((fact) => fact.join(": ")), [
    "file: out/impl/1-2-pay.md",
    "ledger: out/impl/sprint-status.yaml:3",
    "reason: no key",
    "owner: Ann",
    "builds on: 1-1",
    "covers: FR3",
    "boxes: 1 of 2 ticked",
    "waits for: 1-1",
    "done when: Paid",
  ]);
  assert.deepEqual(storyNotes(story).filter(({ card }) => card).map(({ card }) => card!.word), [
    "waits for 1-1",
  ]);
  assert.equal(storyChanges(story)["owner"], "owner Ann");
});
