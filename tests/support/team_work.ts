/**
 * A team at work: people in several worktrees and clones run commands and servers, some of which are killed, and commit and
 * merge. Every answer is written down before the next call; team_judge.ts decides by these records and by git alone.
 */
import { pause } from "../../src/base/work.ts";
import { diskTree, findText } from "../../src/content/tree/mod.ts";
import { type Chance, chanceFrom } from "./chance.ts";
import { makeHub } from "./clones.ts";
import { runGit, startGit } from "./git.ts";
import { killChild, type Launch, prepareLaunch, type RawProgram, runHere, startSession } from "./program.ts";
import { DRIVER } from "./races.ts";
import {
  type Deed,
  type Ending,
  type Form,
  FORMS,
  judge,
  rankOf,
  reportDeeds,
  stateIn,
} from "./team_judge.ts";
import { withTree } from "./trees.ts";
import { documentFor, freshProject, pathOf, readTemplates, refOf } from "./work_projects.ts";

interface Team {
  readonly seed: number;
  readonly workers: number;
  readonly kills: number;
  readonly ms: number;
  readonly clones: number;
  /** Of each clone. */
  readonly worktrees: number;
  readonly stories: number;
  /** Whether clones share their claims; otherwise, all settings are the defaults. */
  readonly isRemote: boolean;
}

const PEOPLE = ["Ann", "Bob", "Cy"];
/** A terminal, a shell that says which one it is, and a client. */
const KINDS = ["terminal", "shell", "server"] as const;

interface Place {
  readonly clone: string;
  readonly folder: string;
  readonly branch: string;
  /** Commands of the program at work in it, and what git does there, one at a time. */
  atWork: number;
  git: Promise<unknown>;
  isMerging: boolean;
}

interface Worker {
  readonly name: string;
  readonly person: string;
  readonly kind: typeof KINDS[number];
  readonly place: Place;
  readonly form: Form;
  readonly chance: Chance;
  readonly launch: Launch;
  readonly server?: RawProgram;
  child?: Deno.ChildProcess;
  calls: number;
  isKilled: boolean;
}

const FAR_MS = 25 * 3_600_000;

