/**
 * What all clones see: a remote's ref for each held story, and one for each moved, to a small commit that says by whom,
 * where and until when. Whoever takes a story expects the ref as last seen, so one of several wins. The last view is
 * kept with its time: a claim unchanged for its duration has ended, whatever the clocks say.
 */
import { recover } from "../../base/absence.ts";
import { BmadError } from "../../base/errors.ts";
import { sha256, shorten } from "../../base/text.ts";
import { isWithin, renderTime } from "../../base/time.ts";
import { asText, asTexts, asValues, parseJson } from "../../base/values.ts";
import {
  type RefChange,
  type RemoteRef,
  type RemoteRefs,
  withRemoteRefs,
} from "../../content/repositories/mod.ts";
import { findText, joinPath } from "../../content/tree/mod.ts";
import { GIT_SECONDS, type SharedPlan } from "../../settings/plan/mod.ts";
import type { SharedFiles } from "../files/mod.ts";
import { LIMITS } from "../limits.ts";
import {
  type About,
  type ClaimRecord,
  isSilent,
  ledgerIn,
  LEFT,
  type Move,
  type MovedStory,
  nameOfWorktree,
  parseClaim,
  parseMove,
  placeOfMove,
  type SharedClaim,
} from "./board/mod.ts";
import { isBehind } from "./formats/mod.ts";
import type { News, RemoteOutcome, RemoteRecords } from "./writer/mod.ts";

export interface RemoteMemory {
  silent?: { readonly since: number; readonly problem: string };
  /** Empty if the system does not say. */
  machine?: string;
}

interface RemoteOptions {
  readonly plan: SharedPlan;
  readonly shared: SharedFiles;
  readonly memory: RemoteMemory;
  readonly claimMs: number;
  /** The last view's, in milliseconds. */
  readonly maxAge: number;
  now(): number;
  clean(text: string): string;
  readonly signal?: AbortSignal;
}

interface RemoteView {
  readonly remote: string;
  readonly at: number;
  readonly refs: readonly SeenRef[];
  /** Whose refs could not be removed yet. */
  readonly left: readonly string[];
  /** Of moved stories, which the remote has or had. */
  readonly branches: readonly string[];
  readonly earlier: readonly string[];
  /** For a while, other processes do not wait for it either. */
  readonly silent?: { readonly since: number; readonly problem: string };
}

interface SeenRef {
  readonly name: string;
  readonly id: string;
  /** When this commit was first seen. */
  readonly since: number;
  readonly claim?: RemoteClaim;
  readonly move?: RemoteMove;
}

interface RemoteMove extends Move {
  readonly machine?: string;
}

interface RemoteClaim extends SharedClaim {
  readonly machine?: string;
  readonly seconds: number;
}

const CLAIMS = "refs/bmad/claims/";
const MOVES = "refs/bmad/stories/";
const VIEW_FILE = "remote-claims.json";
/** The ref changed meanwhile. */
const OVERTAKEN = /stale info|cannot lock|failed to (?:lock|update)|already exists|incorrect old value/;
const USUAL_LEDGER = "_bmad-output/implementation-artifacts/sprint-status.yaml";

