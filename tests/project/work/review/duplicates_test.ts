/** Is a finding that is raised again recognised, and never one that is new? */
import assert from "node:assert/strict";
import { adviseReview, findSame } from "../../../../src/project/work/review/mod.ts";
import type { Severity } from "../../../../src/project/work/formats/mod.ts";
import { findStory } from "../../../../src/project/work/board/mod.ts";
import {
  beginPass,
  openReview,
  type Recognize,
  recordFinding,
} from "../../../../src/project/work/writer/mod.ts";
import { chanceFrom } from "../../../support/chance.ts";
import { withTree } from "../../../support/trees.ts";
import { writerIn } from "../../../support/writer.ts";

interface Raised {
  readonly story: string;
  readonly id: string;
  readonly severity: Severity;
  readonly file?: string;
  readonly text: string;
}

const HERE = new URL(".", import.meta.url);
const readLines = <T>(name: string) =>
  Deno.readTextFileSync(new URL(name, HERE)).trim().split("\n").map((line): T => JSON.parse(line));
const STORIES = Map.groupBy(readLines<Raised>("reviews.jsonl"), ({ story }) => story);
const LABELS: Readonly<
  Record<string, { readonly same: readonly string[]; readonly partly: readonly string[] }>
> = JSON.parse(
  Deno.readTextFileSync(new URL("labels.json", HERE)),
);

const exists = () => true;

function pairsOf(one: string, other: string) {
  return [...STORIES].flatMap(([story, all]) => {
    const { same, partly } = LABELS[story]!;
    const by = (reviewer: string) => all.filter(({ id }) => id.startsWith(reviewer));
    return by(one).flatMap((old) => by(other).map((again) => ({ old, again, name: `${old.id} ${again.id}` })))
      .filter(({ name }) => !partly.includes(name)).map((pair) => ({
        ...pair,
        isSame: same.includes(pair.name),
      }));
  });
}

Deno.test("precision is 0.95, and recall 0.8 [work:finding-same]", async () => {
  let [told, right, all] = [0, 0, 0];
  for (const [one, other] of ["ab", "ac", "bc"] as const) {
    const counts = { told: 0, right: 0, all: 0 };
    for (const { old, again, isSame } of pairsOf(one!, other!)) {
      const { same } = await findSame(again, [old], { hasFile: exists });
      if (isSame) counts.all++;
      if (same !== undefined) counts.told++;
      if (same !== undefined && isSame) counts.right++;
    }
    assert.ok(counts.all >= 130, `${one}${other}: ${counts.all}`);
    assert.ok(
      counts.right / counts.told >= 0.93,
      `precision of ${one}${other}: ${counts.right} of ${counts.told}`,
    );
    assert.ok(
      counts.right / counts.all >= 0.8,
      `recall of ${one}${other}: ${counts.right} of ${counts.all}`,
    );
    [told, right, all] = [told + counts.told, right + counts.right, all + counts.all];
  }
  assert.ok(right / told >= 0.95, `precision: ${right} of ${told}`);
  assert.ok(right / all >= 0.8, `recall: ${right} of ${all}`);
});

Deno.test("of all findings, the right one is found [work:finding-same]", async () => {
  let [told, right] = [0, 0];
  for (const [story, all] of STORIES) {
    const { same: labels, partly } = LABELS[story]!;
    const known = all.filter(({ id }) => id.startsWith("a"));
    for (const again of all.filter(({ id }) => id.startsWith("c"))) {
      const { same } = await findSame(again, known, { hasFile: exists });
      const name = `${same?.id} ${again.id}`;
      if (same === undefined || partly.includes(name)) continue;
      told++;
      if (labels.includes(name)) right++;
    }
  }
  assert.ok(right / told >= 0.98, `${right} of ${told}`);
});

Deno.test("a grave finding is not mistaken [work:finding-same]", async () => {
  const pairs = readLines<{ readonly old: Raised; readonly new: Raised; readonly gone?: true }>(
    "lookalikes.jsonl",
  );
  const taken: string[] = [];
  for (const { old, new: said, gone } of pairs) {
    const { same } = await findSame(said, [old], { hasFile: () => !gone, isStrict: true });
    if (same !== undefined) taken.push(`${old.text} / ${said.text}`);
  }
  assert.ok(pairs.length >= 200 && taken.length <= 2, taken.join("\n"));
});

Deno.test("of findings called alike, 19 in 20 repeat each other [work:finding-alike]", async () => {
  for (const isStrict of [false, true]) {
    let [told, right] = [0, 0];
    for (const [one, other] of ["ab", "ac", "bc", "ba", "ca", "cb"] as const) {
      for (const [story, all] of STORIES) {
        const { same: labels, partly } = LABELS[story]!;
        const isIn = (names: readonly string[], a: string, b: string) =>
          names.includes(`${a} ${b}`) || names.includes(`${b} ${a}`);
        const known = all.filter(({ id }) => id.startsWith(one!));
        for (const again of all.filter(({ id }) => id.startsWith(other!))) {
          const { same, alike } = await findSame(again, known, { hasFile: exists, isStrict });
          if (same !== undefined || alike === undefined || isIn(partly, alike.id, again.id)) continue;
          told++;
          if (isIn(labels, alike.id, again.id)) right++;
        }
      }
    }
    assert.ok(told >= 60 && right / told >= 0.95, `${isStrict}: ${right} of ${told}`);
  }
});

