/** Projects whose trace is known: a generator of documents in the spellings that people use, and what they mean. */
import assert from "node:assert/strict";
import { readBoard } from "../../src/project/work/board/mod.ts";
import { type PastWorld, readTrace, type Trace } from "../../src/project/work/trace/mod.ts";
import { diskTree } from "../../src/content/tree/mod.ts";
import type { Chance } from "../support/chance.ts";
import { FOLDERS } from "./board.ts";
import { withTree } from "./trees.ts";

export async function traceOf(
  dir: string,
  past: Pick<PastWorld, "history" | "wordsIn"> = {},
): Promise<Trace> {
  const tree = diskTree(dir, { maxBytes: 8 << 20 });
  const clean = (text: string) => text;
  const board = await readBoard(tree, FOLDERS, clean);
  return await readTrace({ board, tree, folders: FOLDERS, clean, ...past }, past.wordsIn !== undefined);
}

export function makeTraced(chance: Chance) {
  const { pick } = chance;
  const number = (from: number, to: number) => from + chance.below(to - from + 1);
  const ids = [
    ...Array.from({ length: number(2, 8) }, (_, at) => `FR${at + 1}`),
    ...Array.from({ length: number(0, 3) }, (_, at) => `NFR${at + 1}`),
  ];
  const spelled = (id: string) => {
    const [, letters, digits] = /^([A-Z]+)(\d+)$/.exec(id)!;
    return pick([id, `${letters}-${digits}`, `${letters}-${digits!.padStart(2, "0")}`, `**${id}**`]);
  };
  const sign = pick(["- ", "1. ", ""]);
  const prd = ["# PRD", "", "## Requirements", ""].concat(
    ids.map((id) => `${sign}${spelled(id)}: The system does ${id.toLowerCase().replace(/\d+/, "")} thing.\n`),
  );
  const covering = new Map<string, string[]>(ids.map((id) => [id, []]));
  const files: Record<string, string> = {};
  const [epics, rows, stories]: [string[], string[], string[]] = [["# Epics", ""], [], []];
  for (let epic = 1; epic <= number(1, 3); epic++) {
    epics.push(`## Epic ${epic}: Part ${"abc"[epic]}`, "");
    const ofEpic = pick([true, false]) ? ids.filter(() => pick([true, false])) : [];
    if (ofEpic.length > 0) epics.push(`**FRs covered:** ${ofEpic.join(", ")}`, "");
    for (const id of ofEpic) covering.get(id)!.push(`epic ${epic}`);
    rows.push(`  epic-${epic}: in-progress`);
    const named: (readonly [ref: string, own: readonly string[], criteria: string])[] = [];
    for (let story = 1; story <= number(1, 4); story++) {
      const ref = `${epic}-${story}`;
      const key = `${ref}-thing`;
      const own = ids.filter(() => number(0, 4) === 0);
      for (const id of own) covering.get(id)!.push(ref);
      const criteria = number(0, 4);
      epics.push(`### Story ${epic}.${story}: Thing`, "", "As a user I want a thing.", "");
      rows.push(`  ${key}: in-progress`);
      const test = `tests/${key}_test.ts`;
      const tested = Array.from({ length: criteria }, (_, at) => at + 1).filter(() => pick([true, false]));
      const hasTest = tested.length > 0 || pick([true, false]);
      if (hasTest) {
        files[test] = tested.map((at) => `// ${pick([`AC${at}`, `AC #${at}`, `AC-${at}`])}: checks\n`).join(
          "",
        );
      }
      files[`out/impl/${key}.md`] = [
        `# Story ${epic}.${story}: Thing`,
        "",
        "Status: in-progress",
        "",
        ...(own.length === 0
          ? []
          : [`${pick(["Covers", "**Requirements**"])}: ${own.map(spelled).join(", ")}`, ""]),
        "## Acceptance Criteria",
        "",
        ...Array.from({ length: criteria }, (_, at) => `${at + 1}. It does step ${"abcd"[at]}`),
        "",
        "## Dev Agent Record",
        "",
        "### File List",
        "",
        ...(hasTest ? [`- ${test}`] : []),
        "",
      ].join("\n");
      const lines = Array.from(
        { length: criteria },
        (_, at) => `AC${at + 1} ${tested.includes(at + 1) ? test : "-"}`,
      );
      named.push([ref, own, lines.join(", ")]);
    }
    const isByEpic = named.every(([, own]) => own.length === 0);
    for (const [ref, own, criteria] of named) {
      stories.push(`${ref}: ${(isByEpic ? ofEpic : own).toSorted().join(" ")} | ${criteria}`);
    }
  }
  files["out/plan/prd.md"] = prd.join("\n");
  files["out/plan/epics.md"] = epics.join("\n");
  files["out/impl/sprint-status.yaml"] = `development_status:\n${rows.join("\n")}\n`;
  /** `FR1: 1-1, 1-2` for each requirement, by story or epic. */
  const requirements = ids.map((id) => `${id}: ${covering.get(id)!.sort().join(" ")}`).sort();
  /** Of the stories: `1-1: FR1 | AC1 tests/a_test.ts` for each. */
  return { files, requirements, stories: stories.sort() };
}

export async function checkTraced(
  { files, requirements, stories }: ReturnType<typeof makeTraced>,
): Promise<void> {
  await withTree(files, async (dir) => {
    const trace = await traceOf(dir);
    const told = {
      requirements: trace.requirements.map(({ id, by }) => `${id}: ${[...by].sort().join(" ")}`).sort(),
      stories: trace.stories.map(({ ref, requirements, criteria }) =>
        `${ref}: ${[...requirements].sort().join(" ")} | ${
          criteria.map(({ number, tests }) => `AC${number} ${tests.join(" ") || "-"}`).join(", ")
        }`
      ).sort(),
    };
    assert.deepEqual(told, { requirements, stories }, JSON.stringify(files, null, 1));
  });
}