export async function openRemoteRecords(
  { plan: { remote: plan, project, worktree }, shared, memory, claimMs, maxAge, now, clean, signal }:
    RemoteOptions,
): Promise<RemoteRecords> {
  const { name, git, folder, problem: forbidden } = plan!;
  const stored = readView(findText(shared.tree, VIEW_FILE) ?? "");
  let view: RemoteView = stored?.remote === name
    ? stored
    : { remote: name, at: 0, refs: [], left: [], branches: [], earlier: [] };
  const refOf = (prefix: string, { story, ledger }: About) =>
    refName(prefix, { story, ledger: joinPath(project, ledger) });
  const seenAs = (ref: string | undefined) => view.refs.find((one) => one.name === ref);

  /** If this start may write; of two writers at once, one is enough. */
  const remember = (next: RemoteView): void => {
    view = next;
    recover(BmadError, () => shared.replace(VIEW_FILE, `${JSON.stringify(next)}\n`));
  };

  const ask = async (work: (refs: RemoteRefs) => Promise<RemoteOutcome>): Promise<RemoteOutcome> => {
    if (forbidden !== undefined) return { problem: forbidden };
    if (git === undefined) return { problem: "this command runs no git" };
    const silent = memory.silent ?? view.silent;
    if (silent !== undefined && isWithin(GIT_SECONDS.silence * 1_000, silent.since, now())) {
      return { problem: silent.problem };
    }
    const begun = now();
    const answer = await withRemoteRefs({ name, folder, git }, [CLAIMS, MOVES], work, signal);
    if ("value" in answer) return answer.value;
    const problem = `git cannot use ${name}: ${answer.problem}`;
    if (now() - begun > LIMITS.remote.slowMs) {
      memory.silent = { since: now(), problem };
      remember({ ...view, silent: memory.silent });
    }
    return { problem };
  };

  const look = async (refs: RemoteRefs): Promise<void> => {
    const keyOf = ({ name, id }: RemoteRef) => `${id} ${name}`;
    const known = new Map(view.refs.map((one) => [keyOf(one), one]));
    const asked = [...new Set(view.refs.flatMap(({ move }) => move?.branch ?? []))];
    const { refs: listed, branches } = await refs.list((ref) => known.has(keyOf(ref)), asked);
    const at = now();
    const seen = await Promise.all(listed.map(async ({ name, id, message }): Promise<SeenRef> => {
      const before = known.get(keyOf({ name, id }));
      if (message === undefined && before !== undefined) return before;
      return { name, id, since: before?.since ?? at, ...await noteOf(name, message ?? "", at) };
    }));
    const ids = new Set(seen.map(({ id }) => id));
    remember({
      ...view,
      at,
      refs: seen,
      left: view.left.filter((id) => ids.has(id)),
      branches,
      earlier: [...new Set([...view.earlier, ...branches])].filter((branch) => asked.includes(branch)),
    });
  };

  /** Old refs go, too, and those not removed before; after a refusal, it looks why. */
  const push = async (refs: RemoteRefs, changes: readonly Change[]) => {
    const names = changes.map(({ name }) => name);
    const old = view.refs.filter((one) =>
      !names.includes(one.name) && (isOld(one, now()) || view.left.includes(one.id))
    ).slice(0, LIMITS.remote.sweptRefs);
    const removed = old.map(({ name, id }): RefChange => ({ name, from: id, to: undefined }));
    const answers = await refs.push([...changes, ...removed]);
    const done = changes.filter(({ name }) => !answers.has(name));
    const others = view.refs.filter((one) =>
      !done.some(({ name }) => name === one.name) && !old.includes(one)
    );
    const made = done.flatMap(({ name, to, claim, move }): readonly SeenRef[] =>
      to === undefined ? [] : [{ name, id: to, since: now(), claim, move }]
    );
    remember({ ...view, refs: [...others, ...made] });
    const refused = changes.filter(({ name }) => answers.has(name));
    if (refused.length === 0) return new Map();
    await look(refs);
    return new Map(refused.map(({ name, from }) => [
      name,
      { refusal: answers.get(name)!, isUnchanged: seenAs(name)?.id === from },
    ]));
  };

  const isOthers = (
    { id, claim, since }: SeenRef,
    isOwn: (commit: string) => boolean,
  ): boolean => claim !== undefined && !isOwn(id) && !view.left.includes(id) && isGood(claim, since, now());

  const machineName = async (refs: RemoteRefs) => {
    const machine = memory.machine ??= shorten(await refs.machine() ?? "", LIMITS.remote.machine);
    return machine === "" ? {} : { machine };
  };

  const changeFor = async (
    refs: RemoteRefs,
    { ledger, story, by, until, worktree, at, seat }: SharedClaim,
    record: (commit: string) => void,
  ): Promise<Change> => {
    const seconds = claimMs / 1_000;
    const claim = { ledger, story, by, until, worktree, at, seat, ...await machineName(refs), seconds };
    const name = await refName(CLAIMS, claim);
    const to = await refs.commit(`${by} holds ${story}\n\n${JSON.stringify(claim)}`);
    // A killed process must recognize its own claim.
    record(to);
    return { name, from: seenAs(name)?.id, to, claim };
  };

  /** Where another clone holds the story, or its move has come further, that stays; `own` is changed anyway. */
  const changesFor = async (refs: RemoteRefs, news: News, own?: string) => {
    const { claims = [], moves = [], ended = [], givenUp } = news;
    const left = givenUp && await refOf(MOVES, givenUp);
    const changes: Change[] = view.refs
      .filter(({ name, id, move }) => move !== undefined && (ended.includes(id) || name === left))
      .map(({ name, id }) => ({ name, from: id, to: undefined }));
    for (const { record, ...own } of moves) {
      const move: RemoteMove = { ...own, ...await machineName(refs) };
      const ref = await refName(MOVES, move);
      const before = seenAs(ref);
      if (before?.move !== undefined && isBehind(move.state, before.move.state) && before.move.at > move.at) {
        continue;
      }
      const { commits: _, isUntold: __, ...said } = move;
      const to = await refs.commit(`${move.story} is ${move.state}\n\n${JSON.stringify(said)}`);
      record(to);
      changes.push({ name: ref, from: before?.id, to, move });
    }
    for (const { record, ...claim } of claims) {
      const name = await refName(CLAIMS, claim);
      const before = seenAs(name);
      if (name === own || before && isOthers(before, (id) => claim.commits?.includes(id) === true)) continue;
      changes.push(await changeFor(refs, claim, record));
    }
    // The ref of a story that moved on changes: git takes no name twice.
    return [...new Map(changes.map((change) => [change.name, change])).values()];
  };

  const records = new Map<SeenRef, ClaimRecord | undefined>();
  const recordOf = ({ claim, since }: SeenRef): ClaimRecord | undefined => {
    const ledger = claim && ledgerIn(project, claim);
    if (claim === undefined || ledger === undefined) return undefined;
    const { story, by, until, seat } = claim;
    const place = seat === undefined ? placeOf(claim) : `${seat.name}, ${placeOf(claim)}`;
    const active = new Date(since).toISOString();
    const known = { ledger, story, by: clean(by), until, place: clean(place) };
    return isSilent(active, now()) ? { ...known, ...LEFT } : { ...known, active };
  };
  const movedIn = ({ move }: SeenRef): MovedStory | undefined => {
    const ledger = move && ledgerIn(project, move);
    if (move === undefined || ledger === undefined) return undefined;
    const { story, state, by, branch } = move;
    const isDeleted = branch !== undefined && view.earlier.includes(branch) &&
      !view.branches.includes(branch);
    const on = clean(placeOfMove(move) ?? placeOf(move));
    return { ledger, story, state, on, ...(by && { by: clean(by) }), ...(isDeleted && { problem: DELETED }) };
  };

  const age = now() - view.at;
  // The clock may have been set back.
  const isRecent = age >= 0 && age <= maxAge;
  const lookNow = () =>
    ask(async (refs) => {
      await look(refs);
      return {};
    });
  const { problem } = isRecent ? {} : await lookNow();
  return {
    problem: problem && view.at > 0 ? `${problem}; last seen ${renderTime(view.at)}` : problem,
    others: (isOwn) =>
      view.refs.filter((ref) => isOthers(ref, isOwn))
        .flatMap((ref) => records.getOrInsertComputed(ref, () => recordOf(ref)) ?? []),
    otherMoves: (isOwn) => view.refs.filter(({ id }) => !isOwn(id)).flatMap((ref) => movedIn(ref) ?? []),
    look: async () => void await lookNow(),
    take: (given, { isForced, isOwn, record, news = {} }) =>
      ask(async (refs) => {
        const claim = { ...given, ledger: joinPath(project, given.ledger), worktree };
        const ref = await refName(CLAIMS, claim);
        let refusals = 0;
        for (let tries = 0; tries < LIMITS.remote.tries; tries++) {
          const before = seenAs(ref);
          if (before !== undefined && !isForced && isOthers(before, isOwn)) return { isLost: true };
          const change = await changeFor(refs, claim, record);
          const refused = await push(refs, [change, ...await changesFor(refs, news, ref)]);
          const own = refused.get(ref);
          if (own === undefined) return refused.size === 0 ? {} : { isUntold: true };
          // A ref that is not seen, as behind too many others, is somebody's.
          if (before === undefined && seenAs(ref) === undefined && /stale info/.test(own.refusal)) continue;
          // It may have been taken and released meanwhile, but not each time.
          if (own.isUnchanged && (++refusals > 1 || !OVERTAKEN.test(own.refusal))) {
            return { problem: `${name} refuses it: ${own.refusal}` };
          }
        }
        return { isLost: true };
      }),
    tell: async (news) => {
      const ref = news.dropped && await refOf(CLAIMS, news.dropped);
      const outcome = await ask(async (refs) => {
        if (ref !== undefined && seenAs(ref) === undefined) await look(refs);
        for (let tries = 0; tries < LIMITS.remote.tries; tries++) {
          const before = seenAs(ref);
          const dropped = before === undefined ? [] : [{ name: before.name, from: before.id, to: undefined }];
          const changes = [...dropped, ...await changesFor(refs, news, ref)];
          if (changes.length === 0 && !view.refs.some(({ id }) => view.left.includes(id))) return {};
          const refused = [...await push(refs, changes)];
          // A changed claim is another clone's by now.
          const left = refused.filter(([name, { isUnchanged }]) => name !== ref || isUnchanged);
          if (left.length === 0) return {};
          const [, { refusal, isUnchanged }] = left[0]!;
          if (isUnchanged && !OVERTAKEN.test(refusal)) return { problem: `${name} refuses it: ${refusal}` };
        }
        return { problem: "other clones were quicker each time" };
      });
      const before = seenAs(ref);
      if (outcome.problem !== undefined && before !== undefined) {
        remember({ ...view, left: [...view.left, before.id].slice(-LIMITS.remote.refs) });
      }
      return outcome;
    },
  };
}

