/**
 * Projects that were lived in: stories are begun, built, reviewed and done in a real repository, with branches, merges,
 * squashes, rebases and files that are renamed, deleted, ignored or new. What is true of them is what git says, and what
 * was done here.
 */
import assert from "node:assert/strict";
import { abbreviateList } from "../../src/base/text.ts";
import type { FormName } from "../../src/project/work/formats/mod.ts";
import type { ProjectWork, State } from "../../src/project/work/mod.ts";
import { type Chance, chanceFrom } from "./chance.ts";
import { runGit } from "./git.ts";
import { withTree } from "./trees.ts";
import { workIn } from "./work.ts";
import {
  documentFor,
  freshProject,
  pathOf,
  PROJECT_FORMS,
  readTemplates,
  refOf,
  type Wanted,
} from "./work_projects.ts";

// deno-lint-ignore no-explicit-any
type Json = any;
type Templates = Awaited<ReturnType<typeof readTemplates>>;

interface Life {
  readonly number: number;
  readonly ref: string;
  readonly path: string;
  state: State;
  /** The commit where it began: a rebase gives it another id, a squash takes it away. */
  began?: { readonly id: string; readonly subject: string };
  /** Somebody has edited the ledger, so that only commits can tell. */
  isByHand?: boolean;
  readonly files: Set<string>;
}

const COUNT = 3;
const LEDGER = "out/impl/sprint-status.yaml";
const PRD: Readonly<Record<FormName, string>> = {
  "story-file": "out/plan/prd.md",
  "build-spec": "out/plan/prd.md",
  "spec-story": "out/plan/prd.md",
  "v4-story": "docs/prd.md",
  "ticket": "out/initiative-shop/prd-shop/prd-shop.md",
};
const FOREIGN = ["chore: release 1.2.0", "fix: a typo", "docs: more words", "Work", "bump node to 20.1.3"];
const ANYTIME = ["saveAny", "ignore", "demand"];
/** What may happen to a story. */
const FITTING: Partial<Readonly<Record<State, readonly string[]>>> = {
  "backlog": ["begin", "branch"],
  "ready": ["begin", "branch"],
  "in-progress": ["build", "build", "save", "rename", "branch", "finish", "finish"],
  "review": ["save", "end", "end", "build"],
  "done": ["build", "save"],
};
const LISTED = ["- src/a.ts\n- src/a_test.ts", "- `src/a.ts` -- all of it"] as const;

