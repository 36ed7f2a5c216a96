/**
 * Claims that all clones of a repository see: one ref of a remote for each story that is held.
 *
 * The ref leads to a small commit that says who holds the story, until when and where. Whoever takes a story expects
 * the ref to be as it was last seen, so one of several wins. What was seen is kept beside the claims of this clone, with
 * the time when: a claim that has not changed for as long as it was made for has ended, whatever the clocks say.
 */
import { MAX_OWNER } from "../../base/model.ts";
import { oneLine, shorten } from "../../base/text.ts";
import { asText, asValues, parseJson } from "../../base/values.ts";
import { renderTime } from "../../base/work.ts";
import { BmadError } from "../../base/errors.ts";
import {
  type ReachablePlan,
  type RefChange,
  type RemoteRef,
  type RemoteRefs,
  sha256,
  withRemoteRefs,
} from "../../content/repositories/mod.ts";
import { findText, joinPath } from "../../content/tree/mod.ts";
import type { RemotePlan, SharedPlan } from "../../settings/plan/mod.ts";
import type { SharedFiles } from "../files/mod.ts";
import { type About, type ClaimRecord, MAX_CLAIM_MS, nameOfWorktree } from "./board/mod.ts";
import type { RemoteClaims, Taken } from "./writer/mod.ts";

/** What all requests of a process know of a remote. */
export interface RemoteMemory {
  /** It did not answer in time: nobody waits for it again until then. */
  silent?: { readonly until: number; readonly problem: string };
  /** What the system calls this machine; empty if it does not say. */
  machine?: string;
}

/** What it is opened with. */
export interface RemoteOptions {
  readonly plan: SharedPlan;
  readonly shared: SharedFiles;
  readonly memory: RemoteMemory;
  /** How long claims are good, in milliseconds. */
  readonly claimMs: number;
  /** How old may be what was seen last, in milliseconds. */
  readonly maxAge: number;
  now(): number;
  clean(text: string): string;
  readonly signal?: AbortSignal;
}

/** The refs of a remote at a time, as a clone has seen them. */
interface Seen {
  readonly remote: string;
  readonly at: number;
  readonly refs: readonly SeenRef[];
}

/** A ref, and the claim that its commit holds; undefined if it holds none. */
interface SeenRef {
  readonly name: string;
  readonly id: string;
  /** When it was first seen with this commit. */
  readonly since: number;
  readonly claim?: NotedClaim;
}

/** A claim as its commit has it. The ledger is named from the top of the worktree. */
interface NotedClaim extends About {
  readonly by: string;
  readonly until: string;
  readonly worktree: string;
  readonly machine?: string;
  /** For how long it was made. */
  readonly seconds: number;
}

const PREFIX = "refs/bmad/claims/";
/** What was seen last. */
const FILE = "remote-claims.json";
/** As far as the clocks of two machines may differ. */
const MAX_SKEW_MS = 10 * 60_000;
/** After so long, nobody will miss a claim that has ended. */
const OLD_MS = 24 * 3_600_000;
const MAX_REFS = 2_000;
const MAX_TRIES = 5;
/** How many old refs one push removes. */
const MAX_SWEPT = 20;
const MAX_MACHINE = 60;
const MAX_PATH = 500;
const MAX_NAME = 80;
/** An answer that took longer is not waited for again at once. */
const SLOW_MS = 2_000;
const SILENCE_MS = 60_000;
/** What git and its servers say of a ref that is not what was expected, or that somebody else is just changing. */
const OVERTAKEN = /stale info|cannot lock|failed to (?:lock|update)|already exists|incorrect old value/;
/** Where BMAD keeps the ledger of a sprint unless it is told otherwise. */
const USUAL_LEDGER = "_bmad-output/implementation-artifacts/sprint-status.yaml";