Deno.test("as grave on the same line, two findings are offered as one [work:finding-alike]", async () => {
  const old = { text: "The counter has no lock", file: "src/count.ts:12", severity: "high" } as const;
  const besideOf = async (file: string, severity: "high" | "low") => {
    const found = await findSame({ text: "Returns 500 for a new visitor", file, severity }, [old], {
      hasFile: exists,
    });
    assert.deepEqual([found.same, found.alike], [undefined, undefined]);
    return found.beside;
  };
  assert.equal(await besideOf("src/count.ts:12", "high"), old);
  assert.equal(await besideOf("src/count.ts:12", "low"), undefined);
  assert.equal(await besideOf("src/count.ts:13", "high"), undefined);
  assert.equal(await besideOf("src/other.ts:12", "high"), undefined);
});

Deno.test("lines move, files are renamed [work:finding-same]", async () => {
  const old = {
    text: "The counter has no lock, so two requests get the same number",
    file: "src/count.ts:12",
  };
  const isSame = async (text: string, file?: string, hasFile: (path: string) => boolean = exists) =>
    (await findSame({ text, file }, [old], { hasFile })).same !== undefined;
  const other = "Two requests can get the same number from the counter: no lock is taken";
  for (const text of [old.text, other]) {
    for (const file of ["src/count.ts:12", "src/count.ts:19", "src/count.ts", undefined, "count.ts:14"]) {
      assert.ok(await isSame(text, file), `${text} ${file}`);
    }
    assert.ok(!await isSame(text, "src/invoice.ts:12"), text);
    assert.ok(await isSame(text, "src/numbers.ts:12", (path) => path !== "src/count.ts"), text);
  }
  assert.ok(await isSame(old.text, "src/count.ts:900"), "the same words, wherever they are");
  assert.ok(!await isSame("The name of the counter is misleading", "src/count.ts:12"));
  assert.ok(!await isSame("", "src/count.ts:12"));
  assert.ok(!await isSame("…", undefined));
});

Deno.test("thousands of findings give way [work:finding-same]", async () => {
  const texts = Array.from({ length: 2_500 }, (_, at) => `Defect ${at} `.repeat(400));
  const known = texts.map((text) => ({ text, file: "a.ts:1" }));
  let turns = 0;
  const timer = setInterval(() => turns++);
  const { same } = await findSame(known.at(-1)!, known, { hasFile: exists });
  clearInterval(timer);
  assert.equal(same, known.at(-1));
  assert.ok(turns > 0, "others have their turns");
});

const PROJECT = {
  "out/impl/sprint-status.yaml": "development_status:\n  epic-1: in-progress\n  1-1-it: review\n",
  "out/impl/1-1-it.md": "# Story 1.1: It\n\nStatus: review\n\n## Tasks\n\n- [x] Build it\n",
};

/**
 * A reviewer who finds the same again in other words, and once a grave defect that is new. Told that a finding may repeat
 * another, they say whether it does; everything else is settled by chance.
 */
async function simulate(
  story: string,
  seed: number,
): Promise<{ readonly passes: number; readonly lost: string[] }> {
  const chance = chanceFrom(seed);
  const { same } = LABELS[story]!;
  const all = STORIES.get(story)!;
  const isRepeat = (one: string, other: string) =>
    same.includes(`${one} ${other}`) || same.includes(`${other} ${one}`);
  const first = all.filter(({ id }) => id.startsWith("a"));
  const again = (reviewer: string) =>
    all.filter(({ id }) => id.startsWith(reviewer) && first.some((one) => isRepeat(one.id, id)));
  const others = [...STORIES.keys()].filter((one) => one !== story);
  const id = chance.pick(["a1", "b2", "c3"]);
  const grave = STORIES.get(chance.pick(others))!.find((one) => one.id === id)!;
  const rounds = [
    first,
    [...again("b"), { ...grave, id: "new", severity: "high", file: first[0]!.file }],
    again("c"),
  ];
  const lost: string[] = [];
  const recognize: Recognize = (said, known, isStrict) =>
    findSame(said, known, { hasFile: exists, isStrict });
  return await withTree(PROJECT, async (root) => {
    const ids = new Map<string, string>();
    for (const [at, round] of rounds.entries()) {
      await beginPass(await writerIn(root), { story: "1-1", lenses: [`pass ${at + 1}`] });
      const verdicts = new Map<string, string>();
      for (const { id, severity, file, text } of round) {
        const request = { story: "1-1", text, severity, file };
        const { outcome, finding, alike } = await recordFinding(await writerIn(root), request, recognize);
        if (outcome === "known") {
          if (id === "new") lost.push(text);
          continue;
        }
        ids.set(finding.id, id);
        const meant = alike && ids.get(alike.id);
        const isAgain = meant !== undefined &&
          [meant, ...first.map((one) => one.id)].some((one) =>
            isRepeat(one, id) && (one === meant || isRepeat(one, meant))
          );
        verdicts.set(finding.id, isAgain ? "rejected" : chance.pick(["fixed", "deferred"]));
      }
      for (const [text, verdict] of verdicts) {
        const request = { story: "1-1", text, verdict, reason: "Because" };
        await recordFinding(await writerIn(root), request, recognize);
      }
      const world = await writerIn(root);
      const { passes, findings } = openReview(world.files, findStory(world.board, "1-1"));
      if (adviseReview(passes, findings).isOver) return { passes: at + 1, lost };
    }
    return { passes: Infinity, lost };
  });
}

Deno.test("a reviewer who repeats ends in three passes [work:review]", async () => {
  const stories = [...STORIES.keys()];
  for (let seed = 0; seed < 20; seed++) {
    const story = stories[seed % stories.length]!;
    const { passes, lost } = await simulate(story, seed + 1);
    assert.deepEqual(lost, [], `story ${story}, seed ${seed}: new and grave`);
    assert.ok(passes <= 3, `story ${story}, seed ${seed}: ${passes} passes`);
  }
});
