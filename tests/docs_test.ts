/**
 * Are the documents true?
 *
 * Generated pages equal their tables, links between documents resolve, the tasks that the README names exist, and every
 * example of a command works as it is written. tests/vocabulary_test.ts checks how they are written.
 */
import assert from "node:assert/strict";
import { FILLED, PAGES } from "../docs/generate.ts";
import { renderPicture, runsOf } from "../docs/picture.ts";
import { COMMAND_NAMES, COMMANDS } from "../src/settings/mod.ts";
import { verifies } from "./support/requirements.ts";
import { runShell } from "./support/shell.ts";

const ROOT = new URL("../", import.meta.url);

Deno.test("a generated page is what its table says", async () => {
  for (const [name, render] of Object.entries(PAGES)) {
    const written = await Deno.readTextFile(new URL(`docs/${name}`, ROOT));
    assert.equal(written, render(), `docs/${name} is out of date: run deno task docs`);
  }
});

Deno.test("the generated parts of a page are what their tables say", async () => {
  for (const [name, fill] of Object.entries(FILLED)) {
    const written = await Deno.readTextFile(new URL(name, ROOT));
    assert.equal(written, fill(written), `${name} is out of date: run deno task docs`);
  }
});

Deno.test("a link in a document leads to a file", async () => {
  const documents = ["README.md", "CHANGELOG.md"];
  for (const dir of [".github", "docs", "docs/decisions"]) {
    for await (const { name } of Deno.readDir(new URL(dir, ROOT))) {
      if (name.endsWith(".md")) documents.push(`${dir}/${name}`);
    }
  }
  const broken: string[] = [];
  for (const document of documents) {
    const base = new URL(document, ROOT);
    const text = await Deno.readTextFile(base);
    for (const [, target] of text.matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)) {
      if (/^[a-z]+:/.test(target!)) continue;
      const found = await Deno.stat(new URL(target!, base)).catch(() => undefined);
      if (found === undefined) broken.push(`${document} → ${target}`);
    }
  }
  assert.deepEqual(broken, []);
});

Deno.test("the README's task commands exist", async () => {
  const readme = await Deno.readTextFile(new URL("README.md", ROOT));
  const { tasks } = JSON.parse(await Deno.readTextFile(new URL("deno.json", ROOT)));
  const named = [...readme.matchAll(/deno@[\d.]+ task (?:-q |--config \S+ )?([a-z]+)/g)].map(([, task]) =>
    task!
  );
  assert.ok(
    named.includes("start") && named.includes("test"),
    "the README shows how to start and how to test",
  );
  assert.deepEqual(named.filter((task) => !Object.hasOwn(tasks, task)), []);
});

