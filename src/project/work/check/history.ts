/**
 * The commits of a project as plain data, and which of them belong to a story: from its baseline, or the commit that added
 * its file, to the last commit of that file, or where another story begins. Commits that name a story are that story's.
 */
import { asText } from "../../../base/values.ts";
import { baseName, findBytes, parentPath, type Tree, walkFiles } from "../../../content/tree/mod.ts";
import { LIMITS } from "../../limits.ts";
import {
  type Board,
  fileList,
  FORMS,
  isCode,
  isIncidentalFile,
  isTest,
  listedFiles,
  type Story,
  type StoryText,
} from "../formats/mod.ts";

export interface Change {
  readonly path: string;
  readonly kind: "added" | "changed" | "deleted";
  /** The hashes of the old and the new content; of zeros where there is none. */
  readonly before: string;
  readonly after: string;
}

export interface Commit {
  readonly id: string;
  readonly parents: readonly string[];
  readonly subject: string;
  readonly changes: readonly Change[];
}

export interface History {
  readonly commits: readonly Commit[];
  readonly isCut: boolean;
}

export interface Work {
  readonly own: readonly Change[];
  readonly since: readonly Change[];
  /** When it was begun, as its files record it; completes "nothing was changed …". */
  readonly start?: { readonly words: string; readonly commit?: string };
}

interface Beginning {
  readonly commit: Commit;
  /** Otherwise, it is the commit that added the document, often together with work. */
  readonly isRecorded: boolean;
}

export function beginningOf(
  { baseline, file, plan }: Story,
  { commitOf, addedIn }: Pick<Commits, "commitOf" | "addedIn">,
): Beginning | string {
  if (baseline !== undefined) {
    const commit = commitOf(baseline);
    return commit === undefined
      ? `its baseline ${baseline.slice(0, 12)} is not among the commits that lead here`
      : { commit, isRecorded: true };
  }
  const document = file ?? plan;
  const commit = document === undefined ? undefined : addedIn(document);
  return commit === undefined
    ? "it records no baseline, and no commit added its file"
    : { commit, isRecorded: false };
}

export type Commits = ReturnType<typeof openCommits>;