/** Opens the claims of a remote, and looks at them unless that was done a moment ago. */
export async function openRemoteClaims(options: RemoteOptions): Promise<RemoteClaims> {
  const { plan: { remote: plan, project, worktree }, shared, memory, now, clean, signal } = options;
  const { name, problem: forbidden } = plan!;
  const kept = readSeen(findText(shared.tree, FILE) ?? "");
  let seen: Seen = kept?.remote === name ? kept : { remote: name, at: 0, refs: [] };

  /** Keeps what was seen, if this start may write; of two that do so at once, one is enough. */
  const remember = (next: Seen): void => {
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
  /** Asks the remote, or tells why that is impossible. */
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
  /** Changes a ref, and removes old ones; if the remote has not done that, looks why. */
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
  const settled = (answer: Answer<Taken>): Taken => "value" in answer ? answer.value : answer;
  const aboutOf = ({ ledger, story }: About) => ({ ledger: joinPath(project, ledger), story });

  /** The claims of others, in words that can be shown: cleaned once for what was seen. */
  const shown = new Map<SeenRef, ClaimRecord | undefined>();
  const recordOf = ({ claim }: SeenRef): ClaimRecord | undefined => {
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
        await ask(async (refs): Promise<Taken> => {
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
            // First here: of one who is killed now, the clone knows that it is its own.
            record(to);
            const { reason, isSame } = await push(refs, { name: ref, from: before?.id, to }, claim);
            if (reason === undefined) return {};
            // Others may have taken it and given it back meanwhile, but not each time.
            if (isSame && (++refusals > 1 || !OVERTAKEN.test(reason))) {
              return { problem: `${name} refuses it: ${reason}` };
            }
          }
          return { isLost: true };
        }),
      ),
    drop: async (about) =>
      settled(
        await ask(async (refs): Promise<Taken> => {
          const ref = await refName(aboutOf(about));
          if (refFor(ref) === undefined) await look(refs);
          const before = refFor(ref);
          if (before === undefined) return {};
          const { reason, isSame } = await push(refs, { name: ref, from: before.id, to: undefined });
          // Somebody else has it by now.
          return reason === undefined || !isSame ? {} : { problem: `${name} refuses it: ${reason}` };
        }),
      ),
  };
}

/** What became of a push: why it was refused, and whether the ref is still what was expected. */
interface Pushed {
  readonly reason?: string;
  readonly isSame?: boolean;
}

type Answer<T> = { readonly value: T } | { readonly problem: string };

function isReachable(plan: RemotePlan): plan is ReachablePlan {
  return plan.git !== undefined;
}

/** The ref of a story. Its name is the story's where that is enough, and otherwise has a hash of the rest. */
async function refName({ ledger, story }: About): Promise<string> {
  const plain = story.toLowerCase().replace(/[^a-z0-9_-]+/g, "-").slice(0, MAX_NAME);
  if (plain === story && ledger === USUAL_LEDGER) return `${PREFIX}${story}`;
  return `${PREFIX}${plain}-${(await sha256(`${ledger}\n${story}`)).slice(0, 12)}`;
}

function renderNote(claim: NotedClaim): string {
  return `${claim.by} holds ${claim.story}\n\n${JSON.stringify(claim)}`;
}

/** The claim in the message of a commit, which anybody who may push can have written. */
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

/** Whether a claim of another clone still stands: by its time, and by how long it has not changed. */
function isGood({ until, seconds }: NotedClaim, since: number, now: number): boolean {
  return now < Date.parse(until) + MAX_SKEW_MS && now < since + seconds * 1_000;
}

function isOld({ claim, since }: SeenRef, now: number): boolean {
  return now > Math.max(since, claim === undefined ? 0 : Date.parse(claim.until)) + OLD_MS;
}

/** `the main worktree of a clone on build-1`. */
function placeOf({ worktree, machine }: NotedClaim): string {
  return `${nameOfWorktree(worktree)} of ${
    machine === undefined ? "another clone" : `a clone on ${machine}`
  }`;
}

/** What was kept; undefined if it is not as it was written. */
function readSeen(text: string): Seen | undefined {
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
