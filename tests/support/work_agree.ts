/**
 * Does everything that speaks of a project's stories say the same: board, check, next, marks, reconcile, the native scripts
 * and BMAD's own?
 */
import assert from "node:assert/strict";
import { stateOf } from "../../src/project/work/formats/mod.ts";
import type { Board, State, Story } from "../../src/project/work/mod.ts";
import type { ProjectWork } from "../../src/project/work/mod.ts";
import { NO_ORIGINALS, runOriginals } from "./scripts.ts";
import { sourceTree } from "./installs.ts";
import { documentsIn, withTree } from "./trees.ts";
import { workIn } from "./work.ts";
import {
  type MadeProject,
  type MadeStory,
  PROJECT_FORMS,
  readTemplates,
  workProject,
} from "./work_projects.ts";

// deno-lint-ignore no-explicit-any
type Json = any;

const TOLD: Readonly<Record<State, string>> = {
  "backlog": "not started",
  "ready": "not started",
  "in-progress": "in progress",
  "blocked": "blocked",
  "review": "in review",
  "done": "done",
  "dropped": "dropped",
};

const ORDER: readonly State[] = ["in-progress", "review", "ready", "backlog"];

/** What `tickets.py` calls the states of the board. */
const IN_SCRIPT: Readonly<Record<State, readonly string[]>> = {
  "backlog": ["planned", "backlog"],
  "ready": ["backlog"],
  "in-progress": ["in-progress"],
  "blocked": ["in-progress"],
  "review": ["review"],
  "done": ["done"],
  "dropped": ["dropped"],
};

const CALLS = { execute: () => "", mark: () => "" } as unknown as Parameters<ProjectWork["next"]>[0];
const LEDGER = "out/impl/sprint-status.yaml";

const isSprint = ({ form }: MadeProject) => form === "story-file" || form === "build-spec";
const storiesOf = ({ epics }: Board): readonly Story[] => epics.flatMap(({ stories }) => stories);

export async function agreeOnProjects(count: number, seed: number): Promise<string> {
  const templates = await readTemplates();
  const projects = Array.from(
    { length: count },
    (_, at) => workProject(PROJECT_FORMS[at % PROJECT_FORMS.length]!, seed + at, templates),
  );
  for (const project of projects) await agreeOn(project);
  await originalsAgree(projects.filter(isSprint));
  const stories = projects.reduce((sum, project) => sum + project.stories.length, 0);
  return `${count} projects, ${stories} stories`;
}

/** As much YAML as a generated ledger has; BMAD's own scripts want a library that few machines have. */
const YAML = `
class YAML:
    def __init__(self, typ=None): pass
    def indent(self, **rest): pass
    def load(self, stream):
        text = stream.read()
        text = (text if isinstance(text, str) else text.decode()).removeprefix("\\ufeff")
        whole, section = {}, None
        for line in text.splitlines():
            key, colon, value = line.partition(" #")[0].strip().partition(":")
            if not colon or key.startswith("#"): continue
            value = value.strip().strip('"')
            if line.startswith(" "): section[key] = value
            elif value: whole[key] = value
            else: whole[key] = section = {}
        return whole
`;

async function originalsAgree(projects: readonly MadeProject[]): Promise<void> {
  if (NO_ORIGINALS || projects.length === 0) return;
  const skills = `${await sourceTree("bmad-method@6.12.0")}/src/bmm-skills`;
  const scripts = {
    "sprint_plan.py": Deno.readTextFileSync(`${skills}/plan/bmad-sprint-planning/scripts/sprint_plan.py`),
    "sprint_status.py": Deno.readTextFileSync(`${skills}/ship/bmad-retrospective/scripts/sprint_status.py`),
    "ruamel/yaml/__init__.py": YAML,
    "ruamel/yaml/comments.py": "CommentedMap = dict\n",
    "ruamel/yaml/scalarstring.py": "DoubleQuotedScalarString = str\n",
  };
  const ledgers = projects.map(({ files }, at) => [`${at}/${LEDGER}`, files[LEDGER]!]);
  await withTree({ ...scripts, ...Object.fromEntries(ledgers) }, async (root) => {
    const ask = async (script: string, ...args: readonly string[]) => {
      const answers = await runOriginals(`${root}/${script}`, root, projects.map(() => ({ args })));
      return answers.map(({ stdout, stderr }) => stdout === "" ? { stderr } : JSON.parse(stdout));
    };
    const statuses = await ask("sprint_plan.py", "status", "--status-file", LEDGER);
    const valid = await ask("sprint_plan.py", "validate", "--status-file", LEDGER);
    const epics = await ask("sprint_status.py", "detect-epic", "--file", LEDGER);
    for (const [at, { form, seed, stories }] of projects.entries()) {
      const about = `${form}, seed ${seed}: ${JSON.stringify(statuses[at])}`;
      assert.deepEqual(countsOf(statuses[at]), countsIn(stories), about);
      assert.equal(valid[at].ok, true, about);
      assert.deepEqual(doneIn(epics[at]), doneOf(stories), about);
    }
  });
}

