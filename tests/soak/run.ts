/**
 * Endurance: minutes of load, odd input and faults on the real program, with measurements.
 *
 *     deno task test:soak [SEED [WORDS]]
 *
 * With words, only rows whose names have them.
 *
 * Figures are ratios within the run, so that they mean the same on every machine; an idle one still gives better results.
 */
import { installPeer, loadNow } from "../../bench/support.ts";
import { checkPatterns, patternsToCheck } from "../checker/published.ts";
import { BOTH_ERAS, startClient } from "../support/client.ts";
import { startHttp } from "../support/http.ts";
import { workTogether } from "../support/team_work.ts";
import { fuzzContent } from "./content_fuzz.ts";
import { jumpingClock, oddTimes } from "./clock.ts";
import { agreeOnHistories } from "../support/lived.ts";
import { mergePairs } from "../support/merge_fuzz.ts";
import { checkTraced, makeTraced } from "../support/traced.ts";
import { raceForLedger, raceForStories, raceInTeam, raceInWorktrees } from "../support/races.ts";
import { agreeOnProjects } from "../support/work_agree.ts";
import { PROJECT_FORMS } from "../support/work_projects.ts";
import { largeMessage, manyCalls, shareOfPeer } from "./endurance.ts";
import { FAULTS, fill, neverReads, sleepWell, survive } from "./faults.ts";
import { fullDisk } from "./full_disk.ts";
import { fuzzFolders } from "./folder_fuzz.ts";
import { fuzzLinks } from "./link_fuzz.ts";
import { fuzzApi, fuzzHttp, fuzzMessages, fuzzPaths } from "./fuzz.ts";
import { besideHeavy, HEAVY } from "./heavy_person.ts";
import { CONSTANT, drive, MIX } from "./load.ts";
import { whyNoMounts } from "./machine.ts";
import { fuzzPatterns } from "./pattern_fuzz.ts";
import { pingsMeanwhile } from "./meanwhile.ts";
import { type Changing, inRounds } from "../support/property.ts";
import { atMost, quantile } from "./measure.ts";
import { besideStrangers } from "./strangers.ts";
import { claimOverHttps, claimOverSsh, whyNoHttps, whyNoSsh } from "./team_servers.ts";
import { workAsTeam } from "./team_load.ts";
import { fuzzTemplates } from "./template_fuzz.ts";
import { neverHalf, timeToAnnounce, timeToEnd } from "./timing.ts";
import { sendWrongTokens } from "./wrong_tokens.ts";

/** Ten processes with four writers each and two servers with five clients' calls at a time; eight are killed midway. */
async function crowdedLedger(): Promise<string> {
  return await raceForLedger({
    processes: 10,
    workers: 4,
    kills: 8,
    changes: 1_200,
    others: (root) => ["s0", "s1"].map((name) => changeByCalls(root, name)),
  });
}

function changeByCalls(root: string, name: string): Changing {
  const said: string[] = [];
  let isOver = false;
  const work = async () => {
    await using client = await startClient({ era: "2025", cwd: root, args: ["--toolsets", "work"] });
    const ask = async (writer: number) => {
      for (let round = 0; !isOver; round++) {
        const id = `${name}-${writer}-${round}`;
        const item = JSON.stringify([{ id, action: "x" }]);
        const script =
          `sprint_status.py update --file out/sprint-status.yaml --epic 1 --add-action '${item}'`;
        const { isError } = await client.callTool("bmad_work", { script });
        said.push(isError ? `! ${id}` : `add ${id}`);
      }
    };
    await Promise.all([0, 1, 2, 3, 4].map(ask));
  };
  const working = work();
  return {
    said,
    stop: async () => {
      isOver = true;
      await working;
    },
  };
}

const words = Deno.args.slice(1).join(" ");
const isAsked = (what: string) => what.includes(words);
const seed = Number(Deno.args[0] ?? Date.now() % 1_000_000_007);
const SECONDS = 60;
const CLIENTS = 50;

