/** Where is a long answer split? */
import assert from "node:assert/strict";
import { resultLimits, toResult } from "../../../src/serve/mcp/reply.ts";
import { resolveConfig } from "../../support/config.ts";
import { denoHost } from "../../../src/process/host.ts";

const LIMITS = { maxBytes: 16_384, maxFirst: 20_400 };
const ARGS = { operation: "execute", workflow: "x" };

interface Given {
  readonly text: string;
  readonly isActivation?: true;
}

function partsOf(answer: Given, limits = LIMITS): readonly string[] {
  const parts: string[] = [];
  for (let count = 1; parts.length < count;) {
    const result = toResult(answer, { call: "bmad", args: ARGS, part: parts.length + 1, ...limits });
    const [block] = result.content as readonly { readonly text: string }[];
    parts.push(block!.text);
    count = Number(/\n\[part \d+ of (\d+)[^\n]*$/.exec(block!.text)?.[1] ?? 1);
  }
  return parts;
}

const joined = (parts: readonly string[]) =>
  parts.map((part) => part.replace(/\n\[part \d+ of [^\n]*$/, "")).join("");
const lines = (bytes: number) => "0123456 89\n".repeat(Math.ceil(bytes / 11)).slice(-bytes);
const section = (name: string, bytes: number) => `=== ${name}: bmad://x ===\n${lines(bytes)}`;

Deno.test("the first part of an activation ends with a section [tool:execute-first-part]", () => {
  const first = `${section("engine", 12_000)}\n${section("workflow configuration", 6_000)}\n`;
  const text = first + section("instructions", 20_000);
  const parts = partsOf({ text, isActivation: true });
  assert.equal(joined(parts), text);
  assert.ok(parts[0]!.startsWith(`${first}\n[part 1 of 3; next: bmad {`), parts[0]!.slice(-200));
  // Any other answer keeps to the limit, and so does a part that no section ends.
  for (
    const other of [
      { text },
      { text: lines(40_000), isActivation: true },
      { text: section("engine", 19_990) + first, isActivation: true },
      // The end of the section fits the usual limit.
      { text: section("engine", 12_000) + section("instructions", 30_000), isActivation: true },
    ] as const
  ) {
    const [part] = partsOf(other);
    assert.equal(joined(partsOf(other)), other.text);
    assert.ok(part!.length <= 16_384 && part!.length > 16_000, `${part!.length}`);
  }
});

Deno.test("an activation that fits whole comes in one part [tool:execute-first-part]", () => {
  const text = lines(18_000);
  assert.deepEqual(partsOf({ text, isActivation: true }), [text]);
  assert.equal(partsOf({ text }).length, 2);
  // What counts is the larger form, as JSON.
  const quoted = '"'.repeat(18_000);
  assert.equal(joined(partsOf({ text: quoted, isActivation: true })), quoted);
  assert.equal(partsOf({ text: quoted, isActivation: true }).length, 2);
});

Deno.test("a limit that the user sets holds for activations too [tool:result-limit]", () => {
  const limitsWith = (...args: readonly string[]) =>
    resultLimits(resolveConfig({ ...denoHost("/"), args, env: () => undefined }));
  assert.deepEqual(limitsWith(), LIMITS);
  assert.deepEqual(limitsWith("--max-result", "16384"), { maxBytes: 16_384, maxFirst: 16_384 });
  assert.deepEqual(limitsWith("--max-result", "65536"), { maxBytes: 65_536, maxFirst: 65_536 });
  const text = lines(18_000);
  assert.equal(partsOf({ text, isActivation: true }, limitsWith("--max-result", "16384")).length, 2);
});
