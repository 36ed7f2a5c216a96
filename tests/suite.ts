/**
 * Which tests run when?
 *
 *     deno task test             what people run after a change
 *     deno task test FILE…       these files, whole
 *     deno task near             the tests of the folders that a change touches, on the sources (near.ts)
 *     deno task test:full        everything that `test` leaves out
 *
 * `test` leaves out the rows of `FULL`. Where a test loops over `ERAS` or `ofThisRun(…)`, it takes one era of the
 * protocol and three versions of BMAD; `test:full` takes the others. Together they run every test, and each closing
 * line of `deno test` counts only its own: `.ci/run` adds them up.
 */

import { fetchPackages, testCache } from "./support/installs.ts";
import { CAN_MOUNT } from "./support/mounts.ts";

/** What only `test:full` runs, with the reason. A folder stands for all its tests. */
const FULL: Readonly<Record<string, string>> = {
  "release/": "builds binaries, packages and a whole release",
  "serve/http/replicas_test.ts": "four real servers",
  "soak/": "load, faults and hostile input",
  "docs_commands_test.ts": "every command that the documents show",
  "installs_test.ts": "makes installations on purpose",
  "process/watchdog_test.ts": "waits until a stuck process is killed",
  "commands/cli/json_test.ts": "every command once",
  "commands/cli/screen_test.ts": "every command at several widths",
  "commands/cli/board_watch_test.ts": "waits for changes of files",
  "commands/cli/completions_test.ts": "four shells",
  "commands/clients/owner_test.ts": "files of other users",
  "commands/clients/program_test.ts": "the real program for every client",
  "commands/doctor/": "every problem that can be planted, with its fix",
  "real/preview_test.ts": "upgrades an installation with the installer of another version",
  "commands/sources/modules_test.ts": "repositories that stand in for those on the net",
  "commands/sources/kill_test.ts": "kills a program at every step",
  "checker/pattern_checker_test.ts": "a published checker, up to a fifth of a second for each new pattern",
  "checker/hostile_texts_test.ts": "patterns that are slow on purpose",
  "checker/patterns_test.ts": "hostile texts for each pattern",
  "packages_bounded_test.ts": "hostile texts at several sizes",
  "content/bounded_test.ts": "hostile texts at several sizes",
  "content/inventory/defects_test.ts": "installations of many versions",
  "content/inventory/hand_written_test.ts": "installations of many versions",
  "content/inventory/hostile_trees_test.ts": "trees of 20,000 files",
  "content/library/files/secrets_test.ts": "hostile texts at several sizes",
  "content/repositories/git_bombs_test.ts": "repositories of gigabytes",
  "content/repositories/git_limits_test.ts": "repositories at every limit",
  "content/repositories/git_origins_test.ts": "BMAD's own history",
  "content/repositories/git_orphans_test.ts": "waits for processes to end",
  "content/repositories/git_processes_test.ts": "kills a program at every moment of a fetch",
  "content/repositories/git_servers_test.ts": "a server for each way of serving git",
  "commands/team/workers_test.ts": "six workers, of which two are killed, for ten seconds",
  "project/codebase/meaning_test.ts": "the quality of code search",
  "project/codebase/warm_test.ts": "random changes of a project",
  "project/kit/files/contract_test.ts": "scripts that never end, or print without end",
  "project/kit/memory/durability_test.ts": "kills a program while it writes",
  "project/kit/memory/encoder_test.ts": "compares vectors with the full model's",
  "project/kit/memory/hostile_file_test.ts": "170 broken memory files, and 120 mutated ones",
  "project/kit/memory/relevance_test.ts": "the quality of recall, in five languages",
  "project/kit/memory/stores_test.ts": "as another user, and on disks that cannot be written",
  "project/scripts/flat_scripts_test.ts": "compared with Python",
  "project/scripts/hostile_test.ts": "every path of every script",
  "project/scripts/parity_test.ts": "scripts of several versions, compared with Python",
  "project/scripts/resolvers_test.ts": "compared with Python, skill by skill",
  "project/scripts/sprint_race_test.ts": "many processes on one ledger",
  "project/work/board/limits_test.ts": "hostile texts at several sizes",
  "project/work/check/honest_test.ts": "fifteen honest projects in each form",
  "project/work/check/lies_test.ts": "130 lies, each in a project of its own",
  "project/work/check/limits_test.ts": "hostile texts at several sizes",
  "project/work/context/recall_test.ts": "the quality of context packs, in two languages",
  "project/work/lived_test.ts": "fifty repositories, with branches, merges and squashes",
  "project/work/remote_claims_test.ts": "clones that claim through a remote",
  "project/work/writer/race_test.ts": "many processes on one ledger",
  "project/work/writer/tickets_agree_test.ts": "compared with Python",
  "real/agent_source_test.ts": "the sources of many versions",
  "real/closure_test.ts": "every reference of every version",
  "real/breakage_test.ts": "installations of many versions, broken in many ways",
  "real/default_config_test.ts": "compared with BMAD's own installer",
  "real/flat_install_test.ts": "every set of targets of the installer",
  "real/launcher_test.ts": "compared with BMAD's own renderer",
  "real/new_release_test.ts": "an installation, changed in many ways",
  "real/one_generation_test.ts": "installations of every version",
  "real/printed_calls_test.ts": "runs every call and script line that answers print",
  "real/reader_test.ts": "follows every call that answers print",
  "real/roster_test.ts": "compared with BMAD's own scripts",
  "real/skills_install_test.ts": "installations of many versions",
  "real/upstream_resolver_test.ts": "compared with BMAD's own resolver",
  "real/uri_templates_test.ts": "installations of many versions",
  "real/validate_test.ts": "the sources of many versions",
  "serve/conformance_test.ts": "the protocol's own test suite",
  "serve/http/limits_test.ts": "waits for time limits",
  "serve/http/pressure_test.ts": "hundreds of clients",
  "serve/pages/prose_test.ts": "hostile texts at several sizes",
  "serve/mcp/fresh_answers_test.ts": "writes and asks at once, very often",
  "serve/mcp/git_test.ts": "slow repositories",
  "serve/mcp/hostile_arguments_test.ts": "every argument of every tool",
  "serve/mcp/long_work_test.ts": "work that takes seconds",
  "serve/mcp/memory_kill_test.ts": "kills a server while it writes",
  "serve/mcp/migration_test.ts": "the configurations of an earlier server",
};