/** What names a story in messages and branches: its document, or its number. */
const stemOf = ({ path, ref }: Pick<Life, "path" | "ref">) =>
  path.endsWith("-plan.md") ? `${ref}-part` : path.replace(/.*\//, "").slice(0, -3);
const isBegun = ({ state }: Life) => state !== "backlog" && state !== "ready";

export async function agreeOnHistories(count: number, seed: number): Promise<string> {
  const templates = await readTemplates();
  let steps = 0;
  for (let at = 0; at < count; at++) {
    const form = PROJECT_FORMS[(seed + at) % PROJECT_FORMS.length]!;
    const said: string[] = [];
    try {
      steps += await live(form, chanceFrom(seed + at), templates, said);
    } catch (error) {
      const about = `${form}, seed ${seed + at}: ${said.join("; ")}`;
      throw new Error(`${about}\n${error instanceof Error ? error.message : error}`, { cause: error });
    }
  }
  return `${count} histories, ${steps} steps`;
}

function live(form: FormName, chance: Chance, templates: Templates, said: string[]): Promise<number> {
  const isSprint = form === "story-file" || form === "build-spec";
  const base = freshProject(form, COUNT, templates);
  const requirements = Array.from({ length: COUNT }, (_, at) => `- FR${at + 1}: Part ${at + 1} is there.\n`);
  const prd = (lines: readonly string[]) =>
    `${base[PRD[form]] ?? "# PRD\n"}\n## Functional Requirements\n\n${lines.join("")}`;
  const files = { ...base, [PRD[form]]: prd(requirements), ".gitignore": "*.log\n.bmad-work/\n" };
  return withTree(files, async (dir) => {
    const git = (...args: readonly string[]) => runGit(dir, ...args);
    const write = (path: string, text: string) => {
      Deno.mkdirSync(`${dir}/${path}`.replace(/\/[^/]*$/, ""), { recursive: true });
      Deno.writeTextFileSync(`${dir}/${path}`, text);
    };
    const work = await workIn(dir, true);
    const lives = Array.from({ length: COUNT }, (_, at): Life => ({
      ...{ number: at + 1, ref: refOf(form, at + 1), path: pathOf(form, at + 1) },
      ...{ state: isSprint ? "backlog" : "ready", files: new Set<string>() },
    }));
    /** By its words, whose commit it is; undefined where its words do not tell. */
    const owners = new Map<string, Life | undefined>();
    let count = 0;
    const words = (text: string) => `words of ${text} ${++count}`;
    const commit = (owner: Life | undefined, message: string, ...paths: readonly string[]) => {
      const subject = `${message} (${String.fromCharCode(97 + count % 26)}${++count})`;
      git("add", "--all", "--", ...(paths.length === 0 ? ["."] : paths));
      git("commit", "--quiet", "--allow-empty", "--message", subject);
      owners.set(subject, owner);
      said.push(subject);
    };
    const naming = (one: Life) => {
      const { number, ref } = one;
      const numbered = [`feat(1-${number}): go on`, `Story 1.${number}: go on`, `[1.${number}] go on`];
      return chance.pick(form === "spec-story" ? [`${stemOf(one)}: go on`, `feat(${ref}): go on`] : numbered);
    };
    const documentOf = (one: Life, stage: Wanted["stage"], document: string) => {
      const { number } = one;
      const stable = { number, subject: `Part ${number}`, chance: chanceFrom(chance.seed + number) };
      const [first = "src/none.ts"] = one.files;
      const test = [...one.files].find((path) => path.includes("_test")) ?? first;
      const [plain, code] = [[...one.files].map((path) => `- ${path}`), [...one.files]];
      return documentFor(form, templates, { ...stable, stage, document })
        .replace(LISTED[0], plain.join("\n")).replace(
          LISTED[1],
          code.map((path) => `- \`${path}\` -- all`).join("\n"),
        )
        .replaceAll("src/a.ts", first).replaceAll("src/a_test.ts", test)
        .replace(/^(As a customer|\*\*As a\*\* customer|\*\*Problem:\*\*)/m, `Covers: FR${number}\n\n$1`);
    };
    const begun = form === "v4-story" ? "InProgress" : "in-progress";
    const planned = form === "v4-story" ? "Approved" : "ready-for-dev";
    const deeds: Readonly<Record<string, (one: Life) => void | Promise<void>>> = {
      begin: async (one) => {
        if (isBegun(one)) return;
        one.began = { id: git("rev-parse", "HEAD"), subject: git("log", "-1", "--format=%s") };
        one.isByHand = chance.below(3) === 0;
        if (one.isByHand) {
          const key = stemOf(one).replace("spec-", "");
          const [path, from, to] = isSprint
            ? [LEDGER, `${key}: backlog`, `${key}: in-progress`] as const
            : [one.path, planned, begun] as const;
          write(path, Deno.readTextFileSync(`${dir}/${path}`).replace(from, to));
        } else await work.mark({ story: one.ref, status: "in-progress", by: "Ann" });
        if (isSprint) write(one.path, documentOf(one, "begun", begun));
        one.state = "in-progress";
      },
      build: (one) => {
        const name = `src/part-${one.number}-${"abc"[chance.below(3)]}`;
        for (const path of [`${name}.ts`, `${name}_test.ts`]) {
          if (path.includes("_test") && chance.below(3) === 0) continue;
          // What is over is only changed again.
          if (one.state !== "in-progress" && !one.files.has(path)) continue;
          const before = one.files.has(path) ? Deno.readTextFileSync(`${dir}/${path}`) : "";
          const about = path.includes("_test") ? chance.pick(["", " AC1", " AC1, AC2", " AC2"]) : "";
          write(path, `${before}// ${words(`${one.number}`)}${about}\n`);
          one.files.add(path);
        }
      },
      save: (one) => {
        const own = [...one.files, one.path];
        commit(one, naming(one), ...(chance.below(2) === 0 ? own : []));
      },
      saveAny: () => commit(undefined, chance.pick(FOREIGN)),
      rename: (one) => {
        const path = [...one.files][chance.below(3)];
        if (path === undefined) return;
        const to = path.replace("src/", "src/new/");
        Deno.mkdirSync(`${dir}/${to}`.replace(/\/[^/]*$/, ""), { recursive: true });
        Deno.renameSync(`${dir}/${path}`, `${dir}/${to}`);
        one.files.delete(path);
        one.files.add(to);
      },
      ignore: () => {
        write("noise.log", words("nobody"));
        write(`notes-${count}.txt`, words("somebody"));
      },
      demand: ({ number }) => {
        requirements[number - 1] = `- FR${number}: Part ${number} is ${words("a person")}.\n`;
        write(PRD[form], prd(requirements));
        commit(undefined, "docs: more words", PRD[form]);
      },
      /** On a branch, while something else happens where it began. */
      branch: async (one) => {
        const main = git("branch", "--show-current");
        commit(undefined, "Work");
        const side = chance.pick([`side-${count}`, `feature/${stemOf(one)}`]);
        git("checkout", "--quiet", "-b", side);
        if (count % 2 === 0) {
          write(`src/early-${count}.ts`, `// ${words("nobody")}\n`);
          commit(undefined, "Work");
        }
        for (const name of ["begin", "build", chance.pick(["save", "saveAny"])]) await deeds[name]!(one);
        commit(undefined, "Work");
        git("checkout", "--quiet", main);
        write(`src/other-${count}.ts`, `// ${words("nobody")}\n`);
        commit(undefined, chance.pick(FOREIGN));
        const way = chance.pick(["merge", "squash", "rebase"]);
        said.push(`${way} ${side}`);
        if (way === "merge") git("merge", "--quiet", "--no-ff", "--no-edit", side);
        else if (way === "rebase") {
          git("rebase", "--quiet", main, side);
          git("checkout", "--quiet", main);
          git("merge", "--quiet", "--ff-only", side);
        } else {
          git("merge", "--quiet", "--squash", side);
          if (chance.below(2) === 0) commit(one, naming(one));
          else commit(undefined, "Squashed");
        }
        git("branch", "--quiet", "-D", side);
      },
      finish: async (one) => {
        if (one.files.size < 2) return;
        write(one.path, documentOf(one, "finished", begun));
        await work.mark({ story: one.ref, status: "review", by: "Ann" });
        one.state = "review";
      },
      end: async (one) => {
        await endAgrees(work, one);
        said.push(`${one.ref} is ${one.state}`);
      },
    };
    git("init", "--quiet", "--initial-branch=main");
    if (!isSprint) { for (const one of lives) write(one.path, documentOf(one, "planned", planned)); }
    commit(undefined, "Begin");
    const length = chance.below(8) + 7;
    for (let at = 0; at < length; at++) {
      const one = chance.pick(lives);
      const name = chance.below(5) === 0 ? chance.pick(ANYTIME) : chance.pick(FITTING[one.state]!);
      said.push(`${name} ${one.ref}`);
      await deeds[name]!(one);
    }
    await factsAgree({ work, dir, lives, owners, isSprint });
    return length;
  });
}

interface Lived {
  readonly work: ProjectWork;
  readonly dir: string;
  readonly lives: readonly Life[];
  readonly owners: ReadonlyMap<string, Life | undefined>;
  /** Whether a ledger says how far stories have come, and not their files. */
  readonly isSprint: boolean;
}

/** A mark refuses what the check has found, and only that. */
async function endAgrees(work: ProjectWork, one: Life): Promise<void> {
  const { findings } = (await work.check(one.ref)).data as Json;
  const against = findings.filter(({ code }: Json) => code !== "status-contradiction");
  const told = await work.mark({ story: one.ref, status: "done", by: "Ann" })
    .then(() => undefined, (error) => String(error.message));
  assert.equal(
    told !== undefined,
    against.length > 0,
    `${one.ref} as done: ${told}, ${JSON.stringify(against)}`,
  );
  for (const { problem } of against) assert.ok(told!.includes(problem), `${problem}: ${told}`);
  if (told === undefined) one.state = "done";
}

async function factsAgree({ work, dir, lives, owners, isSprint }: Lived): Promise<void> {
  const git = (...args: readonly string[]) => runGit(dir, ...args);
  const status = git("status", "--porcelain", "-z", "--untracked-files=all", "--no-renames").split("\0")
    .flatMap((row) => {
      const [, kind, path] = /^ ?(\S+) +(.+)$/.exec(row) ?? [];
      return path === undefined ? [] : [[path, kind!] as const];
    });
  const open = new Map(status);
  const log = git("log", "--format=%H %P%x00%s").split("\n").map((line) => {
    const [ids = "", subject = ""] = line.split("\0");
    const [id = "", ...parents] = ids.split(" ");
    return { id, parents, subject };
  });
  const board = (await work.ledgers()).epics.flatMap(({ stories }) => stories);
  const all = (await work.check()).data as Json;
  const trace = (await work.trace(undefined, true)).data;
  for (const one of lives) {
    const story = board.find(({ ref }) => ref === one.ref)!;
    const about = (what: string) => `${one.ref}: ${what}`;
    assert.equal(story.state, one.state, about("state"));
    const alone = (await work.check(one.ref)).data as Json;
    const problemsOf = (all: Json, code: string) =>
      all.filter((found: Json) => found.story === one.ref && found.code === code)
        .map(({ problem }: Json) => problem);
    // What is drift on the board is told by the check.
    for (const { findings, notes } of [all, alone]) {
      const told = [
        ...["status-contradiction", "empty-diff"].flatMap((code) => problemsOf(findings, code)),
        ...notes.filter((note: string) =>
          note.startsWith(`Story ${one.ref}: `) && !note.includes("no test names")
        ),
      ];
      assert.equal(told.length, story.drift.length, about(`${JSON.stringify([told, story.drift])}`));
    }
    // Specs list no files.
    const text = one.state === "done" ? Deno.readTextFileSync(`${dir}/${one.path}`) : "";
    const listed = [...one.files].filter((path) => open.has(path) && text.includes(`\n- ${path}`));
    const uncommitted = story.drift.flatMap(({ problem }) =>
      /^(.+?) (?:is|are) not committed/.exec(problem)?.[1] ?? []
    );
    assert.deepEqual(
      uncommitted,
      listed.length === 0 ? [] : [abbreviateList(listed, 1)],
      about("not committed"),
    );
    // Stale where the requirement differs from that of the beginning.
    const traced = trace.stories.find(({ ref }) => ref === one.ref)!;
    assert.deepEqual(traced.stale ?? [], story.stale ?? [], about("stale"));
    // Two merges of one branch have the same subject.
    const { id: began } = log.find(({ id }) => id === one.began?.id) ??
      log.find(({ subject }) => subject === one.began?.subject) ?? {};
    if (began !== undefined && !one.isByHand) assert.equal(traced.baseline, began, about("beginning"));
    const isTold = isBegun(one) && !open.has(isSprint ? LEDGER : one.path);
    if (isTold) assert.ok(traced.baseline !== undefined, about("beginning by hand, or in lost commits"));
    if (isBegun(one)) {
      const told = problemsOf(alone.findings, "requirement-changed");
      assert.equal(told.length > 0, (story.stale ?? []).length > 0, about(`stale: ${told}`));
      const untested = traced.criteria.filter(({ tests }) => tests.length === 0).map(({ number }) => number);
      const said = [...alone.notes, ...problemsOf(alone.findings, "criterion-untested")]
        .flatMap((text: string) => text.match(/(?<=no test names AC)\d+/)?.map(Number) ?? []);
      assert.deepEqual(said.sort(), untested, about("criteria without a test"));
    }
    const named = log.filter(({ subject }) =>
      owners.get(subject) === one || subject.startsWith(`Merge branch 'feature/${stemOf(one)}'`)
    ).map(({ subject }) => subject);
    assert.deepEqual(traced.commits.map(({ subject }) => subject), named.slice(0, 20), about("commits"));
    if (isBegun(one)) await reviewAgrees({ work, dir, owners }, { one, open, began });
  }
}

/** A review shows what is surely the story's, nothing that is surely another's, and what git calls open. */
async function reviewAgrees(
  { work, dir, owners }: Pick<Lived, "work" | "dir" | "owners">,
  { one, open, began }: {
    readonly one: Life;
    readonly open: ReadonlyMap<string, string>;
    readonly began: string | undefined;
  },
): Promise<void> {
  const { data: { diff } } = await work.review(one.ref, { review: () => "", force: "" });
  const isSource = (path: string) => path.startsWith("src/") || path.startsWith("notes");
  const pathsOf = (isNew: boolean) =>
    [...open].filter(([path, kind]) => isSource(path) && (kind === "??") === isNew).map(([path]) => path)
      .sort();
  assert.deepEqual(diff.added.filter(isSource).toSorted(), pathsOf(true), `${one.ref}: new`);
  assert.deepEqual(diff.uncommitted.filter(isSource).toSorted(), pathsOf(false), `${one.ref}: not committed`);
  const { stdout } = new Deno.Command("bash", {
    args: ["-c", diff.commands.map(({ command }) => command).join("\n")],
    cwd: dir,
  }).outputSync();
  const shown = new TextDecoder().decode(stdout);
  const wordsIn = (text: string) => [...text.matchAll(/words of \d+ \d+/g)].map(([words]) => words);
  const now = new Set([...one.files].flatMap((path) => wordsIn(Deno.readTextFileSync(`${dir}/${path}`))));
  const added = (diff: string) => wordsIn(diff.split("\n").filter((line) => line.startsWith("+")).join("\n"));
  const unsaved = [...open].filter(([, kind]) => kind === "??").map(([path]) =>
    Deno.readTextFileSync(`${dir}/${path}`)
  );
  const loose = new Set(wordsIn([runGit(dir, "diff", "HEAD"), ...unsaved].join("\n")));
  for (const text of now) {
    if (loose.has(text)) assert.ok(shown.includes(text), `${one.ref}: ${text} is missing`);
  }
  if (began === undefined) return;
  const saved = runGit(
    dir,
    "log",
    "-p",
    // A file that is only moved has no new words; where nobody recorded the beginning, they may be older.
    one.isByHand ? "--find-renames=100%" : "--no-renames",
    "--no-merges",
    "--format=%x00%s",
    `${began}..HEAD`,
  ).split("\0")
    .slice(1)
    .map((part) => ({ owner: owners.get(part.slice(0, part.indexOf("\n"))), words: added(part) }));
  const [own, others] = [
    saved.filter(({ owner }) => owner === one),
    saved.filter(({ owner }) => owner && owner !== one),
  ];
  for (const text of own.flatMap(({ words }) => words)) {
    if (now.has(text)) assert.ok(shown.includes(text), `${one.ref}: ${text} is missing`);
  }
  const told = new Set(added(shown));
  const free = loose.union(
    new Set(saved.filter((one) => !others.includes(one)).flatMap(({ words }) => words)),
  );
  for (const text of others.flatMap(({ words }) => words)) {
    if (!free.has(text)) assert.ok(!told.has(text), `${one.ref}: ${text} is another's: ${diff.from}`);
  }
}
