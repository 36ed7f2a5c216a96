/**
 * A project's commits as plain data, what git says of its files, and what belongs to a story: all since it began that
 * neither a message, nor the branch that brought it, nor another story's span gives to somebody else.
 */
import { cachedWith } from "../../../base/cache.ts";
import { liesIn } from "../../../base/paths.ts";
import { splitLines } from "../../../base/text.ts";
import { asText } from "../../../base/values.ts";
import { baseName } from "../../../content/tree/mod.ts";
import type { LocalChange } from "../../../content/repositories/mod.ts";
import { LIMITS } from "../../limits.ts";
import {
  type Board,
  fileList,
  FORMS,
  isCode,
  isIncidentalFile,
  isOver,
  isSprintFile,
  isStarted,
  isTest,
  listedFiles,
  readBody,
  readDocument,
  readSprintFile,
  resolveFiles,
  SECTION,
  type State,
  stateOf,
  type Story,
  type StoryText,
} from "../formats/mod.ts";
import { isNamedIn } from "./names.ts";

export interface Change {
  readonly path: string;
  readonly kind: "added" | "changed" | "deleted";
  /** Hashes of the content; of zeros where there is none. */
  readonly before: string;
  readonly after: string;
  /** The new name of what was renamed. */
  readonly to?: string;
}

export interface Commit {
  readonly id: string;
  readonly parents: readonly string[];
  readonly subject: string;
  readonly changes: readonly Change[];
}

export type Status = ReadonlyMap<string, LocalChange["kind"]>;

export interface History {
  readonly commits: readonly Commit[];
  readonly isCut: boolean;
  readonly status: Status | string;
  /** By where its status is kept, the commit with which a story began: the newest behind one that said it had not. */
  readonly starts?: ReadonlyMap<string, { readonly id: string; readonly isLate: boolean }>;
  /** By where it is kept, what the last commit says of a status that has changed since. */
  readonly committed?: ReadonlyMap<string, State | undefined>;
}

export interface Work {
  readonly own: readonly Change[];
  readonly since: readonly Change[];
  /** As its files record it; completes "nothing was changed …". */
  readonly start?: { readonly words: string; readonly commit?: string };
}

/** Or why it is not known. What nobody recorded began, at the latest, with the earliest sign in git. */
export function beginningOf(
  story: Story,
  { commitOf, firstNaming, addedAlone, startOf, earlier }: Pick<
    Commits,
    "commitOf" | "firstNaming" | "addedAlone" | "startOf" | "earlier"
  >,
) {
  const { form, began, baseline, file, plan } = story;
  for (const id of [began, baseline]) {
    const commit = id === undefined ? undefined : commitOf(id);
    if (commit !== undefined) return { commit, known: commit, words: "where the story began" };
  }
  const [document, named, start] = [file ?? plan, firstNaming(story), startOf(story)];
  // A build makes its record; a story file may be written long before.
  const isSign = start?.isLate !== false || FORMS[form].completion.routeWithoutBaseline !== undefined;
  const added = named === undefined && document !== undefined && isSign ? addedAlone(document) : undefined;
  const known = earlier(named ?? added, start?.commit);
  if (known === undefined) {
    return baseline === undefined
      ? "it records no baseline, and no commit names it"
      : `its baseline ${baseline.slice(0, 12)} is not among the commits that lead here`;
  }
  const words = known === named ? "the first commit that names it" : "the commit that added its file";
  return {
    /** The last one before the work; undefined if the first of all belongs to it. */
    commit: commitOf(known.parents[0] ?? ""),
    /** Shows which requirements the story began with. */
    known,
    words: `before ${known === named || known === added ? words : "the commit that began it"}`,
  };
}

export type Commits = ReturnType<typeof openCommits>;

