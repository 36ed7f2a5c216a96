/** Can any argument of any native script lead it out of the project, or make it write what it should not? */
import assert from "node:assert/strict";
import { BmadError } from "../../../src/base/errors.ts";
import { openFiles } from "../../../src/project/files/mod.ts";
import { commandOf, runScript, SCRIPTS } from "../../../src/project/scripts/mod.ts";
import { allArguments } from "../../../src/project/scripts/options.ts";
import { type Chance, chanceFrom } from "../../support/chance.ts";
import { cpuClock } from "../../support/cpu.ts";
import { skillAt, worldOf } from "../../support/scripts.ts";
import { type TreeFile, withTree, writeTree } from "../../support/trees.ts";

const CANARY = "canari-7f3a";

const documents = (word: string): Record<string, TreeFile> => ({
  ".memlog.md": `---\ntopic: ${word}\n---\n\n- (idea) ${word}\n`,
  "ARCHITECTURE-SPINE.md": `## AD-1 ${word}\nBinds Prevents Rule TBD ${word}\n`,
  "report.md": `# ${word}\n\nA claim [1].\n\n| [1] | ${word} | https://example.org |\n`,
  "epics.md": `## Epic 1: ${word}\n\n### Story 1.1: ${word}\n`,
  "s.yaml":
    `generated: 2026-01-01\nlast_updated: 2026-01-01\nproject: ${word}\ndevelopment_status:\n  epic-1: in-progress\n  1-1-${word}: done\n`,
  "m.csv":
    `category,technique_name,method_name,description,detail\n${word},${word},${word},${word},report.md\n`,
  "x.json": JSON.stringify([{ category: word, technique_name: word, method_name: word, description: word }]),
  "claims.json": JSON.stringify([{ claim: word, class: "pricing", pub_date: "2026-01-01" }]),
  "customize.toml": `[workflow]\nname = "${word}"\n`,
  "initiative-a/initiative-a.md": `---\ntype: initiative\ntitle: ${word}\n---\n`,
  "initiative-a/tickets.toml": `[[entry]]\nid = 1\ntype = "story"\ntitle = "${word}"\n`,
  "_bmad/config.toml": `[core]\nproject_name = "${word}"\n`,
});

const below = (folder: string, files: Readonly<Record<string, TreeFile>>): Record<string, TreeFile> =>
  Object.fromEntries(Object.entries(files).map(([path, file]) => [`${folder}/${path}`, file]));

const SURROUNDINGS: Readonly<Record<string, TreeFile>> = {
  ...below("canary", documents(CANARY)),
  "canary.md": `# ${CANARY}\n`,
};
const PROJECT: Readonly<Record<string, TreeFile>> = {
  "_bmad/config.toml": '[core]\noutput_folder = "{project-root}/out"\n',
  ".env": `TOKEN=${CANARY}\n`,
  ".git/config": `[core]\n# ${CANARY}\n`,
  "src/main.ts": "1;\n",
  ...below("out", documents("word")),
  ...below("skills/s", { "SKILL.md": "# S\n", "customize.toml": '[workflow]\nname = "s"\n' }),
  "out/away": { link: "../../canary" },
  "out/away.md": { link: "../../canary.md" },
  "out/dangling.md": { link: "../../new.md" },
  "out/inner": { link: "../src" },
  "out/loop": { link: "loop" },
};

