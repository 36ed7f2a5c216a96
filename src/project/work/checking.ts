/**
 * A check with what it may use: the project's files, its commits where git is allowed, and its completion contract.
 */
import { BmadError, type FailedCheck } from "../../base/errors.ts";
import { shorten } from "../../base/text.ts";
import { asText, asValues } from "../../base/values.ts";
import { cachedWith } from "../../base/cache.ts";
import { once, runInSlices } from "../../base/work.ts";
import { type BoardWorld, findStory, type StoryMatch, type Target } from "./board/mod.ts";
import { type Board, problemLine } from "./formats/mod.ts";
import {
  checkAll,
  type Checked,
  type CheckReport,
  checkStory,
  type CheckWorld,
  commandFailed,
  definitionsIn,
  type History,
  LOG,
  readLog,
  reportCheck,
  summarizeStories,
  summarizeStory,
  withGitDrift,
  withoutRetrospective,
} from "./check/mod.ts";
import type { Tree } from "../../content/tree/mod.ts";
import type { PastWorld, TraceReport, Words } from "./trace/mod.ts";
import { mayRun, type WorkTools } from "./tools.ts";

/** Without running commands of the project. */
export async function lookAtStory(
  tools: WorkTools,
  opened: BoardWorld,
  found: StoryMatch,
  withResults = (_: WorkTools, checked: Checked) => Promise.resolve(checked),
): Promise<CheckReport> {
  const checked = await withResults(tools, await checkStory(checkWorld(tools, opened), found));
  return reportCheck(summarizeStory(found.story, checked.findings), checked);
}

export async function checkWork(tools: WorkTools, opened: BoardWorld, story?: string): Promise<CheckReport> {
  if (story !== undefined) {
    return await lookAtStory(tools, opened, findStory(opened.board, story), withCommands);
  }
  const checked = await withCommands(tools, await checkAll(checkWorld(tools, opened)));
  return reportCheck(summarizeStories(opened.board, checked.findings), checked);
}

/** Adds drift and changed requirements where git is allowed. */
export async function compareCommits(tools: WorkTools, opened: BoardWorld): Promise<Board> {
  const world = pastWorld(tools, opened);
  return await staleIn({ ...world, board: await withGitDrift(world) });
}

export function withStaleStories(tools: WorkTools, opened: BoardWorld): Promise<Board> {
  return staleIn(pastWorld(tools, opened));
}

async function staleIn(world: PastWorld): Promise<Board> {
  return await (await import("./trace/mod.ts")).withStale(world);
}

export async function findingsAgainst(
  tools: WorkTools,
  opened: BoardWorld,
  { story, epic }: Target,
): Promise<readonly FailedCheck[]> {
  const world = checkWorld(tools, opened);
  const { findings } = story === undefined
    ? { findings: await runInSlices(withoutRetrospective(world, [epic])) }
    : await withCommands(tools, await checkStory(world, { story, epic }, { isMarking: true }));
  return findings.map((one) => ({ reason: problemLine(one), problem: one.problem, fix: one.fix }));
}

export async function traceWork(
  tools: WorkTools,
  opened: BoardWorld,
  { name, isStale }: { readonly name?: string; readonly isStale: boolean },
): Promise<TraceReport> {
  const { readTrace, reportPart, reportTrace } = await import("./trace/mod.ts");
  const trace = await readTrace(pastWorld(tools, opened), isStale);
  if (name === undefined) return reportTrace(trace);
  return reportPart(trace, name, () => findStory(opened.board, name).story.ref);
}

