/**
 * Claims that all clones of a repository see: one ref of a remote for each story that is held.
 *
 * The ref leads to a small commit that says who holds the story, until when and where. Whoever takes a story expects
 * the ref to be as it was last seen, so one of several wins. What was seen is kept beside the claims of this clone, with
 * the time when: a claim that has not changed for as long as it was made for has ended, whatever the clocks say.
 */
import { MAX_OWNER } from "../../base/model.ts";
import { oneLine, sha256, shorten } from "../../base/text.ts";
import { asText, asValues, parseJson } from "../../base/values.ts";
import { renderTime } from "../../base/time.ts";
import { BmadError } from "../../base/errors.ts";
import {
  type ReachablePlan,
  type RefChange,
  type RemoteRef,
  type RemoteRefs,
  withRemoteRefs,
} from "../../content/repositories/mod.ts";
import { findText, joinPath } from "../../content/tree/mod.ts";
import type { RemotePlan, SharedPlan } from "../../settings/plan/mod.ts";
import type { SharedFiles } from "../files/mod.ts";
import { type About, type ClaimRecord, MAX_CLAIM_MS, nameOfWorktree } from "./board/mod.ts";
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
  /** How old the last view of the remote may be, in milliseconds. */
  readonly maxAge: number;
  now(): number;
  clean(text: string): string;
  readonly signal?: AbortSignal;
}

interface RemoteView {
  readonly remote: string;
  readonly at: number;
  readonly refs: readonly KnownRef[];
}

interface KnownRef {
  readonly name: string;
  readonly id: string;
  /** When it was first seen with this commit. */
  readonly since: number;
  readonly claim?: NotedClaim;
}

/** The ledger path starts at the top of the worktree. */
interface NotedClaim extends About {
  readonly by: string;
  readonly until: string;
  readonly worktree: string;
  readonly machine?: string;
  /** The duration it was made for. */
  readonly seconds: number;
}

const PREFIX = "refs/bmad/claims/";
/** What was seen last. */
const FILE = "remote-claims.json";
/** Clocks of two machines may differ by this much. */
const MAX_SKEW_MS = 10 * 60_000;
/** Ended claims are removed after this time. */
const OLD_MS = 24 * 3_600_000;
const MAX_REFS = 2_000;
const MAX_TRIES = 5;
const MAX_SWEPT = 20;
const MAX_MACHINE = 60;
const MAX_PATH = 500;
const MAX_NAME = 80;
/** A remote that takes longer is not asked again at once. */
const SLOW_MS = 2_000;
const SILENCE_MS = 60_000;
/** What git and servers say about a ref that changed meanwhile. */
const OVERTAKEN = /stale info|cannot lock|failed to (?:lock|update)|already exists|incorrect old value/;
/** BMAD's default path of the sprint ledger. */
const USUAL_LEDGER = "_bmad-output/implementation-artifacts/sprint-status.yaml";