/** What takes so long that it is started first, the longest before the others: what is left at the end is short. */
const LONG: readonly string[] = [
  "project/work/remote_claims_test.ts",
  "project/work/lived_test.ts",
  "serve/mcp/fresh_answers_test.ts",
  "real/printed_calls_test.ts",
  "commands/doctor/doctor_test.ts",
  "serve/mcp/long_work_test.ts",
  "content/repositories/git_processes_test.ts",
  "project/work/context/recall_test.ts",
  "release/npm_test.ts",
  "project/kit/memory/hostile_file_test.ts",
  "serve/mcp/git_test.ts",
  "commands/team/workers_test.ts",
  "serve/mcp/hostile_arguments_test.ts",
  "release/compile_rights_test.ts",
  "docs_commands_test.ts",
  "serve/conformance_test.ts",
  "serve/http/limits_test.ts",
  "soak/fuzz_test.ts",
  "release/compile_twice_test.ts",
  "soak/faults_test.ts",
  "real/reader_test.ts",
];

/** What needs an isolate of its own, with the reason. */
const ALONE: Readonly<Record<string, string>> = {
  "base/work_test.ts": "turns of the event loop, which end otherwise once a CommonJS package was loaded",
  "content/origins/footprint_test.ts": "turns of the event loop",
  "content/repositories/refresher_test.ts": "what it stops at the end may still look at a file",
};

const SAMPLED = /\b(?:ERAS|ofThisRun)\b/;

/** How a test of the other part is named: by the era or the version that `test` leaves out. */
const OTHERS = "/2025|6\\.[1258]\\.0/";

const ROOT = new URL("../", import.meta.url);

export function testFiles(dir = "tests/"): readonly string[] {
  const items = [...Deno.readDirSync(new URL(dir, ROOT))].sort((a, b) => a.name < b.name ? -1 : 1);
  return items.flatMap(({ name, isDirectory }) =>
    isDirectory ? testFiles(`${dir}${name}/`) : name.endsWith("_test.ts") ? [`${dir}${name}`] : []
  );
}

function isFull(file: string): boolean {
  const name = file.slice("tests/".length);
  return Object.keys(FULL).some((row) => row.endsWith("/") ? name.startsWith(row) : name === row);
}