Deno.test("the picture is of this version, for light and dark, and needs nothing from elsewhere", async () => {
  const picture = await Deno.readTextFile(new URL("docs/picture.svg", ROOT));
  const { version, engines } = JSON.parse(await Deno.readTextFile(new URL("deno.json", ROOT)));
  assert.ok(
    picture.includes(`bmad-mcp ${version}, deno ${engines.deno}<`),
    "The picture is out of date: run deno task docs",
  );
  assert.match(picture, /@media \(prefers-color-scheme: dark\)/);
  assert.doesNotMatch(picture, /https?:\/\/(?!www\.w3\.org\/2000\/svg)|url\(|<script|<image|\/tmp\//);
});

Deno.test("a picture has the lines of a terminal in their places and colours", () => {
  assert.deepEqual(runsOf("\x1b[32m✓\x1b[39m 日本  ok"), [
    { column: 0, text: "✓", style: "good" },
    { column: 2, text: "日" },
    { column: 4, text: "本" },
    { column: 8, text: "ok" },
  ]);
  const svg = renderPicture(["\x1b[1ma <b>\x1b[22m", "c & d"], "Two lines");
  assert.match(svg, /<text x="20\.0" y="53" class="heading"[^>]*>a &lt;b&gt;<\/text>/);
  assert.match(svg, /<text x="20\.0" y="72"[^>]*>c &amp; d<\/text>/);
});

/**
 * Creates, in an empty home folder, only the folders that examples name, and here a sprint with the story 1-2 and a
 * skill that overrides an embedded one.
 */
const HOME = `skill=~/team-bmad/.claude/skills/bmad-sail
mkdir -p ~/shop $skill
printf -- '---\\nname: bmad-sail\\ndescription: Sail\\n---\\nSail.\\n' > $skill/SKILL.md
party=.claude/skills/bmad-party-mode
mkdir -p $party
printf -- '---\\nname: bmad-party-mode\\ndescription: Dance\\n---\\nDance.\\n' > $party/SKILL.md
sprint=_bmad-output/implementation-artifacts
mkdir -p $sprint
printf 'development_status:\\n  epic-1: in-progress\\n  1-2-login: in-progress\\n' > $sprint/sprint-status.yaml
printf 'Status: in-progress\\n\\n## Acceptance Criteria\\n\\n1. It works\\n' > $sprint/1-2-login.md
mkdir -p _bmad-output/planning-artifacts
echo '### Story 1.2: Login' > _bmad-output/planning-artifacts/epics.md`;

/** What stands for a name in the README, and one such name. */
const NAMES: readonly (readonly [RegExp, string])[] = [
  [/\bCLIENT\b/, "cursor"],
  [/\bDIR\b/, "~/shop"],
  [/\bNAME\b/, "analyst"],
  // No test goes to the network: a folder is added like a repository.
  [/https:\/\/github\.com\/acme\/\S+/, "~/team-bmad"],
  // A checkout is run by this Deno, here.
  [
    /^npx -y deno@[\d.]+ task -q start\b/,
    `'${Deno.execPath()}' task -q --config '${ROOT.pathname}deno.json' start`,
  ],
];

/** Commands that need a terminal or the network, or stand for many; other tests have them. */
const NOT_RUN =
  /^bmad-mcp install$|start install$|^bmad-mcp (?:install|script) …$|task (?:test|bench|ok)$|^npx (?:bmad-mcp$|-y @)|^git clone|^(?:brew|curl|scoop|irm|gh|xattr) /;

/** The commands of the README: in blocks, and inside a line. */
function commandsIn(readme: string): readonly string[] {
  const blocks = [...readme.matchAll(/^```sh\n([^]*?)^```/gm)].flatMap(([, block]) =>
    block!.trim().split("\n")
  );
  const inline = [...readme.matchAll(/`((?:bmad-mcp|npx) [^`\n]+)`/g)].map(([, command]) => command!);
  const all = [...blocks, ...inline].map((line) => line.replace(/\s+#.*$/, ""));
  return [...new Set(all)];
}

Deno.test({
  name: verifies("docs:readme-commands", "every command of the README works as it is written"),
  ignore: Deno.build.os === "windows",
  fn: async (t) => {
    const commands = commandsIn(await Deno.readTextFile(new URL("README.md", ROOT)));
    const [left, run] = [true, false].map((isLeft) =>
      commands.filter((line) => NOT_RUN.test(line) === isLeft)
    );
    assert.ok(run!.length >= 25 && left!.length <= 12, JSON.stringify({ run, left }));
    for (const command of run!) {
      await t.step(command, async () => {
        const line = NAMES.reduce((text, [name, meant]) => text.replace(name, meant), command);
        // A server runs until it is stopped.
        const isServer = / --http \d+$/.test(line) && line.includes(" serve ");
        const { code, stdout, stderr } = await runShell(
          isServer ? `${HOME}\ntimeout -s INT 3 ${line.replace(/\d+$/, "0")}` : `${HOME}\n${line}`,
        );
        if (isServer) return assert.match(stderr, /Listening at/);
        // The check of a story that is not done has findings.
        assert.ok(code === 0 || (code === 1 && / (?:check|doctor)\b/.test(line)), `${code} ${stderr}`);
        assert.doesNotMatch(stderr, /^bmad-mcp(: | error)/m);
        assert.equal(stdout === "" && !/start$/.test(line), false, "it prints something");
      });
    }
  },
});

Deno.test(
  verifies("docs:readme", "the README leads with three commands, and its contents name its sections"),
  async () => {
    const readme = await Deno.readTextFile(new URL("README.md", ROOT));
    const [first, second] = [...readme.matchAll(/^## (.+)$/gm)].map(([, title]) => title);
    assert.deepEqual([first, second], ["Three commands", "Contents"]);
    const anchors = [...readme.matchAll(/^## (.+)$/gm)].map(([, title]) =>
      `#${title!.toLowerCase().replaceAll(/[^\w -]/g, "").replaceAll(" ", "-")}`
    );
    const linked = [...readme.matchAll(/\]\((#[^)]+)\)/g)].map(([, anchor]) => anchor!);
    assert.deepEqual(linked.filter((anchor) => !anchors.includes(anchor)), []);
    const contents = /^## Contents\n([^]*?)^## /m.exec(readme)![1]!;
    const missing = anchors.slice(2).filter((anchor) => !contents.includes(`(${anchor})`));
    assert.deepEqual(missing, ["#independent"]);
    const [, table] = /^## Ten everyday tasks\n\n([^]*?)\n\n/m.exec(readme)!;
    assert.equal(table!.split("\n").length, 12);
    for (const picture of ["agent.svg", "board.png"]) {
      const { size } = await Deno.stat(new URL(`docs/${picture}`, ROOT));
      assert.ok(readme.includes(`](docs/${picture})`) && size < 150_000, picture);
    }
  },
);

Deno.test({
  name: "every example of a command works as it is written",
  ignore: Deno.build.os === "windows",
  fn: async (t) => {
    for (const name of COMMAND_NAMES) {
      for (const example of COMMANDS[name].examples) {
        await t.step(example, async () => {
          const { code, stdout, stderr } = await runShell(`${HOME}\n${example}`);
          assert.equal(code, 0, stderr);
          assert.doesNotMatch(stderr, /^bmad-mcp(: | warn| error)/m);
          // `serve` has no client here, and output redirected to a file is not captured.
          const isSilent = name === "serve" || example.includes(" > ");
          assert.equal(stdout === "", isSilent, stdout);
        });
      }
    }
  },
});
