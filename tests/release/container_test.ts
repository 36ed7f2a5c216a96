/**
 * Is the container image what docs/http.md says of it, as far as that can be known without building it?
 *
 * There is no docker here: the definition and the compose file are read as data, the health check and the questions of
 * the smoke test are asked of a real server. The release workflow builds and starts the image.
 */
import assert from "node:assert/strict";
import { load } from "js-yaml";
import { checkServer } from "../../.github/release/container/smoke.ts";
import { SETTINGS } from "../../src/settings/mod.ts";
import { INITIALIZE, sendRaw, startHttp } from "../support/http.ts";
import { sharedRelease, VERSION } from "../support/release.ts";
import { POSIX } from "../support/run.ts";

// deno-lint-ignore no-explicit-any
type Json = any;

const FOLDER = new URL("../../.github/release/container/", import.meta.url);
const DOCKERFILE = Deno.readTextFileSync(new URL("Dockerfile", FOLDER));

function instructionsOf(text: string): readonly (readonly [name: string, rest: string])[] {
  const lines = text.replace(/^#.*\n/gm, "").replaceAll(/\\\n\s*/g, "").split("\n").filter(Boolean);
  return lines.map((line) => [line.split(" ")[0]!, line.slice(line.indexOf(" ") + 1)]);
}

let services: Promise<Json> | undefined;

function composed(): Promise<Json> {
  return services ??= sharedRelease().then((files) => {
    const text = new TextDecoder().decode(files.get("compose.yaml"));
    return (load(text) as Json).services;
  });
}

const INSTRUCTIONS = instructionsOf(DOCKERFILE);
const only = (name: string) => {
  const found = INSTRUCTIONS.filter(([word]) => word === name);
  assert.equal(found.length, 1, name);
  return found[0]![1];
};

Deno.test("the image has glibc and git, and does not run as root [packaging:container]", () => {
  const known = "FROM RUN COPY USER ENV WORKDIR VOLUME EXPOSE HEALTHCHECK ENTRYPOINT CMD".split(" ");
  assert.deepEqual(INSTRUCTIONS.filter(([name]) => !known.includes(name)), []);
  // A binary needs glibc, which Alpine does not have.
  assert.match(only("FROM"), /^debian:\d+-slim@sha256:[0-9a-f]{64}$/);
  assert.match(only("RUN"), /apt-get install --yes --no-install-recommends ca-certificates git &&/);
  assert.match(only("RUN"), /rm -rf \/var\/lib\/apt\/lists/);
  assert.equal(only("USER"), "10001:10001");
  const order = INSTRUCTIONS.map(([name]) => name);
  assert.ok(order.indexOf("USER") > order.lastIndexOf("COPY"), "nothing in the image belongs to the user");
  // The disk is read-only: whatever is written goes to the volume.
  const [volume] = JSON.parse(only("VOLUME"));
  const variables = Object.fromEntries(only("ENV").split(" ").map((pair) => pair.split("=")));
  assert.deepEqual(variables, {
    HOME: "/home/bmad",
    XDG_STATE_HOME: volume,
    [SETTINGS.gitCache.variables[0]!]: `${volume}/git`,
  });
  // No secret is part of the image.
  assert.doesNotMatch(DOCKERFILE, /BMAD_TOKEN=/);
  const copied = INSTRUCTIONS.filter(([name]) => name === "COPY").flatMap(([, rest]) =>
    rest.split(" ").slice(0, -1)
  );
  const files = copied.filter((word) => !word.startsWith("--"));
  assert.deepEqual(files, ["bmad-mcp", "LICENSE", "NOTICE", "THIRD-PARTY-LICENSES.txt"]);
  const words: readonly string[] = [...JSON.parse(only("ENTRYPOINT")), ...JSON.parse(only("CMD"))];
  assert.deepEqual(words, ["bmad-mcp", "serve", SETTINGS.http.flag, "0.0.0.0:8080"]);
});

Deno.test("the compose file of a release is tight and names its image [packaging:container]", async () => {
  const { bmad, proxy } = await composed();
  assert.equal(bmad.image, `ghcr.io/alice-b/bmad-mcp:${VERSION}`);
  assert.deepEqual(
    [bmad.read_only, bmad.cap_drop, bmad.security_opt, bmad.tmpfs, bmad.ports],
    [true, ["ALL"], ["no-new-privileges:true"], ["/tmp"], undefined],
  );
  assert.deepEqual(bmad.command.slice(0, 3), [
    "serve",
    "--http=0.0.0.0:8080",
    "--allow-host=${BMAD_HOST:?}",
  ]);
  const flags = Object.values(SETTINGS).map(({ flag }) => flag);
  for (const word of bmad.command.slice(1)) assert.ok(flags.includes(word.split("=")[0]), word);
  assert.deepEqual(bmad.environment, { BMAD_TOKEN: "${BMAD_TOKEN:?}" });
  assert.ok(bmad.volumes.includes("${BMAD_PROJECT:?}:/project:${BMAD_MOUNT:-ro}"));
  // Memories and what a server keeps outlive the container, and requests under way its end.
  assert.ok(bmad.volumes.includes(`state:${JSON.parse(only("VOLUME"))[0]}`));
  assert.equal(bmad.stop_grace_period, "15s");
  // Only the proxy can be reached, and it encrypts.
  assert.deepEqual(proxy.ports, ["80:80", "443:443"]);
  assert.equal(proxy.depends_on.bmad.condition, "service_healthy");
});

Deno.test("health check and smoke test notice a dead server [packaging:container]", POSIX, async () => {
  const token = "0123456789abcdef";
  const [, command] = /^.*?CMD (\[.*\])$/.exec(only("HEALTHCHECK"))!;
  const [shell, flag, script]: readonly string[] = JSON.parse(command!);
  assert.deepEqual([shell, flag], ["bash", "-c"]);
  const health = async (port: string) =>
    (await new Deno.Command("bash", {
      args: ["-c", script!.replace("/8080", `/${port}`)],
      stdout: "null",
      stderr: "null",
    }).output()).code;
  let port: string;
  {
    await using program = await startHttp([], { env: { BMAD_TOKEN: token } });
    ({ port } = new URL(program.url));
    assert.equal(await health(port), 0);
    const checks = await checkServer(`http://127.0.0.1:${port}`, token);
    assert.deepEqual(checks.filter(({ problem }) => problem !== undefined), []);
    assert.equal(checks.length, 4);
    const [, , , wrong] = await checkServer(`http://127.0.0.1:${port}`, "another-token-of-16");
    assert.match(wrong!.problem!, /401/);
  }
  assert.notEqual(await health(port), 0);
});

Deno.test("the compose file's server serves its host alone [packaging:container]", async () => {
  const values: Readonly<Record<string, string>> = {
    BMAD_HOST: "bmad.example.org",
    BMAD_TOKEN: "0123456789abcdef",
  };
  const fillIn = (text: string) => text.replaceAll(/\$\{(\w+):\?\}/g, (_, name) => values[name]!);
  const { bmad } = await composed();
  // Any free port of this machine instead of the container's.
  const words = bmad.command.slice(1).map(fillIn).filter((word: string) => !word.startsWith("--http="));
  const env = Object.fromEntries(
    Object.entries<string>(bmad.environment).map(([name, text]) => [name, fillIn(text)]),
  );
  await using program = await startHttp(["--http", "0.0.0.0:0", ...words], { env });
  const url = `http://127.0.0.1:${new URL(program.url).port}`;
  const ask = (host: string) =>
    sendRaw(program, [
      "POST /mcp HTTP/1.1",
      `Host: ${host}`,
      `Authorization: Bearer ${values["BMAD_TOKEN"]}`,
      "Content-Type: application/json",
      "Accept: application/json, text/event-stream",
      "Connection: close",
    ], JSON.stringify(INITIALIZE));
  assert.match(await ask("bmad.example.org"), /^HTTP\/1.1 200 /);
  assert.match(await ask("other.example.org"), /^HTTP\/1.1 403 /);
  const checks = await checkServer(url, values["BMAD_TOKEN"]!);
  assert.deepEqual(checks.filter(({ problem }) => problem !== undefined), []);
});