/** Looks at the remote unless the last view is recent enough. */
export async function openRemoteClaims(options: RemoteOptions): Promise<RemoteClaims> {
  const { plan: { remote: plan, project, worktree }, shared, memory, now, clean, signal } = options;
  const { name, problem: forbidden } = plan!;
  const kept = readView(findText(shared.tree, FILE) ?? "");
  let seen: RemoteView = kept?.remote === name ? kept : { remote: name, at: 0, refs: [] };

  /** If this start may write; of two simultaneous writers, one is enough. */
  const remember = (next: RemoteView): void => {
    seen = next;
    try {
      shared.replace(FILE, `${JSON.stringify(next)}\n`, findText(shared.tree, FILE));
    } catch (error) {
      if (!(error instanceof BmadError)) throw error;
    }
  };
  const look = async (refs: RemoteRefs): Promise<void> => {
    const keyOf = ({ name, id }: RemoteRef) => `${id} ${name}`;
    const known = new Map(seen.refs.map((one) => [keyOf(one), one]));
    const listed = await refs.list((ref) => known.has(keyOf(ref)));
    const at = now();
    const claims = await Promise.all(listed.map(async (ref) => {
      if (ref.message === undefined) return known.get(keyOf(ref))?.claim;
      const claim = parseNote(ref.message, at);
      return claim !== undefined && await refName(claim) === ref.name ? claim : undefined;
    }));
    remember({
      ...seen,
      at,
      refs: listed.map((ref, i) => {
        const { name, id } = ref;
        const claim = claims[i];
        return { name, id, since: known.get(keyOf(ref))?.since ?? at, ...(claim && { claim }) };
      }),
    });
  };
  const ask = async <T>(work: (refs: RemoteRefs) => Promise<T>): Promise<Answer<T>> => {
    if (forbidden !== undefined) return { problem: forbidden };
    if (!isReachable(plan!)) return { problem: "this command runs no git" };
    if (memory.silent !== undefined && memory.silent.until > now()) return memory.silent;
    const begun = now();
    const answer = await withRemoteRefs(plan, PREFIX, work, signal);
    if ("value" in answer) return answer;
    const told = { problem: `git cannot use ${name}: ${answer.problem}` };
    if (now() - begun > SLOW_MS) memory.silent = { until: now() + SILENCE_MS, ...told };
    return told;
  };
  const age = now() - seen.at;
  // A clock that was set back tells no age.
  const looked = age < 0 || age > options.maxAge ? await ask(look) : undefined;

  const refFor = (ref: string) => seen.refs.find((one) => one.name === ref);
  /** Also removes old refs; if the remote refuses, looks why. */
  const push = async (refs: RemoteRefs, change: RefChange, claim?: NotedClaim): Promise<Pushed> => {
    const old = seen.refs.filter((one) => one.name !== change.name && isOld(one, now())).slice(0, MAX_SWEPT);
    const swept = old.map(({ name, id }) => ({ name, from: id, to: undefined }));
    const refused = await refs.push([change, ...swept]);
    const reason = refused.get(change.name);
    if (reason !== undefined) {
      await look(refs);
      return { reason, isSame: refFor(change.name)?.id === change.from };
    }
    const gone = [change.name, ...old.map((one) => one.name)];
    const kept = seen.refs.filter((one) => !gone.includes(one.name));
    const { to: id } = change;
    remember({
      ...seen,
      refs: id === undefined ? kept : [...kept, { name: change.name, id, since: now(), claim }],
    });
    return {};
  };
  const settled = (answer: Answer<RemoteOutcome>): RemoteOutcome => "value" in answer ? answer.value : answer;
  const aboutOf = ({ ledger, story }: About) => ({ ledger: joinPath(project, ledger), story });

  /** Cleaned once per view. */
  const shown = new Map<KnownRef, ClaimRecord | undefined>();
  const recordOf = ({ claim }: KnownRef): ClaimRecord | undefined => {
    const base = project === "" ? "" : `${project}/`;
    if (claim === undefined || !claim.ledger.startsWith(base)) return undefined;
    const { ledger, story, by, until } = claim;
    return { ledger: ledger.slice(base.length), story, by: clean(by), until, place: clean(placeOf(claim)) };
  };

  return {
    ...(looked !== undefined && "problem" in looked && {
      problem: seen.at === 0 ? looked.problem : `${looked.problem}; last seen ${renderTime(seen.at)}`,
    }),
    others: (isOwn) =>
      seen.refs.filter(({ id, claim, since }) => claim && !isOwn(id) && isGood(claim, since, now()))
        .flatMap((ref) => shown.getOrInsertComputed(ref, () => recordOf(ref)) ?? []),
    take: async ({ by, until, ...about }, { isForced, isOwn, record }) =>
      settled(
        await ask(async (refs): Promise<RemoteOutcome> => {
          const machine = memory.machine ??= shorten(oneLine(await refs.machine() ?? ""), MAX_MACHINE);
          const claim: NotedClaim = {
            ...aboutOf(about),
            by,
            until,
            worktree,
            ...(machine !== "" && { machine }),
            seconds: options.claimMs / 1_000,
          };
          const ref = await refName(claim);
          let refusals = 0;
          for (let tries = 0; tries < MAX_TRIES; tries++) {
            const before = refFor(ref);
            const isOthers = before?.claim !== undefined && !isOwn(before.id) &&
              isGood(before.claim, before.since, now());
            if (isOthers && !isForced) return { isLost: true };
            const to = await refs.commit(renderNote(claim));
            // Recorded before the push, so that a killed process recognizes its own claim.
            record(to);
            const { reason, isSame } = await push(refs, { name: ref, from: before?.id, to }, claim);
            if (reason === undefined) return {};
            // Others may have taken and released it meanwhile, but not each time.
            if (isSame && (++refusals > 1 || !OVERTAKEN.test(reason))) {
              return { problem: `${name} refuses it: ${reason}` };
            }
          }
          return { isLost: true };
        }),
      ),
    drop: async (about) =>
      settled(
        await ask(async (refs): Promise<RemoteOutcome> => {
          const ref = await refName(aboutOf(about));
          if (refFor(ref) === undefined) await look(refs);
          const before = refFor(ref);
          if (before === undefined) return {};
          const { reason, isSame } = await push(refs, { name: ref, from: before.id, to: undefined });
          // Another clone has it by now.
          return reason === undefined || !isSame ? {} : { problem: `${name} refuses it: ${reason}` };
        }),
      ),
  };
}

