/**
 * Does `recon_kit.py` answer as BMAD's own script does?
 */
import assert from "node:assert/strict";
import { reconKit } from "../../../src/project/scripts/recon_kit.ts";
import { type Chance, chanceFrom } from "../../soak/chance.ts";
import { sourceTree } from "../../support/installs.ts";
import { verifies } from "../../support/requirements.ts";
import { textOf } from "../../support/script_texts.ts";
import { compareCases, NO_ORIGINALS, runNative, type ScriptCase } from "../../support/scripts.ts";
import { withTree } from "../../support/trees.ts";

/** Runs a command on a text that is piped in. */
async function ask(stdin: string, command: string, ...args: readonly string[]) {
  return await withTree({}, async (root) => {
    const { status, stdout, stderr } = await runNative(reconKit, root, [command, "-", ...args], stdin);
    return { status, stderr, said: stdout === "" ? undefined : JSON.parse(stdout) };
  });
}

const REPORT = `Growth is fast [1], prices fall [2][7]. See [5](https://example.org).

\`\`\`
[8] in code
\`\`\`

| n | Source | When |
| --- | --- | --- |
| [1] | [Someone <x>](https://example.org/a?b=1&c) | 2026 |
| 2 | [Else](javascript:go()) | 2025 |
| [3] | plain https://example.org/z, later | 2024 |
`;

Deno.test("citations are compared with the table of sources", async () => {
  const { status, said } = await ask(REPORT, "citations");
  assert.equal(status, 1);
  assert.deepEqual(said, {
    markers: [1, 2, 7],
    appendix_rows: [1, 2, 3],
    dangling_markers: [7],
    orphaned_rows: [3],
    ok: false,
  });
  assert.equal((await ask("x [1]\n| 1 | y |", "citations")).status, 0);
});

Deno.test("sources become escaped HTML, and only addresses of the web are links", async () => {
  const { status, said } = await ask(REPORT, "escape-sources");
  assert.equal(status, 1);
  assert.deepEqual([said.rows, said.invalid_urls], [3, ["javascript:go("]]);
  assert.match(said.html, /<a href="https:\/\/example\.org\/a\?b=1&amp;c"[^>]*>Someone &lt;x&gt;<\/a>/);
  assert.match(said.html, /<tr id="src-3"><td>\[3\]<\/td><td>plain <a href="https:\/\/example\.org\/z,"/);
  assert.doesNotMatch(said.html, /javascript/);
  assert.equal((await ask("no table", "escape-sources")).status, 2);
});

Deno.test("a file that cannot be read is no finding", () =>
  withTree({ "folder/": "", "latin.md": new Uint8Array([0x5b, 0xe9, 0x5d]) }, async (root) => {
    for (
      const [path, reason] of [["none.md", /No such file/], ["folder", /directory/], [
        "latin.md",
        /UTF-8/,
      ]] as const
    ) {
      const { status, stdout, stderr } = await runNative(reconKit, root, ["citations", path]);
      assert.deepEqual([status, stdout], [2, ""], path);
      assert.match(stderr, reason);
    }
  }));

Deno.test("entries of a log are counted, and the last status of a reference counts", async () => {
  const log = "---\na: b\n---\n\n- (claim) ref=[1] status=open\n- (claim by me) ref=1 status=verified\n" +
    "- (claim) loose\n- (decision) x\n- plain\nnone\n";
  assert.deepEqual((await ask(log, "tally")).said, {
    entries: 5,
    by_type: { claim: 3, decision: 1, note: 1 },
    claims: { unknown: 1, verified: 1 },
    claims_total: 2,
  });
});

Deno.test("claims are due when their window has passed", async () => {
  const claims = JSON.stringify([
    { claim: "a", class: "Price", pub_date: "2026-01-31" },
    { claim: "b", class: "size", pub_date: "2026" },
    { claim: "c", class: "other", pub_date: 2026 },
  ]);
  const args = ["--windows", '{"price": 1, "SIZE": "24"}', "--today", "2026-02-28"];
  const { status, said } = await ask(claims, "staleness", ...args);
  assert.equal(status, 1);
  assert.deepEqual(said.claims.map(({ recheck, stale }: Record<string, unknown>) => [recheck, stale]), [
    ["2026-02-28", true],
    ["2028-01-01", false],
    [null, null],
  ]);
  assert.deepEqual([said.stale_count, said.earliest_recheck, said.no_window_classes], [1, "2026-02-28", [
    "other",
  ]]);
  assert.equal((await ask('[{"class": "price"}]', "staleness", ...args)).status, 2);
  assert.equal((await ask('[{"pub_date": "2026-13"}]', "staleness", ...args)).status, 2);
});

Deno.test("a topic has one folder", () =>
  withTree({}, async (root) => {
    const run = async (...args: string[]) => await runNative(reconKit, root, ["slug", ...args]);
    const { stdout } = await run("Crème Brûlée: $& Tools!", "--type", "market", "--date", "2026-07-22");
    assert.equal(JSON.parse(stdout).folder, "market-creme-brulee-tools-2026-07-22");
    assert.match(JSON.parse((await run("x", "--type", "t")).stdout).folder, /^t-x-\d{4}-\d\d-\d\d$/);
    assert.equal((await run("語", "--type", "t")).status, 2);
  }));

