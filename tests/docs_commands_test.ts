/** Do the commands that the README, the guide and the help show work as they are written? */
import assert from "node:assert/strict";
import { hasKind, type Inventory, isHidden } from "../src/base/model.ts";
import { renderSkill } from "../src/commands/clients/entries.ts";
import { COMMAND_NAMES, describeCommand } from "../src/operations/mod.ts";
import { runLine, runShell } from "./support/shell.ts";
import { POSIX } from "./support/run.ts";

const ROOT = new URL("../", import.meta.url);

/**
 * Creates, in an empty home folder, only the folders that examples name, and here a sprint with the story 1-2, a
 * question and a skill that overrides an embedded one.
 */
const HOME = `skill=~/team-bmad/.claude/skills/bmad-sail
mkdir -p ~/shop $skill
git init --quiet && git config user.name Ann
printf -- '---\\nname: bmad-sail\\ndescription: Sail\\n---\\nSail.\\n' > $skill/SKILL.md
party=.claude/skills/bmad-party-mode
mkdir -p $party
printf -- '---\\nname: bmad-party-mode\\ndescription: Dance\\n---\\nDance.\\n' > $party/SKILL.md
sprint=_bmad-output/implementation-artifacts
mkdir -p $sprint
printf 'development_status:\\n  epic-1: in-progress\\n  1-2-login: in-progress\\n' > $sprint/sprint-status.yaml
printf 'Status: in-progress\\n\\n## Acceptance Criteria\\n\\n1. It works\\n' > $sprint/1-2-login.md
printf '\\n## Review Findings\\n\\n- [x] [Review][Patch] The counter has no lock\\n' >> $sprint/1-2-login.md
printf -- '- **Q3** Which one?\\n  - A: Google\\n  - B: GitHub\\n' > $sprint/open-questions.md
mkdir -p _bmad-output/planning-artifacts
state=~/.local/state/bmad-mcp/http
mkdir -p -m 700 $state $state/tokens $state/record
hash=$(printf '0%.0s' $(seq 64))
printf '{"tokens":[{"id":"abcdefgh","name":"ana","role":"worker","added":1,"hash":"%s"}]}' $hash > $state/tokens/tokens.json
chmod 600 $state/tokens/tokens.json
echo '{"at":1,"name":"ana","role":"worker","project":"shop","deed":"claim 1-2"}' > $state/record/record.jsonl
echo '### Story 1.2: Login' > _bmad-output/planning-artifacts/epics.md
printf '# PRD\\n\\nThe lifetime of a token is short.\\n\\n- FR3: Users log in\\n' > _bmad-output/planning-artifacts/prd.md`;

/** What stands for a name in the README, and one such name. */
const NAMES: readonly (readonly [RegExp, string])[] = [
  [/\bCLIENT\b/, "cursor"],
  [/\bDIR\b/, "~/shop"],
  [/\bNAME\b/, "analyst"],
  // No test goes to the network: a folder is added like a repository.
  [/https:\/\/github\.com\/acme\/\S+/, "~/team-bmad"],
  // A checkout is run by this Deno, here.
  [
    /^npx -y deno@[\d.]+ task (?:-q )?start\b/,
    `'${Deno.execPath()}' task -q --config '${ROOT.pathname}deno.json' start`,
  ],
];

/** Commands that need a terminal or the network, or stand for many; other tests have them. */
const NOT_RUN =
  /^bmad-mcp install$|start install$|^bmad-mcp (?:install|script) …$|task (?:quick|test|test:full|bench|ok)$|^npx (?:bmad-mcp$|-y @)|^git clone|^alias |^npm install |^(?:brew|curl|scoop|irm|gh|xattr) /;

async function readPages(): Promise<string> {
  const pages = ["README.md", "docs/guide.md"].map((page) => Deno.readTextFile(new URL(page, ROOT)));
  return (await Promise.all(pages)).join("\n");
}