const DELETED = "was deleted without a merge";

interface Change extends RefChange {
  readonly claim?: RemoteClaim;
  readonly move?: RemoteMove;
}

/** With a hash unless the name is unique. */
async function refName(prefix: string, { ledger, story }: About): Promise<string> {
  const plain = story.toLowerCase().replace(/[^a-z0-9_-]+/g, "-").slice(0, LIMITS.remote.refName);
  if (plain === story && ledger === USUAL_LEDGER) return `${prefix}${story}`;
  return `${prefix}${plain}-${(await sha256(`${ledger}\n${story}`)).slice(0, 12)}`;
}

async function noteOf(name: string, message: string, at: number): Promise<Pick<SeenRef, "claim" | "move">> {
  const note = parseJson(message.slice(message.indexOf("\n{") + 1));
  const isNamed = async (prefix: string, about: About | undefined) =>
    about !== undefined && await refName(prefix, about) === name;
  const [claim, move] = [parseRemoteClaim(note, at), parseRemoteMove(note)];
  return await isNamed(CLAIMS, claim) ? { claim } : await isNamed(MOVES, move) ? { move } : {};
}

function parseRemoteMove(value: unknown): RemoteMove | undefined {
  const move = parseMove(value);
  return move && { ...move, ...machineIn(value) };
}

