/**
 * Does an unreachable repository delay a start? Time from spawn to the answer of tools/list, as a ratio within one run.
 *
 * Runs our bundle in turns: without a repository, with one on a server that never answers, with one that refuses, and
 * with one that answers. Every start has its own cache, so that each has something to fetch. Fails if an unreachable
 * repository makes a start take more than 1.2 times one without.
 *
 *     deno run -A --config deno.dev.json bench/git.ts [ROUNDS]
 */
import { withRepositories } from "../tests/support/git.ts";
import { buildBundle, median, print, timeToTools } from "./support.ts";

const ROUNDS = Number(Deno.args[0] ?? 15);
const LIMIT = 1.2;

/** Accepts every connection and never answers. */
const silent = Deno.listen({ hostname: "127.0.0.1", port: 0 });
const taken: Deno.Conn[] = [];
(async () => {
  for await (const connection of silent) taken.push(connection);
})();

await withRepositories(async ({ dir, make }) => {
  const ours = await buildBundle(`${dir}/bundle`);
  await Deno.mkdir(`${dir}/empty`);
  const cases: Readonly<Record<string, string | undefined>> = {
    "without a repository": undefined,
    "a server that never answers": `git+https://127.0.0.1:${silent.addr.port}/team/bmad.git`,
    "a server that refuses": "git+https://127.0.0.1:1/team/bmad.git",
    "a repository that is fetched": make("team", { "agents/captain.md": "# Captain\n" }).address,
  };
  const times = new Map(Object.keys(cases).map((name) => [name, [] as number[]]));
  // The first round fills caches and does not count.
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [name, address] of Object.entries(cases)) {
      const cache = `${dir}/cache-${round}-${name.replaceAll(" ", "-")}`;
      const args = address === undefined ? [] : ["--git-cache", cache, "--git-timeout", "5", address];
      const { ms } = await timeToTools([...ours, ...args], `${dir}/empty`);
      if (round > 0) times.get(name)!.push(ms);
    }
  }
  const without = median(times.get("without a repository")!);
  for (const [name, list] of times) {
    const ratio = median(list) / without;
    const limit = name.startsWith("a server") ? ` (limit ${LIMIT})` : "";
    print(`${name.padEnd(32)} ${median(list).toFixed(0).padStart(5)} ms  ${ratio.toFixed(2)}${limit}`);
    if (limit !== "" && ratio > LIMIT) Deno.exitCode = 1;
  }
});
silent.close();
taken.forEach((connection) => connection.close());
