/**
 * How long does a native script take through a running server, compared with `python3 script.py`?
 *
 * Both do the same work in turns, in two copies of an installation of BMAD 6.12.0 with the same documents: every command
 * of every script. Scripts after 6.12 are in no npm package; they are compared with a start of Python that imports what
 * each of them does, which is less than any of them takes. Python is the interpreter itself, unless `PYTHON` names
 * another program, such as the `python3` of a version manager, which takes longer. Fails if a native call takes more
 * than a fifth, or ends otherwise than BMAD's own. Needs Python 3.11 and git; without ruamel.yaml, the two scripts that
 * need it are compared with that start, too.
 *
 *     deno run -A --config deno.dev.json bench/scripts.ts [ROUNDS [START OF A LINE]]
 */
import { SCRIPTS } from "../src/project/scripts/mod.ts";
import { runGit } from "../tests/support/git.ts";
import { installation } from "../tests/support/installs.ts";
import { findRuamel, NO_PYTHON } from "../tests/support/python.ts";
import { copyTree, writeTree } from "../tests/support/trees.ts";
import { buildBundle, loadNow, median, openLines, print } from "./support.ts";

const ROUNDS = Number(Deno.args[0] ?? 15);
const ONLY = Deno.args[1] ?? "";
const LIMIT = 0.2;
/** What every script after 6.12 needs. */
const IMPORTS = "import argparse, json, pathlib, re, tomllib";

const REPORT = `${
  "A claim [1] and another [2].\n".repeat(400)
}\n| [1] | x | https://example.org |\n| [2] | y | z |\n`;
const STORIES = Array.from({ length: 40 }, (_, at) => at + 1);
const DOCUMENTS = {
  "w/.memlog.md": `---\ntopic: x\n---\n\n${"- (note) an entry\n".repeat(200)}`,
  "w/ARCHITECTURE-SPINE.md": "## AD-1 x\nBinds Prevents Rule\n".repeat(100),
  "w/report.md": REPORT,
  "w/claims.json": JSON.stringify(
    STORIES.map((at) => ({ claim: `c${at}`, class: "price", pub_date: "2026-01-01" })),
  ),
  "w/epics.md": `## Epic 1: One\n\n${STORIES.map((at) => `### Story 1.${at}: Story ${at}\n`).join("\n")}`,
  "w/s.yaml":
    `generated: 2026-01-01\nlast_updated: 2026-01-01\nproject: x\nproject_key: K\ntracking_system: f\nstory_location: w\n` +
    `development_status:\n  epic-1: in-progress\n${
      STORIES.map((at) => `  1-${at}-story-${at}: done\n`).join("")
    }` +
    "  epic-1-retrospective: optional\n",
  "initiative-a/initiative-a.md": "---\ntype: initiative\ntitle: A\n---\n",
  "initiative-a/tickets.toml": Array.from(
    { length: 60 },
    (_, at) => `[[entry]]\nid = ${at + 1}\ntype = "story"\ntitle = "Story ${at + 1}"\n`,
  ).join("\n"),
};

/** Where a script lies: in a skill, or with those of all skills. */
const FOLDERS: Readonly<Record<string, string>> = {
  "memlog.py": "_bmad/scripts",
  "resolve_config.py": "_bmad/scripts",
  "resolve_customization.py": "_bmad/scripts",
  "render_skill.py": "_bmad/scripts",
  "recon_kit.py": ".claude/skills/bmad-deep-recon/scripts",
  "word_metrics.py": ".claude/skills/bmad-review/scripts",
  "pick_methods.py": ".claude/skills/bmad-advanced-elicitation/scripts",
  "brain.py": ".claude/skills/bmad-brainstorming/scripts",
  "lint_spine.py": ".claude/skills/bmad-architecture/scripts",
  "list_customizable_skills.py": ".claude/skills/bmad-customize/scripts",
  "resolve_party.py": ".claude/skills/bmad-party-mode/scripts",
  "resolve_personas.py": ".claude/skills/bmad-forge-idea/scripts",
  "sprint_plan.py": ".claude/skills/bmad-sprint-planning/scripts",
  "sprint_status.py": ".claude/skills/bmad-retrospective/scripts",
  "git_evidence.py": ".claude/skills/bmad-retrospective/scripts",
};
const NEEDS_RUAMEL = ["sprint_plan.py", "sprint_status.py"];

