/** How does a test fetch a repository as the program does, but on its own? */
import { type Repositories, type Repository, withRepositories } from "./git.ts";
import { testsOver } from "./library.ts";
import { type GitLocation, parseGitLocation } from "../../src/settings/locations/git.ts";
import type { GitRules } from "../../src/settings/plan/mod.ts";
import { Invalid } from "../../src/base/invalid.ts";
import { type Update, updateCopy, type UpdateOptions } from "../../src/content/repositories/update.ts";

export const HOUR = 3_600_000;

export interface TestCache {
  readonly rules: GitRules;
  pass(ms: number): void;
  /** Fetches what an address names if it is due, or in any case. */
  fetch(address: string, options?: Partial<UpdateOptions>): Promise<Update>;
}

export function openTestCache(dir: string, changed: Partial<GitRules> = {}): TestCache {
  let ahead = 0;
  const rules: GitRules = {
    cache: `${dir}/cache`,
    ttl: 24 * HOUR,
    timeout: 120_000,
    maxSize: 50_000_000,
    offline: false,
    environment: { PATH: Deno.env.get("PATH") ?? "", HOME: dir },
    ...changed,
  };
  return {
    rules,
    pass: (ms) => ahead += ms,
    fetch: (address, options = {}) =>
      updateCopy(located(address), { rules, now: () => Date.now() + ahead, ...options }),
  };
}

export function located(address: string): GitLocation {
  const location = parseGitLocation(address);
  if (location instanceof Invalid) throw new Error(`${address}: ${location.expected}`);
  return location;
}

interface CacheScene extends TestCache {
  readonly repositories: Repositories;
  readonly team: Repository;
}

export function withCache(
  play: (scene: CacheScene) => Promise<void>,
  rules: Partial<TestCache["rules"]> = {},
): Promise<void> {
  return withRepositories((repositories) =>
    play({
      ...openTestCache(repositories.dir, rules),
      repositories,
      team: repositories.make("team", { "one.md": "first" }),
    })
  );
}

export const cacheTest = testsOver(withCache);

export function textOf({ copy }: Awaited<ReturnType<TestCache["fetch"]>>, file = "one.md"): string {
  return Deno.readTextFileSync(`${copy!.folder}/${file}`);
}

export function problemOf(update: object): string {
  return String("problem" in update ? update.problem : "none");
}
