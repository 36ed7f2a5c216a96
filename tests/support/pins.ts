/**
 * Is what others see still what it was?
 *
 * `pin` compares a value with what was last agreed on, which lies in a file beside the test. `deno task snap` writes
 * such files: a change of one is seen by everybody who uses the program, and is to be looked at.
 */
import assert from "node:assert/strict";

const isWriting = Deno.env.get("BMAD_MCP_PINS") === "write";

/** Compares a value with the file of that name in a folder of pins. */
export async function pin(folder: URL, name: string, value: unknown): Promise<void> {
  const file = new URL(`${name}.json`, folder);
  const text = `${JSON.stringify(value, null, 2)}\n`;
  if (isWriting) await Deno.writeTextFile(file, text);
  const agreed = await Deno.readTextFile(file).catch(() => "");
  assert.equal(text, agreed, `${name} has changed: run deno task snap if it should`);
}
