/**
 * Claims that all clones of a repository see: one ref of a remote for each story that is held, to a small commit that says
 * who holds it, until when and where. Whoever takes a story expects the ref as it was last seen, so one of several wins. The
 * last view is kept with its time: a claim that has not changed for its duration has ended, whatever the clocks say.
 */
import { BmadError } from "../../base/errors.ts";
import { sha256, shorten } from "../../base/text.ts";
import { renderTime } from "../../base/time.ts";
import { asText, asValues, parseJson } from "../../base/values.ts";
import {
  type RefChange,
  type RemoteRef,
  type RemoteRefs,
  withRemoteRefs,
} from "../../content/repositories/mod.ts";
import { findText, joinPath } from "../../content/tree/mod.ts";
import type { SharedPlan } from "../../settings/plan/mod.ts";
import type { SharedFiles } from "../files/mod.ts";
import { LIMITS } from "../limits.ts";
import {
  type About,
  type ClaimRecord,
  ledgerIn,
  nameOfWorktree,
  parseClaim,
  type SharedClaim,
} from "./board/mod.ts";
import type { RemoteClaims, RemoteOutcome } from "./writer/mod.ts";

export interface RemoteMemory {
  /** The remote did not answer in time, and is not asked again until then. */
  silent?: { readonly until: number; readonly problem: string };
  /** Empty if the system does not say. */
  machine?: string;
}

interface RemoteOptions {
  readonly plan: SharedPlan;
  readonly shared: SharedFiles;
  readonly memory: RemoteMemory;
  readonly claimMs: number;
  /** Of the last view of the remote, in milliseconds. */
  readonly maxAge: number;
  now(): number;
  clean(text: string): string;
  readonly signal?: AbortSignal;
}

interface RemoteView {
  readonly remote: string;
  readonly at: number;
  readonly refs: readonly SeenRef[];
}

interface SeenRef {
  readonly name: string;
  readonly id: string;
  /** When it was first seen with this commit. */
  readonly since: number;
  readonly claim?: RemoteClaim;
}

interface RemoteClaim extends SharedClaim {
  readonly machine?: string;
  /** The duration it was made for. */
  readonly seconds: number;
}

const PREFIX = "refs/bmad/claims/";
const VIEW_FILE = "remote-claims.json";
/** The ref changed meanwhile. */
const OVERTAKEN = /stale info|cannot lock|failed to (?:lock|update)|already exists|incorrect old value/;
/** BMAD's default path of the sprint ledger. */
const USUAL_LEDGER = "_bmad-output/implementation-artifacts/sprint-status.yaml";

