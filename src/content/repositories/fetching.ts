/** Fetching one commit as plain files, and the whole history only where the server offers nothing smaller. */
import { LIMITS } from "../limits.ts";
import { MAX_PATH, openNames } from "../../base/paths.ts";
import { splitLines } from "../../base/text.ts";
import type { GitLocation } from "../../settings/locations/mod.ts";
import { diskSize } from "./cache.ts";
import { FRUGAL, type Git, GitError, tooLarge } from "./git_program.ts";

const WANTED = "refs/bmad/wanted";

export function isFixed(ref: string | undefined): boolean {
  return ref !== undefined && /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i.test(ref);
}

/** On this machine: the git that sends has the same limits, but does not see our configuration. */
const SENDER = `--upload-pack=git ${
  FRUGAL.map(([key, value]) => `-c ${key}=${value}`).join(" ")
} upload-pack`;

/** A repository could have its files converted to a multiple of their size. */
const NO_CONVERSION = "* -text -ident -filter !eol !working-tree-encoding\n";

const FETCH = ["fetch", "--progress", "--no-tags", "--no-recurse-submodules"];

interface FetchOptions {
  readonly folder: string;
  readonly maxSize: number;
  has(commit: string): boolean;
}

export async function fetchFiles(git: Git, location: GitLocation, { folder, maxSize, has }: FetchOptions) {
  const { ref } = location;
  const run: Run = (args, take) => git(folder, args, take);
  const { url, sender, target } = await findRemote(run, location);
  const expected = target?.commit ?? (isFixed(ref) ? ref?.toLowerCase() : undefined);
  if (expected !== undefined && has(expected)) return { commit: expected };

  const gitDir = `${folder}/git`;
  const files = `${folder}/files`;
  const inside: Run = (args, take) => run([`--git-dir=${gitDir}`, ...args], take);
  await run(["init", "--quiet", "--bare", "--template=", "--", gitDir]);
  await Deno.mkdir(`${gitDir}/info`, { recursive: true });
  await Deno.writeTextFile(`${gitDir}/info/attributes`, NO_CONVERSION);
  const fetchRefs = (refspecs: readonly string[], ...options: readonly string[]) =>
    inside([...FETCH, ...sender, ...options, "--", url, ...refspecs]);
  const commit = target === undefined
    ? await fetchCommit(fetchRefs, inside, ref!)
    : await fetchShallow(fetchRefs, `+${target.name}:${WANTED}`).then(() => findCommit(inside, WANTED));
  await checkTree(inside, commit, maxSize);
  await Deno.mkdir(files);
  const trees = [`--git-dir=${gitDir}`, `--work-tree=${files}`];
  await git(files, [...trees, "read-tree", "-v", "--reset", "-u", commit]);
  return { commit, files };
}

export async function findAdvertised(git: Git, location: GitLocation, folder: string) {
  return (await findRemote((args) => git(folder, args), location)).target?.commit;
}

export async function listTags(git: Git, location: GitLocation, folder: string): Promise<readonly string[]> {
  const run: Run = (args) => git(folder, args);
  const { url, list } = await openRemote(run, location);
  const names = splitLines(await list([url, `${TAGS}*`])).map((line) => line.split("\t")[1] ?? "");
  const tags = names.filter((name) => name.startsWith(TAGS) && !name.endsWith("^{}"));
  return tags.map((name) => name.slice(TAGS.length));
}

const TAGS = "refs/tags/";

async function findRemote(run: Run, location: GitLocation) {
  const { ref } = location;
  const remote = await openRemote(run, location);
  return { ...remote, target: isFixed(ref) ? undefined : await findTarget(remote.list, remote.url, ref) };
}

async function openRemote(run: Run, location: GitLocation) {
  const sender = location.protocol === "file" ? [SENDER] : [];
  const list: Run = (args) => run(["ls-remote", ...sender, "--", ...args]);
  return { url: await findUrl(list, location), sender, list };
}

type Fetch = (refspecs: readonly string[], ...options: readonly string[]) => Promise<string>;
type Run = (args: readonly string[], take?: (text: string) => void) => Promise<string>;

