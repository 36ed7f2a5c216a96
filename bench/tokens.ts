/**
 * What do we cost a model? Tokens (o200k) of the tool list and of one activation.
 *
 * The overhead of an activation is what we send beyond the text and the resolved values. Fails when the tool
 * list needs more than 1,000 tokens or an activation's overhead more than 100.
 *
 *     deno run -A bench/tokens.ts
 */
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { startClient } from "../tests/support/client.ts";
import { print } from "./support.ts";

const TOOL_LIMIT = 1_000;
const OVERHEAD_LIMIT = 100;

await using client = await startClient({ era: "2025", args: ["--max-result", "1048576"] });
const tools = countTokens(JSON.stringify(await client.listTools()));
print(`tools/list: ${tools} tokens (limit ${TOOL_LIMIT})`);

const call = async (args: Record<string, unknown>): Promise<string> => {
  const result = await client.callTool("bmad", args);
  if (result.isError) throw new Error(result.content[0]!.text);
  return result.content[0]!.text;
};
let worst = { id: "", overhead: 0 };
const listed = JSON.parse(await call({ operation: "list", query: "skills", format: "json", limit: 1000 }));
for (const { id, module } of listed.items as { id: string; module: string }[]) {
  const skill = `${module}/${id}`;
  const whole = await call({ operation: "execute", skill });
  const raw = await call({ operation: "execute", skill, raw: true });
  // A launcher is delivered as the workflow that it leads to.
  const text = whole.includes(raw.trimEnd())
    ? raw
    : await call({ operation: "read", uri: `bmad://rendered/${skill}/workflow.md` });
  const overhead = countTokens(whole) - countTokens(text) - countTokens(valuesIn(whole));
  if (overhead > worst.overhead) worst = { id: skill, overhead };
  if (id === "bmad-agent-analyst") {
    print(`activation of ${id}: ${countTokens(whole)} tokens in one call, of which ${overhead} are ours`);
  }
}
print(
  `worst overhead of ${listed.items.length} skills: ${worst.overhead} tokens, ${worst.id} (limit ${OVERHEAD_LIMIT})`,
);
if (tools > TOOL_LIMIT || worst.overhead > OVERHEAD_LIMIT) Deno.exitCode = 1;

/** The resolved values at the end of an activation: what a client would otherwise have had to load itself. */
function valuesIn(text: string): string {
  const start = text.lastIndexOf("\nResolved by the server");
  return start < 0 ? "" : text.slice(text.indexOf("\n", start + 1) + 1, text.lastIndexOf("\nFiles"));
}
