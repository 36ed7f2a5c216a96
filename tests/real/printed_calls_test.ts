/** Does every call and every script line run as an answer prints it? */
import assert from "node:assert/strict";
import { type App, LISTABLE } from "../../src/app.ts";
import { hasKind, qualifiedName } from "../../src/base/model.ts";
import { SCRIPTS } from "../../src/project/scripts/mod.ts";
import { runGit } from "../support/git.ts";
import { installation, type InstallVersion } from "../support/installs.ts";
import {
  filledLines,
  listedLines,
  type Samples,
  spelledLines,
  toolCallsIn,
  urisIn,
} from "../support/printed_calls.ts";
import { type Args, openIn, Reader } from "../support/printed_reader.ts";
import { runHere } from "../support/program.ts";
import { wordsOf } from "../support/shell.ts";
import { copyTree, withTree, writeTree } from "../support/trees.ts";
import { PROJECT_FORMS, readTemplates, workProject } from "../support/work_projects.ts";

const EPICS = "# Epics\n\n## Epic 1: Shop\n\n### Story 1.1: Sign in\n\nAs a user I sign in.\n";
const STATUS_FILE = "_bmad-output/implementation-artifacts/sprint-status.yaml";

const DOCUMENTS: Readonly<Record<string, string>> = {
  "docs/epics.md": EPICS,
  "_bmad-output/planning-artifacts/epics.md": EPICS,
  [STATUS_FILE]: "generated: 01-01-2026 10:00\nlast_updated: 01-01-2026 10:00\nproject: shop\n" +
    "action_items:\n  - id: epic-1-retro-item-1-add-error-handling\n    epic: 1\n    action: Add error handling\n    status: open\n" +
    "  - epic: 1\n    action: Exact action text\n    status: open\n" +
    "development_status:\n  epic-1: in-progress\n  1-1-sign-in: done\n  epic-1-retrospective: optional\n",
};

const WRITTEN: Readonly<Record<string, string>> = {
  "research.md":
    "# R\n\nA claim [1].\n\n## Sources\n\n| # | Title | URL | Accessed |\n| --- | --- | --- | --- |\n" +
    "| 1 | A | https://example.org | 2026-01-01 |\n",
  "claims.json": JSON.stringify([{ class: "pricing", pub_date: new Date().toISOString().slice(0, 10) }]),
  "ARCHITECTURE-SPINE.md": "# Spine\n",
  "extra-techniques.json": "[]",
};

const FILLED =
  /^(?:date|project-root|skill-root|project_name|output_folder|\w+_artifacts|(?:workflow|agent)\.\w+)$/;

const WORKSPACES = ["doc_workspace", "spec-folder", "workspace"];

const SAMPLES: Readonly<Record<string, string>> = {
  N: "1",
  epic_number: "1",
  range: "HEAD~1..HEAD",
  "REV..REV": "HEAD~1..HEAD",
  "story-ids": "1-1",
  path: "docs/epics.md",
  map: '{"pricing":3}',
  command: "categories",
  active: "installed",
  "agent-or-workflow": "agent",
  key: "1-1-sign-in",
  status: "done",
};

function samplesIn(workspace: string, dir: string): Samples {
  return (name) => {
    if (name === "install-path") return skillIn(dir);
    if (FILLED.test(name)) return `{${name}}`;
    if (WORKSPACES.includes(name)) return workspace;
    if (name.endsWith(".json")) return `${workspace}/${name}`;
    return SAMPLES[name] ?? "sample";
  };
}

function skillIn(dir: string): string {
  const path = ".claude/skills/bmad-agent-pm";
  try {
    Deno.statSync(`${dir}/${path}`);
    return path;
  } catch {
    return "bmad://bmm/bmad-agent-pm";
  }
}

const PACKS = ["latest", "v4"] as const;
const VERSIONS: readonly InstallVersion[] = ["4.44.3", "6.0.4", "6.5.0", "6.8.0", "6.12.0"];
const SOURCES = [...PACKS, ...VERSIONS];
type Source = typeof SOURCES[number];