/** Branches first; undefined for what can only be a commit. */
async function findTarget(list: Run, url: string, ref: string | undefined) {
  const names = ref === undefined || ref === "HEAD"
    ? ["HEAD"]
    : [`refs/heads/${ref}`, `refs/tags/${ref}`, ...(ref.startsWith("refs/") ? [ref] : [])];
  const listed = await list([url, ...names, ...names.map((name) => `${name}^{}`)]);
  const commits = new Map(splitLines(listed).map((line) => line.split("\t").reverse() as [string, string]));
  const name = names.find((name) => commits.has(name));
  // An annotated tag is an object of its own, which points to the commit.
  if (name !== undefined) return { name, commit: commits.get(`${name}^{}`) ?? commits.get(name)! };
  if (ref !== undefined && /^[0-9a-f]{7,64}$/i.test(ref)) return undefined;
  throw new GitError(ref === undefined ? "the repository is empty" : `no branch or tag named "${ref}"`);
}

/** Some servers redirect to the address with `.git`. With credentials we follow no redirect, so we try it ourselves. */
async function findUrl(list: Run, { url, credentials }: GitLocation): Promise<string> {
  if (credentials === undefined || url.endsWith(".git")) return url;
  try {
    await list([url, "HEAD"]);
    return url;
  } catch (error) {
    if (error instanceof GitError && /error: 30[1278]/.test(error.message)) return `${url}.git`;
    throw error;
  }
}

async function fetchShallow(fetchRefs: Fetch, refspec: string): Promise<void> {
  try {
    await fetchRefs([refspec], "--depth=1");
  } catch (error) {
    if (!(error instanceof GitError && /shallow/.test(error.message))) throw error;
    await fetchRefs([refspec]);
  }
}

const REFUSED = /not our ref|unadvertised object|not advertised|no such remote ref|couldn't find remote ref/i;

async function fetchCommit(fetchRefs: Fetch, inside: Run, ref: string): Promise<string> {
  try {
    if (isFixed(ref)) {
      await fetchShallow(fetchRefs, `+${ref}:${WANTED}`);
      return await findCommit(inside, WANTED);
    }
  } catch (error) {
    if (!(error instanceof GitError && REFUSED.test(error.message))) throw error;
  }
  await fetchRefs(["+refs/heads/*:refs/bmad/heads/*", "+refs/tags/*:refs/bmad/tags/*"]);
  return await findCommit(inside, ref);
}

async function findCommit(inside: Run, name: string): Promise<string> {
  try {
    return (await inside(["rev-parse", "--verify", "--quiet", `${name}^{commit}`])).trim();
  } catch (error) {
    if (!(error instanceof GitError) || name === WANTED) throw error;
    throw new GitError(`no commit, branch or tag named "${name}"`);
  }
}

/** A few kilobytes can unpack to any number of files: git lists the tree, and is stopped when it is too much. */
export async function checkTree(
  run: (args: readonly string[], take: (text: string) => void) => Promise<unknown>,
  commit: string,
  maxSize: number,
): Promise<void> {
  let entries = 0;
  let size = 0;
  let rest = "";
  const whyUnsafe = openNames();
  const take = (entry: string) => {
    const [about = "", path = ""] = entry.split("\t", 2);
    entries += 1;
    // Folders and submodules have a dash for a size.
    size += diskSize(Number(about.split(/ +/)[3]) || 0);
    const refuse = (what: string) => {
      throw new GitError(`the repository has ${what}`);
    };
    if (entries > LIMITS.git.entries) refuse(`more than ${LIMITS.git.entries} files and folders`);
    if (path.length > MAX_PATH) refuse(`a path of more than ${MAX_PATH} bytes`);
    if (size > maxSize) throw tooLarge(maxSize);
    const name = fromBytes(path);
    const why = whyUnsafe(name);
    if (why !== undefined) refuse(`an unsafe name, ${JSON.stringify(name)}: ${why}`);
  };
  await run(["ls-tree", "-r", "-t", "-l", "-z", "--full-tree", commit], (text) => {
    const parts = (rest + text).split("\0");
    rest = parts.pop()!;
    parts.forEach(take);
    // The name of one entry alone can have any length.
    if (rest.length > 2 * MAX_PATH) take(rest);
  });
}

function fromBytes(text: string): string {
  return /^[\0-\x7f]*$/.test(text) ? text : new TextDecoder("utf-8", { ignoreBOM: true }).decode(
    Uint8Array.from(text, (byte) => byte.charCodeAt(0)),
  );
}
