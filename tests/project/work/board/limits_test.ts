/** Does the board stay small and quick, whatever a project's files and configuration contain? */
import assert from "node:assert/strict";
import { loadCleaner } from "../../../../src/content/library/mod.ts";
import { diskTree } from "../../../../src/content/tree/mod.ts";
import { findStory, readBoard, reportBoard, reportTarget } from "../../../../src/project/work/board/mod.ts";
import { foldersOf } from "../../../../src/project/work/formats/mod.ts";
import { asJson, boardOf, FOLDERS, told } from "../../../support/board.ts";
import { withTree } from "../../../support/trees.ts";

Deno.test("values that name each other are no folder [work:hostile]", () => {
  for (const count of [30, 150, 2_000]) {
    const values = {
      output_folder: "{aa}",
      aa: "{bb}".repeat(count),
      bb: "{cc}".repeat(count),
      cc: "{dd}".repeat(count),
      dd: "x".repeat(count),
    };
    assert.deepEqual(asJson(foldersOf([values], [])), { planning: [], implementation: [] }, `${count}`);
  }
  const long = foldersOf([{ output_folder: "out/{name}", name: "x".repeat(900) }], []);
  assert.equal(long.output, `out/${"x".repeat(900)}`);
});

Deno.test("an epic and a story have at most 200 requirements [work:hostile]", async () => {
  const ids = Array.from({ length: 10_000 }, (_, at) => `FR${at}`);
  const board = await boardOf({
    "out/plan/epics.md": ids.map((id) => `# Epic 1\n${id}\n`).join("") +
      `## Story 1.1: A\n${ids.join(" ")}\n`,
    "out/impl/1-1-a.md": `---\ncovers: [${ids.map((id) => `N${id}`)}]\n---\n`,
  });
  const [epic] = board.epics;
  assert.deepEqual(epic!.covers, ids.slice(0, 200));
  assert.deepEqual(epic!.stories[0]!.covers, ids.slice(0, 200));
});

Deno.test("a long file is not read for each of its names [work:hostile]", async () => {
  const long = `---\nstatus: done\n---\n${"- [x] Do it (AC: 1), and say so\n".repeat(26_000)}`;
  const names = Array.from({ length: 120 }, (_, at) => `out/impl/1-${at + 1}-x.md`);
  const files = Object.fromEntries(names.map((name) => [name, { link: "../../long.md" }]));
  await withTree({ "long.md": long, ...files }, async (root) => {
    let bytes = 0;
    const disk = diskTree(root);
    const read = (path: string) => {
      const text = disk.read(path);
      bytes += text.length;
      return text;
    };
    const { epics, problems } = await readBoard({ ...disk, read }, FOLDERS);
    assert.deepEqual(problems.map(({ problem }) => problem), [
      "limit reached: this file and those after it are not read",
    ]);
    const { length } = epics[0]!.stories;
    assert.ok(length > 20 && length < 100, `${length} stories`);
    assert.ok(bytes < 70_000_000, `${bytes} bytes`);
  });
});

const NUMBERS = Array.from({ length: 30 }, (_, at) => at + 1);

const FORMATS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "a sprint": {
    "out/impl/sprint-status.yaml": `development_status:\n${
      NUMBERS.map((number) => `  1-${number}-a: done\n`).join("")
    }`,
    ...filesOf((number) => `out/impl/1-${number}-a.md`),
  },
  "story files": filesOf((number) => `out/impl/1-${number}-a.md`),
  "plans": filesOf((number) => `out/plan/epics/epic-${number}.md`),
  "tickets": {
    "out/initiative-a/tickets.toml": "",
    ...filesOf((number) => `out/initiative-a/story-${number}.md`, "---\ntype: story\n---\n"),
  },
  "epics with tickets": {
    "out/initiative-a/tickets.toml": "",
    ...filesOf((number) => `out/initiative-a/epic-${number}/epic-${number}.md`, "---\ntype: epic\n---\n"),
    ...filesOf((number) => `out/initiative-a/epic-${number}/story-1.md`, "---\ntype: story\n---\n"),
  },
  "a spec": {
    "out/specs/spec-a/stories.yaml": NUMBERS.map((number) => `- {id: ${number}, title: A}\n`).join(""),
    ...filesOf((number) => `out/specs/spec-a/stories/${number}-a.md`),
  },
};

function filesOf(pathOf: (number: number) => string, front = "") {
  return Object.fromEntries(
    NUMBERS.map((number) => [pathOf(number), `${front}# Epic ${number}: A\n\n## Story ${number}.1: A\n`]),
  );
}