function inProject<T>(
  source: Source,
  files: Readonly<Record<string, string>>,
  fn: (project: { readonly app: App; readonly dir: string; readonly reader: Reader }) => Promise<T>,
): Promise<T> {
  return withTree({}, async (dir) => {
    const pack = PACKS.find((one) => one === source);
    if (pack === undefined) {
      await copyTree(await installation({ version: source as InstallVersion, tools: "claude-code" }), dir);
    }
    await writeTree(dir, files);
    runGit(dir, "init", "-q");
    for (const message of ["one", "two"]) runGit(dir, "commit", "-q", "--allow-empty", "-m", message);
    const app = openIn(dir, ...(pack === undefined ? [] : ["--pack", pack]));
    return await fn({ app, dir, reader: new Reader(app) });
  });
}

/** Whether an answer says that a file is missing, which really is. */
function lacksFile(dir: string, text: string): boolean {
  const [, ...paths] =
    /No such file or directory: '([^']+)'|not a readable file: (\S+)|"status_file": "([^"]+)"/.exec(text) ??
      [];
  const path = paths.find((one) => one !== undefined);
  if (path === undefined) return false;
  try {
    Deno.statSync(path.startsWith("/") ? path : `${dir}/${path}`);
    return false;
  } catch {
    return true;
  }
}

const NO_LOG = /^error: (\S+)\/\.memlog\.md does not exist; run memlog\.py init first$/m;

async function runInOrder(
  reader: Reader,
  dir: string,
  place: string,
  lines: readonly string[],
): Promise<void> {
  const workspace = `_bmad-output/${place.replaceAll(/\W+/g, "-")}`;
  for (const line of lines) {
    const [script] = filledLines(line, samplesIn(workspace, dir));
    const { text } = await reader.run(
      place,
      "bmad_work",
      { script },
      (text) => lacksFile(dir, text) || NO_LOG.test(text),
    );
    const [, folder] = NO_LOG.exec(text) ?? [];
    if (folder === undefined) continue;
    assert.ok(!lines.some((one) => one.startsWith("memlog.py init")), `${place}: init is not the first line`);
    await reader.run(place, "bmad_work", { script: `memlog.py init --workspace ${folder}` });
    await reader.run(place, "bmad_work", { script });
  }
}

/** Runs lines in every way in which a reader can fill them in, each where everything is written that it reads. */
async function runApart(reader: Reader, dir: string, place: string, lines: readonly string[]): Promise<void> {
  let count = 0;
  for (const line of new Set(lines)) {
    for (const variant of filledLines(line, samplesIn("\0", dir))) {
      const workspace = `_bmad-output/${place.replaceAll(/\W+/g, "-")}-${count++}`;
      const script = variant.replaceAll("\0", workspace);
      const files = Object.entries(WRITTEN).map(([name, text]) => [`${workspace}/${name}`, text] as const);
      await writeTree(dir, Object.fromEntries(files));
      if (!/memlog\.py init\b/.test(script)) {
        const [, folder = workspace] = / --workspace (\S+)/.exec(script) ?? [];
        await reader.call("bmad_work", { script: `memlog.py init --workspace ${folder}` });
      }
      await reader.run(place, "bmad_work", { script });
    }
  }
}

/**
 * The lines that texts spell out: of the scripts that the activation neither tells to skip nor to do by hand, with the
 * values that it has resolved. The beginning of a line that another has whole is no call.
 */