/** Looks at the remote unless the last view is recent enough. */
export async function openRemoteClaims(
  { plan: { remote: plan, project, worktree }, shared, memory, claimMs, maxAge, now, clean, signal }:
    RemoteOptions,
): Promise<RemoteClaims> {
  const { name, git, folder, problem: forbidden } = plan!;
  const stored = readView(findText(shared.tree, VIEW_FILE) ?? "");
  let view: RemoteView = stored?.remote === name ? stored : { remote: name, at: 0, refs: [] };
  const seenAs = (ref: string) => view.refs.find((one) => one.name === ref);

  /** If this start may write; of two simultaneous writers, one is enough. */
  const remember = (next: RemoteView): void => {
    view = next;
    try {
      shared.replace(VIEW_FILE, `${JSON.stringify(next)}\n`, findText(shared.tree, VIEW_FILE));
    } catch (error) {
      if (!(error instanceof BmadError)) throw error;
    }
  };

  const ask = async (work: (refs: RemoteRefs) => Promise<RemoteOutcome>): Promise<RemoteOutcome> => {
    if (forbidden !== undefined) return { problem: forbidden };
    if (git === undefined) return { problem: "this command runs no git" };
    if (memory.silent !== undefined && memory.silent.until > now()) return memory.silent;
    const begun = now();
    const answer = await withRemoteRefs({ name, folder, git }, PREFIX, work, signal);
    if ("value" in answer) return answer.value;
    const problem = `git cannot use ${name}: ${answer.problem}`;
    if (now() - begun > LIMITS.remote.slowMs) {
      memory.silent = { until: now() + LIMITS.remote.silenceMs, problem };
    }
    return { problem };
  };

  const look = async (refs: RemoteRefs): Promise<void> => {
    const keyOf = ({ name, id }: RemoteRef) => `${id} ${name}`;
    const known = new Map(view.refs.map((one) => [keyOf(one), one]));
    const listed = await refs.list((ref) => known.has(keyOf(ref)));
    const at = now();
    const seen = listed.map(async ({ name, id, message }): Promise<SeenRef> => {
      const before = known.get(keyOf({ name, id }));
      if (message === undefined && before !== undefined) return before;
      const claim = parseNote(message ?? "", at);
      const isItsOwn = claim !== undefined && await refName(claim) === name;
      return { name, id, since: before?.since ?? at, ...(isItsOwn && { claim }) };
    });
    remember({ ...view, at, refs: await Promise.all(seen) });
  };

  /** Also removes old refs; if the remote refuses, looks why. */
  const push = async (
    refs: RemoteRefs,
    change: RefChange,
    claim?: RemoteClaim,
  ): Promise<{ readonly refusal?: string; readonly isUnchanged?: boolean }> => {
    const old = view.refs.filter((one) => one.name !== change.name && isOld(one, now()))
      .slice(0, LIMITS.remote.sweptRefs);
    const removed = old.map(({ name, id }): RefChange => ({ name, from: id, to: undefined }));
    const refusal = (await refs.push([change, ...removed])).get(change.name);
    if (refusal !== undefined) {
      await look(refs);
      return { refusal, isUnchanged: seenAs(change.name)?.id === change.from };
    }
    const { name, to: id } = change;
    const others = view.refs.filter((one) => one.name !== name && !old.includes(one));
    remember({ ...view, refs: id === undefined ? others : [...others, { name, id, since: now(), claim }] });
    return {};
  };

  const isOthers = (
    { id, claim, since }: SeenRef,
    isOwn: (commit: string) => boolean,
  ): boolean => claim !== undefined && !isOwn(id) && isGood(claim, since, now());

  /** Cleaned once per view. */
  const records = new Map<SeenRef, ClaimRecord | undefined>();
  const recordOf = ({ claim }: SeenRef): ClaimRecord | undefined => {
    const ledger = claim && ledgerIn(project, claim);
    if (claim === undefined || ledger === undefined) return undefined;
    const { story, by, until } = claim;
    return { ledger, story, by: clean(by), until, place: clean(placeOf(claim)) };
  };

  const age = now() - view.at;
  // A clock that was set back tells no age.
  const isRecent = age >= 0 && age <= maxAge;
  const { problem } = isRecent ? {} : await ask(async (refs) => {
    await look(refs);
    return {};
  });
  return {
    problem: problem && view.at > 0 ? `${problem}; last seen ${renderTime(view.at)}` : problem,
    others: (isOwn) =>
      view.refs.filter((ref) => isOthers(ref, isOwn))
        .flatMap((ref) => records.getOrInsertComputed(ref, () => recordOf(ref)) ?? []),
    take: ({ ledger, story, by, until }, { isForced, isOwn, record }) =>
      ask(async (refs) => {
        const machine = memory.machine ??= shorten(await refs.machine() ?? "", LIMITS.remote.machine);
        const claim: RemoteClaim = {
          ledger: joinPath(project, ledger),
          story,
          by,
          until,
          worktree,
          ...(machine !== "" && { machine }),
          seconds: claimMs / 1_000,
        };
        const ref = await refName(claim);
        let refusals = 0;
        for (let tries = 0; tries < LIMITS.remote.tries; tries++) {
          const before = seenAs(ref);
          if (before !== undefined && !isForced && isOthers(before, isOwn)) return { isLost: true };
          const to = await refs.commit(`${by} holds ${story}\n\n${JSON.stringify(claim)}`);
          // Recorded before the push, so that a killed process recognizes its own claim.
          record(to);
          const { refusal, isUnchanged } = await push(refs, { name: ref, from: before?.id, to }, claim);
          if (refusal === undefined) return {};
          // Others may have taken and released it meanwhile, but not each time.
          if (isUnchanged && (++refusals > 1 || !OVERTAKEN.test(refusal))) {
            return { problem: `${name} refuses it: ${refusal}` };
          }
        }
        return { isLost: true };
      }),
    drop: ({ ledger, story }) =>
      ask(async (refs) => {
        const ref = await refName({ ledger: joinPath(project, ledger), story });
        if (seenAs(ref) === undefined) await look(refs);
        const before = seenAs(ref);
        if (before === undefined) return {};
        const { refusal, isUnchanged } = await push(refs, { name: ref, from: before.id, to: undefined });
        // If it has changed, another clone has it by now.
        return refusal !== undefined && isUnchanged ? { problem: `${name} refuses it: ${refusal}` } : {};
      }),
  };
}

/** With a hash unless the story's name is unique. */
async function refName({ ledger, story }: About): Promise<string> {
  const plain = story.toLowerCase().replace(/[^a-z0-9_-]+/g, "-").slice(0, LIMITS.remote.refName);
  if (plain === story && ledger === USUAL_LEDGER) return `${PREFIX}${story}`;
  return `${PREFIX}${plain}-${(await sha256(`${ledger}\n${story}`)).slice(0, 12)}`;
}

/** Anyone who may push can have written the message. */
function parseNote(message: string, now: number): RemoteClaim | undefined {
  return parseRemoteClaim(parseJson(message.slice(message.indexOf("\n{") + 1)), now);
}

function parseRemoteClaim(value: unknown, now: number): RemoteClaim | undefined {
  const claim = parseClaim(value, now + LIMITS.claims.longestMs + LIMITS.remote.skewMs);
  const { machine, seconds } = asValues(value);
  const name = shorten(asText(machine) ?? "", LIMITS.remote.machine);
  const longest = LIMITS.claims.longestMs / 1_000;
  const isDuration = typeof seconds === "number" && seconds > 0;
  return claim && {
    ...claim,
    ...(name !== "" && { machine: name }),
    seconds: isDuration ? Math.min(seconds, longest) : longest,
  };
}

function isGood({ until, seconds }: RemoteClaim, since: number, now: number): boolean {
  return now < Date.parse(until) + LIMITS.remote.skewMs && now < since + seconds * 1_000;
}

function isOld({ claim, since }: SeenRef, now: number): boolean {
  return now > Math.max(since, claim === undefined ? 0 : Date.parse(claim.until)) + LIMITS.remote.oldMs;
}

/** `the main worktree of a clone on build-1`. */
function placeOf({ worktree, machine }: RemoteClaim): string {
  return `${nameOfWorktree(worktree)} of ${
    machine === undefined ? "another clone" : `a clone on ${machine}`
  }`;
}

/** Undefined if the file is damaged. */
function readView(text: string): RemoteView | undefined {
  const { remote, at, refs } = asValues(parseJson(text));
  if (typeof remote !== "string" || typeof at !== "number" || !Array.isArray(refs)) return undefined;
  return {
    remote,
    at,
    refs: refs.slice(0, LIMITS.remote.refs).flatMap((one) => {
      const { name, id, since, claim } = asValues(one);
      if (typeof name !== "string" || typeof id !== "string" || typeof since !== "number") return [];
      return [{ name, id, since, claim: parseRemoteClaim(claim, since) }];
    }),
  };
}