export async function workTogether(team: Team): Promise<string> {
  const files = await projects(team);
  return await withTree(files, async (dir) => {
    const chance = chanceFrom(team.seed);
    const places = makePlaces(dir, team);
    const deeds: Deed[] = [];
    const endings: Ending[] = [];
    const odd: string[] = [];
    let [isOver, made, merges] = [false, 0, 0];
    const variables: Record<string, string> = team.isRemote
      ? { BMAD_CLAIMS: "remote", BMAD_ALLOW_GIT: "1" }
      : {};
    const envOf = (person: string) => ({ HOME: `${dir}/homes/${person}`, ...variables });

    const begin = async (): Promise<Worker> => {
      const [at, name] = [made, `worker-${++made}`];
      const [person, kind] = [PEOPLE[at % PEOPLE.length]!, KINDS[chance.below(KINDS.length)]!];
      const [place, form] = [places[at % places.length]!, FORMS[Math.floor(at / 2) % FORMS.length]!];
      const cwd = `${place.folder}/${form}`;
      const env: Record<string, string> = { ...envOf(person), ...(kind === "shell" && { BMAD_SEAT: name }) };
      const launch = await prepareLaunch([], { cwd, env });
      const server = kind === "server" ? await startSession([], { cwd, env }) : undefined;
      const own = chanceFrom(team.seed + made);
      return { name, person, kind, place, form, chance: own, launch, server, calls: 1, isKilled: false };
    };

    /** The answer to one call; undefined if the worker was killed before it came. */
    const ask = async (one: Worker, words: readonly string[], isForced: boolean) => {
      if (one.server === undefined) {
        return await runCommand(one, [...words, ...(isForced ? ["--force"] : [])]);
      }
      const [operation, story, status] = words;
      const id = ++one.calls;
      const args = { operation, story, status, ...(isForced && { force: true }) };
      try {
        await one.server.send({ id, method: "tools/call", params: { name: "bmad_work", arguments: args } });
        const { result } = await answerTo(one.server, id);
        return { isDone: result.isError !== true, text: result.content[0].text as string };
      } catch (error) {
        if (one.isKilled) return undefined;
        throw error;
      }
    };

    const act = async (
      one: Worker,
      did: Deed["did"],
      { number, to, isForced = false }: Partial<Deed> = {},
    ) => {
      const { place, form, person, name, kind } = one;
      const tree = diskTree(place.folder);
      while (place.isMerging) await pause(5);
      place.atWork++;
      const start = performance.now();
      const story = number === undefined ? [] : [refOf(form, number)];
      const answer = await ask(one, [did, ...story, ...(to === undefined ? [] : [to])], isForced)
        .finally(() => place.atWork--);
      const text = answer?.text ?? "";
      const given = /^\S+ holds (\S+) until/m.exec(text)?.[1];
      const found = number ?? (did === "claim" && given !== undefined ? numberIn(given) : undefined);
      const deed: Deed = {
        start,
        end: performance.now(),
        worker: name,
        person,
        holder: kind === "terminal" ? `${person} in the terminal of ${place.folder}` : name,
        clone: place.clone,
        branch: place.branch,
        form,
        did,
        number: found,
        to,
        isForced,
        outcome: answer === undefined ? "unknown" : answer.isDone ? "done" : "refused",
        state: found === undefined ? undefined : stateIn(form, found, (path) => findText(tree, path)),
        text,
      };
      deeds.push(deed);
      if (answer?.isDone === false && !REFUSALS.test(text)) odd.push(`${name}: ${did} ${story}: ${text}`);
      return deed;
    };

    /** One story, from a claim to a review, as far as others let it come. */
    const build = async (one: Worker) => {
      const { chance, place, form, name } = one;
      if (chance.below(4) === 0) await ask(one, ["next"], false);
      const number = chance.below(4) === 0 ? chance.below(team.stories) + 1 : undefined;
      const isForced = number !== undefined && chance.below(10) === 0;
      const held = await act(one, "claim", { number, isForced });
      if (held.outcome !== "done" || held.number === undefined) return await pause(50);
      const story = { number: held.number };
      const goOn = async (to: string, forced = false) =>
        (await act(one, "mark", { ...story, to, isForced: forced })).outcome === "done";
      if (rankOf(held.state) >= 2) {
        if (!await goOn("done", true) && !one.isKilled) await act(one, "release", story);
        return;
      }
      if (!await goOn("in-progress")) return one.isKilled || await act(one, "release", story);
      await pause(chance.below(300));
      if (one.isKilled) return;
      Deno.writeTextFileSync(`${place.folder}/${form}/src/${story.number}-${name}.ts`, "export {};\n");
      await withGit(place, () => commit(place));
      if (chance.below(6) === 0) return one.isKilled || await act(one, "release", story);
      if (!one.isKilled && await goOn("review")) await withGit(place, () => commit(place));
      if (chance.below(4) === 0) await mergeInto(place, chance);
    };

    const mergeInto = (place: Place, chance: Chance) =>
      withGit(place, async () => {
        place.isMerging = true;
        while (place.atWork > 0) await pause(5);
        try {
          if (await exchange(place, places, chance)) merges++;
        } finally {
          place.isMerging = false;
        }
      });

    const living = new Map<Worker, Promise<void>>();
    const employ = async () => {
      const one = await begin();
      const work = async () => {
        while (!isOver && !one.isKilled) await build(one);
      };
      living.set(one, work().catch((error) => void (one.isKilled || odd.push(`${one.name}: ${error}`))));
    };
    const dismiss = async (one: Worker) => {
      await living.get(one);
      living.delete(one);
      endings.push({ worker: one.name, at: performance.now(), isServer: one.server !== undefined });
      await one.server?.[Symbol.asyncDispose]();
      await one.launch[Symbol.asyncDispose]();
    };
    try {
      await Promise.all(Array.from({ length: team.workers }, employ));
      const begun = performance.now();
      const moments = Array.from({ length: team.kills }, () => chance.below(team.ms)).sort((a, b) => a - b);
      for (const moment of moments) {
        await pause(Math.max(0, moment - (performance.now() - begun)));
        const one = chance.pick([...living.keys()]);
        one.isKilled = true;
        if (one.child !== undefined) killChild(one.child);
        one.server?.signal("SIGKILL");
        await dismiss(one);
        await employ();
      }
      await pause(Math.max(0, team.ms - (performance.now() - begun)));
    } finally {
      isOver = true;
      await Promise.all([...living.keys()].map(dismiss));
    }
    for (const place of places) await commit(place);

    const held = async (now?: () => number) => {
      const lines = [];
      for (const cwd of places.flatMap(({ folder }) => FORMS.map((form) => `${folder}/${form}`))) {
        const { code, stdout, stderr } = await runHere(["board"], { cwd, env: envOf(PEOPLE[0]!), now });
        if (code !== 0) odd.push(`board in ${cwd}: ${stderr}`);
        lines.push(...stdout.split("\n").filter((line) => line.includes("held by")));
      }
      return lines;
    };
    const atEnd = (await held()).length;
    const late = await held(() => Date.now() + FAR_MS);
    const show = (branch: string, path: string) =>
      runGit(places.find((one) => one.branch === branch)!.folder, "show", `HEAD:${path}`);
    const faults = [
      ...odd,
      ...judge(deeds, endings, show),
      ...late.map((line) => `a day later: ${line}`),
    ];
    const told = `seed ${team.seed}: ${reportDeeds(deeds)}, ${merges} merges, ${made} workers, ` +
      `${team.kills} killed, ${atEnd} held at the end`;
    if (faults.length === 0) return told;
    throw new Error(`${told}\n${faults.length} faults\n${faults.slice(0, 12).join("\n")}`);
  });
}

/** What others may have done meanwhile; anything else is a fault. */
const REFUSALS =
  /^(?:bmad-mcp: )?Cannot (?:claim|mark|release|move|change) .*(?:holds? it|you hold|it is |none can be begun|cannot go back|were quicker|has just been changed|nothing else is free|has been at work for a minute|back to)/;