Deno.test("long cells and numbers take linear time", async () => {
  const long = 400_000;
  assert.equal((await ask(`| 1 | ${"[".repeat(long)} |`, "escape-sources")).said.rows, 1);
  assert.equal((await ask(`| 1 | ${"[](".repeat(long)} ) |`, "escape-sources")).said.rows, 1);
  assert.equal((await ask(`[${"9".repeat(long)}]`, "citations")).status, 0);
});

const PIECES = [
  ...[
    "[1]",
    "[2]",
    "[03]",
    "[4](x)",
    "| [1] | a | b |\n",
    "| 2 | ",
    "|",
    " | ",
    "\n",
    "\n",
    "\n",
    "```",
    "\n```\n",
  ],
  ...[
    "[A](https://example.org/x)",
    "[](http://h)",
    "[B](javascript:x)",
    "[C](https://[::1]/)",
    "https://ex.org/?a=b",
  ],
  ...[
    "http:// ",
    "(",
    ")",
    "[",
    "]",
    "word ",
  ],
  ...["[E](HTTPS://user@h:1/#f)", "[F](//h)", "[G](http:h)"],
];
const ENTRIES = [
  ...[
    "- ",
    "- (claim) ",
    "- (claim by a b) ",
    "(note)",
    "- (idée-1) ",
    "status=",
    "verified ",
    "ref=[1] ",
    "ref=2 ",
  ],
  ...["\n", "\n", "\n", "---", "---\n", "x ", "status=open-1 ", "- (claim)status=a", "- () ", "-"],
];
const DATES = [
  "2026-01-31",
  "2026-1-3",
  "2026-02",
  "2026",
  "2024-02-29",
  "2026-13",
  " 2025-06 ",
];
const VALUES = ["1", "12", "0.5", "true", "null", '"3"', '"\\u00e9 & so on"', "[]", '["a", "b"]', '{"b": 1}'];

function claimsOf(chance: Chance): string {
  const claim = () => {
    const keys = ['"class"', '"pub_date"', '"claim"', '"stale"'].filter(() => chance.below(3) > 0);
    const value = (key: string) => {
      const isUsual = chance.below(6) > 0;
      if (key === '"class"' && isUsual) return chance.pick(['"price"', '"SIZE"', '"other"', '"é"']);
      return key === '"pub_date"' && isUsual ? `"${chance.pick(DATES)}"` : chance.pick(VALUES);
    };
    const date = chance.below(8) > 0 ? [`"pub_date": "${chance.pick(DATES.slice(0, 5))}"`] : [];
    return `{${[...keys.map((key) => `${key}: ${value(key)}`), ...date].join(", ")}}`;
  };
  const list = `[${Array.from({ length: chance.below(4) }, claim).join(",\n")}]`;
  const odd = ["", "[", "{}", '"x"', "3", "[1]", "[] x", "[1,]"];
  return chance.below(6) === 0 ? chance.pick(odd) : chance.below(4) === 0 ? `{"claims": ${list}}` : list;
}

function randomCase(chance: Chance): ScriptCase {
  const file = (text: string) => ({ "in put.md": text });
  const command = chance.pick(["citations", "tally", "staleness", "staleness", "slug", "escape-sources"]);
  if (command === "slug") {
    const topic = textOf(chance, ["A", "b c", "-", "--", "É", "{date}", "long words here ", "½"], 12);
    const pattern = chance.pick([[], ["--pattern", "{date}/{topic_slug}/{research_type}{research_type}"]]);
    return {
      files: {},
      args: [command, "--type", "t{topic_slug}", "--date", "2026-01-02", ...pattern, "--", topic],
    };
  }
  if (command === "staleness") {
    const windows = chance.pick([
      ...[
        '{"price": 3, "size": 18}',
        '{"Price": 3.9, "É": "12", "none": -5}',
        '{"price": 1, "size": 0}',
        "x",
      ],
    ]);
    const today = chance.pick([["--today", "2026-06-30"], ["--today", chance.pick(DATES)]]);
    return { files: file(claimsOf(chance)), args: [command, "in put.md", "--windows", windows, ...today] };
  }
  const text = textOf(chance, command === "tally" ? ENTRIES : PIECES, 30);
  const front = chance.below(3) === 0 ? "---\na: b\n---\n" : "";
  if (chance.below(10) === 0) return { files: {}, args: [command, "-"], stdin: front + text };
  return { files: file(front + text), args: [command, "in put.md"] };
}

Deno.test({
  name: verifies("work:same-answers", "recon_kit.py answers as BMAD's own"),
  ignore: NO_ORIGINALS,
  fn: async () => {
    const skill = `${await sourceTree("bmad-method@6.12.0")}/src/core-skills/bmad-deep-recon`;
    const chance = chanceFrom(3);
    const calls = [
      [],
      ["citations"],
      ["tally", "none.md"],
      ["x"],
      ["staleness", "a.md"],
      [
        "slug",
        "--type",
        "x",
      ],
    ];
    await compareCases(reconKit, `${skill}/scripts/recon_kit.py`, [
      ...Array.from({ length: 700 }, () => randomCase(chance)),
      ...calls.map((args) => ({ files: { "a.md": "x\0[1]" }, args })),
    ]);
  },
});