function linesToRun(texts: readonly string[], activation: string): readonly string[] {
  const [, skipped = ""] = /^Already resolved \(skip the steps that (.*)\):$/m.exec(activation) ?? [];
  const done: readonly string[] = skipped.match(/[\w-]+\.py/g) ?? [];
  const callOf = (line: string) => /[\w-]+\.py\b.*/.exec(line)?.[0].replace(/^(\S+\.py)["']/, "$1") ?? "";
  const lines = texts.flatMap(spelledLines).filter((line) => {
    const [name = ""] = /^\S+/.exec(callOf(line)) ?? [];
    return SCRIPTS.some((script) => script.name === name) && !done.includes(name);
  });
  const calls = [...lines.map(callOf), ...listedLines(activation).lines];
  return lines.filter((line) => !calls.some((one) => one.startsWith(`${callOf(line)} `))).map((line) =>
    line.replaceAll(
      /\{workflow\.(\w+)\}/g,
      (name, key) => new RegExp(`^  ${key}: '?([\\w{}./-]+)'?$`, "m").exec(activation)?.[1] ?? name,
    )
  );
}

for (const source of SOURCES) {
  Deno.test(`calls and lines of activations run in a new project: ${source} [calls:printed]`, () =>
    inProject(source, {}, async ({ app, dir, reader }) => {
      const entries = await app.entries();
      for (const entry of entries) {
        const place = `${source} ${entry.id}`;
        const item = qualifiedName(entry);
        const text = await reader.read(place, { operation: "execute", skill: item });
        // Lines have their own turn, and reader_test.ts opens every path.
        await reader.runCalls(
          place,
          text,
          (json) =>
            entries.filter((one) =>
              json.includes(":…") && (json.includes("skill") || hasKind(one, "workflow"))
            )
              .filter(({ id }) => text.includes(`skill:${id}`) || text.includes(`\`${id}\``))
              .map(({ id }) => json.replace("…", () => JSON.stringify(id))),
        );
        await runInOrder(reader, dir, place, listedLines(text).lines);
        for (const { code } of entry.persona?.menu ?? []) {
          const { text } = await reader.run(place, "bmad", {
            operation: "execute",
            agent: item,
            item: code,
          });
          await reader.runCalls(place, /^menu-item: .*$/m.exec(text)?.[0] ?? "");
        }
      }
      reader.check({ bmad: entries.length });
    }));

  Deno.test(`lines of all texts run where work has begun: ${source} [calls:printed]`, () =>
    inProject(source, DOCUMENTS, async ({ app, dir, reader }) => {
      const resources = await app.resources();
      for (const entry of await app.entries()) {
        const place = `${source} ${entry.id}`;
        const text = await reader.read(place, { operation: "execute", skill: qualifiedName(entry) });
        const texts = [text];
        // Its first file was delivered, or what replaces it.
        const first = resources.find((one) => one.entry === entry)?.uri;
        const folder = entry.ownsFolder ? first?.replace(/[^/]*$/, "") : undefined;
        for (const { uri } of resources.filter(({ uri }) => uri !== first && uri.endsWith(".md"))) {
          if (folder !== undefined && uri.startsWith(folder)) texts.push(await reader.read(place, { uri }));
        }
        await runApart(reader, dir, place, [...listedLines(text).lines, ...linesToRun(texts, text)]);
      }
      reader.check({ script: ["latest", "6.12.0"].includes(source) ? 100 : 0 });
    }));

  Deno.test(`calls of lists, of searches and of the help run: ${source} [calls:printed]`, () =>
    inProject(source, DOCUMENTS, async ({ reader }) => {
      const lists = LISTABLE.map((query) => ({ operation: "list", query }));
      for (const first of [...lists, { operation: "search", query: "review" }, { operation: "help" }]) {
        for (let args: Args | undefined = first; args !== undefined;) {
          const place = `${source} ${JSON.stringify(args)}`;
          const { text } = await reader.run(place, "bmad", args);
          await reader.runCalls(
            place,
            text,
            (json) => namesIn(text).map((name) => json.replace("NAME", () => JSON.stringify(name))),
          );
          const [, next] = /^\d+ [^\n]*; next: (\{.*\})$/m.exec(text) ?? [];
          args = next === undefined ? undefined : JSON.parse(next);
        }
      }
      reader.check({ bmad: 60 });
    }));
}

function namesIn(list: string): readonly string[] {
  const rows = Array.from(list.matchAll(/^- ([^:\n]+?)(?:: |$)/gm), ([, name]) => name!);
  const groups = Array.from(
    list.matchAll(/^[\w-]+: ((?:[\w-]+, )*[\w-]+)$/gm),
    ([, names]) => names!.split(", "),
  );
  return [...rows, ...groups.flat()];
}

/** What fills the gaps of `bmad://scripts`, by the beginning of the line. */
const LISTED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "": { TOPIC: "sample", TEXT: "sample", TYPE: "market", SKILL: "bmad-product-brief", DIR: "_bmad-output/w" },
  "recon_kit.py": { FILE: "_bmad-output/w/research.md" },
  "recon_kit.py tally": { FILE: "_bmad-output/w/.memlog.md" },
  "recon_kit.py staleness": { FILE: "_bmad-output/w/claims.json" },
  "word_metrics.py": { FILE: "docs/epics.md" },
  "sprint_plan.py": { FILE: STATUS_FILE, EPICS: "docs/epics.md", NAME: "shop" },
  "sprint_status.py": { FILE: STATUS_FILE },
  "pick_methods.py": { NAME: "core" },
  "pick_methods.py show": { NAME: "1" },
  "brain.py": { NAME: "structured" },
  "brain.py show": { NAME: '"Five Whys"' },
  "brain.py html": { FILE: "_bmad-output/page.html" },
  "tickets.py": { TICKET: "1.1" },
  "tickets.py pull": { FOLDER: "out/initiative-shop/epic-one", NUMBER: "1" },
  "render_skill.py": { SKILL: "bmad-build" },
  "roster.py": { DIR: ".agents/skills/bmad-party-mode" },
  "knowledge.py": { DIR: ".agents/skills" },
};

async function runListedScripts(reader: Reader, place: string, only = /./): Promise<void> {
  const { text } = await reader.run(place, "bmad", { uri: "bmad://scripts" });
  for (const [, line] of text.matchAll(/^\| `([^`]+)` \|/gm).filter(([, line]) => only.test(line!))) {
    const rows = Object.entries(LISTED).filter(([start]) => line!.startsWith(start)).map(([, row]) => row);
    const known = Object.assign({}, SAMPLES, ...rows);
    for (const script of filledLines(line!, (name) => FILLED.test(name) ? `{${name}}` : known[name])) {
      await reader.run(`${place} bmad://scripts`, "bmad_work", { script });
    }
  }
  for (const uri of new Set(urisIn(text))) await reader.run(`${place} bmad://scripts`, "bmad", { uri });
}

