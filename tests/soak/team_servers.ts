/**
 * Do claims go through the servers that teams use: smart HTTP with a password, and ssh with a key?
 *
 * Real ones on this machine: git's own CGI program behind https, and sshd. Each says what it needs where that is missing.
 */
import assert from "node:assert/strict";
import { claim, release } from "../../src/project/work/writer/mod.ts";
import { type Clones, withClones } from "../support/clones.ts";
import { type Between, canServeGit, runGit, serveGit } from "../support/git.ts";
import { NOON } from "../support/writer.ts";
import { until } from "../support/waiting.ts";
import { command } from "./machine.ts";

const HOUR = 3_600_000;

async function shareThrough(
  clones: Clones,
  address: string,
  environment: Readonly<Record<string, string>>,
): Promise<string> {
  const { dir } = clones;
  for (const name of ["ann", "bob"]) runGit(`${dir}/${name}`, "remote", "set-url", "origin", address);
  const git = {
    environment: { PATH: Deno.env.get("PATH") ?? "", HOME: dir, ...environment },
    timeout: 10_000,
  };
  const at = (now: number) => ({ now, plan: { git } });
  const begun = performance.now();
  const first = await claim(await clones.in("ann", at(NOON)), { story: "1-1", by: "Ann" });
  const took = performance.now() - begun;
  assert.deepEqual(first.notes, []);
  await assert.rejects(
    claim(await clones.in("bob", at(NOON)), { story: "1-1", by: "Bob" }),
    /Ann in .* holds it/,
  );
  await claim(await clones.in("ann", at(NOON + HOUR)), { story: "1-1", by: "Ann" });
  await assert.rejects(
    claim(await clones.in("bob", at(NOON + 2.5 * HOUR)), { story: "1-1", by: "Bob" }),
    /Ann in .* holds it/,
  );
  const taken = await claim(await clones.in("bob", at(NOON + 4 * HOUR)), { story: "1-1", by: "Bob" });
  assert.deepEqual(taken.notes, []);
  await release(await clones.in("bob", at(NOON + 4 * HOUR)), { story: "1-1", by: "Bob" });
  assert.deepEqual(clones.refs(), []);
  return `a claim took ${took.toFixed(0)} ms`;
}

export function whyNoHttps(): string | undefined {
  return canServeGit() ? undefined : "openssl or git-http-backend is missing";
}

/** A server that wants a password, which git has from the helper in the user's own configuration. */
export async function claimOverHttps(): Promise<string> {
  let told = "";
  await withClones(["ann", "bob"], async (clones) => {
    const { dir, hub } = clones;
    runGit(hub, "config", "http.receivepack", "true");
    const isKnown = (request: Request) =>
      request.headers.get("authorization") === `Basic ${btoa("ann:s3cr3t")}`;
    const guarded: Between = (request, give) =>
      isKnown(request)
        ? give()
        : new Response(null, { status: 401, headers: { "www-authenticate": 'Basic realm="git"' } });
    await using server = serveGit({ root: dir, dir }, guarded);
    const address = server.address("hub").slice("git+".length);
    const environment = { GIT_SSL_CAINFO: server.certificate };
    // Without the password nothing asks for one.
    runGit(`${dir}/ann`, "remote", "set-url", "origin", address);
    const git = {
      environment: { PATH: Deno.env.get("PATH") ?? "", HOME: dir, ...environment },
      timeout: 10_000,
    };
    const { notes } = await claim(await clones.in("ann", { plan: { git } }), { story: "1-2", by: "Ann" });
    assert.match(notes!.join(), /git cannot use origin: access denied/);
    const { host } = new URL(address);
    Deno.writeTextFileSync(`${dir}/passwords`, `https://ann:s3cr3t@${host}\n`, { mode: 0o600 });
    Deno.writeTextFileSync(`${dir}/.gitconfig`, `[credential]\n\thelper = store --file ${dir}/passwords\n`);
    told = await shareThrough(clones, address, environment);
  });
  return told;
}

const SSHD = "/usr/sbin/sshd";

export function whyNoSsh(): string | undefined {
  const missing = [SSHD, "/usr/bin/ssh", "/usr/bin/ssh-keygen"].filter((path) => !isThere(path));
  return missing.length === 0 ? undefined : `${missing.join(", ")} is missing: install openssh`;
}

function isThere(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

/** A server that knows one key, which git finds by the command that the clone's configuration names. */
export async function claimOverSsh(): Promise<string> {
  let told = "";
  await withClones(["ann", "bob"], async (clones) => {
    const { dir, hub } = clones;
    for (const name of ["host", "user"]) {
      await command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", `${dir}/${name}`);
    }
    Deno.copyFileSync(`${dir}/user.pub`, `${dir}/authorized`);
    const port = freePort();
    const settings = {
      ListenAddress: `127.0.0.1:${port}`,
      HostKey: `${dir}/host`,
      AuthorizedKeysFile: `${dir}/authorized`,
      PidFile: "none",
      StrictModes: "no",
      UsePAM: "no",
      PasswordAuthentication: "no",
      PermitRootLogin: "yes",
    };
    Deno.writeTextFileSync(
      `${dir}/sshd_config`,
      Object.entries(settings).map(([key, value]) => `${key} ${value}\n`).join(""),
    );
    if (Deno.uid() === 0) Deno.mkdirSync("/run/sshd", { recursive: true });
    const server = new Deno.Command(SSHD, {
      args: ["-D", "-e", "-f", `${dir}/sshd_config`],
      stdout: "null",
      stderr: "null",
    }).spawn();
    try {
      await until("sshd listens", async () => {
        try {
          (await Deno.connect({ hostname: "127.0.0.1", port })).close();
          return true;
        } catch {
          return false;
        }
      });
      const user = new TextDecoder().decode((await new Deno.Command("id", { args: ["-un"] }).output()).stdout)
        .trim();
      const ssh = `ssh -i ${dir}/user -o IdentitiesOnly=yes -o UserKnownHostsFile=${dir}/known ` +
        "-o StrictHostKeyChecking=accept-new";
      for (const name of ["ann", "bob"]) runGit(`${dir}/${name}`, "config", "core.sshCommand", ssh);
      told = await shareThrough(clones, `ssh://${user}@127.0.0.1:${port}${hub}`, {});
    } finally {
      server.kill("SIGTERM");
      await server.status;
    }
  });
  return told;
}

function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}
