/**
 * Does a container image work as docs/http.md says? Starts it as the compose file does, and asks it.
 *
 *     deno run -A .github/release/container/smoke.ts IMAGE
 */

/** One check, and what is wrong if it failed. */
export interface Check {
  readonly what: string;
  readonly problem?: string;
}

const TOKEN = "a-token-of-the-smoke-test";

const HELLO = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "smoke", version: "0" } },
});

/** Asks a running server whether it is healthy and ready, wants its token and speaks MCP. */
export async function checkServer(url: string, token: string): Promise<readonly Check[]> {
  const ask = async (path: string, headers?: Readonly<Record<string, string>>) => {
    const accept = "application/json, text/event-stream";
    const post = headers &&
      { method: "POST", headers: { "content-type": "application/json", accept, ...headers }, body: HELLO };
    const answer = await fetch(`${url}${path}`, post);
    return { status: answer.status, text: await answer.text() };
  };
  const [health, ready, stranger, client] = [
    await ask("/health"),
    await ask("/ready"),
    await ask("/mcp", {}),
    await ask("/mcp", { authorization: `Bearer ${token}` }),
  ];
  const isServed = client.status === 200 && client.text.includes("bmad-mcp");
  return [
    verdict("it is healthy", health.status === 200, health),
    verdict("it is ready", ready.status === 200, ready),
    verdict("a client without the token is refused", stranger.status === 401, stranger),
    verdict("a client with the token is served", isServed, client),
  ];
}

function verdict(what: string, isRight: boolean, seen: unknown): Check {
  return isRight ? { what } : { what, problem: JSON.stringify(seen).slice(0, 500) };
}

/** Runs docker with words between spaces, and others as they are. */
async function docker(line: string, ...more: readonly string[]): Promise<string> {
  const args = [...line.split(" "), ...more];
  const { success, stdout, stderr } = await new Deno.Command("docker", { args }).output();
  if (!success) throw new Error(`docker ${line}: ${new TextDecoder().decode(stderr).trim()}`);
  return new TextDecoder().decode(stdout).trim();
}

/** Starts an image and checks it. */
async function checkImage(image: string): Promise<readonly Check[]> {
  const id = await docker(
    "run --detach --read-only --tmpfs /tmp --cap-drop ALL --security-opt no-new-privileges " +
      `--env BMAD_TOKEN=${TOKEN} --publish 127.0.0.1::8080 ${image}`,
  );
  try {
    let health = "";
    for (let second = 0; second < 90 && health !== "healthy"; second++) {
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      health = await docker(`inspect --format {{.State.Health.Status}} ${id}`);
    }
    const address = (await docker(`port ${id} 8080/tcp`)).split("\n")[0]!;
    const user = await docker(`exec ${id} id -u`);
    const version = await docker(`exec ${id} git --version`);
    const volume = await docker(
      `exec ${id}`,
      "sh",
      "-c",
      "test -w /state && ! test -w /project && echo yes || echo no",
    );
    return [
      verdict("its health check passes", health === "healthy", await docker(`logs ${id}`)),
      verdict("it does not run as root", user === "10001", user),
      verdict("only its volume can be written", volume === "yes", volume),
      verdict("git is there", version.startsWith("git version"), version),
      ...await checkServer(`http://${address}`, TOKEN),
    ];
  } finally {
    await docker(`rm --force --volumes ${id}`);
  }
}

if (import.meta.main) {
  const checks = await checkImage(Deno.args[0] ?? "");
  const lines = checks.map(({ what, problem }) =>
    problem === undefined ? `ok    ${what}` : `FAIL  ${what}: ${problem}`
  );
  Deno.stdout.writeSync(new TextEncoder().encode(`${lines.join("\n")}\n`));
  if (checks.some(({ problem }) => problem !== undefined)) Deno.exit(1);
}