const doneIn = ({ done_stories }: Json) => done_stories?.map((key: string) => key.split("-part")[0]);
const doneOf = (stories: readonly MadeStory[]) =>
  stories.filter(({ state }) => state === "done").map(({ ref }) => ref);

async function agreeOn(project: MadeProject): Promise<void> {
  const { form, seed, stories, files } = project;
  const about = `${form}, seed ${seed}`;
  await withTree(files, async (root) => {
    const work = await workIn(root);
    const board = storiesOf(await work.ledgers());
    assert.deepEqual(
      board.map(({ ref, state, status, drift }) => [ref, state, status, drift.length > 0]),
      stories.map(({ ref, state, word, isDrifting }) => [ref, state, word, isDrifting]),
      about,
    );
    for (const [at, { path }] of stories.entries()) {
      if (path !== undefined) assert.equal(board[at]!.form, form, about);
    }
    await checksAgree(work, project, about);
    await adviceAgrees(work, project, about);
    const before = documentsIn(root, "out", "docs");
    for (const story of stories) await refusalsAgree(work, story, about);
    assert.deepEqual(
      documentsIn(root, "out", "docs"),
      before,
      `${about}: a refusal or a repeated mark changed something`,
    );
    await reconcileAgrees(work, project, about);
    const [ready] = stories.filter(({ state, isComplete }) => isComplete && state !== "dropped");
    if (ready === undefined) return;
    await work.mark({ story: ready.ref, status: "done" });
    const { state } = storiesOf(await work.ledgers()).find(({ ref }) => ref === ready.ref)!;
    assert.equal(state, "done", `${about}: ${ready.ref}`);
    assert.match((await work.check(ready.ref)).text, / is done, and nothing speaks against it\./, about);
  });
}

async function checksAgree(work: ProjectWork, { stories }: MadeProject, about: string): Promise<void> {
  const { findings } = (await work.check()).data as Json;
  const contradicted = findings.filter(({ code }: Json) => code === "status-contradiction");
  assert.deepEqual(
    [...new Set(contradicted.map(({ story }: Json) => story))],
    stories.filter(({ isDrifting }) => isDrifting).map(({ ref }) => ref),
    about,
  );
  for (const { ref, state } of stories) {
    const { standing } = await work.check(ref);
    assert.ok(standing.startsWith(`Story ${ref} is ${TOLD[state]}`), `${about}: ${standing}`);
    assert.match((await work.show(ref)).text, new RegExp(`\\b${state}\\b`), about);
  }
}

