/**
 * What do we cost a model? Tokens (o200k) of the tool list, of an activation, and of the answers on the way to one.
 *
 * The overhead of an activation is everything beyond the text, the resolved values and the lines about artefacts; it is
 * measured for every embedded skill, and for those of a project with documents. Fails if the list of the one tool has
 * more than 1,000 tokens, with `bmad_work` more than 1,500, with the workflow tools more than 2,000, the overhead of an activation more than 120,
 * a whole activation more than the peer's in the same installation of 6.0.4, or if a list, the answer to an ambiguous or
 * to an unknown name has more than half of the peer's; and if our JSON lacks a field of the peer's lists.
 * Answers that the peer does not have are reported without a limit.
 *
 *     deno run -A --config deno.dev.json bench/tokens.ts
 */
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { startClient } from "../tests/support/client.ts";
import { installation } from "../tests/support/installs.ts";
import { copyTree } from "../tests/support/trees.ts";
import { installPeer, print } from "./support.ts";

/** Tool sets, and the token limit of their list; the first row is the default. */
const TOOL_LIMITS: readonly (readonly [toolsets: string, limit: number])[] = [
  ["bmad", 1_000],
  ["bmad,work", 1_500],
  ["bmad,workflows", 2_000],
  ["all", Infinity],
];
const OVERHEAD_LIMIT = 120;

for (const [toolsets, limit] of TOOL_LIMITS) {
  await using chosen = await startClient({ era: "2025", args: ["--toolsets", toolsets] });
  const tools = await chosen.listTools();
  const tokens = countTokens(JSON.stringify(tools));
  print(`tools/list of ${toolsets}: ${tokens} tokens in ${tools.length} tools (limit ${limit})`);
  if (tokens > limit) Deno.exitCode = 1;
}

await measureOverhead("embedded skills");

const folder = await Deno.makeTempDir({ prefix: "bmad-mcp-bench-" });
const project = await installation({ version: "6.0.4", tools: "claude-code" });
try {
  const worked = `${folder}/worked`;
  await copyTree(await installation({ version: "6.12.0", tools: "claude-code" }), worked);
  await addDocuments(worked);
  await measureOverhead("skills of a project with documents", worked);

  const program = await installPeer(`${folder}/peer`);
  // For an ambiguous name: a module of the user's own with another analyst.
  const doubled = `${folder}/doubled`;
  await copyTree(project, doubled);
  await addModule(doubled, "own");

  const ours = await askOurs(project, { operation: "execute", agent: "analyst" });
  const theirs = await Promise.all(
    ["execute", "read"].map((operation) =>
      askPeer(program, project, { operation, type: "agent", module: "bmm", agent: "analyst", message: "" })
    ),
  );
  compare("the analyst of 6.0.4, in 1 call of ours and 2 of the peer's", [ours], theirs, 1);

  for (const [what, at, args, hasPeer] of answersIn(project, doubled)) {
    const answer = await askOurs(at, args);
    if (hasPeer) compare(what, [answer], [await askPeer(program, at, args)], 0.5);
    else print(`${what}: ours ${countTokens(answer)} tokens; the peer has no such answer`);
  }
  for (const query of ["agents", "workflows"]) {
    const listed = { operation: "list", query };
    const known = JSON.parse(await askPeer(program, project, listed)) as readonly Record<string, unknown>[];
    const { items } = JSON.parse(await askOurs(project, { ...listed, format: "json" })) as {
      readonly items: readonly Record<string, unknown>[];
    };
    const lost = known.flatMap(({ name, module, ...fields }) => {
      const item = items.find((item) => item["name"] === name && item["module"] === module);
      return Object.keys(fields).filter((field) => item?.[field] === undefined).map((field) =>
        `${name}.${field}`
      );
    });
    print(
      `${query} as JSON: ${lost.length} of the peer's fields missing in ${items.length} items (peer: ${known.length})`,
    );
    for (const field of lost) print(`  ${field}`);
    if (lost.length > 0) Deno.exitCode = 1;
  }
} finally {
  await Deno.remove(folder, { recursive: true });
}

/** The worst overhead of all skills, embedded or of a project. */
async function measureOverhead(what: string, cwd?: string): Promise<void> {
  await using client = await startClient({ era: "2025", cwd, args: ["--max-result", "1048576"] });
  const call = async (args: Record<string, unknown>): Promise<string> => {
    const result = await client.callTool("bmad", args);
    if (result.isError) throw new Error(result.content[0]!.text);
    return result.content[0]!.text;
  };
  let [worst, withLines] = [{ id: "", overhead: 0 }, 0];
  const listed = JSON.parse(await call({ operation: "list", query: "skills", format: "json", limit: 1000 }));
  for (const { id, module } of listed.items as { id: string; module: string }[]) {
    const skill = `${module}/${id}`;
    // Asked for nothing, this one answers what is next, without its text.
    const answer = await call({
      operation: "execute",
      skill,
      ...(id === "bmad-help" && { message: "Why?" }),
    });
    // What the text has its reader load would be the next calls.
    const whole = answer.replace(/\n\n=== loaded: [^]*$/, "");
    const raw = await call({ operation: "execute", skill, raw: true });
    // A launcher is delivered as the workflow that it launches.
    const text = whole.includes(raw.trimEnd())
      ? raw
      : await call({ operation: "read", uri: `bmad://rendered/${skill}/workflow.md` });
    const lines = artefactsIn(whole);
    const overhead = countTokens(whole) - countTokens(text) - countTokens(valuesIn(whole)) -
      countTokens(lines);
    if (lines !== "") withLines++;
    if (overhead > worst.overhead) worst = { id: skill, overhead };
    if (id === "bmad-agent-analyst") {
      print(`activation of ${id}: ${countTokens(whole)} tokens in one call, of which ${overhead} are ours`);
    }
  }
  print(
    `worst overhead of ${listed.items.length} ${what} (${withLines} with lines about artefacts): ` +
      `${worst.overhead} tokens, ${worst.id} (limit ${OVERHEAD_LIMIT})`,
  );
  // A measurement without the lines would show nothing.
  if (worst.overhead > OVERHEAD_LIMIT || (cwd !== undefined && withLines === 0)) Deno.exitCode = 1;
}