export function openCommits({ commits, isCut, status, starts, committed }: History, board: Board) {
  const byId = new Map(commits.map((commit) => [commit.id, commit]));
  const latest = new Map<string, string>();
  for (const { changes } of commits) for (const { path, after } of changes) latest.getOrInsert(path, after);
  const byName = lazily(() => Map.groupBy(latest.keys(), baseName));
  const [named, isNaming] = namesIn(board);
  const byStory = lazily(() => {
    const pairs = commits.flatMap((commit) => [...named(commit.subject)].map((ref) => ({ ref, commit })));
    return Map.groupBy(pairs, ({ ref }) => ref);
  });
  const naming = ({ ref }: Story): readonly Commit[] => byStory().get(ref)?.map(({ commit }) => commit) ?? [];
  /** Also by an abbreviated id. */
  const commitOf = (id: string): Commit | undefined =>
    byId.get(id) ??
      (id.length < 40 && id.length > 6 ? commits.find((one) => one.id.startsWith(id)) : undefined);
  const startOf = (story: Story) => {
    const { id = "", isLate = false } = starts?.get(statusPlace(story).join("\n")) ?? {};
    const commit = commitOf(id);
    return commit && (!isLate || hasWork(commit)) ? { commit, isLate } : undefined;
  };
  const earlier = (one: Commit | undefined, other: Commit | undefined) =>
    one && other ? commits.findLast((commit) => commit === one || commit === other) : one ?? other;
  const added = lazily(() => {
    const own = ({ changes }: Commit) => changes.filter(({ kind }) => kind === "added" || !isCut);
    return new Map(commits.flatMap((one) => own(one).map(({ path }) => [path, one] as const)));
  });
  const addedIn = (path: string): Commit | undefined => added().get(path);
  const documents = lazily(() =>
    new Set(board.epics.flatMap(({ stories }) => stories.flatMap(({ file, plan }) => [file, plan])))
  );
  const documentsAddedIn = cachedWith(({ changes }: Commit) =>
    new Set(changes.flatMap(({ kind, path }) => kind === "added" && documents().has(path) ? path : []))
  );
  /** Files that came with other stories' do not show when one of them began. */
  const addedAlone = (path: string): Commit | undefined => {
    const commit = addedIn(path);
    if (commit === undefined || commit.parents.length === 0) return undefined;
    const documents = documentsAddedIn(commit);
    const isAlone = documents.size === 0 || documents.size === 1 && documents.has(path);
    return isAlone ? commit : undefined;
  };
  const ancestors = new Map<string, ReadonlySet<string>>();
  const ancestorsOf = (id: string) =>
    ancestors.getOrInsertComputed(id, () => {
      const known = new Set([id]);
      for (const one of known) for (const parent of byId.get(one)?.parents ?? []) known.add(parent);
      return known;
    });
  const notIn = (old: ReadonlySet<string>) => commits.filter(({ id }) => !old.has(id));
  const brought = lazily(() => broughtBy(commits, byId));

  /** Undefined if git does not say: it ignores the file, or gave no answer. */
  const isUncommitted = (path: string): boolean | undefined => {
    if (typeof status === "string") return undefined;
    const kind = status.get(path);
    if (kind === undefined) return latest.has(path) ? false : undefined;
    return kind === "unclear" ? undefined : true;
  };
  const changed = typeof status === "string" ? [] : [...status].filter(([, kind]) => kind !== "unclear");
  /** Outside these folders; of new ones, code and tests. */
  const uncommitted = (folders: readonly string[]): readonly string[] =>
    changed.filter(([path, kind]) =>
      !isIncidentalFile(path, folders) && (kind === "changed" || isCode(path) || isTest(path))
    ).map(([path]) => path);
  const versions = new Map<string, ReadonlyMap<string, string | undefined>>();
  const versionsOf = (path: string) => versions.getOrInsertComputed(path, () => versionsIn(commits, path));
  const versionAt = (id: string, path: string) => versionsOf(path).get(commitOf(id)?.id ?? "");
  const versionOf = (path: string): string | undefined =>
    isUncommitted(path) === false ? versionAt(commits[0]?.id ?? "", path) : undefined;

  /** Whether a commit says so: a mark alone changes no verdict. Undefined if none has its status. */
  const isSettled = (story: Story): boolean | undefined => {
    const place = statusPlace(story);
    const isChanged = isUncommitted(place[0]);
    if (isChanged === undefined || !latest.has(place[0])) return undefined;
    return isOver(story.state) && (!isChanged || isOver(committed?.get(place.join("\n"))));
  };
  /** Commits later than the last at least as new as the story's file are no work on it. */
  const lastOf = (file: string | undefined, since: readonly Commit[]): number =>
    file === undefined || isUncommitted(file) !== false
      ? 0
      : Math.max(0, since.findIndex(({ changes }) => changes.some(({ path }) => path === file)));
  /** Also where only its ledger tells it. */
  const startIn = (story: Story): string | undefined => {
    const known = story.began ?? story.baseline;
    const found = commitOf(known ?? "") || !startOf(story) ? "" : beginningOf(story, signs);
    return typeof found === "object" ? found.commit?.id : known;
  };
  const endsIn = (since: readonly Commit[], start: string | undefined) => {
    const ids = new Set(since.map(({ id }) => id));
    // One that only says when work ended is no boundary.
    return board.epics.flatMap(({ stories }) => stories)
      .filter((one) => commitOf(one.began ?? one.baseline ?? "") || !startOf(one)?.isLate)
      .flatMap((one) => commitOf(startIn(one) ?? "")?.id ?? [])
      .filter((id) => id !== start && ids.has(id)).map(ancestorsOf);
  };

  const workWithoutBaseline = (story: Story, text: StoryText | undefined) => {
    const own = naming(story);
    const route = FORMS[story.form].completion.routeWithoutBaseline;
    const isOneShot = route !== undefined && asText(text?.fields["route"]) === route;
    const made = isOneShot ? addedIn(text!.path) : undefined;
    if (made !== undefined) {
      const since = notIn(new Set(made.parents.flatMap((id) => [...ancestorsOf(id)])));
      const start = { words: "in or after the commit that added its file" };
      return { own: changesOf(own), since: changesOf(since), start };
    }
    const began = beginningOf(story, signs);
    if (typeof began === "string") return began;
    const since = notIn(began.commit === undefined ? new Set() : ancestorsOf(began.commit.id));
    return { own: changesOf(own), since: changesOf(since) };
  };
  const workSince = (story: Story, texts: readonly StoryText[], { id: start }: Commit) => {
    const file = texts[0]?.path;
    const since = notIn(ancestorsOf(start));
    const later = endsIn(since, start);
    const last = isSettled(story) === false ? 0 : lastOf(file, since);
    // A file outside git does not show when the work ended.
    const isKept = file !== undefined && latest.has(file);
    const listed = resolveFiles(texts.flatMap(listedFiles), (path) => latest.has(path));
    const list = fileList(listed);
    // Unrelated fixes may lie in between.
    const isAbout = ({ changes }: Commit) =>
      listed.length === 0 || changes.some(({ path }) => path === file || list.has(path));
    const own = since.filter((commit, at) => {
      const names = named(commit.subject);
      if (names.size > 0) return names.has(story.ref);
      return isAbout(commit) && (isKept ? at >= last : story.state !== "done") &&
        later.every((end) => end.has(commit.id));
    });
    const words = { words: "since its baseline", commit: story.baseline!.slice(0, 12) };
    return { own: changesOf(own), since: changesOf(since), start: words };
  };
  const reviewOf = (story: Story) => {
    const began = beginningOf(story, signs);
    if (typeof began === "string") return began;
    const since = notIn(began.commit === undefined ? new Set() : ancestorsOf(began.commit.id));
    const later = endsIn(since, began.commit?.id);
    const last = lastOf(story.file ?? story.plan, since);
    const isNamed = ({ subject }: Commit) => named(subject).has(story.ref);
    const files = new Set(
      since.filter(isNamed).flatMap(({ changes }) => changes.map(({ path }) => path)).filter(isMade),
    );
    const isOthers = (commit: Commit, at: number): boolean => {
      const names = named(commit.subject);
      if (names.has(story.ref)) return false;
      if (names.size > 0) return isNaming(commit.subject);
      const { merged = "", into = "" } = brought().get(commit.id) ?? {};
      const branch = named(merged);
      if (branch.size > 0) return !branch.has(story.ref);
      if (into !== "" && (TRUNK.test(merged) || named(into).has(story.ref))) return true;
      // Files that are surely the story's stay its work, whatever has begun meanwhile.
      return at < last && later.some((end) => !end.has(commit.id)) &&
        !commit.changes.some(({ path }) => files.has(path));
    };
    const isWork = ({ parents, changes }: Commit) => parents.length < 2 && changes.length > 0;
    const own = since.filter((commit, at) => isWork(commit) && !isOthers(commit, at));
    return { began, own, others: since.filter(isWork).length - own.length };
  };
  const firstNaming = (story: Story): Commit | undefined => {
    const own = naming(story).filter(({ subject }) => isNamedIn(subject, story));
    return own.findLast(hasWork) ?? own.at(-1);
  };

  const signs = { commitOf, firstNaming, addedAlone, startOf, earlier };
  return {
    ...signs,
    startIn,
    isUncommitted,
    naming,
    addedIn,
    reviewOf,
    changedFiles: changed.map(([path]) => path),
    problem: typeof status === "string" ? status : undefined,
    /** Also by a path relative to a folder inside the project. */
    hasTouched: (path: string): boolean =>
      latest.has(path) || byName().get(baseName(path))?.some((one) => one.endsWith(`/${path}`)) === true,
    uncommitted,
    /** What may belong to a story; where no commit has its status, its files tell whether it is over. */
    openFor: (story: Story, listed: readonly { readonly path: string }[], folders: readonly string[]) => {
      const isClosed = isSettled(story) ??
        (listed.length > 0 && listed.every(({ path }) => isUncommitted(path) !== true));
      return isClosed ? [] : uncommitted(folders);
    },
    openFiles: (folders: readonly string[]) => {
      const all = changed.filter(([path]) => !folders.some((folder) => liesIn(path, folder)));
      const pathsOf = (kind: string) => all.filter((one) => one[1] === kind).map(([path]) => path);
      return { changed: pathsOf("changed"), added: pathsOf("new") };
    },
    /** Undefined if the file or the commit is unknown. */
    versionAt,
    versionOf,
    /** Whether each commit has them as they are now, or not at all. False if reading them takes less time. */
    areUnchanged: (paths: readonly string[]): boolean => {
      const size = commits.reduce((sum, { changes }) => sum + COMMIT_COST + changes.length, 0);
      return paths.length * size <= LIMITS.check.comparedChanges && paths.every((path) => {
        const now = versionOf(path);
        return versionsOf(path).values().every((one) => one === undefined || one === now);
      });
    },
    /** A sentence if that cannot be known. */
    workOf: (story: Story, texts: readonly StoryText[]): Work | string => {
      const baseline = story.baseline && commitOf(story.baseline);
      return baseline ? workSince(story, texts, baseline) : workWithoutBaseline(story, texts[0]);
    },
  };
}