export function openCommits(
  { commits, isCut }: History,
  tree: Tree,
  board: Board,
  baselines: () => readonly string[] = () => [],
) {
  const byId = new Map(commits.map((commit) => [commit.id, commit]));
  const latest = new Map<string, string>();
  for (const { changes } of commits) for (const { path, after } of changes) latest.getOrInsert(path, after);
  const byName = lazily(() => Map.groupBy(latest.keys(), baseName));
  const named = namesIn(board);
  const byStory = lazily(() => {
    const pairs = commits.flatMap((commit) => [...named(commit)].map((ref) => ({ ref, commit })));
    return Map.groupBy(pairs, ({ ref }) => ref);
  });
  const naming = ({ ref }: Story): readonly Commit[] => byStory().get(ref)?.map(({ commit }) => commit) ?? [];
  /** Also by an abbreviated id. */
  const commitOf = (id: string): Commit | undefined =>
    byId.get(id) ?? (id.length < 40 ? commits.find((one) => one.id.startsWith(id)) : undefined);
  const added = lazily(() =>
    new Map(
      commits.flatMap((commit) =>
        commit.changes.filter(({ kind }) => kind === "added" || !isCut)
          .map(({ path }) => [path, commit] as const)
      ),
    )
  );
  const addedIn = (path: string): Commit | undefined => added().get(path);
  const ancestors = new Map<string, ReadonlySet<string>>();
  const ancestorsOf = (id: string) =>
    ancestors.getOrInsertComputed(id, () => {
      const known = new Set([id]);
      for (const one of known) for (const parent of byId.get(one)?.parents ?? []) known.add(parent);
      return known;
    });
  const notIn = (old: ReadonlySet<string>) => commits.filter(({ id }) => !old.has(id));

  const states = new Map<string, boolean | undefined>();
  const isUncommitted = (path: string) => states.getOrInsertComputed(path, () => compareWithCommit(path));
  const compareWithCommit = (path: string): boolean | undefined => {
    const hash = latest.get(path);
    const size = tree.stat(path)?.size;
    if (size === undefined) return hash === undefined ? undefined : !/^0+$/.test(hash);
    if (hash === undefined) return isCut ? undefined : true;
    const bytes = size > LIMITS.check.hashedBytes ? undefined : findBytes(tree, path);
    return bytes && !isSame(bytes, hash);
  };
  const versions = new Map<string, ReadonlyMap<string, string | undefined>>();
  const versionsOf = (path: string) => versions.getOrInsertComputed(path, () => versionsIn(commits, path));

  const workWithoutBaseline = (story: Story, text: StoryText | undefined, began: Beginning | string) => {
    const own = naming(story);
    const route = FORMS[story.form].completion.routeWithoutBaseline;
    const isOneShot = route !== undefined && asText(text?.fields["route"]) === route;
    if (isOneShot && typeof began !== "string") {
      const since = notIn(new Set(began.commit.parents.flatMap((id) => [...ancestorsOf(id)])));
      const start = { words: "in or after the commit that added its file" };
      return { own: changesOf(own), since: changesOf(since), start };
    }
    if (own.length === 0) return "it records no baseline, and no commit names it";
    const since = commits.slice(0, commits.indexOf(own.at(-1)!) + 1);
    return { own: changesOf(own), since: changesOf(since) };
  };
  const workSince = (story: Story, texts: readonly StoryText[], { commit: { id: start } }: Beginning) => {
    const file = texts[0]?.path;
    const since = notIn(ancestorsOf(start));
    const ids = new Set(since.map(({ id }) => id));
    const later = baselines().flatMap((id) => commitOf(id)?.id ?? [])
      .filter((id) => id !== start && ids.has(id)).map(ancestorsOf);
    const last = file === undefined || isUncommitted(file) !== false
      ? 0
      : Math.max(0, since.findIndex(({ changes }) => changes.some(({ path }) => path === file)));
    // A file outside version control does not show when the work ended.
    const isKept = file !== undefined && latest.has(file);
    const listed = texts.flatMap(listedFiles);
    const list = fileList(listed);
    // Unrelated fixes may lie in between.
    const isAbout = ({ changes }: Commit) =>
      listed.length === 0 || changes.some(({ path }) => path === file || list.has(path));
    const own = since.filter((commit, at) => {
      const names = named(commit);
      if (names.size > 0) return names.has(story.ref);
      return isAbout(commit) && (isKept ? at >= last : story.state !== "done") &&
        later.every((end) => end.has(commit.id));
    });
    const words = { words: "since its baseline", commit: story.baseline!.slice(0, 12) };
    return { own: changesOf(own), since: changesOf(since), start: words };
  };

  const open = new Map<string, readonly string[]>();
  return {
    isUncommitted,
    naming,
    commitOf,
    addedIn,
    /** Also for a path written relative to a folder inside the project. */
    hasTouched: (path: string): boolean =>
      latest.has(path) || byName().get(baseName(path))?.some((one) => one.endsWith(`/${path}`)) === true,
    /** Files outside these folders that differ from their last commit. */
    uncommitted: (folders: readonly string[]): readonly string[] =>
      open.getOrInsertComputed(folders.join("\n"), () => {
        const paths = [...latest.keys()].filter((path) => !isIncidentalFile(path, folders))
          .slice(0, LIMITS.check.comparedFiles);
        const isNew = (path: string) => !latest.has(path) && (isCode(path) || isTest(path));
        const isLeftOut = (path: string) =>
          isIncidentalFile(path, folders) || isIncidentalFile(`${path}/`, folders);
        const added = isCut ? [] : newFiles(tree, paths, isLeftOut).filter(isNew);
        return [...paths.filter(isUncommitted), ...added];
      }),
    /** Undefined if the file or the commit is unknown. */
    versionAt: (id: string, path: string): string | undefined => versionsOf(path).get(commitOf(id)?.id ?? ""),
    versionOf: (path: string): string | undefined =>
      isUncommitted(path) === false ? latest.get(path) : undefined,
    /** A sentence if that cannot be known. */
    workOf: (story: Story, texts: readonly StoryText[]): Work | string => {
      const began = beginningOf(story, { commitOf, addedIn });
      if (story.baseline === undefined) return workWithoutBaseline(story, texts[0], began);
      return typeof began === "string" ? began : workSince(story, texts, began);
    },
  };
}

