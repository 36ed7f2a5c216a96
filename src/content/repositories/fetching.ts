/**
 * Getting one state of a repository, as plain files without a `.git` among them.
 *
 * Asks the repository first what it has under the name that is wanted: what we have already is not fetched again.
 * Then only that one commit is fetched. Commits that a repository does not give away by themselves, and repositories
 * that cannot give a part of themselves, are fetched whole.
 */
import type { GitLocation } from "../../base/git_location.ts";
import { type Git, Trouble } from "./git_program.ts";

/** What came of it. */
export interface Fetched {
  /** The whole hash of the commit. */
  readonly commit: string;
  /** The folder with its files; undefined when we have that commit. */
  readonly files?: string;
}

const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i;
const SHORT_COMMIT = /^[0-9a-f]{7,64}$/i;

/** Where what was fetched is kept in the repository of our own. */
const WANTED = "refs/bmad/wanted";

/** Whether a ref can never mean another commit. */
export function isFixed(ref: string | undefined): boolean {
  return ref !== undefined && COMMIT.test(ref);
}

/** Fetches what a location means, unless it is a commit that we have. Works inside `folder`, which is empty. */
export async function fetchFiles(
  git: Git,
  location: GitLocation,
  folder: string,
  has: (commit: string) => boolean,
): Promise<Fetched> {
  const { ref } = location;
  const url = await findUrl(git, location, folder);
  const target = isFixed(ref) ? undefined : await findTarget(git, url, ref, folder);
  const expected = target?.commit ?? (isFixed(ref) ? ref?.toLowerCase() : undefined);
  if (expected !== undefined && has(expected)) return { commit: expected };

  const gitDir = `${folder}/git`;
  const files = `${folder}/files`;
  const inside = (args: readonly string[]) => git(folder, [`--git-dir=${gitDir}`, ...args]);
  await git(folder, ["init", "--quiet", "--bare", "--template=", "--", gitDir]);
  const fetchRefs = (refspecs: readonly string[], ...options: readonly string[]) =>
    inside([
      "fetch",
      "--progress",
      "--no-tags",
      "--no-recurse-submodules",
      ...options,
      "--",
      url,
      ...refspecs,
    ]);
  const commit = target === undefined
    ? await fetchCommit(fetchRefs, inside, ref!)
    : await fetchShallow(fetchRefs, `+${target.name}:${WANTED}`).then(() => findCommit(inside, WANTED));
  await Deno.mkdir(files);
  await git(files, [
    `--git-dir=${gitDir}`,
    `--work-tree=${files}`,
    "read-tree",
    "-v",
    "--reset",
    "-u",
    commit,
  ]);
  return { commit, files };
}

type Fetch = (refspecs: readonly string[], ...options: readonly string[]) => Promise<string>;
type Inside = (args: readonly string[]) => Promise<string>;

/** What a repository calls what is wanted, and which commit that is now. */
interface Target {
  readonly name: string;
  readonly commit: string;
}

/** The branch or tag of a name, branches first; undefined for what can only be a commit. */
async function findTarget(
  git: Git,
  url: string,
  ref: string | undefined,
  folder: string,
): Promise<Target | undefined> {
  const names = ref === undefined || ref === "HEAD"
    ? ["HEAD"]
    : [`refs/heads/${ref}`, `refs/tags/${ref}`, ...(ref.startsWith("refs/") ? [ref] : [])];
  const listed = await git(folder, ["ls-remote", "--", url, ...names, ...names.map((name) => `${name}^{}`)]);
  const commits = new Map(listed.split("\n").map((line) => line.split("\t").reverse() as [string, string]));
  const name = names.find((name) => commits.has(name));
  // A tag may be a thing of its own, which names the commit.
  if (name !== undefined) return { name, commit: commits.get(`${name}^{}`) ?? commits.get(name)! };
  if (ref !== undefined && SHORT_COMMIT.test(ref)) return undefined;
  throw new Trouble(ref === undefined ? "it is empty" : `it has no branch and no tag "${ref}"`);
}

/** A server that wants another address to be used says so; with credentials we do not follow, but `.git` is a fair try. */
async function findUrl(git: Git, { url, credentials }: GitLocation, folder: string): Promise<string> {
  if (credentials === undefined || url.endsWith(".git")) return url;
  try {
    await git(folder, ["ls-remote", "--", url, "HEAD"]);
    return url;
  } catch (error) {
    if (error instanceof Trouble && /error: 30[1278]/.test(error.message)) return `${url}.git`;
    throw error;
  }
}

/** Fetches one commit alone or, where the server cannot cut it off from its past, with its past. */
async function fetchShallow(fetchRefs: Fetch, refspec: string): Promise<void> {
  try {
    await fetchRefs([refspec], "--depth=1");
  } catch (error) {
    if (!(error instanceof Trouble && /shallow/.test(error.message))) throw error;
    await fetchRefs([refspec]);
  }
}

/** Fetches a commit by its hash or, where that is short or the server does not allow it, everything. */
async function fetchCommit(fetchRefs: Fetch, inside: Inside, ref: string): Promise<string> {
  try {
    if (isFixed(ref)) {
      await fetchShallow(fetchRefs, `+${ref}:${WANTED}`);
      return await findCommit(inside, WANTED);
    }
  } catch (error) {
    const isRefused = error instanceof Trouble &&
      /not our ref|unadvertised object|not advertised|no such remote ref|couldn't find remote ref/i.test(
        error.message,
      );
    if (!isRefused) throw error;
  }
  await fetchRefs(["+refs/heads/*:refs/bmad/heads/*", "+refs/tags/*:refs/bmad/tags/*"]);
  return await findCommit(inside, ref);
}

async function findCommit(inside: Inside, name: string): Promise<string> {
  try {
    return (await inside(["rev-parse", "--verify", "--quiet", `${name}^{commit}`])).trim();
  } catch (error) {
    if (!(error instanceof Trouble) || name === WANTED) throw error;
    throw new Trouble(`it has no commit, branch or tag "${name}"`);
  }
}