let failures = 0;
const say = (text: string) => Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));
const judge = (what: string, isGood: boolean, figure: string) => {
  if (!isGood) failures++;
  say(`${isGood ? "ok  " : "FAIL"} ${what}: ${figure}`);
};
const attempt = async (what: string, work: () => Promise<string | void>, unable?: string) => {
  if (!isAsked(what)) return;
  if (unable !== undefined) return void say(`skip ${what}: ${unable}`);
  try {
    judge(what, true, (await work()) ?? "passed");
  } catch (error) {
    judge(what, false, error instanceof Error ? error.message : String(error));
  }
};

const inTime = (ms: number) => atMost(`${ms.toFixed(0)} ms (at most 1000)`, [ms, 1_000]);

say(`seed ${seed}, load ${loadNow()}`);

if (isAsked(`throughput of ${CLIENTS} clients`)) {
  await using ours = await startHttp();
  const constant = await startHttp([], {
    program: ["run", "--allow-all", new URL("constant_server.ts", import.meta.url).pathname],
  });
  const [url, floor] = [`${ours.url}/mcp`, `${constant.url}/mcp`];
  // Both warm up, then take short turns: other load on the machine affects both alike.
  const turn = async (target: string, mix: typeof MIX, pid: number, ms = 1_000) =>
    (await drive(target, mix, { clients: CLIENTS, ms, pid })).perSecond;
  await turn(url, MIX, ours.pid, 5_000);
  await turn(floor, CONSTANT, constant.pid, 5_000);
  const ratios: number[] = [];
  for (let round = 0; round < 15; round++) {
    const own = await turn(url, MIX, ours.pid);
    ratios.push(own / await turn(floor, CONSTANT, constant.pid));
  }
  constant.signal("SIGKILL");
  await constant[Symbol.asyncDispose]();
  const ratio = quantile(ratios, 0.5);
  judge(
    "throughput compared with the SDK and a constant tool",
    ratio >= 0.7,
    `${ratio.toFixed(2)} (at least 0.7)`,
  );

  const { requests, errors, p50, p99, memory } = await drive(url, MIX, {
    clients: CLIENTS,
    ms: SECONDS * 1_000,
    pid: ours.pid,
  });
  judge(
    `${CLIENTS} clients for ${SECONDS} s`,
    errors.length === 0,
    `${requests} requests, ${errors.length} errors`,
  );
  judge("latency", p99 <= 10 * p50, `p99 is ${(p99 / p50).toFixed(1)} times p50 (at most 10)`);
  const quarter = (n: number) =>
    quantile(memory.slice(n * memory.length / 4, (n + 1) * memory.length / 4), 0.5);
  const growth = quarter(3) / quarter(1);
  judge(
    "memory",
    growth <= 1.1,
    `${growth.toFixed(2)} times as much in the last quarter as in the second (at most 1.1)`,
  );
}

