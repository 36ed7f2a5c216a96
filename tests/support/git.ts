/**
 * How does a test get real repositories, and real servers that give them away?
 *
 * `withRepositories` makes bare repositories in a temporary folder with the git of this machine, which sees no
 * configuration but its own. `serveGit` gives them away over https, as a hosting service does: git's own CGI program
 * behind a few lines of server, with a certificate made for the occasion. A test can come between a request and its
 * answer.
 */
import { canMakeCertificate, makeCertificate } from "./certificate.ts";
import { withTree } from "./trees.ts";

/** Files by path; null removes one, `{ link }` is a symbolic link. */
export type Files = Readonly<Record<string, string | null | { readonly link: string }>>;

export interface Repository {
  readonly folder: string;
  readonly address: string;
  commit(files: Files, options?: { readonly branch?: string; readonly orphan?: boolean }): string;
  git(...args: readonly string[]): string;
}

export interface Repositories {
  readonly dir: string;
  readonly root: string;
  make(name: string, files: Files): Repository;
}

/** The variables of git that see to it that only a test says what happens. */
const OWN_ENV = {
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_AUTHOR_NAME: "Ann",
  GIT_AUTHOR_EMAIL: "ann@example.org",
  GIT_COMMITTER_NAME: "Ann",
  GIT_COMMITTER_EMAIL: "ann@example.org",
  GIT_TERMINAL_PROMPT: "0",
  // Nothing here need outlast the machine: on a busy disk, each wait for it takes seconds.
  GIT_CONFIG_COUNT: "1",
  GIT_CONFIG_KEY_0: "core.fsync",
  GIT_CONFIG_VALUE_0: "none",
  LC_ALL: "C",
};

export function runGit(cwd: string, ...args: readonly string[]): string {
  return printedBy(args, gitCommand(cwd, args).outputSync());
}

/** The same, while the test goes on. */
export async function startGit(cwd: string, ...args: readonly string[]): Promise<string> {
  return printedBy(args, await gitCommand(cwd, args).output());
}

function gitCommand(cwd: string, args: readonly string[]): Deno.Command {
  const env = { PATH: Deno.env.get("PATH") ?? "", HOME: cwd, ...OWN_ENV };
  return new Deno.Command("git", { args: [...args], cwd, env, clearEnv: true, stdin: "null" });
}

function printedBy(args: readonly string[], { success, stdout, stderr }: Deno.CommandOutput): string {
  if (!success) {
    throw new Error(
      `git ${args.join(" ")}: ${[stderr, stdout].map((text) => new TextDecoder().decode(text)).join("\n")}`,
    );
  }
  return new TextDecoder().decode(stdout).trim();
}

export function withRepositories<T>(fn: (repositories: Repositories) => T | Promise<T>): Promise<T> {
  return withTree({ "repositories/": "", "work/": "" }, (dir) => {
    const root = `${dir}/repositories`;
    return fn({
      dir,
      root,
      make: (name, files) => {
        const [folder, work] = [`${root}/${name}.git`, `${dir}/checkouts/${name}`];
        runGit(dir, "init", "--quiet", "--bare", "--initial-branch=main", folder);
        // What hosting services allow as well.
        runGit(folder, "config", "uploadpack.allowFilter", "true");
        runGit(dir, "clone", "--quiet", folder, work);
        const repository: Repository = {
          folder,
          address: `git+file://${folder}`,
          git: (...args) => runGit(folder, ...args),
          commit: (changed, { branch = "main", orphan = false } = {}) => {
            const isThere = runGit(work, "branch", "--list", branch) !== "";
            if (orphan) runGit(work, "checkout", "--quiet", "--orphan", `${branch}-${crypto.randomUUID()}`);
            else runGit(work, "checkout", "--quiet", ...(isThere ? [branch] : ["-B", branch]));
            putFiles(work, changed);
            runGit(work, "add", "--all");
            runGit(work, "commit", "--quiet", "--allow-empty", "--message=Change");
            runGit(work, "push", "--quiet", "--force", "origin", `HEAD:refs/heads/${branch}`);
            return runGit(work, "rev-parse", "HEAD");
          },
        };
        repository.commit(files);
        return repository;
      },
    });
  });
}