function pastWorld(tools: WorkTools, opened: BoardWorld): PastWorld {
  const { config, config: { work: plan }, signal } = tools;
  const { history, ...world } = checkWorld(tools, opened);
  const git = plan?.git;
  if (git === undefined || history === undefined) return world;
  const show = async (names: readonly string[]) => {
    const { showFiles } = await import("../../content/repositories/mod.ts");
    return await showFiles(plan!.root, names, { ...git, signal, within: plan!.root, maxOutput: MAX_OLD });
  };
  const known = wordsOf(config);
  return {
    ...world,
    history: once(history),
    wordsIn: async (versions) => {
      const names = versions.filter((name) => !known.has(name));
      const texts = new Map<string, string>();
      const absent = new Map<string, Words>();
      const add = (some: readonly string[], shown: readonly string[] | undefined) =>
        shown?.forEach((text, at) => texts.set(some[at]!, text));
      for (let at = 0; at < names.length; at += AT_ONCE) {
        const some = names.slice(at, at + AT_ONCE);
        const shown = await show(some);
        add(some, shown);
        if (shown !== undefined) continue;
        // One missing version fails the whole call; hashes always exist, so they are read together.
        const hashes = some.filter((name) => !name.includes(":"));
        if (hashes.length > 0) add(hashes, await show(hashes));
        for (const name of some.filter((name) => name.includes(":")).slice(0, MAX_SINGLE)) {
          const alone = await show([name]);
          // A commit without the document has no requirements to compare.
          if (alone === undefined) absent.set(name, new Map());
          else add([name], alone);
        }
      }
      const found = new Map<string, Words>();
      for (const [name, text] of texts) {
        const defined = await runInSlices(definitionsIn("", text));
        found.set(name, new Map(Array.from(defined, ([id, one]) => [id, one.words])));
      }
      const all = new Map(versions.flatMap((name) => {
        const words = found.get(name) ?? known.get(name) ?? absent.get(name);
        return words === undefined ? [] : [[name, words] as const];
      }));
      if (known.size + found.size > MAX_KNOWN) known.clear();
      for (const [name, words] of found) known.set(name, words);
      return all;
    },
  };
}

/** Earlier versions never change. */
const wordsOf = cachedWith((_: WorkTools["config"]) => new Map<string, Words>());
const MAX_KNOWN = 400;
/** Their names are on the command line of one process. */
const AT_ONCE = 50;
/** Versions that need a process of their own. */
const MAX_SINGLE = 5;
/** The output; a larger document is not read today either. */
const MAX_OLD = 32 << 20;

export function checkWorld({ config, signal }: WorkTools, board: BoardWorld): CheckWorld {
  const { work: plan } = config;
  const git = plan?.git;
  const opened = { ...board, mayRun: mayRun(config) };
  if (git === undefined) return opened;
  const read = async () => {
    const { logCommits } = await import("../../content/repositories/mod.ts");
    const { status, stdout, stderr } = await logCommits(plan!.root, LOG, "HEAD", {
      ...git,
      signal,
      within: plan!.root,
    });
    if (status !== 0) return shorten(opened.clean(stderr.slice(0, 2_000)).replace(/^fatal: /, ""));
    return readLog(new TextDecoder().decode(stdout));
  };
  return { ...opened, history: () => historyOf(opened.tree).read ??= read() };
}

/** The commits are read once for all questions of a request. */
const historyOf = cachedWith((_: Tree): { read?: Promise<History | string> } => ({}));

async function withCommands({ verify }: WorkTools, checked: Checked): Promise<Checked> {
  if (!checked.claims) return checked;
  try {
    const { data } = await verify();
    const { status, script, note } = asValues(data);
    const path = asText(script) ?? "";
    if (status === "PASS") return checked;
    if (status === "NONE") {
      return { ...checked, unchecked: [...checked.unchecked, `${path} checked nothing: ${asText(note)}.`] };
    }
    return { ...checked, findings: [...checked.findings, commandFailed(path, asText(note))] };
  } catch (error) {
    if (!(error instanceof BmadError)) throw error;
    const { failure } = error;
    // A project without such a script defines no commands.
    if (failure.code !== "not-allowed") return checked;
    const why = failure.setting === "allowExec"
      ? "the user has not allowed it (--allow-exec, BMAD_ALLOW_EXEC)"
      : failure.hint;
    return { ...checked, unchecked: [...checked.unchecked, `The project's commands were not run: ${why}.`] };
  }
}
