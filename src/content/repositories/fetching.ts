/**
 * Fetching one commit of a repository, as plain files without a `.git`.
 *
 * The repository is first asked which commit the ref means: a commit that we have is not fetched again. Then only that
 * commit is fetched. The whole history is fetched only where the server offers neither single commits nor shallow
 * fetches.
 */
import type { GitLocation } from "../../base/git_location.ts";
import { type Git, GitError } from "./git_program.ts";

const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i;
const SHORT_COMMIT = /^[0-9a-f]{7,64}$/i;

/** The ref in our temporary repository that holds what was fetched. */
const WANTED = "refs/bmad/wanted";

const FETCH_OPTIONS = ["--progress", "--no-tags", "--no-recurse-submodules"];

/** How servers refuse to send a single commit. */
const NOT_OFFERED =
  /not our ref|unadvertised object|not advertised|no such remote ref|couldn't find remote ref/i;

/** Whether a ref can never mean another commit. */
export function isFixed(ref: string | undefined): boolean {
  return ref !== undefined && COMMIT.test(ref);
}

/** Fetches what a location names into a folder in `folder`, which is empty. No files if we have that commit. */
export async function fetchFiles(
  git: Git,
  location: GitLocation,
  folder: string,
  has: (commit: string) => boolean,
): Promise<{ readonly commit: string; readonly files?: string }> {
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
    inside(["fetch", ...FETCH_OPTIONS, ...options, "--", url, ...refspecs]);
  const commit = target === undefined
    ? await fetchCommit(fetchRefs, inside, ref!)
    : await fetchShallow(fetchRefs, `+${target.name}:${WANTED}`).then(() => findCommit(inside, WANTED));
  await Deno.mkdir(files);
  const folders = [`--git-dir=${gitDir}`, `--work-tree=${files}`];
  await git(files, [...folders, "read-tree", "-v", "--reset", "-u", commit]);
  return { commit, files };
}

type Fetch = (refspecs: readonly string[], ...options: readonly string[]) => Promise<string>;
type Inside = (args: readonly string[]) => Promise<string>;

/** The branch or tag with a name, branches first, and its commit; undefined for what can only be a commit. */
async function findTarget(git: Git, url: string, ref: string | undefined, folder: string) {
  const names = ref === undefined || ref === "HEAD"
    ? ["HEAD"]
    : [`refs/heads/${ref}`, `refs/tags/${ref}`, ...(ref.startsWith("refs/") ? [ref] : [])];
  const listed = await git(folder, ["ls-remote", "--", url, ...names, ...names.map((name) => `${name}^{}`)]);
  const commits = new Map(listed.split("\n").map((line) => line.split("\t").reverse() as [string, string]));
  const name = names.find((name) => commits.has(name));
  // An annotated tag is an object of its own, which points to the commit.
  if (name !== undefined) return { name, commit: commits.get(`${name}^{}`) ?? commits.get(name)! };
  if (ref !== undefined && SHORT_COMMIT.test(ref)) return undefined;
  throw new GitError(ref === undefined ? "the repository is empty" : `no branch or tag named "${ref}"`);
}

/** Some servers redirect to the address with `.git`. With credentials we follow no redirect, so we try it ourselves. */
async function findUrl(git: Git, { url, credentials }: GitLocation, folder: string): Promise<string> {
  if (credentials === undefined || url.endsWith(".git")) return url;
  try {
    await git(folder, ["ls-remote", "--", url, "HEAD"]);
    return url;
  } catch (error) {
    if (error instanceof GitError && /error: 30[1278]/.test(error.message)) return `${url}.git`;
    throw error;
  }
}

/** Fetches one commit alone or, where the server does not support that, with its history. */
async function fetchShallow(fetchRefs: Fetch, refspec: string): Promise<void> {
  try {
    await fetchRefs([refspec], "--depth=1");
  } catch (error) {
    if (!(error instanceof GitError && /shallow/.test(error.message))) throw error;
    await fetchRefs([refspec]);
  }
}

/** Fetches a commit by its hash or, where that is abbreviated or the server does not allow it, everything. */
async function fetchCommit(fetchRefs: Fetch, inside: Inside, ref: string): Promise<string> {
  try {
    if (isFixed(ref)) {
      await fetchShallow(fetchRefs, `+${ref}:${WANTED}`);
      return await findCommit(inside, WANTED);
    }
  } catch (error) {
    if (!(error instanceof GitError && NOT_OFFERED.test(error.message))) throw error;
  }
  await fetchRefs(["+refs/heads/*:refs/bmad/heads/*", "+refs/tags/*:refs/bmad/tags/*"]);
  return await findCommit(inside, ref);
}

async function findCommit(inside: Inside, name: string): Promise<string> {
  try {
    return (await inside(["rev-parse", "--verify", "--quiet", `${name}^{commit}`])).trim();
  } catch (error) {
    if (!(error instanceof GitError) || name === WANTED) throw error;
    throw new GitError(`no commit, branch or tag named "${name}"`);
  }
}