async function adviceAgrees(work: ProjectWork, project: MadeProject, about: string): Promise<void> {
  const { stories, form } = project;
  const [first] = ORDER.flatMap((state) => stories.filter((story) => story.state === state));
  const { data } = await work.next(CALLS);
  const [{ story }] = data["next"] as Json;
  assert.deepEqual([story?.ref, story?.state], [first?.ref, first?.state], `${about}: next`);
  if (isSprint(project)) {
    const run = (line: string) => scripted(work, line);
    const status = await run(`sprint_plan.py status --status-file ${LEDGER}`);
    assert.deepEqual(countsOf(status), countsIn(stories), `${about}: sprint_plan.py status`);
    const key = status.recommendation?.story_key;
    assert.equal(key?.split("-part")[0], first?.ref, `${about}: sprint_plan.py recommends`);
    assert.equal((await run(`sprint_plan.py validate --status-file ${LEDGER}`)).ok, true, about);
    assert.deepEqual(
      doneIn(await run(`sprint_status.py detect-epic --file ${LEDGER}`)),
      doneOf(stories),
      about,
    );
  }
  if (form === "ticket") {
    const { tickets } = await scripted(work, "tickets.py status");
    for (const { ref, state, word } of stories) {
      const row = tickets.find((one: Json) => one.ref === ref);
      assert.ok(IN_SCRIPT[state].includes(row.state), `${about}: ${ref} is ${state}, ${row.state}`);
      assert.equal(row.status, word ?? "", about);
    }
    const { in_progress, ready_to_start, ready_to_refine, blocked } = await scripted(work, "tickets.py next");
    const refs = (rows: Json) => rows.map(({ ref }: Json) => ref);
    assert.deepEqual(
      refs(blocked),
      stories.filter(({ state }) => state === "blocked").map(({ ref }) => ref),
      about,
    );
    const begun = refs(in_progress);
    if (first?.state === "in-progress") assert.ok(begun.includes(first.ref), about);
    if (first?.state === "ready" || first?.state === "backlog") {
      assert.ok([...refs(ready_to_start), ...refs(ready_to_refine)].includes(first.ref), about);
    }
  }
}

async function scripted(work: ProjectWork, line: string): Promise<Json> {
  const result = await work.script(line);
  assert.equal(result.status, 0, `${line}: ${result.stderr}${result.stdout}`);
  return JSON.parse(result.stdout);
}

function countsOf({ stories }: Json): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(stories).filter(([, count]) => count !== 0).sort()) as Json;
}

function countsIn(stories: readonly MadeStory[]): Readonly<Record<string, number>> {
  const groups = Object.groupBy(stories, ({ state }) => state === "ready" ? "ready-for-dev" : state);
  return Object.fromEntries(Object.entries(groups).map(([word, some]) => [word, some.length]).sort());
}

/** A mark refuses exactly what the check finds and the board shows; none of this changes anything. */
async function refusalsAgree(
  work: ProjectWork,
  { ref, state, word, isComplete, isDrifting }: MadeStory,
  about: string,
): Promise<void> {
  const refusal = async (status: string) =>
    await work.mark({ story: ref, status }).then(() => undefined, (error) => String(error.message));
  if (state !== "backlog") {
    const told = await refusal("backlog");
    const [, from] = / from (.+?) back to /.exec(told ?? "") ?? [];
    assert.equal(from && stateOf(from), state, `${about}: ${ref} back to backlog: ${told}`);
  }
  const isOver = state === "dropped" || state === "done" && !isDrifting;
  if (!isComplete && !isOver) {
    const told = await refusal("done");
    assert.match(told ?? "nothing", /the check has \d+ finding/, `${about}: ${ref} as done`);
    if (state !== "backlog" && state !== "ready") {
      const { findings } = (await work.check(ref)).data as Json;
      const evidence = findings.filter(({ code }: Json) =>
        code !== "status-contradiction" && code !== "prerequisite-open"
      );
      assert.match(told!, new RegExp(`the check has ${evidence.length} finding`), `${about}: ${ref}`);
      for (const { problem } of evidence) assert.ok(told!.includes(problem), `${about}: ${problem}\n${told}`);
    }
  }
  // A word of an earlier release is replaced by today's.
  const isSame = word !== undefined && word !== "drafted" && !isDrifting;
  if (isSame) assert.equal(await refusal(word), undefined, `${about}: ${ref} as ${word}`);
}

/** What agrees stays; a contradiction is resolved, or the answer says why not. */
async function reconcileAgrees(work: ProjectWork, project: MadeProject, about: string): Promise<void> {
  if (!isSprint(project)) return;
  const { text } = await work.reconcile();
  const after = storiesOf(await work.ledgers());
  for (const [at, { ref, word, isDrifting }] of project.stories.entries()) {
    const { status, drift } = after[at]!;
    if (!isDrifting) assert.deepEqual([status, drift], [word, []], `${about}: ${ref} after reconcile`);
    else if (drift.length > 0) assert.ok(text.includes(ref), `${about}: ${ref}: ${text}`);
  }
}