/** Whole calls of every command with every option; a word after @ is a path, of a folder if it ends with a slash; ~ is a space. */
const CALLS: Readonly<Record<string, readonly string[]>> = {
  "memlog.py": [
    "init --path @out/new/.memlog.md --field topic=x",
    "append --workspace @out/ --type idea --by Ann --text more",
    "set --workspace @out/ --key goal --value x",
  ],
  "sprint_plan.py": [
    "generate --epic-file @out/epics.md --status-file @out/s.yaml --stories-dir @out/ --project x --date 2026-01-02 " +
    "--project-key K --tracking-system file-system --story-location here --set 1-1-word=done --fresh",
    "generate --epic-file @out/epics.md --status-file out/t.yaml --stories-dir @out/ --project x --date 2026-01-02 " +
    "--dry-run",
    "status --status-file @out/s.yaml --date 2026-01-02 --stale-days 3",
    "validate --status-file @out/s.yaml",
  ],
  "sprint_status.py": [
    "detect-epic --file @out/s.yaml --epic 1",
    'update --file @out/s.yaml --epic 1 --set-retro-done --verdict accepted --ref r --add-action [{"action":"x"}]',
    "update --file @out/s.yaml --epic 1 --set-action-status [] --date 01-02-2026~10:00",
  ],
  "git_evidence.py": ["--repo @./ --range a..b --stories 1-1"],
  "resolve_config.py": ["--project-root @./ --key core"],
  "resolve_customization.py": ["--skill @skills/s/ --project-root @./ --key workflow"],
  "render_skill.py": ["--project-root . --skill s"],
  "resolve_party.py": [
    "--project-root @./ --skill s --party p",
    "--project-root @./ --skill s --list-groups",
  ],
  "resolve_personas.py": ["--project-root @./ --skill s"],
  "knowledge.py": ["--root skills --content"],
  "roster.py": ["--skill s --root skills --project-root ."],
  "tickets.py": [
    "--project-root @./ next @out/initiative-a/ --synced",
    "status @out/initiative-a/",
    "find @out/initiative-a/ 1",
    "pull @out/initiative-a/ 1",
    "mark @out/initiative-a/ 1 blocked --assignee Ann --blocked reason",
  ],
  "pick_methods.py": [
    "--file @out/m.csv --extra @out/x.json --json categories",
    "--file @out/m.csv list --category word --all",
    "--file @out/m.csv show word",
    "--file @out/m.csv random -n 2 --exclude other --spread",
  ],
  "brain.py": [
    "--file @out/m.csv --extra @out/x.json --json categories",
    "--file @out/m.csv list --category word --all",
    "--file @out/m.csv show word",
    "--file @out/m.csv random -n 2",
    "--file @out/m.csv html --out @out/p.html",
  ],
  "recon_kit.py": [
    "citations @out/report.md",
    "tally @out/.memlog.md",
    'staleness @out/claims.json --windows {"pricing":3} --today 2026-01-02',
    "slug topic --type market --pattern {topic} --date 2026-01-02",
    "escape-sources @out/report.md",
  ],
  "lint_spine.py": ["--workspace @out/ -o @out/l.json"],
  "word_metrics.py": ["@out/report.md -o @out/l.json"],
  "list_customizable_skills.py": ["--project-root @./ --skills-root @skills/ --extra-root @skills/"],
};

const OUTSIDE: readonly string[] = [
  ...["../canary", "../canary/report.md", "..", "out/../../canary", "{project-root}/../canary"],
  ...["/etc/passwd", "../../../../../../../../etc/passwd", "/dev/zero", "/dev/stdin"],
  ...["/proc/self/environ", "/", "C:\\Windows\\win.ini", "\\\\server\\share\\x", "out/away"],
  ...["out/away/report.md", "out/away/new.md", "out/away.md", "out/loop", "out/loop/x.md"],
];

/** What no script reads as a file; in place of a folder it is none. */
const UNREADABLE: readonly string[] = [
  ...["out/pipe.md", ".env", ".git/config", "x".repeat(5000), "a/".repeat(2100)],
];

/** Paths that may be read, but not written to. */
const UNWRITABLE: readonly string[] = [
  ...["_bmad/config.toml", "_bmad/new.md", "new.md", "src/main.ts", "src/new.md", "out/x.sh"],
  ...["out/.hidden/x.md", "out/node_modules/x.md", "out/inner/x.md", "out/inner/new/x.md"],
  ...["out/dangling.md"],
];

const WORDS: readonly string[] = [
  ..."|--|-|---|--=|.|''|-h|--help|-n|--file|--json|--output=/tmp/x|-o/tmp/x|--upload-pack=touch x|--ext-diff"
    .split("|"),
  ..."-c|core.pager=touch x|$(touch x)|`touch x`|; rm -rf .|> ../new.md|&&|~/x|$HOME|%SystemRoot%|a\0b|a\nb"
    .split("|"),
  ..."a\r\n- (decision) forged|a\u2028- forged|\u001b[2J|\u202e|\ud800|\ufeff|{project-root}|{{x}}|{|}".split(
    "|",
  ),
  ..."{skill-root}/../../canary|{output_folder}|{workflow.name}|bmad://core/../../canary|__proto__|constructor"
    .split("|"),
  ..."toString|NaN|-1|1e999|- (decision) forged|a: b\n---|A..B|--range=--output=/tmp/x..b|..|a..-o|null|true"
    .split("|"),
  ...'[{"action":"\\u0000"}]|[{"id":1,"status":"../x"}]|=|a=|=b|1-1-x=../../x'.split("|"),
  ...[
    "| sh",
    "9".repeat(30),
    "9".repeat(5000),
    "[".repeat(20_000),
    '{"a":'.repeat(10_000),
    "../".repeat(300),
  ],
  ...["(a+)+$".repeat(100), "a".repeat(90_000), "\n".repeat(1000)],
];

function footprint(folder: string): string {
  const lines: string[] = [];
  const visit = (path: string) => {
    const { size, mtime, ino, mode, isDirectory } = Deno.lstatSync(path);
    lines.push(`${path}\t${isDirectory ? "" : size} ${mtime?.getTime()} ${ino} ${mode}`);
    if (isDirectory) { for (const { name } of Deno.readDirSync(path)) visit(`${path}/${name}`); }
  };
  visit(folder);
  return lines.sort().join("\n");
}

