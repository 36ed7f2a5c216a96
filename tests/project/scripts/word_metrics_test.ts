/**
 * Does `word_metrics.py` count as BMAD's own script does?
 */
import assert from "node:assert/strict";
import { isWriting } from "../../../src/project/scripts/program.ts";
import { wordMetrics } from "../../../src/project/scripts/word_metrics.ts";
import { chanceFrom } from "../../soak/chance.ts";
import { sourceTree } from "../../support/installs.ts";
import { verifies } from "../../support/requirements.ts";
import { bytesOf, textOf } from "../../support/script_texts.ts";
import { compareCases, NO_ORIGINALS, runNative } from "../../support/scripts.ts";
import { withTree } from "../../support/trees.ts";

const DOCUMENT = "one two\n\n# First\nthree 語語 four\n\n````\n# no heading\n```\n````\n## Second #\nfive\n";

Deno.test("words are counted by section, and a heading in code is none", () =>
  withTree({ "a.md": DOCUMENT, "b.md": "" }, async (root) => {
    const { status, stdout } = await runNative(wordMetrics, root, ["./a.md"]);
    assert.equal(status, 0);
    assert.deepEqual(JSON.parse(stdout), {
      file: "a.md",
      total_words: 18,
      sections: [
        { heading: "(preamble)", level: 0, words: 2 },
        { heading: "First", level: 1, words: 10 },
        { heading: "Second #", level: 2, words: 1 },
      ],
    });
    assert.deepEqual(JSON.parse((await runNative(wordMetrics, root, ["b.md"])).stdout).sections, []);
    assert.equal((await runNative(wordMetrics, root, ["none.md"])).status, 2);
  }));

Deno.test("the counts can go to a file", () =>
  withTree({ "a.md": "x y", "out/": "" }, async (root) => {
    const args = ["a.md", "-o", "out/words.json"];
    assert.equal(isWriting(wordMetrics, args), true);
    assert.equal(isWriting(wordMetrics, ["a.md"]), false);
    assert.deepEqual(await runNative(wordMetrics, root, args), { status: 0, stdout: "", stderr: "" });
    assert.equal(JSON.parse(await Deno.readTextFile(`${root}/out/words.json`)).total_words, 2);
    const nowhere = await runNative(wordMetrics, root, ["a.md", "-o", "none/words.json"]);
    assert.deepEqual([nowhere.status, nowhere.stdout], [1, ""]);
  }));

const PIECES = [
  ...[
    "# ",
    "## Title",
    "####### ",
    "#\t",
    "(preamble)",
    "word ",
    "a-b ",
    "語",
    "カナ",
    "한글",
    "\n",
    "\n",
    "\n",
  ],
  ...["```", "````", "~~~", "   ```", "    ```", "``` js", "~~~~", "  "],
];

Deno.test({
  name: verifies("work:same-answers", "word_metrics.py answers as BMAD's own"),
  ignore: NO_ORIGINALS,
  fn: async () => {
    const skill = `${await sourceTree("bmad-method@6.12.0")}/src/core-skills/bmad-review`;
    const chance = chanceFrom(1);
    const texts = Array.from({ length: 200 }, () => bytesOf(chance, textOf(chance, PIECES, 40)));
    const calls = [
      [],
      ["a//./b.md"],
      ["none.md"],
      ["a"],
      ["a/b.md", "-o", "o.json"],
      ["a/b.md", "--output=a/o.json"],
      [
        "a/b.md",
        "-ono/o",
      ],
      ["a/b.md", "x"],
      ["-o"],
    ];
    await compareCases(wordMetrics, `${skill}/scripts/word_metrics.py`, [
      ...texts.map((text) => ({ files: { "doc.md": text }, args: ["doc.md"] })),
      ...calls.map((args) => ({ files: { "a/b.md": "x\0y\r\nz" }, args })),
    ]);
  },
});
