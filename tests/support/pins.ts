/**
 * Is what others see still what it was?
 *
 * `pin` compares a value with what was last agreed on, which lies in a file beside the test. `deno task snap` writes
 * such files: a change of one is seen by everybody who uses the program, and is to be looked at.
 */
import assert from "node:assert/strict";

const isWriting = Deno.env.get("BMAD_MCP_PINS") === "write";

export async function pin(folder: URL, name: string, value: unknown): Promise<void> {
  const file = new URL(`${name}.json`, folder);
  const text = `${JSON.stringify(value, null, 2)}\n`;
  if (isWriting) await Deno.writeTextFile(file, text);
  const agreed = await Deno.readTextFile(file).catch(() => "");
  if (text === agreed) return;
  assert.fail(`${name} has changed: run deno task snap if it should\n${firstDifference(agreed, text)}`);
}

/** The first lines that differ, with the line before them and how many differ in all. */
function firstDifference(agreed: string, text: string): string {
  const [before, after] = [agreed.split("\n"), text.split("\n")];
  const at = after.findIndex((line, at) => line !== before[at]);
  const first = at < 0 ? after.length : at;
  const known = new Set(before);
  const added = after.filter((line) => !known.has(line)).length;
  return [
    `${first + 1}: ${before[first - 1] ?? ""}`,
    `- ${before[first] ?? "(the end)"}`,
    `+ ${after[first] ?? "(the end)"}`,
    `${added} lines are new, of ${after.length}`,
  ].join("\n");
}
