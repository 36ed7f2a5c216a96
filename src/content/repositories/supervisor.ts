/**
 * How git is started so that it stays within its limits, and nothing of it survives us.
 *
 * We may run git and nothing else, so git itself runs the supervisor: as an alias that is a small shell function. It
 * limits memory, starts the real git, and kills it when our end of its input closes, which happens at the latest when we
 * are killed. There are two: for a git that writes, which also limits the size of every file and kills the whole process
 * group; and for a git that reads the user's own commits, which kills that git alone.
 */

/** The memory that each process of git may use. */
export const MAX_MEMORY = 1 << 30;

/** Blobs that are larger are never in memory as a whole. */
const STREAMED = "16m";

/** Keeps git's own use of memory far below the limit: what it maps, caches and does in parallel. */
export const FRUGAL: readonly (readonly [key: string, value: string])[] = [
  ["core.bigFileThreshold", STREAMED],
  ["core.packedGitWindowSize", "32m"],
  ["core.packedGitLimit", "256m"],
  ["core.deltaBaseCacheLimit", "32m"],
  ["pack.windowMemory", "64m"],
  ["pack.threads", "1"],
];

/** A shell that cannot set it goes on without. A lower limit cannot be there already: Deno itself needs more. */
const LIMIT_MEMORY = `ulimit -v ${MAX_MEMORY / 1_024} 2>/dev/null`;

/**
 * For a git that writes files and starts other programs. A limit for files that is lower already stays. Without its
 * signal, a file that reaches the limit is an error that git reports.
 */
function groupSupervisor(maxSize: number): string {
  const blocks = Math.ceil(maxSize / 512);
  return `bounded() {
${LIMIT_MEMORY}
[ "$(ulimit -f)" -le ${blocks} ] 2>/dev/null || ulimit -f ${blocks} 2>/dev/null
trap '' XFSZ
exec 3<&0 </dev/null
git "$@" 3<&- &
git=$!
{ read -r _ <&3; kill -KILL 0; } >/dev/null 2>&1 &
watch=$!
wait "$git" 2>/dev/null
code=$?
if [ "$code" -gt 129 ]; then
  echo "fatal: git was killed by signal $((code - 128))" >&2
  kill -KILL 0
fi
exec 2>/dev/null
kill -KILL "$watch"
exit "$code"
}; bounded`;
}

/**
 * For a git that only reads. It takes the place of the shell and needs no process group, for which the runtime would copy
 * itself. It starts no program: what could make it do so is switched off (local_git.ts), except that a git older than
 * 2.44 without the security updates still asks the remote of a partial clone for missing objects, with no transport
 * allowed. A line on the input tells the watch that git has ended, since by then its process number may belong to
 * another program.
 */
const READER_SUPERVISOR = `bounded() {
${LIMIT_MEMORY}
exec 3<&0 </dev/null
{ read -r _ <&3 || kill -KILL $$; } >/dev/null 2>&1 &
exec git "$@" 3<&-
}; bounded`;

/** The shell that git brings to Windows can neither limit nor kill. */
const IS_SUPERVISED = Deno.build.os !== "windows";

/** A git that runs, and how it is killed with everything that it has started. */
interface Supervised {
  readonly child: Deno.ChildProcess;
  kill(): void;
  /** To be called when it has ended. */
  release(): void;
}

export function spawnGit(
  args: readonly string[],
  { cwd, env, maxSize }: {
    readonly cwd: string;
    readonly env: Record<string, string>;
    /** The size of the largest file that it may write; undefined for a git that only reads. */
    readonly maxSize?: number;
  },
): Supervised {
  const supervisor = maxSize === undefined ? READER_SUPERVISOR : groupSupervisor(maxSize);
  const supervised = IS_SUPERVISED ? ["-c", `alias.bounded=!${supervisor}`, "bounded"] : [];
  const child = new Deno.Command("git", {
    args: [...supervised, ...args],
    cwd,
    env,
    clearEnv: true,
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
    // The group that the supervisor kills must not be ours.
    detached: IS_SUPERVISED && maxSize !== undefined,
  }).spawn();
  const input = child.stdin.getWriter();
  const kill = () => {
    input.close().catch(() => {});
    if (!IS_SUPERVISED) killProcess(child);
  };
  const release = () => void input.write(NEWLINE).catch(() => {});
  return { child, kill, release };
}

const NEWLINE = new TextEncoder().encode("\n");

export function killProcess(child: Deno.ChildProcess): void {
  try {
    child.kill("SIGKILL");
  } catch {
    // It has already ended.
  }
}
