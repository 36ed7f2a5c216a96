/**
 * Does the smoke test find working programs working, and broken ones broken?
 *
 * It is run as the release runs it on binaries: on the source and on the bundle, which must pass, and on programs that
 * each have one fault.
 */
import assert from "node:assert/strict";
import { bundleFlags } from "../../.github/release/binary_rights.ts";
import { REPOSITORY } from "../../.github/release/stage.ts";
import { sharedBundle } from "../support/bundle.ts";
import { cleanEnv, PROGRAM, programArgs } from "../support/program.ts";
import { withTree } from "../support/trees.ts";

async function smoke(
  ...program: string[]
): Promise<{ readonly code: number; readonly lines: readonly string[] }> {
  const { code, stdout } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--no-prompt",
      "--no-config",
      "--allow-all",
      `${REPOSITORY}/.github/release/smoke.ts`,
      ...program,
    ],
    env: cleanEnv(REPOSITORY),
    clearEnv: true,
    stderr: "null",
  }).output();
  return { code, lines: new TextDecoder().decode(stdout).trimEnd().split("\n") };
}

Deno.test("the smoke test passes on a program that works [binary:smoke]", async (t) => {
  const bundle = await sharedBundle();
  const programs = {
    "from source": [Deno.execPath(), ...programArgs()],
    "as a bundle": [Deno.execPath(), "run", ...bundleFlags(), bundle.file],
    ...PROGRAM.file?.endsWith(".ts") ? {} : { "as it was given": [PROGRAM.command, ...PROGRAM.args] },
  };
  for (const [name, program] of Object.entries(programs)) {
    await t.step(name, async () => {
      const { code, lines } = await smoke(...program);
      assert.deepEqual(lines.filter((line) => !line.startsWith("ok    ")), []);
      assert.equal(code, 0);
      for (const era of ["2025", "2026"]) {
        for (
          const what of [
            "executes an agent",
            "reads a supporting file",
            "refuses to read",
            "exits when its input ends",
          ]
        ) {
          assert.ok(lines.some((line) => line.startsWith(`ok    ${era}: ${what}`)), `${era}: ${what}`);
        }
      }
    });
  }
});

/** A server that does well, save for what `fault` says. It knows no protocol: it answers what the checks ask. */
const SERVER = (fault: string) => `
const fault = ${JSON.stringify(fault)};
const print = (text) => Deno.stdout.writeSync(new TextEncoder().encode(text + "\\n"));
const [command, operand] = Deno.args;
if (command === "version") {
  if (fault === "tmpdir" && Deno.env.get("TMPDIR") === "") Deno.exit(1);
  print(JSON.stringify({ name: "bmad-mcp", version: "1", commit: null }));
  Deno.exit(0);
}
if (command === "licenses") { print("LICENSE"); Deno.exit(0); }
if (command === "list") {
  await Deno.stderr.write(new TextEncoder().encode("can read only " + (fault === "wide" ? "/" : "/a, /b") + "\\n"));
  Deno.exit(0);
}
if (command === "show") {
  await Deno.stderr.write(new TextEncoder().encode("bmad-mcp: No item named \\"" + operand + "\\"\\n"));
  Deno.exit(1);
}
const secret = Deno.readTextFileSync(Deno.cwd() + "/../secret.txt");
const answer = ({ method, params }) => {
  if (method === "tools/list") return { tools: [{ name: "bmad" }] };
  if (method === "resources/list") return { resources: [{ uri: "bmad://bmm/a.md" }] };
  if (method === "resources/read" && params.uri === "bmad://bmm/a.md") return { contents: [{ text: "a" }] };
  if (method === "tools/call") {
    const { operation, uri } = params.arguments;
    const text = operation === "list" ? "analyst"
      : operation === "execute" ? (fault === "deaf" ? "Hello" : "Size the market")
      : uri.endsWith("/harbour.md") ? "The harbour is deep enough at low water."
      : undefined;
    if (text !== undefined) return { content: [{ text }] };
  }
  if (method === "resources/read" || method === "tools/call") {
    return fault === "leak" ? { content: [{ text: secret }] } : undefined;
  }
  return {};
};
let rest = "";
for await (const text of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
  const lines = (rest + text).split("\\n");
  rest = lines.pop();
  for (const message of lines.map((line) => JSON.parse(line)).filter(({ id }) => id !== undefined)) {
    if (fault === "chatty") print("Loading…");
    if (fault === "gone") Deno.exit(4);
    const result = answer(message);
    const error = result === undefined ? { code: -32602, message: "no" } : undefined;
    print(JSON.stringify({ jsonrpc: "2.0", id: message.id, result, error }));
  }
}
Deno.exit(fault === "bad end" ? 9 : 0);
`;

const FAULTS: Readonly<Record<string, RegExp>> = {
  "tmpdir": /^FAIL {2}starts if TMPDIR is "": got /,
  "wide": /^FAIL {2}has given up all other folders; readable: 1: got /,
  "chatty": /^FAIL {2}2025: answers initialize: stdout is not JSON: /,
  "gone": /^FAIL {2}2025: answers initialize: exited with 4/,
  "deaf": /^FAIL {2}2025: executes an agent: got .*Hello/,
  "leak": /^FAIL {2}2025: refuses to read bmad:.*: got .*treasure/,
  "bad end": /^FAIL {2}2025: exits when its input ends: got .*9/,
};

Deno.test("the smoke test stops at the first thing that is wrong [binary:smoke]", async (t) => {
  const run = (dir: string) =>
    smoke(Deno.execPath(), "run", "--allow-read", "--allow-env=TMPDIR", `${dir}/server.js`);
  await t.step(
    "nothing",
    () => withTree({ "server.js": SERVER("nothing") }, async (dir) => assert.equal((await run(dir)).code, 0)),
  );
  for (const [fault, wanted] of Object.entries(FAULTS)) {
    await t.step(fault, () =>
      withTree({ "server.js": SERVER(fault) }, async (dir) => {
        const { code, lines } = await run(dir);
        assert.equal(code, 1);
        assert.match(lines.at(-1)!, wanted);
        assert.ok(lines.slice(0, -1).every((line) => line.startsWith("ok    ")));
      }));
  }
  await t.step("no program", async () => {
    assert.match((await smoke()).lines[0]!, /^FAIL {2}Missing PROGRAM/);
    assert.equal((await smoke("no-such-program-anywhere")).code, 1);
  });
});