function putFiles(folder: string, files: Files): void {
  for (const [path, content] of Object.entries(files)) {
    const file = `${folder}/${path}`;
    try {
      Deno.removeSync(file, { recursive: true });
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
    if (content === null) continue;
    Deno.mkdirSync(file.slice(0, file.lastIndexOf("/")), { recursive: true });
    if (typeof content === "string") Deno.writeTextFileSync(file, content);
    else Deno.symlinkSync(content.link, file);
  }
}

export interface GitServer extends AsyncDisposable {
  /** The address of a repository: `git+https://localhost:4711/team.git`. */
  address(name: string): string;
  readonly certificate: string;
  readonly requests: readonly string[];
  readonly port: number;
}

/**
 * The variables with which git takes the repositories of a folder for those of a host on the net: a proxy leads every
 * connection to a server on this machine, which has a certificate in the name of the host.
 */
export async function withStandIn<T>(
  repositories: Pick<Repositories, "root" | "dir">,
  host: string,
  play: (env: Readonly<Record<string, string>>) => Promise<T>,
): Promise<T> {
  await using server = serveGit(repositories, undefined, host);
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const tunnels: Promise<void>[] = [];
  const accepting = (async () => {
    for await (const client of listener) tunnels.push(tunnel(client, host, server.port));
  })();
  try {
    return await play({
      https_proxy: `http://127.0.0.1:${listener.addr.port}`,
      GIT_SSL_CAINFO: server.certificate,
    });
  } finally {
    listener.close();
    await accepting.catch(() => {});
    await Promise.all(tunnels);
  }
}

/** Answers the one request of a proxy that git makes, then passes bytes on. */
async function tunnel(client: Deno.TcpConn, host: string, port: number): Promise<void> {
  const head = new Uint8Array(4_096);
  const size = await client.read(head) ?? 0;
  const asked = new TextDecoder().decode(head.subarray(0, size));
  if (!asked.startsWith(`CONNECT ${host}:443 `)) return client.close();
  const server = await Deno.connect({ hostname: "127.0.0.1", port });
  await client.write(new TextEncoder().encode("HTTP/1.1 200 OK\r\n\r\n"));
  const passOn = (from: Deno.TcpConn, to: Deno.TcpConn) => from.readable.pipeTo(to.writable).catch(() => {});
  await Promise.all([passOn(client, server), passOn(server, client)]);
}

/** Answers a request; `give` is how git would, also to another one. */
export type Between = (
  request: Request,
  give: (instead?: Request) => Promise<Response>,
) => Response | Promise<Response>;

export function serveGit(
  repositories: Pick<Repositories, "root" | "dir">,
  between?: Between,
  host?: string,
): GitServer {
  const { cert, key, file } = makeCertificate(repositories.dir, host);
  const requests: string[] = [];
  const ending = new AbortController();
  const listener = Deno.serve({
    hostname: "127.0.0.1",
    port: 0,
    cert,
    key,
    signal: ending.signal,
    onListen: () => {},
    onError: () => new Response(null, { status: 500 }),
  }, (request) => {
    requests.push(`${request.method} ${new URL(request.url).pathname}`);
    const give = (instead = request) => askBackend(repositories.root, instead);
    return between === undefined ? give() : between(request, give);
  });
  return {
    requests,
    port: listener.addr.port,
    certificate: file,
    address: (name) => `git+https://localhost:${listener.addr.port}/${name}.git`,
    [Symbol.asyncDispose]: async () => {
      // Some answers never end: they are cut off.
      ending.abort();
      await listener.finished;
    },
  };
}

export function canServeGit(): boolean {
  try {
    return canMakeCertificate() && Deno.statSync(backend()).isFile;
  } catch {
    return false;
  }
}

function backend(): string {
  return `${runGit("/", "--exec-path")}/git-http-backend`;
}

async function askBackend(root: string, request: Request): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  const header = (name: string) => request.headers.get(name) ?? "";
  // Before anything is started: the client may be killed while it sends.
  const body = new Uint8Array(await request.arrayBuffer());
  const child = new Deno.Command(backend(), {
    clearEnv: true,
    env: {
      ...OWN_ENV,
      PATH: Deno.env.get("PATH") ?? "",
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: "1",
      PATH_INFO: pathname,
      QUERY_STRING: search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: header("content-type"),
      HTTP_CONTENT_ENCODING: header("content-encoding"),
      GIT_PROTOCOL: header("git-protocol"),
    },
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const output = child.output();
  const input = child.stdin.getWriter();
  await input.write(body);
  await input.close();
  const bytes = (await output).stdout;
  const text = new TextDecoder("latin1").decode(bytes.subarray(0, 4_096));
  const end = text.indexOf("\r\n\r\n");
  const headers = new Headers(
    text.slice(0, end).split("\r\n").map((line) => line.split(/: */, 2) as [string, string]),
  );
  const status = Number.parseInt(headers.get("status") ?? "200");
  headers.delete("status");
  return new Response(bytes.subarray(end + 4), { status, headers });
}