for (const [name, files] of Object.entries(FORMATS)) {
  Deno.test(`others have their turn: ${name} [work:turns]`, () =>
    withTree(files, async (root) => {
      const disk = diskTree(root);
      let [reads, before] = [0, 0];
      const read = (path: string) => {
        reads++;
        for (const begun = performance.now(); performance.now() - begun < 5;);
        return disk.read(path);
      };
      const beat = setInterval(() => before ||= reads);
      const { epics } = await readBoard({ ...disk, read }, FOLDERS);
      clearInterval(beat);
      assert.ok(epics.length > 0 && reads >= NUMBERS.length, `${reads} files read`);
      assert.ok(
        before > 0 && before < reads,
        `${before} of ${reads} files were read before anybody's turn`,
      );
    }));
}

Deno.test("hiding secrets on a long board is interrupted too [work:turns]", async () => {
  const plan = NUMBERS.map((number) => `## Epic ${number}: A\n\n### Story ${number}.1: A ${number}\n\n`).join(
    "",
  );
  await withTree({ "out/plan/epics.md": plan }, async (root) => {
    let [cleaned, before] = [0, 0];
    const beat = setInterval(() => before ||= cleaned);
    await readBoard(diskTree(root), FOLDERS, (text) => {
      cleaned++;
      for (const begun = performance.now(); performance.now() - begun < 5;);
      return text;
    });
    clearInterval(beat);
    assert.ok(before > 0 && before < cleaned, `${before} of ${cleaned}`);
  });
});

Deno.test("plans, front matter and problems have limits, and say so [work:hostile]", async () => {
  const twice = Array.from({ length: 30_000 }, (_, at) => `## Story 1.1: Name ${at}\n`).join("");
  const board = await boardOf({
    "out/plan/epics.md": twice,
    "out/impl/1-1-a.md": `---\nstatus: done\n${"- a\n".repeat(20_000)}---\n`,
  });
  assert.equal(board.problems.length, 1_000);
  assert.match(
    board.problems[0]!.problem,
    /^limit reached: only the first 20000 epics and stories are read$/,
  );
  assert.equal(board.problems.at(-1)!.problem, "limit reached: only 1000 problems are shown");
  const file = await boardOf({ "out/impl/1-1-a.md": `---\nstatus: done\n${"a: b\n".repeat(20_000)}---\n` });
  assert.deepEqual(file.problems.map(({ problem }) => problem), [
    "the front matter is longer than 65536 characters",
  ]);
  assert.equal(file.epics[0]!.stories[0]!.state, "done");
});

Deno.test("secrets are hidden, and names are safe [work:hostile]", async () => {
  const token = "sk-1234567890abcdefghij";
  const name = "1-1-a\u009b31m.md";
  const { text: clean } = await loadCleaner();
  await withTree({
    "out/impl/sprint-status.yaml":
      `development_status:\n  epic-1: ${token}\n  1-1-a: ${token}\n  ${token}: odd\n` +
      `  epic-1-retrospective: ${token}\naction_items:\n` +
      `  - {action: a ${token}, epic: ${token}, owner: ${token}, status: ${token}}\n`,
    [`out/impl/${name}`]:
      `---\ntitle: ${token}\nstatus: ${token}\nowner: ${token}\nafter: [${token}]\ncovers: [${token}]\n` +
      `blocked_reason: ${token}\n---\n# a\n## Acceptance Criteria\n- ${token}\n`,
    [`out/impl/${token}.md`]: "x",
  }, async (root) => {
    const board = await readBoard(diskTree(root), FOLDERS, clean);
    const story = findStory(board, "1-1");
    const told = [reportBoard(board), reportTarget(story, clean)].map(({ text, rows, problems, data }) =>
      JSON.stringify({ text, rows, problems, data })
    ).join("\n").replaceAll(`out/impl/${token}.md`, "");
    assert.equal(told.indexOf(token), -1, told.slice(told.indexOf(token) - 100).slice(0, 200));
    assert.doesNotMatch(told, /\u009b/);
    assert.equal(story.story.file, "out/impl/1-1-a\ufffd31m.md");
    assert.deepEqual([story.epic.retrospective, story.story.covers], ["[removed]", ["[removed]"]]);
  });
});

Deno.test("a story of over 50,000 lines is not read [work:hostile]", async () => {
  const problemsWith = async (lines: number, end: string) => {
    const { problems } = await boardOf({
      "out/impl/sprint-status.yaml": "development_status:\n  1-1-long: done\n",
      "out/impl/1-1-long.md": `# Story 1.1: Long${end}${`a${end}`.repeat(lines)}`,
    });
    return told(problems).filter((problem) => problem.includes("lines"));
  };
  for (const end of ["\n", "\r", "\r\n"]) {
    assert.deepEqual(await problemsWith(60_000, end), [
      "out/impl/1-1-long.md:undefined it has more than 50000 lines",
    ]);
    assert.deepEqual(await problemsWith(40_000, end), []);
  }
});