/** One call of each command; `ROUND` is another number in each round, `W` the folder of the documents. */
const LINES: readonly string[] = [
  "memlog.py init --path W/ROUND/.memlog.md --field topic=x",
  "memlog.py append --workspace W --text more",
  "memlog.py set --workspace W --key goal --value ROUND",
  "recon_kit.py citations W/report.md",
  "recon_kit.py tally W/.memlog.md",
  'recon_kit.py staleness W/claims.json --windows {"price":3} --today 2026-02-01',
  "recon_kit.py slug topic --type market",
  "recon_kit.py escape-sources W/report.md",
  "word_metrics.py W/report.md",
  "pick_methods.py categories",
  "pick_methods.py list --all",
  "pick_methods.py show Tree",
  "pick_methods.py random -n 5 --spread",
  "brain.py categories",
  "brain.py list --all",
  "brain.py show SCAMPER",
  "brain.py random -n 3",
  "brain.py html --out W/ROUND.html",
  "lint_spine.py --workspace W",
  "list_customizable_skills.py --project-root .",
  "resolve_config.py --project-root .",
  "resolve_customization.py --skill .claude/skills/bmad-prd --project-root .",
  "render_skill.py --project-root . --skill .claude/skills/bmad-build",
  "resolve_party.py --project-root . --skill .claude/skills/bmad-party-mode",
  "resolve_personas.py --project-root . --skill .claude/skills/bmad-forge-idea",
  "sprint_plan.py generate --epic-file W/epics.md --status-file W/t.yaml --stories-dir W --project x --date 2026-01-02",
  "sprint_plan.py status --status-file W/s.yaml",
  "sprint_plan.py validate --status-file W/s.yaml",
  "sprint_status.py detect-epic --file W/s.yaml",
  "sprint_status.py update --file W/s.yaml --epic 1 --set-retro-done --verdict accepted",
  "git_evidence.py --range HEAD~10..HEAD",
  "knowledge.py --root .claude/skills",
  "roster.py --root .claude/skills",
  "tickets.py next _bmad-output/initiative-a",
  "tickets.py status _bmad-output/initiative-a",
  "tickets.py find _bmad-output/initiative-a 7",
  "tickets.py pull _bmad-output/initiative-a ROUND",
  "tickets.py mark _bmad-output/initiative-a ROUND done",
];

/** A copy of the installation, with documents and commits. */
async function makeProject(folder: string): Promise<string> {
  await copyTree(await installation({ version: "6.12.0", tools: "claude-code" }), folder);
  await writeTree(`${folder}/_bmad-output`, DOCUMENTS);
  runGit(folder, "init", "--quiet");
  for (let at = 0; at <= 20; at++) {
    await Deno.writeTextFile(`${folder}/notes.txt`, `${at}\n`.repeat(at + 1));
    runGit(folder, "add", "notes.txt");
    runGit(folder, "commit", "--quiet", "--message", `1-1 change ${at}`);
  }
  return folder;
}

/** Runs a program; how long it took, and its status. */
async function timed([command, ...args]: readonly string[], cwd: string) {
  const start = performance.now();
  const { code } = await new Deno.Command(command!, { args, cwd, stdout: "null", stderr: "null" }).output();
  return { ms: performance.now() - start, code };
}

/** The program behind a name that a version manager may have put in front: that takes longer to start than Python. */
function interpreterItself(name: string): string {
  const args = ["-c", "import sys; print(sys.executable)"];
  const { stdout } = new Deno.Command(name, { args, stderr: "null" }).outputSync();
  return new TextDecoder().decode(stdout).trim();
}

function printLoad(when: string): void {
  print(`load average ${when}: ${loadNow()}`);
}

if (NO_PYTHON) {
  print("native scripts: skipped, Python 3.11 is missing");
  Deno.exit();
}
const commands = SCRIPTS.flatMap(({ name, usage }) =>
  usage.commands === undefined ? [name] : Object.keys(usage.commands).map((command) => `${name} ${command}`)
);
const unmeasured = commands.filter((call) => !LINES.some((line) => line.startsWith(call)));
if (unmeasured.length > 0) throw new Error(`Not measured: ${unmeasured.join(", ")}`);
const ruamel = findRuamel();
const PYTHON = Deno.env.get("PYTHON") ?? interpreterItself("python3");
const work = await Deno.makeTempDir({ prefix: "bmad-mcp-bench-" });
try {
  const [own, theirs] = [await makeProject(`${work}/own`), await makeProject(`${work}/theirs`)];
  const bundle = await buildBundle(`${work}/bundle`);
  printLoad("before");
  const server = await openLines([...bundle, "--project", own, "--allow-git"], own);
  for (const line of LINES.filter((line) => line.startsWith(ONLY))) {
    const [native, python]: [number[], number[]] = [[], []];
    const script = line.split(" ")[0]!;
    const interpreter = NEEDS_RUAMEL.includes(script) ? ruamel : PYTHON;
    const folder = interpreter === undefined ? undefined : FOLDERS[script];
    // The first round loads what a call needs and does not count.
    for (let round = 0; round <= ROUNDS; round++) {
      const words = line.replaceAll("ROUND", String(round + 1)).replaceAll(/\bW\b/g, "_bmad-output/w").split(
        " ",
      );
      const called = words.map((word) => word.includes('"') ? `'${word}'` : word).join(" ");
      const start = performance.now();
      const answer = await server.ask("tools/call", { name: "bmad_work", arguments: { script: called } });
      const took = performance.now() - start;
      const { result } = JSON.parse(answer);
      const original = folder === undefined
        ? await timed([PYTHON, "-c", IMPORTS], theirs)
        : await timed([interpreter!, `${folder}/${script}`, ...words.slice(1)], theirs);
      if ((result?.isError === true) !== (original.code !== 0)) {
        throw new Error(`${called}: Python ended with ${original.code}, and we said ${answer.slice(0, 500)}`);
      }
      if (round > 0) [native, python].forEach((list, at) => list.push(at === 0 ? took : original.ms));
    }
    const ratio = median(native) / median(python);
    const [call] = line.split(/ (?=--|W|\.|_)/);
    print(
      `${call!.padEnd(32)} ${median(native).toFixed(1).padStart(6)} ms, ${
        (folder === undefined ? "bare start" : "Python").padStart(10)
      } ${median(python).toFixed(0).padStart(4)} ms: ${ratio.toFixed(3)} (limit ${LIMIT})`,
    );
    if (ratio > LIMIT) Deno.exitCode = 1;
  }
  await server.close();
  printLoad("after");
} finally {
  await Deno.remove(work, { recursive: true });
}
