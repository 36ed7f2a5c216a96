/** How does a test fetch a repository from a server that it controls? */
import { openTestCache, type TestCache } from "./copies.ts";
import {
  type Between,
  canServeGit,
  type GitServer,
  type Repository,
  serveGit,
  withRepositories,
} from "./git.ts";

interface ServerScene extends TestCache {
  readonly dir: string;
  readonly server: GitServer;
  readonly address: string;
  readonly team: Repository;
}

export function withServer(
  play: (scene: ServerScene) => Promise<void>,
  { between, rules }: { between?: Between; rules?: Partial<TestCache["rules"]> } = {},
): Promise<void> {
  return withRepositories(async (repositories) => {
    const { dir } = repositories;
    const agent = "---\nname: captain\ndescription: Leads the crew\n---\n# Captain\n";
    const team = repositories.make("team", { "agents/captain.md": agent });
    await using server = serveGit(repositories, between);
    const { PATH } = Deno.env.toObject();
    const environment = { PATH: PATH ?? "", HOME: dir, GIT_SSL_CAINFO: server.certificate };
    await play({
      ...openTestCache(dir, { environment, ...rules }),
      dir,
      server,
      team,
      address: server.address("team"),
    });
  });
}

/** A test against a server, left out where none can be started. */
export function serverTest(name: string, ...args: Parameters<typeof withServer>): void {
  Deno.test({ name, ignore: !canServeGit(), fn: () => withServer(...args) });
}
