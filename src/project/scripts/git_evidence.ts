/** Merges count against their first parent. */
import { fail } from "../../base/errors.ts";
import { reply, type Script, type ScriptWorld, stop } from "./script.ts";
import { pythonLines, quote, universalNewlines } from "./python.ts";

const SEPARATOR = "\x1f";
const LOG = ["--numstat", "--no-renames", `--format=%H${SEPARATOR}%P${SEPARATOR}%s`];

export const gitEvidence: Script = {
  name: "git_evidence.py",
  usage: {
    about: "Counts the changes in a range of commits; prints JSON",
    example: "--range REV..REV",
    args: [
      { names: ["--repo"], help: "The repository; default: the project" },
      { names: ["--range"], help: "The commits, REV..REV" },
      { names: ["--stories"], help: "Stories to look for in the messages, comma-separated" },
    ],
  },
  report: (error, status) => reply({ ok: false, error }, status),
  run: async (values, world) => {
    const range = values.one("range");
    if (!range) return reply({ range: null, note: "no range supplied", commits: [], files: [] });
    if (!isRange(range)) {
      const error = `invalid --range ${quote(range)}: expected a revision range like REV..REV`;
      return reply({ ok: false, error }, 2);
    }
    const given = (values.one("stories") ?? "").split(",").map((id) => id.trim()).filter((id) => id !== "");
    const stories = [...new Set(given)];
    const repo = values.one("repo") ?? ".";
    const pass = async (options: readonly string[]) =>
      parseLog(await log(world, repo, [...options, ...LOG], range), stories);
    const all = await pass([]);
    const merges = all.commits.filter((commit) => commit.is_merge).length;
    const measured = merges === 0
      ? parseLog("", [])
      : await pass(["-m", "--first-parent", "--min-parents=2"]);
    return reply({
      range,
      commit_count: all.commits.length,
      merge_count: merges,
      merges_measured: measured.commits.length,
      commits: all.commits,
      files: all.files,
      merge_files: measured.files,
      stories_supplied: stories,
    });
  },
};

/** `A..B` with both ends: other forms mean something else, or an option of git. */
function isRange(range: string): boolean {
  const [left, ...rest] = range.split("..");
  const right = rest.join("..");
  return range.trim() === range && !range.startsWith("-") && left !== "" && right !== "" &&
    !right.startsWith(".");
}

async function log(
  { git, files, signal }: ScriptWorld,
  repo: string,
  options: readonly string[],
  range: string,
): Promise<string> {
  if (git === undefined) {
    const hint = "the user has to allow it";
    return fail({ code: "not-allowed", what: "run git", hint, setting: "allowGit" });
  }
  const folder = files.realFolder(files.pathOf("repo", repo));
  if (folder === undefined) return stop(`fatal: cannot change to '${repo}': No such file or directory`);
  const { status, stdout, stderr } = await git(folder, options, range, signal);
  if (status !== 0) stop(stderr.trim() || `git exited ${status}`);
  return universalNewlines(new TextDecoder("utf-8", { ignoreBOM: true }).decode(stdout));
}

/** A merge that is listed twice counts once. */
function parseLog(output: string, stories: readonly string[]) {
  const patterns = stories.map((id) => ({
    id,
    pattern: new RegExp(String.raw`(?<![\p{L}\p{N}_])${RegExp.escape(id)}(?![\p{L}\p{N}_])`, "u"),
  }));
  const commits: { sha: string; subject: string; stories: readonly string[]; is_merge: boolean }[] = [];
  const noChurn = () => ({ added: 0, deleted: 0, net: 0, commit_count: 0, binary_revisions: 0 });
  const churn = new Map<string, ReturnType<typeof noChurn>>();
  const seen = new Set<string>();
  let isCounted = true;
  for (const line of pythonLines(output)) {
    if (line.includes(SEPARATOR)) {
      const [sha, parents, ...rest] = line.split(SEPARATOR);
      isCounted = !seen.has(sha!);
      if (!isCounted) continue;
      seen.add(sha!);
      const subject = rest.join(SEPARATOR);
      const named = patterns.filter(({ pattern }) => pattern.test(subject)).map(({ id }) => id);
      commits.push({ sha: sha!, subject, stories: named, is_merge: parents!.trim().includes(" ") });
      continue;
    }
    const [added, deleted, ...path] = line.split("\t");
    if (!isCounted || line.trim() === "" || path.length === 0) continue;
    const entry = churn.getOrInsertComputed(path.join("\t"), noChurn);
    entry.commit_count++;
    if (added === "-" || deleted === "-") {
      entry.binary_revisions++;
      continue;
    }
    entry.added += Number(added);
    entry.deleted += Number(deleted);
    entry.net = entry.added - entry.deleted;
  }
  return { commits, files: Array.from(churn, ([path, counts]) => ({ path, ...counts })) };
}