/**
 * The files that share an isolate, in the order in which they are started. What an isolate loads, it loads once: for each
 * file anew, this took a fifth of the time. A group is the next part of what is left, so that groups are ever smaller and
 * the last ones end together; `least` files are loaded together in any case.
 */
function groupsOf(files: readonly string[], jobs: number, least: number): readonly (readonly string[])[] {
  const single = [...LONG, ...Object.keys(ALONE)].map((name) => `tests/${name}`);
  const groups = single.filter((file) => files.includes(file)).map((file) => [file]);
  const rest = files.filter((file) => !single.includes(file));
  while (rest.length > 0) groups.push(rest.splice(0, Math.max(least, Math.ceil(rest.length / (2 * jobs)))));
  return groups;
}

async function run(files: readonly string[], part: string, ...options: readonly string[]): Promise<number> {
  // Many tests wait for a process or a time limit: with two files more than processors, none of these is idle meanwhile.
  const jobs = Number(Deno.env.get("DENO_JOBS") ?? navigator.hardwareConcurrency + 2);
  const folder = await Deno.makeTempDir({ prefix: "bmad-mcp-suite-" });
  const env: Record<string, string> = { DENO_JOBS: `${jobs}`, BMAD_TESTS: part };
  try {
    if (CAN_MOUNT) {
      env["BMAD_TEST_CACHE"] = await testCache();
      // A short name, as that of the usual folder: some names that the program makes have the path in them.
      env["TMPDIR"] = await Deno.makeTempDir({ prefix: "t" });
    }
    // Alone, files of `full` take as long as some groups.
    const groups = groupsOf(files, jobs, part === "all" ? 1 : 3).map((group, at) => {
      // Deno starts them by name; the first file of a group says where to look for the others.
      const name = group[0]!.slice("tests/".length).replaceAll("/", "-");
      const file = `${folder}/${`${at}`.padStart(3, "0")}-${name}`;
      Deno.writeTextFileSync(file, group.map((one) => `import "${new URL(one, ROOT)}";\n`).join(""));
      return file;
    });
    return await runDeno([...options, ...groups], env);
  } finally {
    for (const one of [folder, env["TMPDIR"]]) {
      if (one !== undefined) await Deno.remove(one, { recursive: true });
    }
  }
}

/**
 * Puts the folder for temporary files on a disk in memory, which only this command and what it starts can see. Tests
 * write a hundred thousand small files, and on some disks these take a quarter of the time.
 */
const ON_MEMORY_DISK = [
  "unshare",
  "-m",
  "sh",
  "-c",
  'mount -t tmpfs -o mode=1777 tmpfs "$TMPDIR" && exec "$@"',
  "sh",
];

async function runDeno(args: readonly string[], env: Record<string, string>): Promise<number> {
  const words = "test --config deno.dev.json --no-prompt --allow-all --no-check --parallel".split(" ");
  const [command, ...rest] = [
    ...("TMPDIR" in env ? ON_MEMORY_DISK : []),
    Deno.execPath(),
    ...words,
    ...args,
  ];
  return (await new Deno.Command(command!, { args: rest, cwd: ROOT, env }).spawn().status).code;
}

async function main([suite = "", ...given]: readonly string[]): Promise<number> {
  if (given.length > 0) return await runDeno(given, { BMAD_TESTS: "all" });
  // While the first tests run, which need none of these packages. Without a network, whoever needs one says so.
  fetchPackages().catch(() => {});
  const files = testFiles();
  const named = [...Object.keys(FULL), ...LONG, ...Object.keys(ALONE)];
  const gone = named.filter((row) => !files.some((file) => file.startsWith(`tests/${row}`)));
  if (gone.length > 0) throw new Error(`tests/suite.ts names what does not exist: ${gone.join(", ")}`);
  if (suite === "test") return await run(files.filter((file) => !isFull(file)), "sample");
  const sampled = files.filter((file) =>
    !isFull(file) && SAMPLED.test(Deno.readTextFileSync(new URL(file, ROOT)))
  );
  const codes = [
    await run(files.filter(isFull), "all"),
    await run(sampled, "rest", `--filter=${OTHERS}`),
  ];
  return Math.max(...codes);
}

if (import.meta.main) Deno.exit(await main(Deno.args));