interface Pushed {
  readonly reason?: string;
  readonly isSame?: boolean;
}

type Answer<T> = { readonly value: T } | { readonly problem: string };

function isReachable(plan: RemotePlan): plan is ReachablePlan {
  return plan.git !== undefined;
}

/** The story's name if that is unique, otherwise with a hash. */
async function refName({ ledger, story }: About): Promise<string> {
  const plain = story.toLowerCase().replace(/[^a-z0-9_-]+/g, "-").slice(0, MAX_NAME);
  if (plain === story && ledger === USUAL_LEDGER) return `${PREFIX}${story}`;
  return `${PREFIX}${plain}-${(await sha256(`${ledger}\n${story}`)).slice(0, 12)}`;
}

function renderNote(claim: NotedClaim): string {
  return `${claim.by} holds ${claim.story}\n\n${JSON.stringify(claim)}`;
}

/** Anyone who may push can have written the message. */
function parseNote(message: string, now: number): NotedClaim | undefined {
  return noteOf(parseJson(message.slice(message.indexOf("\n{") + 1)), now);
}

function noteOf(value: unknown, now: number): NotedClaim | undefined {
  const one = asValues(value);
  const text = (key: string, max: number) => {
    const given = asText(one[key]);
    return given === undefined ? undefined : shorten(oneLine(given), max);
  };
  const [ledger, story] = [text("ledger", MAX_PATH), text("story", MAX_PATH)];
  const [by, worktree] = [text("by", MAX_OWNER), text("worktree", MAX_OWNER)];
  const machine = text("machine", MAX_MACHINE);
  const end = Math.min(Date.parse(asText(one["until"]) ?? ""), now + MAX_CLAIM_MS + MAX_SKEW_MS);
  const seconds = one["seconds"];
  if (!ledger || !story || !by || !worktree || Number.isNaN(end)) return undefined;
  return {
    ledger,
    story,
    by,
    until: new Date(end).toISOString(),
    worktree,
    ...(machine && { machine }),
    seconds: typeof seconds === "number" && seconds > 0
      ? Math.min(seconds, MAX_CLAIM_MS / 1_000)
      : MAX_CLAIM_MS / 1_000,
  };
}

/** By its end, and by how long it has not changed. */
function isGood({ until, seconds }: NotedClaim, since: number, now: number): boolean {
  return now < Date.parse(until) + MAX_SKEW_MS && now < since + seconds * 1_000;
}

function isOld({ claim, since }: KnownRef, now: number): boolean {
  return now > Math.max(since, claim === undefined ? 0 : Date.parse(claim.until)) + OLD_MS;
}

/** `the main worktree of a clone on build-1`. */
function placeOf({ worktree, machine }: NotedClaim): string {
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
    refs: refs.slice(0, MAX_REFS).flatMap((one) => {
      const { name, id, since, claim } = asValues(one);
      if (typeof name !== "string" || typeof id !== "string" || typeof since !== "number") return [];
      const noted = noteOf(claim, since);
      return [{ name, id, since, ...(noted && { claim: noted }) }];
    }),
  };
}