const MB = 1_000_000;
const inMb = (bytes: number) => `${(bytes / MB).toFixed(0)} MB`;
await attempt("200 clients without the token that trickle bodies of 10 MB for 30 s", async () => {
  const { alone, beside, growth, opened, errors } = await besideStrangers(200, 30_000);
  return atMost(
    `p99 is ${(beside / alone).toFixed(1)} times that without them (at most 3), memory grew by ` +
      `${inMb(growth)} (at most 64), ${opened} connections, ${errors.length} errors`,
    [beside / alone, 3],
    [growth, 64 * MB],
    [errors.length, 0],
  );
});
await attempt("a team of 20 with 200 clients in 50 projects for 60 s, restarted twice", async () => {
  const size = { people: 20, clients: 200, projects: 50, ms: SECONDS * 1_000, restarts: 2 };
  const { requests, errors, alone, together, memory } = await workAsTeam(size);
  return atMost(
    `${requests} requests, ${errors.length} errors${errors.length > 0 ? ` (${errors[0]})` : ""}, ` +
      `p99 is ${(together / alone).toFixed(1)} times that of one client (at most 3), ` +
      `50 projects in ${inMb(memory)} (at most 400)`,
    [errors.length, 0],
    [together / alone, 3],
    [memory, 400 * MB],
  );
});
for (const kind of HEAVY.keys()) {
  await attempt(`one person asks for ${kind} all the time`, async () => {
    const { asked, errors, ratio, ready } = await besideHeavy(kind);
    return atMost(
      `${asked} requests, ${errors.length} errors${
        errors.length > 0 ? ` (${errors[0]})` : ""
      }, p99 of others is ` +
        `${ratio.toFixed(1)} times that without them (at most 3), /ready took at most ` +
        `${ready.toFixed(0)} ms (at most 200)`,
      [errors.length, 0],
      [ratio, 3],
      [ready, 200],
    );
  });
}
await attempt("5,000 wrong tokens of each kind", async () => {
  const { medians, answers } = await sendWrongTokens(5_000);
  const all = Object.values(medians);
  const apart = (Math.max(...all) / Math.min(...all) - 1) * 100;
  const text = `${all.length} kinds, medians ${apart.toFixed(1)} % apart (at most 5), ${answers.size} answer`;
  if (answers.size !== 1) throw new Error(`${text}: ${[...answers].join(" | ")}`);
  return atMost(text, [apart, 5]);
});
await attempt("5,000 calls in sequence", async () => {
  const growth = await manyCalls(5_000);
  return atMost(`memory grew by ${inMb(growth)} (at most 10)`, [growth, 10 * MB]);
});
await attempt("1,000 reads at once", async () => {
  const folder = await Deno.makeTempDir();
  const peer = await installPeer(`${folder}/peer`);
  const share = await shareOfPeer(1_000, peer);
  await Deno.remove(folder, { recursive: true });
  return atMost(`${share.toFixed(2)} times the peer's time (at most 0.8)`, [share, 0.8]);
});
for (const size of [1, 5, 9.9, 12]) await attempt(`a message of ${size} MB`, () => largeMessage(size * MB));

for (const by of ["the end of its input", "SIGINT", "SIGTERM"] as const) {
  await attempt(`the end of the program after ${by}`, async () => inTime(await timeToEnd(by)));
}
for (const era of BOTH_ERAS) {
  await attempt(`an edit is announced to a ${era} client`, async () => inTime(await timeToAnnounce(era, 9)));
  await attempt(`a file that is being written, read by a ${era} client`, () => neverHalf(era, 20));
}

const HANG_MS = 2_000;
const notHanging = (ms: number) => `at most ${ms.toFixed(0)} ms (at most ${HANG_MS})`;
const report = ({ sent, longest }: { readonly sent: number; readonly longest: number }, waiting: string) =>
  atMost(`${sent} sent, ${waiting} ${notHanging(longest)}`, [longest, HANG_MS]);
const BATCHED = "a valid request after 50 of them waited";
await attempt("mutated messages", async () => report(await fuzzMessages(20_000, seed), BATCHED));
await attempt("paths that point outside", async () => report(await fuzzPaths(5_000, seed + 1), BATCHED));
await attempt("mutated content", async () => {
  const { trees, slowest: { ms, what }, longestEnd } = await fuzzContent(5_000, seed + 3);
  const text = atMost(`${trees} trees, an answer took ${notHanging(ms)}: ${what}`, [ms, HANG_MS]);
  return `${text}; the program ended within ${inTime(longestEnd)}`;
});
await attempt("links in the place of what is written", async () => {
  const { arrangements, rights, refused, programs } = await fuzzLinks(5_000, seed + 4);
  return `${arrangements} arrangements, ${programs} of them with the program: ${rights} rights as planned, ${refused} paths refused`;
}, Deno.build.os === "windows" ? "links need a right of their own on Windows" : undefined);
await attempt("folders that people write", async () => {
  const { folders, served, named, longest } = await fuzzFolders(1_500, seed + 7);
  return atMost(
    `${folders} folders: ${served} files served, ${named} named with a reason, none lost; an answer took ` +
      notHanging(longest),
    [longest, HANG_MS],
  );
});
await attempt("pings during long work", pingsMeanwhile);
await attempt("hostile templates", async () => {
  const { templates, answer, ping, growth } = await fuzzTemplates(3_000, seed + 5);
  return atMost(
    `${templates} templates, an answer took ${notHanging(answer.ms)} (seed ${answer.what}), a ping ` +
      `${ping.ms.toFixed(0)} ms (at most 200; seed ${ping.what}), memory grew by ${
        inMb(growth)
      } (at most 64)`,
    [answer.ms, HANG_MS],
    [ping.ms, 200],
    [growth, 64 * MB],
  );
});
await attempt("patterns and packages on hostile texts", async () => {
  const { pairs, worst, slow } = await fuzzPatterns(2_000, seed + 6);
  if (slow.length > 0) throw new Error(`more than linear time: ${slow.join("; ")}`);
  return atMost(`${pairs} pairs, ${notHanging(worst.ms)}: ${worst.what}`, [worst.ms, HANG_MS]);
});
await attempt("a published checker on every pattern, a second each", async () => {
  const patterns = [...(await patternsToCheck()).values()];
  const slow = await checkPatterns(patterns, 1_000);
  if (slow.length > 0) throw new Error(slow.join("; "));
  return `${patterns.length} patterns`;
});
await attempt("mutated requests over HTTP", async () => report(await fuzzHttp(3_000, seed + 2), "each took"));
await attempt(
  "mutated requests to the API",
  async () => report(await fuzzApi(20_000, seed + 8), "each took"),
);

