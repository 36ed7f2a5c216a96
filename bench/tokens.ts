/**
 * What do we cost a model? Tokens (o200k) of the tool list and of one activation.
 *
 * The overhead of an activation is what we send beyond the text and the resolved values. Fails when the list of the
 * one tool needs more than 1,000 tokens, the list with the tools for workflows more than 2,000, an activation's
 * overhead more than 100, or an activation in all more than the peer's, in the same installation of 6.0.4.
 *
 *     deno run -A bench/tokens.ts
 */
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { startClient } from "../tests/support/client.ts";
import { installation } from "../tests/support/installs.ts";
import { installPeer, print } from "./support.ts";

/** Tool sets, and the most tokens that their list may have; the first row is what everybody gets. */
const TOOL_LIMITS: readonly (readonly [toolsets: string, limit: number])[] = [
  ["bmad", 1_000],
  ["bmad,workflows", 2_000],
  ["all", Infinity],
];
const OVERHEAD_LIMIT = 100;

for (const [toolsets, limit] of TOOL_LIMITS) {
  await using chosen = await startClient({ era: "2025", args: ["--toolsets", toolsets] });
  const tools = await chosen.listTools();
  const tokens = countTokens(JSON.stringify(tools));
  print(`tools/list of ${toolsets}: ${tokens} tokens in ${tools.length} tools (limit ${limit})`);
  if (tokens > limit) Deno.exitCode = 1;
}

await using client = await startClient({ era: "2025", args: ["--max-result", "1048576"] });

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
if (worst.overhead > OVERHEAD_LIMIT) Deno.exitCode = 1;

const project = await installation({ version: "6.0.4", tools: "claude-code" });
const ours = await (async () => {
  await using client = await startClient({ era: "2025", cwd: project, args: ["--max-result", "1048576"] });
  const { content } = await client.callTool("bmad", { operation: "execute", agent: "analyst" });
  return countTokens(content[0]!.text);
})();
const theirs = await tokensOfPeer(project);
print(`the analyst of 6.0.4: ours ${ours} tokens in 1 call, peer ${theirs} tokens in 2 calls`);
if (ours > theirs) Deno.exitCode = 1;

/** What the peer sends until a model has the same agent: its answer to execute, then the file that it says to read. */
async function tokensOfPeer(project: string): Promise<number> {
  const folder = await Deno.makeTempDir({ prefix: "bmad-mcp-bench-" });
  const peer = new Client({ name: "bench", version: "1" });
  try {
    const program = await installPeer(`${folder}/peer`);
    await peer.connect(
      new StdioClientTransport({
        command: "node",
        args: [program],
        cwd: project,
        env: { PATH: Deno.env.get("PATH") ?? "", BMAD_ROOT: `${project}/_bmad` },
        stderr: "ignore",
      }),
    );
    let tokens = 0;
    for (const operation of ["execute", "read"]) {
      const args = { operation, type: "agent", module: "bmm", agent: "analyst", message: "" };
      const { content } = await peer.callTool({ name: "bmad", arguments: args }) as {
        readonly content: readonly { readonly text: string }[];
      };
      tokens += countTokens(content[0]!.text);
    }
    return tokens;
  } finally {
    await peer.close();
    await Deno.remove(folder, { recursive: true });
  }
}

/** The resolved values at the end of an activation: what a client would otherwise have had to load itself. */
function valuesIn(text: string): string {
  const start = text.lastIndexOf("\nResolved by the server");
  return start < 0 ? "" : text.slice(text.indexOf("\n", start + 1) + 1, text.lastIndexOf("\nFiles"));
}
