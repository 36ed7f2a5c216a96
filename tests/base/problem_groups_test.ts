/** Are problems that differ only in what they are about told once? */
import assert from "node:assert/strict";
import { groupProblems, type LocatedProblem } from "../../src/base/problem_groups.ts";

const lines = (problems: readonly LocatedProblem[]) =>
  groupProblems(problems).map(({ first, count, others }) => `${count} ${first.problem}${others}`);

const at = (path: string, problem: string, line?: number): LocatedProblem => ({
  path,
  problem,
  ...(line !== undefined && { line }),
});

Deno.test("twelve stories with one problem are one line with their keys", () => {
  const problems = Array.from(
    { length: 12 },
    (_, n) => at(`out/s/1-${n + 1}.yaml`, `story 1-${n + 1}: it is "review", but has no story file`, n + 3),
  );
  assert.deepEqual(lines(problems), [
    '12 story 1-1: it is "review", but has no story file (the same for 1-2, 1-3, 1-4, 1-5, 1-6, 1-7, 1-8, 1-9, ' +
    "1-10, 1-11, 1-12)",
  ]);
});

Deno.test("of many keys the first are named and the others counted", () => {
  const problems = Array.from({ length: 30 }, (_, n) => at("a.md", `Story ${n} is not in out/${n}.yaml`));
  assert.match(
    lines(problems).join("\n"),
    /^30 Story 0 is not in out\/0\.yaml \(the same for 1, .*, 20 and 9 more\)$/,
  );
});

Deno.test("only sentences that are otherwise the same are grouped, in their order", () => {
  assert.deepEqual(
    lines([
      at("a.yaml", 'story 1-1-a has the unknown status "odd"', 3),
      at("x.md", "the front matter is not closed", 1),
      at("a.yaml", 'story 1-2-b has the unknown status "even"', 4),
      at("a.yaml", 'story 1-3-c has the unknown status "odd"', 5),
      at("y.md", "the front matter is not closed", 1),
      at("t.yaml", "the entry has no id", 4),
      at("t.yaml", "the entry has no id", 9),
      at("b.md", 'epic 1 has the unknown status "odd"'),
      at("t.toml", '04-nets has the unknown status "odd"'),
      at("t.toml", '05-sails has the unknown status "odd"'),
      at("s.yaml", 'story "a b" comes twice', 2),
      at("s.yaml", 'story "c" comes twice', 7),
    ]),
    [
      '2 story 1-1-a has the unknown status "odd" (the same for 1-3-c)',
      "2 the front matter is not closed (the same for y.md:1)",
      '1 story 1-2-b has the unknown status "even"',
      "2 the entry has no id (the same for line 9)",
      '1 epic 1 has the unknown status "odd"',
      '2 04-nets has the unknown status "odd" (the same for 05-sails)',
      '2 story "a b" comes twice (the same for "c")',
    ],
  );
  assert.deepEqual(groupProblems([]), []);
});