for (const fault of FAULTS) {
  await attempt(fault.name, () => survive(fault), await fault.unable?.());
}
await attempt(
  "board, check, next, mark, reconcile and the scripts agree",
  () => agreeOnProjects(2_000, seed + 7),
);
await attempt(
  "board, check, trace, review and mark agree in lived histories",
  () => agreeOnHistories(2_000, seed + 9),
);
await attempt("two sides of one ledger, merged", async () => {
  const { clean, contradictions } = await mergePairs(5_000, seed + 8);
  return `${clean} merged, ${contradictions} contradictions`;
});
await attempt("one ledger, many processes and servers", () => crowdedLedger());
await attempt(
  "50 processes claim and mark for 30 seconds, 20 are killed",
  () => raceForStories({ processes: 50, workers: 1, kills: 20, marks: 1_000, ms: 30_000 }),
);
for (const form of PROJECT_FORMS) {
  await attempt(
    `50 writers in ten processes mark stories, eight processes are killed: ${form}`,
    () => raceForStories({ processes: 10, workers: 5, kills: 8, marks: 300, form }),
  );
}
await attempt(
  "60 workers in 20 worktrees claim for a minute, a third of them is killed",
  () => raceInWorktrees({ processes: 20, workers: 3, kills: 7, ms: 60_000 }),
);
await attempt(
  "500 generated projects are traced as they were meant",
  () => inRounds(500, seed, async (chance) => void await checkTraced(makeTraced(chance))),
);
await attempt(
  "a team in 5 clones and 20 worktrees claims, marks and merges for a minute, a third of it is killed",
  () =>
    raceInTeam({
      clones: 5,
      worktrees: 20,
      workers: 3,
      kills: 8,
      stories: 200,
      ms: 60_000,
      claimMs: 20_000,
    }),
);
for (const isRemote of [false, true]) {
  await attempt(
    `30 workers build stories of four forms for five minutes, a third is killed: ${
      isRemote ? "in two clones that share claims" : "in one clone"
    }`,
    () =>
      workTogether({
        seed: seed + 9,
        workers: 30,
        kills: 10,
        ms: 5 * SECONDS * 1_000,
        clones: isRemote ? 2 : 1,
        worktrees: 4,
        stories: 150,
        isRemote,
      }),
  );
}
await attempt("claims through https, with a password", claimOverHttps, whyNoHttps());
await attempt("claims through ssh, with a key", claimOverSsh, whyNoSsh());
await attempt("a full disk", () => fullDisk(), await whyNoMounts());
await attempt("a clock that jumps", () => jumpingClock());
await attempt("files with times in the future and long ago", () => oddTimes());
await attempt("50,000 new files while serving", () => fill(50_000));
await attempt("a process that is suspended and resumed", () => sleepWell());
await attempt("a client that reads nothing for a while", () => neverReads(2_000));

say(failures === 0 ? "all passed" : `${failures} failed`);
if (failures > 0) Deno.exitCode = 1;