/** All workers of a clone wait for one lock, so an answer may take longer than a test usually waits. */
async function answerTo(server: RawProgram, id: number) {
  for (let tries = 1;; tries++) {
    try {
      return await server.next(id);
    } catch (error) {
      if (tries === 5 || !String(error).includes("Nothing came")) throw error;
    }
  }
}

async function runCommand(one: Worker, words: readonly string[]) {
  const { command, args, cwd, env } = one.launch;
  const options = { args: [...args, ...words], cwd, env, clearEnv: true };
  const child = new Deno.Command(command, { ...options, stdin: "null", stdout: "piped", stderr: "piped" })
    .spawn();
  one.child = child;
  const { code, signal, stdout, stderr } = await child.output();
  one.child = undefined;
  if (signal !== null) return undefined;
  return {
    isDone: code === 0,
    text: [stdout, stderr].map((text) => new TextDecoder().decode(text)).join(""),
  };
}

function makePlaces(dir: string, { clones, worktrees, seed }: Team): readonly Place[] {
  for (const person of PEOPLE) {
    Deno.mkdirSync(`${dir}/homes/${person}`, { recursive: true });
    Deno.writeTextFileSync(
      `${dir}/homes/${person}/.gitconfig`,
      `[user]\n\tname = ${person}\n\temail = a@example.org\n`,
    );
  }
  const hub = makeHub(dir);
  return Array.from({ length: clones }, (_, at) => {
    const clone = `${dir}/c${at}`;
    runGit(dir, "clone", "--quiet", hub, clone);
    runGit(clone, "config", "merge.bmad-ledger.driver", DRIVER);
    return Array.from({ length: worktrees }, (_, tree): Place => {
      const [folder, branch] = tree === 0 ? [clone, "main"] : [`${clone}-${tree}`, `c${at}-w${tree}-${seed}`];
      if (tree > 0) runGit(clone, "worktree", "add", "--quiet", "-b", branch, folder);
      return {
        clone,
        folder,
        branch: tree === 0 ? `${clone} main` : branch,
        atWork: 0,
        git: Promise.resolve(),
        isMerging: false,
      };
    });
  }).flat();
}

async function projects({ stories }: Team): Promise<Record<string, string>> {
  const templates = await readTemplates();
  const chance = chanceFrom(1);
  const files = FORMS.flatMap((form) => {
    const drafts = Array.from({ length: form === "v4-story" ? stories : 0 }, (_, at) => {
      const draft = { number: at + 1, subject: `Part ${at + 1}`, document: "Approved" };
      return [
        pathOf(form, at + 1),
        documentFor(form, templates, { ...draft, stage: "planned", chance }),
      ] as const;
    });
    const all = [...Object.entries(freshProject(form, stories, templates)), ...drafts];
    return all.map(([path, text]) => [`first/${form}/${path}`, text] as const);
  });
  const attributes = "sprint-status.yaml merge=bmad-ledger\n";
  // Where the program under test keeps what it has compiled.
  return { ...Object.fromEntries(files), "first/.gitattributes": attributes, "first/.gitignore": ".cache\n" };
}

function numberIn(name: string): number {
  return Number(/^(?:1[-.]|spec-shop\/)(\d+)/.exec(name)![1]);
}

async function withGit<T>(place: Place, work: () => Promise<T>): Promise<T> {
  const before = place.git;
  const done = before.then(work);
  place.git = done.catch(() => {});
  return await done;
}

async function commit({ folder }: Place): Promise<void> {
  // A draft of the program's may be gone before git has looked at it.
  const add = () => startGit(folder, "add", "--all");
  await add().catch(add).catch(add);
  await startGit(folder, "commit", "--quiet", "--allow-empty", "--message=Work");
}

/** Takes over another branch, by a merge, a squash or a rebase, unless there are conflicts; sometimes of another clone. */
async function exchange(place: Place, places: readonly Place[], chance: Chance): Promise<boolean> {
  const { folder, branch } = place;
  await commit(place);
  const own = branch.split(" ").at(-1)!;
  await startGit(folder, "push", "--quiet", "--force", "origin", `HEAD:refs/heads/${own}`).catch(() => {});
  const other = chance.pick(places.filter((one) => one !== place));
  const isNear = other.clone === place.clone;
  if (!isNear) await startGit(folder, "fetch", "--quiet", "origin").catch(() => {});
  const name = other.branch.split(" ").at(-1)!;
  const from = isNear ? name : `origin/${name}`;
  const way = chance.pick(["merge --no-edit", "merge --squash", "rebase"]).split(" ");
  try {
    await startGit(folder, ...way, "--quiet", from);
    await commit(place);
    return true;
  } catch {
    await startGit(folder, "rebase", "--abort").catch(() => {});
    await startGit(folder, "reset", "--quiet", "--hard", "HEAD");
    await startGit(folder, "clean", "--quiet", "-d", "--force");
    return false;
  }
}
