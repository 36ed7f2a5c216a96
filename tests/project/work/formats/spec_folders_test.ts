/** Does the board show the stories of spec folders, which keep their statuses in the records of builds? */
import assert from "node:assert/strict";
import { boardOf, states, told } from "../../../support/board.ts";

const SPEC = "out/specs/spec-order";

Deno.test("stories have the status of their record, or are in the backlog", async () => {
  const board = await boardOf({
    [`${SPEC}/SPEC.md`]: "---\nid: SPEC-order\n---\n# Quick order\n",
    [`${SPEC}/stories.yaml`]:
      '- id: "1"\n  title: Basket\n  description: "a: b"\n- id: "2"\n  title: Pay\n- id: 3\n  title: Ship\n',
    [`${SPEC}/stories/1-basket.md`]: "---\nstatus: done\n---\nCAP-1\n- [x] a\n",
    [`${SPEC}/stories/2-pay.md`]: "---\nstatus: blocked\nblocked_reason: no account\n---\n",
    [`${SPEC}/stories/21-other.md`]: "---\nstatus: done\n---\n",
  });
  assert.deepEqual(states(board), [
    "spec-order in-progress: spec-order/1 done,spec-order/2 blocked,spec-order/3 backlog",
  ]);
  const [{ title, stories }] = [board.epics[0]!];
  assert.deepEqual([title, board.problems], ["Quick order", []]);
  assert.deepEqual(stories.map(({ title, line, reason, covers }) => [title, line, reason, covers]), [
    ["Basket", 1, undefined, ["CAP1"]],
    ["Pay", 4, "no account", []],
    ["Ship", 6, undefined, []],
  ]);
});

Deno.test("ids that are missing or come twice, and lists that are none, are problems", async () => {
  const board = await boardOf({
    [`${SPEC}/stories.yaml`]: "- id: a\n- title: nameless\n- id: A\n- 7\n- id: b\n",
    [`${SPEC}/stories/b-1.md`]: "---\nstatus: fermenting\n---\n",
    [`${SPEC}/stories/b-2.md`]: "",
    "out/specs/spec-map/stories.yaml": "a: 1\n",
    "out/specs/spec-broken/stories.yaml": "- id: x\n  - y: [\n",
  });
  assert.deepEqual(states(board), [
    "spec-broken backlog: ",
    "spec-map backlog: ",
    "spec-order backlog: spec-order/a backlog,spec-order/b blocked",
  ]);
  const [broken, ...rest] = told(board.problems);
  assert.match(broken!, /^out\/specs\/spec-broken\/stories.yaml:2 the YAML cannot be parsed/);
  assert.deepEqual(rest, [
    "out/specs/spec-map/stories.yaml:undefined the file is not a list",
    `${SPEC}/stories.yaml:undefined story 2 has no id`,
    `${SPEC}/stories.yaml:3 story "A" comes twice`,
    `${SPEC}/stories.yaml:undefined story 4 has no id`,
    `${SPEC}/stories.yaml:5 story "b" has 2 files in ${SPEC}/stories`,
    `${SPEC}/stories/b-1.md:2 story "b" has the unknown status "fermenting"`,
  ]);
});