function partsOf(line: string): [path: string, facts: string] {
  const [path = "", facts = ""] = line.split("\t");
  return [path, facts];
}

interface Outcome {
  readonly isRefused: boolean;
  readonly text: string;
}

interface CallOptions {
  readonly stdin?: string;
  readonly mayLock?: boolean;
}

const LOCK = /^out(?:\/\.bmad-work(?:\/\.gitignore|\/lock)?)?$/;
const NOTHING = /(?!)/;

interface Place {
  readonly outer: string;
  reset(): Promise<void>;
  call(words: readonly string[], options?: CallOptions): Promise<Outcome>;
}

async function withPlace(work: (place: Place) => Promise<void>): Promise<void> {
  await withTree(SURROUNDINGS, async (outer) => {
    const root = `${outer}/project`;
    new Deno.Command("mkfifo", { args: [`${outer}/pipe`] }).outputSync();
    const build = async () => {
      await Deno.remove(root, { recursive: true }).catch(() => {});
      await writeTree(root, PROJECT);
      Deno.linkSync(`${outer}/pipe`, `${root}/out/pipe.md`);
      return footprint(root);
    };
    const around = () =>
      [...Deno.readDirSync(outer)].map(({ name }) =>
        name === "project" ? name : footprint(`${outer}/${name}`)
      )
        .sort().join("\n");
    let before = await build();
    const surroundings = around();
    const call: Place["call"] = async (words, { stdin = "", mayLock = false } = {}) => {
      const about = JSON.stringify(words.map((word) => word.length > 100 ? `${word.slice(0, 100)}…` : word));
      const git = (folder: string, options: readonly string[], range: string) => {
        assert.ok(folder === root || folder.startsWith(`${root}/`), about);
        assert.ok(!range.startsWith("-") && options.every((option) => !option.includes("tmp")), about);
        return Promise.resolve({ status: 128, stdout: new Uint8Array(), stderr: "fatal: no" });
      };
      const files = openFiles({ root, output: "out", writable: [`${root}/out`] }, Date.now);
      const world = worldOf(root, { files, stdin, git, skills: [skillAt(`${root}/skills/s`)] });
      const took = cpuClock();
      const outcome = await outcomeOf(() => runScript(commandOf(words), world), about);
      assert.ok(took() < 10_000, `slow: ${about}`);
      assert.ok(!outcome.text.includes(CANARY), `${about}\n${outcome.text.slice(0, 500)}`);
      assert.equal(around(), surroundings, about);
      const after = footprint(root);
      if (after !== before) {
        const [old, now] = [before, after].map((lines) => new Map(lines.split("\n").map(partsOf)));
        const changed = [...now!].filter(([path, facts]) => old!.get(path) !== facts).map(([path]) => path);
        const allowed = outcome.isRefused ? mayLock ? LOCK : NOTHING : /^out(?:$|\/)/;
        for (const path of changed) {
          assert.match(path.slice(root.length + 1), allowed, `${about}: ${outcome.text.slice(0, 500)}`);
        }
        assert.deepEqual([...old!.keys()].filter((path) => !now!.has(path)), [], about);
        before = changed.every((path) => LOCK.test(path.slice(root.length + 1))) ? after : await build();
      }
      return outcome;
    };
    await work({ outer, call, reset: async () => void (before = await build()) });
  });
}

/** What a script prints if it ends well; a refusal has a sentence, and neither a stack nor a flood. */
async function outcomeOf(
  run: () => Promise<{ readonly status: number; readonly stdout: string; readonly stderr: string }>,
  about: string,
): Promise<Outcome> {
  try {
    const { status, stdout, stderr } = await run();
    if (status !== 0) {
      assert.ok(`${stdout}${stderr}`.trim() !== "", about);
      assert.doesNotMatch(stderr, /\.ts:\d+|TypeError|RangeError|NotCapable|SyntaxError/, about);
    }
    // Whoever asks whether a file is valid is answered that it is not.
    return { isRefused: status !== 0 || stdout.includes('"valid": false'), text: `${stdout}\n${stderr}` };
  } catch (error) {
    assert.ok(error instanceof BmadError, `${about}: ${error}`);
    // deno-lint-ignore no-control-regex
    assert.doesNotMatch(error.message, /[\x00-\x09\x0b-\x1f]/, about);
    assert.ok(error.message.length < 1000, `${about}: ${error.message.slice(0, 2000)}`);
    return { isRefused: true, text: error.message };
  }
}

const wordsOf = (line: string) => line.split(" ").map((word) => word.replace(/^@/, "").replace("~", " "));
const LINES = Object.entries(CALLS).flatMap(([script, lines]) => lines.map((line) => ({ script, line })));