/** In comparisons of a change's path. */
const COMMIT_COST = 16;

/** Documents and ledgers only report work. */
const isMade = (path: string): boolean => !/\.(?:md|ya?ml|jsonl?|toml)$/i.test(path);

const hasWork = ({ changes }: Commit): boolean => changes.some(({ path }) => isMade(path));

const TRUNK = /^(?:origin\/)?(?:main|master|develop|trunk)$/;

/** The branches of `Merge branch 'side' into main`, `Merge pull request #1 from ann/side`. */
const MERGE =
  /^Merge (?:remote-tracking )?(?:branch|pull request #\d{1,9} from) '?([^' ]{1,300})'?(?:.{0,300}? into '?([^' ]{1,300}))?/;

/** By commit: the branch with which a merge brought it, and the one that got it. */
function broughtBy(commits: readonly Commit[], byId: ReadonlyMap<string, Commit>) {
  const line: Commit[] = [];
  for (let one = commits[0]; one !== undefined; one = byId.get(one.parents[0] ?? "")) line.push(one);
  const seen = new Set<string>();
  const found = new Map<string, { readonly merged: string; readonly into: string }>();
  for (const { id, parents, subject } of line.toReversed()) {
    seen.add(id);
    const [, merged = "", into = ""] = MERGE.exec(subject) ?? [];
    const side = new Set(parents.slice(1).filter((parent) => !seen.has(parent)));
    for (const one of side) {
      seen.add(one);
      if (merged !== "") found.set(one, { merged, into });
      for (const parent of byId.get(one)?.parents ?? []) if (!seen.has(parent)) side.add(parent);
    }
  }
  return found;
}

/**
 * By commit, the file's hash, or `COMMIT:./PATH` where only git knows it, as after a merge; undefined where it is
 * missing. Git can show both, and neither ever changes.
 */
function versionsIn(commits: readonly Commit[], path: string): ReadonlyMap<string, string | undefined> {
  const found = new Map<string, string | undefined>();
  for (const { id, parents, changes } of commits.toReversed()) {
    const change = changes.find((one) => one.path === path);
    if (change !== undefined) {
      found.set(id, change.kind === "deleted" ? undefined : change.after);
      continue;
    }
    const before = new Set(parents.map((parent) => found.get(parent)));
    const isKnown = before.size <= 1 && parents.every((parent) => found.has(parent));
    found.set(id, isKnown ? [...before][0] : `${id}:./${path}`);
  }
  return found;
}

export function lazily<T extends object>(compute: () => T): () => T {
  let value: T | undefined;
  return () => value ??= compute();
}

function changesOf(commits: readonly Commit[]): readonly Change[] {
  const changes = new Map<string, Change>();
  for (const { changes: own } of commits) {
    const added = new Map(own.flatMap(({ kind, after, path }) => kind === "added" ? [[after, path]] : []));
    for (const one of own) {
      const to = one.kind === "deleted" ? added.get(one.before) : undefined;
      changes.getOrInsert(one.path, to === undefined ? one : { ...one, to: changes.get(to)?.to ?? to });
    }
  }
  return [...changes.values()];
}

function namesIn({ epics }: Board) {
  const tables = lazily(() => {
    const names = new Map<string, string>();
    const stories = new Map<string, Story>();
    for (const story of epics.flatMap(({ stories }) => stories)) {
      const { ref, key, file } = story;
      const stem = file && baseName(file).replace(/\.md$/i, "");
      stories.set(ref, story);
      for (const name of [ref, ref.replace("-", "."), ref.replace(".", "-"), key, stem]) {
        if (name !== undefined && /\D/.test(name)) names.getOrInsert(name.toLowerCase(), ref);
      }
    }
    return { names, stories };
  });
  const isSure = (text: string, ref: string): boolean =>
    [ref, ref.replace("-", ".")].some((name) => text.startsWith(name)) ||
    isNamedIn(text, tables().stories.get(ref)!);
  const known = new Map<string, ReadonlySet<string>>();
  const named = (text: string) =>
    known.getOrInsertComputed(text, () => {
      const { names } = tables();
      const words = text.slice(0, 1_000).toLowerCase().split(/[^\p{L}\p{N}./_-]+/u);
      return new Set(words.flatMap((word) => {
        // A branch may be named after a story.
        const plain = word.replace(/[./-]{1,9}$/, "").split("/").at(-1)!.replace(/^[.-]+|^story[-_]/, "");
        const [, number] = /^(\d{1,4}[.-]\d{1,4}[a-z]?)[.-]\p{L}/u.exec(plain) ?? [];
        const ref = names.get(word) ?? names.get(plain) ?? (number && names.get(number));
        // Where stories are called 1-2, 1.2 may be a version.
        const isVersion = /^\d+\.\d+$/.test(plain) && plain !== ref;
        return ref === undefined || isVersion && !isSure(text, ref) ? [] : ref;
      }));
    });
  const isNaming = (text: string): boolean => [...named(text)].some((ref) => isSure(text, ref));
  return [named, isNaming] as const;
}

/** A document speaks of itself alone. */
function statusPlace({ ledger, key, plan = "", file = plan }: Story): readonly [path: string, key: string] {
  return isSprintFile(ledger) ? [ledger, key] : [file, ""];
}

const hasBegun = (state: State): boolean => state === "blocked" || isStarted(state);

/** Commits and files that may show a beginning if no record names a commit that is still there; open stories first. */
export function placesOfStarts({ epics }: Board, { commits }: History, isOpenOnly = false) {
  const known = new Set<string | undefined>(commits.map(({ id }) => id));
  const begun = epics.flatMap(({ stories }) => stories).filter(({ state, began, baseline }) =>
    hasBegun(state) && !known.has(began) && !known.has(baseline)
  );
  const open = begun.filter(({ state }) => !isOver(state));
  const touched = (isOpenOnly ? [open] : [open, begun]).flatMap((stories) => {
    const files = new Set(stories.map((story) => statusPlace(story)[0]));
    return commits.flatMap(({ id, changes }) =>
      changes.flatMap(({ path }) => files.has(path) ? { id, path } : [])
    );
  });
  const first = (all: readonly string[]) => [...new Set(all)].slice(0, LIMITS.check.starts);
  return { ids: first(touched.map(({ id }) => id)), files: first(touched.map(({ path }) => path)) };
}

/** Where changed files call a story over, which their last version may not. */
export function filesOfEnds({ epics }: Board, { status }: History): readonly string[] {
  if (typeof status === "string") return [];
  const over = epics.flatMap(({ stories }) => stories).filter(({ state }) => isOver(state));
  const files = new Set(over.map((story) => statusPlace(story)[0]));
  return [...files].filter((path) => status.get(path) === "changed").slice(0, LIMITS.check.starts);
}

export function readEnds(path: string, text: string): NonNullable<History["committed"]> {
  return new Map(Array.from(statesIn(path, splitLines(text)), ([key, state]) => [`${path}\n${key}`, state]));
}

const COMMON = ["--no-renames", "--relative"];
/** A diff takes much longer than a list. */
export const PATCHES: readonly string[] = [
  ...COMMON,
  "--patch",
  "--src-prefix=a/",
  "--dst-prefix=b/",
  "--format=%x01%H",
  "--no-walk=unsorted",
];

export function readStarts(output: string): NonNullable<History["starts"]> {
  const starts = new Map<string, { readonly id: string; readonly isLate: boolean }>();
  for (const part of output.split("\x01").slice(1)) {
    const id = part.slice(0, part.indexOf("\n"));
    for (const file of part.split(/^diff --git /m).slice(1)) {
      const path = /^\+\+\+ b\/(.+?)\t?$/m.exec(file)?.[1] ?? "";
      const lines = splitLines(file.slice(file.indexOf("\n@@")));
      const said = (mark: string) =>
        statesIn(path, lines.flatMap((line) => line[0] === mark || line[0] === " " ? line.slice(1) : []));
      const before = said("-");
      for (const [key, state] of said("+")) {
        const old = before.get(key);
        const isUnbegun = old === "backlog" || old === "ready";
        if (!isUnbegun || !state || !hasBegun(state)) continue;
        // The work on what has stopped or ended may be older.
        starts.getOrInsert(`${path}\n${key}`, { id, isLate: state !== "in-progress" });
      }
    }
  }
  return starts;
}

/** Of a part of a file, too. */
function statesIn(path: string, lines: readonly string[]): ReadonlyMap<string, State | undefined> {
  if (!isSprintFile(path)) {
    const [front] = lines.join("\n").replace(/^---\n/, "").split(/^---$/m);
    const word = asText(readDocument("", `---\n${front}\n---\n`).fields["status"]);
    return new Map([["", stateOf(word ?? readBody(lines.join("\n"), 0).status?.word ?? "")]]);
  }
  const rows = [`${SECTION}:`, ...lines.filter((line) => /^\s+\S/.test(line))].join("\n");
  return new Map(readSprintFile(rows).rows.map(({ key, word }) => [key, stateOf(word)]));
}

export const LOG: readonly string[] = [
  ...COMMON,
  "--raw",
  "--no-abbrev",
  "-z",
  "--format=%x01%H%x02%P%x02%s%x03",
  `--max-count=${LIMITS.check.commits}`,
];
const KINDS: Readonly<Record<string, Change["kind"]>> = { A: "added", D: "deleted" };

export function readLog(output: string): Omit<History, "status"> {
  const commits = output.split("\x01").slice(1).map((part): Commit => {
    const end = part.indexOf("\x03");
    const [id = "", parents = "", ...subject] = part.slice(0, end).split("\x02");
    const fields = part.slice(end + 1).split("\0");
    const changes: Change[] = [];
    for (let at = 0; at < fields.length; at++) {
      const [, before, after, kind] = /^\n?:\d+ \d+ ([0-9a-f]+) ([0-9a-f]+) ([A-Z])/.exec(fields[at]!) ?? [];
      if (kind === undefined) continue;
      const path = fields[++at] ?? "";
      changes.push({ path, kind: KINDS[kind] ?? "changed", before: before!, after: after! });
    }
    return { id, parents: parents.split(" ").filter(Boolean), subject: subject.join(" "), changes };
  });
  return { commits, isCut: commits.length >= LIMITS.check.commits };
}