for (const source of ["latest", "6.5.0", "6.8.0", "6.12.0"] as const) {
  Deno.test(`lines of bmad://scripts run: ${source} [calls:printed]`, () => {
    const written = Object.entries(WRITTEN).map(([name, text]) => [`_bmad-output/w/${name}`, text] as const);
    return inProject(source, { ...DOCUMENTS, ...Object.fromEntries(written) }, async ({ reader }) => {
      await runListedScripts(reader, source);
      reader.check({ script: 15 });
    });
  });
}

Deno.test("lines of bmad://scripts run: tickets [calls:printed]", async () => {
  const { files } = workProject("ticket", 1, await readTemplates());
  await withTree(files, async (dir) => {
    const reader = new Reader(openIn(dir));
    await runListedScripts(reader, "tickets", /^tickets\.py/);
    reader.check({ script: 5 });
  });
});

/** How many projects of each form at least, and at most until every state was met. */
const [FEW, MANY] = [3, 8];

Deno.test("calls of next run in every form and state [calls:printed]", async (t) => {
  const templates = await readTemplates();
  for (const form of PROJECT_FORMS) {
    await t.step(form, async () => {
      const states = new Set<string>();
      const missing = () =>
        ["in-progress", "review", ...(form === "v4-story" ? [] : ["backlog"])].filter((state) =>
          !states.has(state)
        );
      for (let seed = 1; seed <= FEW || (missing().length > 0 && seed <= MANY); seed++) {
        const { files, stories } = workProject(form, seed, templates);
        const core = form === "v4-story" ? templates.v4Core : {};
        await withTree({ ...files, ...core }, async (dir) => {
          const reader = new Reader(openIn(dir));
          for (let canGoOn = true; canGoOn;) {
            const { text } = await reader.run(form, "bmad_work", { operation: "next", by: "ann" });
            const [, ref, state] = /^Story: (\S+) .*\(([\w-]+)\)$/m.exec(text) ?? [];
            if (state !== undefined) states.add(state);
            const story = stories.find((one) => one.ref === ref);
            // Who calls a story finished that is not is told why, and so is who has not looked back.
            const isTold = (said: string) =>
              story?.isComplete === false && /^- \S+: |its file is still a "draft";/m.test(said) ||
              /^- \S+: Epic 1 has no document of its retrospective\.$/m.test(said);
            const lines = Array.from(text.matchAll(/^(Before|Call|Or|When finished): (.*)$/gm));
            canGoOn = lines.some(([, label]) => label === "When finished");
            for (const [, label, line] of lines) {
              const [{ tool, json } = assert.fail(line)] = toolCallsIn(line!);
              const place = `${form} ${seed} ${label}`;
              const { text, isError } = await reader.run(place, tool, JSON.parse(json), isTold);
              if (!isError) continue;
              for (const offer of offersIn(text, tool, JSON.parse(json))) await reader.run(place, ...offer);
            }
          }
          reader.check({});
        });
      }
      assert.deepEqual(missing(), [], form);
    });
  }
});