Deno.test("the calls below have every command and option of every script", () => {
  assert.deepEqual(Object.keys(CALLS).sort(), SCRIPTS.map(({ name }) => name).sort());
  for (const { name, usage } of SCRIPTS) {
    const words = new Set(CALLS[name]!.flatMap((line) => line.split(" ")));
    const options = allArguments(usage).map(({ names: [first] }) => first).filter((one) =>
      one.startsWith("-")
    );
    const wanted = [...Object.keys(usage.commands ?? {}), ...options];
    assert.deepEqual(wanted.filter((word) => !words.has(word)), [], name);
  }
});

const TARGETS = /^--?(?:o|out|path|status-file)$/;
const isIgnored = Deno.build.os === "windows";

Deno.test({
  name: "script paths that lead elsewhere are refused [work:hostile-arguments]",
  ignore: isIgnored,
  fn: () =>
    withPlace(async ({ call, outer, reset }) => {
      for (const { script, line } of LINES) {
        const plain = await call([script, ...wordsOf(line)]);
        // Without git and without what these serve, the rest of them is refused.
        assert.equal(
          plain.isRefused,
          /git_evidence|render_skill/.test(script),
          `${script} ${line} ${plain.text}`,
        );
        const words = line.split(" ");
        for (const [at, word] of words.entries()) {
          if (!word.startsWith("@")) continue;
          const isTarget = TARGETS.test(words[at - 1] ?? "") && !/^status|^validate/.test(line);
          if (isTarget) await reset();
          const isFolder = word.endsWith("/");
          const elsewhere = [...OUTSIDE, `${outer}/canary`, `${outer}/canary/s.yaml`];
          for (const path of [...elsewhere, ...UNREADABLE, ...isTarget ? UNWRITABLE : []]) {
            const hostile = [script, ...wordsOf(line).with(at, path)];
            const { isRefused, text } = await call(hostile, { mayLock: !isTarget });
            assert.ok(
              isRefused || isFolder && UNREADABLE.includes(path),
              `${hostile.join(" ").slice(0, 300)}\n${text.slice(0, 300)}`,
            );
          }
        }
      }
    }),
});

function mutated(chance: Chance, script: string, line: string): readonly string[] {
  const words = wordsOf(line);
  for (let count = 1 + chance.below(3); count > 0; count--) {
    const hostile = chance.pick([...WORDS, ...WORDS, ...OUTSIDE, ...UNREADABLE, ...UNWRITABLE]);
    const at = chance.below(words.length + 1);
    switch (chance.below(5)) {
      case 0:
        words.splice(at, 0, hostile);
        break;
      case 1:
        words.splice(at, 1);
        break;
      case 2: {
        const options = words.filter((word) => word.startsWith("--") && word.length > 2);
        words.splice(at, 0, `${options.length === 0 ? "--x" : chance.pick(options)}=${hostile}`);
        break;
      }
      case 3:
        words.push(...wordsOf(chance.pick(LINES).line));
        break;
      default:
        words[Math.min(at, words.length - 1)] = hostile;
    }
  }
  const starts = [[], [], ["uv", "run"], ["python3"], ["sh", "-c"], ["uv", "run", "--with", hostileStart]];
  return [...chance.pick(starts), script, ...words];
}

const ROUNDS = Number(Deno.env.get("BMAD_TEST_ROUNDS") ?? 600);
const hostileStart = "../../canary";

Deno.test("600 hostile calls do no harm [work:hostile-arguments]", { ignore: isIgnored }, async (t) => {
  const seed = Number(Deno.env.get("BMAD_TEST_SEED") ?? Date.now() % 1_000_000);
  await t.step(`seed ${seed}`, () =>
    withPlace(async ({ call }) => {
      const chance = chanceFrom(seed);
      for (let round = 0; round < ROUNDS; round++) {
        const { script, line } = chance.pick(LINES);
        const stdin = chance.pick(["", "x", "[]", "\0", "\ud800"]);
        await call(mutated(chance, script, line), { stdin, mayLock: true });
      }
    }));
});

Deno.test(
  "10 MB in a word or stdin are refused [work:hostile-arguments]",
  { ignore: isIgnored },
  () =>
    withPlace(async ({ call }) => {
      const huge = "x".repeat(10 << 20);
      for (const { script, line } of LINES) {
        const words = wordsOf(line);
        const at = words.length - 1;
        for (const word of [huge, `${words[at]}=${huge}`, `a\0${huge}`]) {
          assert.ok((await call([script, ...words.with(at, word)])).isRefused, script);
        }
      }
      for (const command of ["citations", "tally", "escape-sources"]) {
        assert.ok((await call(["recon_kit.py", command, "-"], { stdin: huge })).isRefused, command);
      }
    }),
);