function commandsIn(page: string): readonly string[] {
  const blocks = [...page.matchAll(/^```sh\n([^]*?)^```/gm)].flatMap(([, block]) =>
    block!.trim().split("\n")
  );
  const inline = [...page.matchAll(/`((?:bmad-mcp|npx) [^`\n]+)`/g)].map(([, command]) => command!);
  const all = [...blocks, ...inline].map((line) => line.replace(/\s+#.*$/, ""));
  return [...new Set(all)];
}

const untilListening = (line: string) =>
  `timeout -s INT 60 ${line} 2>~/said &
until grep -q 'Listening at' ~/said || ! kill -0 $!; do sleep 0.1; done
kill -INT $!
wait $!
cat ~/said >&2`;

Deno.test("each command of README and guide works as written [docs:readme-commands]", POSIX, async (t) => {
  const commands = commandsIn(await readPages());
  const [left, run] = [true, false].map((isLeft) => commands.filter((line) => NOT_RUN.test(line) === isLeft));
  assert.ok(run!.length >= 25 && left!.length <= 12, JSON.stringify({ run, left }));
  for (const command of run!) {
    await t.step(command, async () => {
      const line = NAMES.reduce((text, [name, meant]) => text.replace(name, meant), command);
      // A server runs until it is stopped.
      const isServer = / --http \d+$/.test(line) && line.includes(" serve ");
      const { code, stdout, stderr } = await runShell(
        `${HOME}\n${isServer ? untilListening(line.replace(/\d+$/, "0")) : line}`,
      );
      if (isServer) return assert.match(stderr, /Listening at/);
      // The check of a story that is not done has findings.
      assert.ok(code === 0 || (code === 1 && / (?:check|doctor)\b/.test(line)), `${code} ${stderr}`);
      assert.doesNotMatch(stderr, /^bmad-mcp(: | error)/m);
      assert.equal(stdout === "" && !/start$/.test(line), false, "it prints something");
    });
  }
});

Deno.test("the README's alias runs the checkout, in a project [docs:readme-commands]", POSIX, async () => {
  const [, alias] = /^alias bmad-mcp='(.*)'$/m.exec(await Deno.readTextFile(new URL("README.md", ROOT)))!;
  const own = alias!.replace("~/bmad-mcp/node_modules/.bin/deno ", "DENO ")
    .replaceAll("~/bmad-mcp/", ROOT.pathname);
  assert.match(own, /^DENO [^~]*$/);
  // This Deno stands for the one from npm.
  const line = own.replace("DENO", `'${Deno.execPath()}'`);
  const { code, stdout, stderr } = await runShell(`${HOME}\n${line} board`);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^1-2\tin-progress: Login/m);
});

Deno.test("README and guide say how much the embedded content holds", async () => {
  const pages = (await readPages()).replaceAll(/\s+/g, " ");
  const index = await Deno.readTextFile(new URL("bmad-embedded/content/latest.json", ROOT));
  const { inventory } = JSON.parse(index) as { readonly inventory: Inventory };
  const shown = inventory.items.filter((item) => !isHidden(item));
  const agents = shown.filter((item) => hasKind(item, "agent"));
  const sentence = `${shown.length} skills, ${agents.length} of them agents`;
  assert.deepEqual(
    [...pages.matchAll(/\d+ skills, \d+ of them agents/g)].map(([text]) => text),
    [sentence, sentence],
  );
});

Deno.test("each line of the skill works as it is written [skill:lines]", POSIX, async (t) => {
  const text = renderSkill().replaceAll(/\bNAME\b(?= -m)/g, "analyst").replace("help COMMAND", "help mark");
  const lines = new Set(Array.from(text.matchAll(/`(bmad-mcp [^`]+)`/g), ([, line]) => line!));
  // Without a script, it has nothing to run.
  const run = [...lines].filter((line) => !/ script(?: -)?$/.test(line));
  assert.ok(run.length > 20, run.join("\n"));
  for (const line of run) {
    await t.step(line, async () => {
      const { code, stdout, stderr } = await runLine(line, HOME);
      assert.ok(code === 0 || (code === 1 && line.includes(" check ")), `${code} ${stderr}`);
      assert.notEqual(stdout, "");
    });
  }
});

Deno.test("every example of a command works as it is written", POSIX, async (t) => {
  for (const name of COMMAND_NAMES) {
    // A server over HTTP stays until it is stopped: those of docs/http.md run beside its lines.
    for (const example of describeCommand(name).examples.filter((line) => !line.includes("--http"))) {
      await t.step(example, async () => {
        const { code, stdout, stderr } = await runLine(example, HOME);
        assert.equal(code, 0, stderr);
        assert.doesNotMatch(stderr, /^bmad-mcp(: | warn| error)/m);
        // `serve` has no client here, and output redirected to a file is not captured.
        const isSilent = name === "serve" || example.includes(" > ");
        assert.equal(
          stdout === "",
          isSilent,
          `stdout: ${stdout || "nothing"}; stderr: ${stderr || "nothing"}`,
        );
      });
    }
  }
});

/** The places of the examples: a repository with two packages, and a folder with two repositories. */
const PLACES = `git config --global user.name Ann
project() { # FOLDER KEY STATUS
  mkdir -p $1/_bmad-output/implementation-artifacts
  printf "development_status:\\n  epic-\${2%%-*}: in-progress\\n  $2: $3\\n" \\
    > $1/_bmad-output/implementation-artifacts/sprint-status.yaml
  printf "Status: $3\\n" > $1/_bmad-output/implementation-artifacts/$2.md
}
git init --quiet ~/shop
project ~/shop/packages/api 1-2-pay ready-for-dev
project ~/shop/packages/web 1-2-cart review
project ~/sites/app 1-1-login ready-for-dev && git init --quiet ~/sites/app
project ~/sites/site 3-1-footer ready-for-dev && git init --quiet ~/sites/site`;

Deno.test("the examples of several projects are what happens [place:docs]", POSIX, async () => {
  const page = await Deno.readTextFile(new URL("docs/work.md", ROOT));
  const section = /^## Several projects in one place$([^]*?)^## /m.exec(page)![1]!;
  const examples = [...section.matchAll(/^```console\n([^]*?)^```/gm)].map(([, text]) => text!);
  assert.equal(examples.length, 2);
  for (const example of examples) {
    const steps = example.split(/^\$ /m).slice(1).map((step) => step.trimEnd().split("\n"));
    const lines = steps.map(([line]) => `{ ${line}\n} 2>&1; echo END`);
    const { stdout } = await runShell([PLACES, ...lines].join("\n"));
    const printed = stdout.split("END\n").map((text) => text.split("\n").map(plain));
    for (const [at, [line, ...shown]] of steps.entries()) {
      const missing = shown.filter((text) => !printed[at]!.some((own) => own.startsWith(plain(text))));
      assert.deepEqual(missing, [], `${line}\n${printed[at]!.join("\n")}`);
    }
  }
});

function plain(text: string): string {
  return text.replaceAll(/\s+/g, " ");
}