/** A brief, a PRD, an architecture, epics, a sprint and a story. */
async function addDocuments(project: string): Promise<void> {
  const [planning, building] = ["planning", "implementation"].map((name) => `_bmad-output/${name}-artifacts`);
  const files = {
    [`${planning}/briefs/brief-shop-2026-10-01/brief.md`]: "---\nstatus: final\n---\n",
    [`${planning}/prds/prd-shop-2026-10-02/prd.md`]: "---\nstatus: final\n---\n",
    [`${planning}/architecture/architecture-shop/ARCHITECTURE-SPINE.md`]: "---\nstatus: draft\n---\n",
    [`${planning}/epics.md`]: "# Epics\n",
    [`${building}/sprint-status.yaml`]: "development_status:\n  epic-1: in-progress\n  1-1-login: review\n",
    [`${building}/1-1-login.md`]: "# Story\n",
  };
  for (const [path, text] of Object.entries(files)) {
    await Deno.mkdir(`${project}/${path.slice(0, path.lastIndexOf("/"))}`, { recursive: true });
    await Deno.writeTextFile(`${project}/${path}`, text);
  }
}

/** Answers that both give, and those that only we give, each in an installation. */
function answersIn(project: string, doubled: string) {
  const list = (query: string) => ({ operation: "list", query });
  return [
    ["a list of agents", project, list("agents"), true],
    ["a list of workflows", project, list("workflows"), true],
    ["an unknown name", project, { operation: "execute", agent: "nobody", message: "Hello" }, true],
    // The peer does not notice, and answers as if the name were unique.
    [
      "an ambiguous name",
      doubled,
      { operation: "execute", agent: "analyst", message: "Hello" },
      true,
    ],
    ["a search", project, { operation: "search", query: "create a prd" }, false],
    ["a list of next steps", project, list("next"), false],
  ] as const;
}

function compare(what: string, ours: readonly string[], theirs: readonly string[], limit: number): void {
  const [our, their] = [ours, theirs].map((texts) =>
    texts.reduce((sum, text) => sum + countTokens(text), 0)
  ) as [
    number,
    number,
  ];
  const ratio = our / their;
  print(`${what}: ours ${our} tokens, peer ${their}, ratio ${ratio.toFixed(2)} (limit ${limit})`);
  if (ratio > limit) Deno.exitCode = 1;
}

/** Our answer in a project, without embedded content. */
async function askOurs(cwd: string, args: Readonly<Record<string, unknown>>): Promise<string> {
  await using client = await startClient({
    era: "2025",
    cwd,
    args: ["--pack", "none", "--max-result", "1048576"],
  });
  return (await client.callTool("bmad", args)).content[0]!.text;
}

/** The peer's answer. */
async function askPeer(program: string, cwd: string, args: Record<string, unknown>): Promise<string> {
  const peer = new Client({ name: "bench", version: "1" });
  const env = { PATH: Deno.env.get("PATH") ?? "", BMAD_ROOT: `${cwd}/_bmad` };
  await peer.connect(
    new StdioClientTransport({ command: "node", args: [program], cwd, env, stderr: "ignore" }),
  );
  try {
    const { content } = await peer.callTool({ name: "bmad", arguments: args }) as {
      readonly content: readonly { readonly text: string }[];
    };
    return content[0]!.text;
  } finally {
    await peer.close();
  }
}

/** A module with an analyst of its own, in an installation of 6.0.4. */
async function addModule(project: string, module: string): Promise<void> {
  const config = `${project}/_bmad/_config/agent-manifest.csv`;
  const rows = (await Deno.readTextFile(config)).trimEnd().split("\n");
  const analyst = rows.find((row) => row.includes("bmm/agents/analyst.md"))!;
  const own = analyst.replace('"bmm"', `"${module}"`).replace("bmm/agents", `${module}/agents`);
  await Deno.writeTextFile(config, [...rows, own, ""].join("\n"));
  await Deno.mkdir(`${project}/_bmad/${module}/agents`, { recursive: true });
  await Deno.copyFile(
    `${project}/_bmad/bmm/agents/analyst.md`,
    `${project}/_bmad/${module}/agents/analyst.md`,
  );
}

/** The lines about the project's own documents and its next step, which a client would otherwise have to look for. */
function artefactsIn(text: string): string {
  const artefacts = /\nArtefacts here [^\n]*\n((?:- [^\n]*\n)+)/.exec(text)?.[1] ?? "";
  return artefacts + (/\nWhat to do next in this project:\n([^]*?)\n---\n/.exec(text)?.[1] ?? "");
}

/** The resolved values before the text of an activation, which a client would otherwise have to load itself. */
function valuesIn(text: string): string {
  const start = text.indexOf("\nAlready resolved");
  return start < 0 ? "" : text.slice(text.indexOf("\n", start + 1) + 1, text.indexOf("\nFiles: ", start));
}
