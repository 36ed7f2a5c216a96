/** What happens to repositories on servers that are private, limited or gone? */
import assert from "node:assert/strict";
import { HOUR, openTestCache, problemOf } from "../../support/copies.ts";
import { type Between, canServeGit, serveGit, withRepositories } from "../../support/git.ts";
import { serverTest, withServer } from "../../support/git_server.ts";
import { runCli } from "../../support/program.ts";
import { listTree } from "../../support/trees.ts";
import { writeProgram } from "../../support/programs.ts";

const ignore = !canServeGit();
if (ignore) Deno.test({ name: "git servers: no openssl or no git-http-backend here", ignore, fn() {} });

const PRIVATE: Between = (request, give) => {
  const isKnown = request.headers.get("authorization") === `Basic ${btoa("ann:s3cr3t/pass")}`;
  return isKnown
    ? give()
    : new Response(null, { status: 401, headers: { "www-authenticate": 'Basic realm="git"' } });
};

Deno.test("of a long history only one commit is sent [git:atomic-clone]", { ignore }, async () => {
  let bytes = 0;
  const between: Between = async (_, give) => {
    const answer = await give();
    bytes += (await answer.clone().arrayBuffer()).byteLength;
    return answer;
  };
  await withServer(async ({ address, fetch, team }) => {
    for (let i = 0; i < 5; i++) {
      team.commit({ "noise.bin": crypto.getRandomValues(new Uint8Array(40_000)).toHex() });
    }
    assert.equal((await fetch(address)).outcome, "fetched");
    // One of five states, and what the protocol adds.
    assert.ok(bytes > 40_000 && bytes < 100_000, String(bytes));
  }, { between });
});

serverTest(
  "a commit that a server sends only with its branch is found there [git:any-ref]",
  async ({ address, fetch, team }) => {
    const first = team.git("rev-parse", "main");
    team.commit({ "agents/second.md": "second" });
    const update = await fetch(`${address}#${first}`);
    assert.deepEqual([update.outcome, update.copy?.commit], ["fetched", first], problemOf(update));
  },
  {
    // The oldest protocol names no commits but the tips of branches.
    between: (request, give) => {
      const older = new Request(request);
      older.headers.delete("git-protocol");
      return give(older);
    },
  },
);

Deno.test("a server without shallow fetches sends the whole history [git:any-ref]", { ignore }, async () => {
  await withRepositories(async (repositories) => {
    const team = repositories.make("team", { "one.md": "first" });
    team.git("tag", "v1");
    team.git("update-server-info");
    // Plain files, as any web server has them.
    await using server = serveGit(repositories, async (request) => {
      const { pathname } = new URL(request.url);
      const file = await Deno.readFile(repositories.root + pathname).catch(() => undefined);
      return file === undefined ? new Response(null, { status: 404 }) : new Response(file);
    });
    const { PATH } = Deno.env.toObject();
    const environment = { PATH: PATH ?? "", GIT_SSL_CAINFO: server.certificate };
    const { fetch } = openTestCache(repositories.dir, { environment });
    for (const ref of ["#main", "#v1", `#${team.git("rev-parse", "main")}`]) {
      const update = await fetch(server.address("team") + ref);
      assert.equal(update.outcome, "fetched", problemOf(update));
      assert.equal(await Deno.readTextFile(`${update.copy!.folder}/one.md`), "first");
    }
  });
});