const REFUSED: readonly (readonly [tool: string, args: Args])[] = [
  ["bmad", { skill: "bmad-prdd" }],
  ["bmad", { skill: "bmm/bmad-review" }],
  ["bmad", { workflow: "analyst" }],
  ["bmad", { agent: "bmad-prd" }],
  ["bmad", { agent: "pm", item: "ZZ" }],
  ["bmad", { operation: "list", query: "agnts" }],
  ["bmad", { uri: "bmad://rendered" }],
  ["bmad_work", { script: "uv run scripts/manifest.py create" }],
  ["bmad_work", { operation: "claim", story: "2-1", by: "bob" }],
  ["bmad_work", { operation: "release", story: "2-1", by: "cid" }],
  ["bmad_work", { operation: "mark", status: "review", story: "2-2" }],
  ["bmad_work", { operation: "mark", story: "2-1", status: "ready-for-dev" }],
  ["bmad_work", { operation: "mark", story: "2-1", status: "done" }],
];

const SECOND_EPIC = "  epic-2: in-progress\n  2-1-pay: in-progress\n";

function offersIn(text: string, tool: string, args: Args): readonly (readonly [tool: string, args: Args])[] {
  const whole = toolCallsIn(text).map((call) => [call.tool, JSON.parse(call.json)] as const);
  const force = /\((?:"by":"NAME", )?"force":true\)/.test(text)
    ? [[tool, { ...args, force: true }] as const]
    : [];
  const plan = text.includes('({"operation":"plan"})') ? [[tool, { operation: "plan" }] as const] : [];
  const [, listed = ""] = /(?:Did you mean|Use one of) ([^?\n]+)/.exec(text) ?? [];
  const [name] = Object.keys(args).filter((key) => key !== "operation").slice(-1);
  const names = listed.split(/, | or /).filter((one) => one !== "");
  const others = name === "script" ? [] : names.map((one) => [tool, { ...args, [name!]: one }] as const);
  const uris = urisIn(text).filter((uri) => uri !== args["uri"]);
  return [...whole, ...force, ...plan, ...others, ...uris.map((uri) => ["bmad", { uri }] as const)];
}

Deno.test("what refusals offer runs [calls:printed]", () =>
  inProject(
    "latest",
    { ...DOCUMENTS, [STATUS_FILE]: DOCUMENTS[STATUS_FILE] + SECOND_EPIC },
    async ({ reader }) => {
      await reader.call("bmad_work", { operation: "claim", story: "2-1", by: "ann" });
      for (const [tool, args] of REFUSED) {
        const place = `refused ${tool} ${JSON.stringify(args)}`;
        const { text, isError } = await reader.call(tool, args);
        assert.ok(isError, place);
        const offers = offersIn(text, tool, args);
        assert.ok(offers.length > 0, `${place}: ${text}`);
        for (const [tool, args] of offers) await reader.run(place, tool, args);
      }
      reader.check({});
    },
  ));

Deno.test("commands that the program prints for the next step run [calls:printed]", async (t) => {
  const templates = await readTemplates();
  for (const form of PROJECT_FORMS) {
    await t.step(form, () => {
      const { files } = workProject(form, 1, templates);
      const core = form === "v4-story" ? templates.v4Core : {};
      return withTree({ ...files, ...core }, async (cwd) => {
        const { stdout } = await runHere(["next", "--by", "ann"], { cwd });
        const lines = Array.from(
          stdout.matchAll(/^(?:Before|Call|Or): (bmad-mcp .*)$/gm),
          ([, line]) => line!,
        );
        assert.ok(lines.length > 0, stdout);
        for (const line of lines) {
          const { code, stderr } = await runHere(wordsOf(line), { cwd });
          assert.equal(code, 0, `${line}: ${stderr}`);
        }
      });
    });
  }
});

Deno.test("commands that the program prints for a skill run [calls:printed]", () =>
  inProject("latest", {}, async ({ app, dir }) => {
    let count = 0;
    for (const entry of await app.entries()) {
      const { stdout } = await runHere(["execute", qualifiedName(entry)], { cwd: dir });
      const { run, lines } = listedLines(stdout);
      const workspace = `_bmad-output/${entry.id}`;
      for (const line of lines.filter((line) => line.startsWith("memlog.py"))) {
        const [script] = filledLines(line, samplesIn(workspace, dir));
        const { code, stderr } = await runHere(wordsOf(run.replace("LINE", () => script!)), { cwd: dir });
        assert.ok(code === 0 || NO_LOG.test(stderr), `${script}: ${stderr}`);
        count++;
      }
    }
    assert.ok(count >= 15, `${count} lines were run`);
  }));
