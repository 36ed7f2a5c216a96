/**
 * Does `lint_spine.py` find what BMAD's own script finds?
 */
import assert from "node:assert/strict";
import { lintSpine } from "../../../src/project/scripts/lint_spine.ts";
import { chanceFrom } from "../../soak/chance.ts";
import { sourceTree } from "../../support/installs.ts";
import { verifies } from "../../support/requirements.ts";
import { textOf } from "../../support/script_texts.ts";
import { compareCases, NO_ORIGINALS, runNative } from "../../support/scripts.ts";
import { withTree } from "../../support/trees.ts";

const SPINE = "w/ARCHITECTURE-SPINE.md";

interface Finding {
  readonly category: string;
  readonly detail: string;
  readonly location: string;
}

/** What it finds in a spine, as `category: detail @ line`. */
async function findings(text: string): Promise<readonly string[]> {
  return await withTree({ [SPINE]: text }, async (root) => {
    const { status, stdout } = await runNative(lintSpine, root, ["--workspace", "w"]);
    assert.equal(status, 0);
    const report = JSON.parse(stdout) as { ok: boolean; total_findings: number; findings: Finding[] };
    assert.equal(report.ok, report.findings.length === 0);
    assert.equal(report.total_findings, report.findings.length);
    return report.findings.map(({ category, detail, location }) =>
      `${category}: ${detail} @ ${/line (\d+)/.exec(location)?.[1]}`
    );
  });
}

const FIELDS = "Binds: all\nPrevents: drift\nRule: one\n";

Deno.test("a sound spine has no findings", async () => {
  const stack = "## Stack\n| Name | Version |\n|---|---|\n| Deno | 2 |\n";
  assert.deepEqual(
    await findings(`---\nscope: all\n---\n## AD-1 x\n${FIELDS}### AD-2\n${FIELDS}${stack}`),
    [],
  );
});

Deno.test("placeholders are found with their lines, but not in code", async () => {
  assert.deepEqual(
    await findings(
      "---\nscope: {scope}\nby: TBD\n---\nx TODO\n```\nTODO\n```\nsimilar to ad-3, TODOS\n{a b}\n",
    ),
    [
      "placeholder: frontmatter placeholder marker: 'TBD' @ 3",
      "placeholder: frontmatter possible unfilled template token (verify): '{scope}' @ 2",
      "placeholder: placeholder marker: 'TODO' @ 5",
      "placeholder: unresolved cross-reference: 'similar to ad-3' @ 9",
      "placeholder: possible unfilled template token (verify): '{a b}' @ 10",
    ],
  );
});

Deno.test("decisions must rise and have their fields", async () => {
  const reported = await findings(`## AD-2\n${FIELDS}## AD-1\n${FIELDS}## AD-2\nBinds Rule\n`);
  assert.deepEqual(reported.map((line) => line.replace(/;.*(?= @)/, "")), [
    "ad_id: AD-1 is non-monotonic (follows AD-2) @ 5",
    "ad_id: AD-2 id reused (also at line 1) @ 9",
    "ad_id: AD-2 is non-monotonic (follows AD-2) @ 9",
    "ad_fields: AD-2 missing required field(s): prevents @ 9",
  ]);
});

Deno.test("a row of the stack needs a version, wherever its column is", async () => {
  assert.deepEqual(
    await findings(
      "## Stack & more\n| Version | Name |\n|--|--|\n| | Deno |\n| 1 | Git |\n| x | |\n## Other\n| a |\n",
    ),
    ["version_pin: Stack entry 'Deno' has no version @ 4"],
  );
});

Deno.test("a missing or unreadable spine is told in the answer, with status 0", () =>
  withTree({
    "w/x": "",
    "b/ARCHITECTURE-SPINE.md": new Uint8Array([0x61, 0xff]),
    "f/ARCHITECTURE-SPINE.md/": "",
  }, async (root) => {
    const reasons = {
      w: /not found$/,
      none: /not found$/,
      b: /^could not read .*: Not valid UTF-8$/,
      f: /^could not read .*: Is a directory$/,
    };
    for (const [workspace, reason] of Object.entries(reasons)) {
      const { status, stdout } = await runNative(lintSpine, root, ["--workspace", workspace]);
      assert.deepEqual([status, JSON.parse(stdout).ok], [0, false]);
      assert.match(JSON.parse(stdout).error, reason);
    }
  }));

Deno.test("very many decisions without an end take little time", async () => {
  const reported = await findings(Array.from({ length: 10_000 }, (_, at) => `##AD-${at}\n`).join(""));
  assert.equal(reported.length, 10_000);
});

const PIECES = [
  ...[
    "## AD-",
    "### AD-",
    "##AD-",
    "1",
    "2",
    "3",
    "10",
    " Title",
    "\n",
    "\n",
    "\n",
    "\n",
    "---\n",
    "---",
    " ",
  ],
  ...[
    "Binds",
    "PREVENTS",
    "rule:",
    "# H\n",
    "TBD",
    "TODO",
    "FIXME",
    "XXX",
    "x",
    "_",
    "Similar to AD-",
    "{token}",
  ],
  ...[
    "{a b/c.d-e}",
    "{A}",
    "{",
    "}",
    "```",
    "```\n",
    "## Stack",
    "\n## Stack\n",
    "\n| Name | Version |\n",
    "|",
    " | ",
  ],
  ...["|---|:--|\n", "| Deno | |\n", "| version | NAME | x |\n", "| {n} | |\n", "\n|", "|\n"],
];

Deno.test({
  name: verifies("work:same-answers", "lint_spine.py answers as BMAD's own"),
  ignore: NO_ORIGINALS,
  fn: async () => {
    const skill = `${await sourceTree("bmad-method@6.12.0")}/src/bmm-skills/plan/bmad-architecture`;
    const chance = chanceFrom(2);
    const start = () => chance.below(3) === 0 ? "---\nscope: {scope}\n---\n" : "";
    const texts = Array.from(
      { length: 400 },
      () => `${start()}${textOf(chance, PIECES, 60)}`,
    );
    const calls = [
      [],
      ["--workspace", "none"],
      ["--workspace", "w//."],
      ["--workspace", "w", "-o", "w/o.json"],
      [
        "--workspace=w",
        "--output",
        "no/o.json",
      ],
      ["--workspace", "w", "x"],
      ["--workspace", "é'\\"],
    ];
    await compareCases(lintSpine, `${skill}/scripts/lint_spine.py`, [
      ...texts.map((text) => ({ files: { [SPINE]: text }, args: ["--workspace", "w"] })),
      ...calls.map((args) => ({
        files: { [SPINE]: "\ufeff## AD-1\0\r\n" },
        args,
      })),
    ]);
  },
});
