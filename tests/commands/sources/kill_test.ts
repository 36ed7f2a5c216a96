/** Does a command that is killed leave what was there before, or what should come after, and nothing in between? */
import assert from "node:assert/strict";
import { prepareLaunch, runCli, spawnAlone } from "../../support/program.ts";
import { agentFile, withSources } from "../../support/sources.ts";

const ROUNDS = 6;

Deno.test("killed commands leave one of two states [add:killed]", () =>
  withSources(async ({ make, env, project, file, lock, cache }) => {
    const team = make("team", { "agents/captain.md": agentFile("captain", "First orders.") });
    const read = (path: string) => {
      try {
        return Deno.readTextFileSync(path);
      } catch {
        return undefined;
      }
    };
    const state = () => ({ file: read(file), lock: read(lock) });
    const put = ({ file: settings, lock: pins }: ReturnType<typeof state>) => {
      for (const [path, text] of [[file, settings], [lock, pins]] as const) {
        if (text === undefined) Deno.removeSync(path);
        else Deno.writeTextFileSync(path, text);
      }
    };
    const run = async (...args: string[]) => {
      const begun = performance.now();
      const { code, stderr } = await runCli(args, { cwd: project, env });
      assert.equal(code, 0, stderr);
      return performance.now() - begun;
    };
    const isWhole = () => {
      const { file: settings = "", lock: pins } = state();
      const isListed = settings.includes(team.address);
      const pin = pins === undefined ? undefined : JSON.parse(pins).sources[team.address];
      if (!isListed) return true;
      const copy = [...Deno.readDirSync(cache)].find(({ name }) =>
        name.endsWith(`~${pin.commit.slice(0, 12)}`)
      );
      return copy !== undefined && read(`${cache}/${copy.name}/agents/captain.md`)!.includes("orders.") &&
        read(`${cache}/${copy.name}/.bmad-cache.json`)!.includes(pin.commit);
    };

    await run("add", `${project}/../repositories/team.git`);
    await run("remove", "team");
    for (const [name, ...args] of [["add", team.folder], ["update"], ["remove", "team"]] as const) {
      const before = state();
      if (name === "update") team.commit({ "agents/captain.md": agentFile("captain", "Second orders.") });
      const ms = await run(name, ...args);
      const after = state();
      assert.notDeepEqual(before, after);
      for (let round = 1; round <= ROUNDS; round++) {
        put(before);
        // Everything is fetched again, so that the kill may fall into that as well.
        if (name !== "remove") clearCopies(cache, before.lock);
        await kill([name, ...args], { cwd: project, env }, (ms * round) / (ROUNDS + 0.5));
        const found = state();
        const label = `${name} killed after ${round}/${ROUNDS} of ${Math.round(ms)} ms`;
        assert.ok([before.file, after.file].includes(found.file), `${label}: ${found.file}`);
        assert.ok(
          [before.lock, after.lock].includes(found.lock) || found.file !== before.file,
          `${label}: ${found.lock}`,
        );
        assert.ok(isWhole(), `${label}: ${JSON.stringify(found)}`);
        // Whatever was left behind does not keep the next one from its work.
        if (round === ROUNDS) {
          put(before);
          await run(name, ...args);
          assert.deepEqual(state(), after);
        }
      }
    }
  }));

/** Removes every copy but the pinned one. */
function clearCopies(cache: string, lock: string | undefined): void {
  for (const { name } of [...Deno.readDirSync(cache)]) {
    const [, commit] = /~(\w{12})$/.exec(name) ?? [];
    if (commit !== undefined && !lock?.includes(commit)) {
      Deno.removeSync(`${cache}/${name}`, { recursive: true });
    }
  }
}

async function kill(
  args: readonly string[],
  options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
  ms: number,
): Promise<void> {
  await using launch = await prepareLaunch(args, options);
  const child = spawnAlone(launch);
  const timer = setTimeout(() => {
    try {
      child.kill("SIGKILL");
    } catch {
      // It has ended already.
    }
  }, ms);
  await child.status;
  clearTimeout(timer);
}
