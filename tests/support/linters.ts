/**
 * How does a test have something linted by a tool that is too large to be a dependency?
 *
 * `lintAll` hands texts to ../release/tools/lint.ts, which runs in a process of its own with packages of its own.
 * `runMcpb` runs the tool that makes and checks bundles, from the same place.
 */
import { fileURLToPath } from "node:url";

export interface Lint {
  readonly tool: "actionlint" | "shellcheck" | "powershell";
  readonly text: string;
}

export interface Complaint {
  readonly line: number;
  readonly message: string;
}

const TOOLS = new URL("../release/tools/", import.meta.url);

export async function lintAll(texts: readonly Lint[]): Promise<readonly (readonly Complaint[])[]> {
  return JSON.parse(await runTool([fileURLToPath(new URL("lint.ts", TOOLS))], JSON.stringify(texts)));
}

export async function runMcpb(...args: readonly string[]): Promise<string> {
  return await runTool(["npm:@anthropic-ai/mcpb@2.1.2", ...args], "");
}

async function runTool(args: readonly string[], input: string): Promise<string> {
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--no-prompt",
      "--allow-all",
      "--quiet",
      ...["--config", fileURLToPath(new URL("deno.json", TOOLS)), ...args],
    ],
    env: { NO_COLOR: "1" },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const output = child.output();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(input));
  await writer.close();
  const { success, stdout, stderr } = await output;
  if (!success) throw new Error(new TextDecoder().decode(stderr) + new TextDecoder().decode(stdout));
  return new TextDecoder().decode(stdout);
}