serverTest(
  "a private repository is refused at once and without a prompt [git:no-surprises]",
  async ({ address, fetch, server }) => {
    const update = await fetch(address);
    assert.equal(update.outcome, "failed");
    assert.match(problemOf(update), /^access denied \(could not read Username/);
    const wrong = await fetch(address.replace("//", "//ann:wrong@"), { force: true });
    assert.match(problemOf(wrong), /^access denied \(/);
    assert.ok(server.requests.length < 8, server.requests.join());
  },
  { between: PRIVATE },
);

serverTest(
  "credentials give access, and are visible to nobody but the server [git:credentials]",
  async ({ address, dir, server }) => {
    // A git that writes down how it is called, each time.
    const real = (await new Deno.Command("sh", { args: ["-c", "command -v git"] }).output()).stdout;
    await Deno.mkdir(`${dir}/bin`);
    writeProgram(
      `${dir}/bin/git`,
      `#!/bin/sh\nprintf '%s\\n' "$*" >> ${dir}/calls\nexec ${new TextDecoder().decode(real).trim()} "$@"\n`,
    );
    const secret = address.replace("//", "//ann:s3cr3t%2Fpass@");
    const env = {
      PATH: `${dir}/bin:${Deno.env.get("PATH")}`,
      BMAD_GIT_CACHE: `${dir}/cache`,
      GIT_SSL_CAINFO: server.certificate,
    };
    const runs = [
      await runCli(["list", "agents", "--pack", "none", secret, "--log-level", "debug", "--path", secret], {
        env,
      }),
      await runCli(["doctor", "--json", "--path", secret], { env }),
      await runCli(["list", "sources", "--json", "--path", secret], { env }),
      await runCli(["config", "--path", secret], { env }),
      await runCli(["config", "--json"], { env: { ...env, BMAD_ROOT: secret } }),
      await runCli(["cache", "update", "--json", "--path", secret], { env }),
      await runCli(["cache", "list", "--json", "--path", secret], { env }),
    ];
    // Nothing was fetched before the doctor came, and it fetches nothing itself.
    assert.deepEqual(runs.map(({ code }) => code), [2, 1, 0, 0, 0, 0, 0]);
    const [first] = await Promise.all([
      runCli(["list", "agents", "--pack", "none", "--path", secret], { env }),
    ]);
    assert.deepEqual([first.stdout, first.stderr], ["custom/captain\tCaptain: Leads the crew\n", ""]);
    const calls = await Deno.readTextFile(`${dir}/calls`);
    assert.match(calls, /fetch .* -- https:\/\/localhost:\d+\/team\.git \+HEAD:/);
    const written = (await listTree(`${dir}/cache`)).filter((name) => !name.endsWith("/"))
      .map((name) => Deno.readTextFileSync(`${dir}/cache/${name.replace(/ \d+$/, "")}`));
    assert.ok(written.some((text) => text.includes('"sourceUrl"')));
    const everything = [calls, ...written, ...runs.flatMap(({ stdout, stderr }) => [stdout, stderr])];
    for (const text of everything) assert.doesNotMatch(text, /s3cr3t|YW5uOnMzY3/, text);
  },
  { between: PRIVATE },
);

serverTest(
  "credentials in the user's .netrc give access, too [git:credentials]",
  async ({ address, dir, fetch }) => {
    await Deno.writeTextFile(`${dir}/.netrc`, "machine localhost login ann password s3cr3t/pass\n", {
      mode: 0o600,
    });
    const update = await fetch(address);
    assert.equal(update.outcome, "fetched", problemOf(update));
  },
  { between: PRIVATE },
);

Deno.test("redirects are followed only without credentials [git:credentials]", { ignore }, async () => {
  const seen: string[] = [];
  const between: Between = (request, give) => {
    const url = new URL(request.url);
    seen.push(`${url.pathname} ${request.headers.has("authorization")}`);
    if (!url.pathname.startsWith("/moved")) return give();
    url.pathname = url.pathname.replace("/moved", "/team");
    return Response.redirect(url, 301);
  };
  await withServer(async ({ server, fetch }) => {
    const address = server.address("moved");
    assert.equal((await fetch(address)).outcome, "fetched");
    seen.length = 0;
    const update = await fetch(address.replace("//", "//ann:secret@"), { force: true });
    assert.match(problemOf(update), /error: 301/);
    assert.ok(seen.length > 0 && seen.every((one) => one.startsWith("/moved")), seen.join());
  }, { between });
});

serverTest(
  "credentials work without .git even where the server redirects to it [git:credentials]",
  async ({ address, fetch }) => {
    const update = await fetch(address.replace("//", "//ann:secret@").replace(/\.git$/, ""));
    assert.equal(update.outcome, "fetched", problemOf(update));
  },
  {
    between: (request, give) => {
      const url = new URL(request.url);
      if (/^\/team\.git\//.test(url.pathname)) return give();
      url.pathname = url.pathname.replace("/team/", "/team.git/");
      return Response.redirect(url, 301);
    },
  },
);

Deno.test("a copy is served even when its server is gone [git:failure-reported]", { ignore }, async () => {
  let isGone = false;
  const between: Between = (_, give) => isGone ? new Response(null, { status: 503 }) : give();
  await withServer(async ({ address, fetch, pass, server }) => {
    const { copy } = await fetch(address);
    isGone = true;
    pass(25 * HOUR);
    const update = await fetch(address);
    assert.deepEqual([update.outcome, update.copy], ["failed", copy]);
    assert.match(problemOf(update), /error: 503/);
    const asked = server.requests.length;
    // The first retry comes after a minute.
    pass(HOUR / 100);
    assert.equal((await fetch(address)).outcome, "not-due");
    assert.equal(server.requests.length, asked);
  }, { between });
});