function machineIn(value: unknown): { readonly machine?: string } {
  const machine = shorten(asText(asValues(value)["machine"]) ?? "", LIMITS.remote.machine);
  return machine === "" ? {} : { machine };
}

/** Anyone who may push can have written it. */
function parseRemoteClaim(value: unknown, now: number): RemoteClaim | undefined {
  const claim = parseClaim(value, now + LIMITS.claims.longestMs + LIMITS.remote.skewMs);
  const { seconds } = asValues(value);
  const longest = LIMITS.claims.longestMs / 1_000;
  const isDuration = typeof seconds === "number" && seconds > 0;
  return claim && {
    ...claim,
    ...machineIn(value),
    seconds: isDuration ? Math.min(seconds, longest) : longest,
  };
}

function isGood({ until, seconds }: RemoteClaim, since: number, now: number): boolean {
  return now < Date.parse(until) + LIMITS.remote.skewMs && now < since + seconds * 1_000;
}

function isOld({ claim, move, since }: SeenRef, now: number): boolean {
  if (move !== undefined) return now > since + LIMITS.moves.oldMs;
  return now > Math.max(since, claim === undefined ? 0 : Date.parse(claim.until)) + LIMITS.remote.oldMs;
}

/** `the main worktree of a clone on build-1`. */
function placeOf({ worktree, machine }: Pick<RemoteClaim, "worktree" | "machine">): string {
  return `${nameOfWorktree(worktree)} of ${
    machine === undefined ? "another clone" : `a clone on ${machine}`
  }`;
}

function readView(text: string): RemoteView | undefined {
  const { remote, at, refs, left, branches, earlier, silent } = asValues(parseJson(text));
  const { since, problem } = asValues(silent);
  if (typeof remote !== "string" || typeof at !== "number" || !Array.isArray(refs)) return undefined;
  return {
    remote,
    at,
    refs: refs.slice(0, LIMITS.remote.refs).flatMap((one) => {
      const { name, id, since, claim, move } = asValues(one);
      if (typeof name !== "string" || typeof id !== "string" || typeof since !== "number") return [];
      return [{ name, id, since, claim: parseRemoteClaim(claim, since), move: parseRemoteMove(move) }];
    }),
    left: asTexts(left),
    branches: asTexts(branches),
    earlier: asTexts(earlier),
    ...(typeof since === "number" && typeof problem === "string" && { silent: { since, problem } }),
  };
}