/**
 * The version of a file in each commit: its hash, or `COMMIT:./PATH` where only git knows it, as after a
 * merge; undefined where it is missing. Git can show both, and neither ever changes.
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

function newFiles(
  tree: Tree,
  paths: readonly string[],
  isLeftOut: (path: string) => boolean,
): readonly string[] {
  const known = new Set([""]);
  for (const path of paths) {
    for (let at = parentPath(path); !known.has(at); at = parentPath(at)) known.add(at);
  }
  const found: string[] = [];
  for (const folder of known) {
    for (const path of walkFiles(tree, folder, (path) => known.has(path) || isLeftOut(path))) {
      if (found.push(path) >= LIMITS.check.newFiles) return found;
    }
  }
  return found;
}

export function lazily<T extends object>(compute: () => T): () => T {
  let value: T | undefined;
  return () => value ??= compute();
}

function changesOf(commits: readonly Commit[]): readonly Change[] {
  const changes = new Map<string, Change>();
  for (const commit of commits) for (const change of commit.changes) changes.getOrInsert(change.path, change);
  return [...changes.values()];
}

/** To load it takes longer than a whole board, which rarely compares a file. */
const nodeCrypto = lazily(() => globalThis.process.getBuiltinModule("node:crypto"));

/** Also compares with Unix line endings, which git may have stored. */
function isSame(bytes: Uint8Array, hash: string): boolean {
  const algorithm = hash.length === 64 ? "sha256" : "sha1";
  const hashOf = (bytes: Uint8Array) =>
    nodeCrypto().createHash(algorithm).update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
  if (hashOf(bytes) === hash) return true;
  return bytes.includes(13) &&
    hashOf(bytes.filter((byte, at) => byte !== 13 || bytes[at + 1] !== 10)) === hash;
}

function namesIn({ epics }: Board): (commit: Commit) => ReadonlySet<string> {
  const names = new Map<string, string>();
  for (const { ref, key, file } of epics.flatMap(({ stories }) => stories)) {
    const stem = file && baseName(file).replace(/\.md$/i, "");
    for (const name of [ref, ref.replace("-", "."), ref.replace(".", "-"), key, stem]) {
      if (name !== undefined && /\D/.test(name)) names.getOrInsert(name.toLowerCase(), ref);
    }
  }
  const known = new Map<string, ReadonlySet<string>>();
  return ({ subject }) =>
    known.getOrInsertComputed(subject, () => {
      const words = subject.slice(0, 1_000).toLowerCase().split(/[^\p{L}\p{N}./_-]+/u);
      return new Set(words.flatMap((word) => {
        // A branch may be named after a story.
        const plain = word.replace(/[./-]{1,9}$/, "").split("/").at(-1)!.replace(/^[.-]+|^story[-_]/, "");
        const [, number] = /^(\d{1,4}[.-]\d{1,4}[a-z]?)[.-]/.exec(plain) ?? [];
        return names.get(plain) ?? (number && names.get(number)) ?? [];
      }));
    });
}

export const LOG: readonly string[] = [
  "--raw",
  "--no-abbrev",
  "--no-renames",
  "--relative",
  "-z",
  "--format=%x01%H%x02%P%x02%s%x03",
  `--max-count=${LIMITS.check.commits}`,
];
const KINDS: Readonly<Record<string, Change["kind"]>> = { A: "added", D: "deleted" };

export function readLog(output: string): History {
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
