/**
 * How does a test write what a person writes?
 *
 * `runShell` runs a line in a real shell, where `bmad-mcp` is the program, with a home of its own; `runLine` does so only
 * where the line needs more of a shell than its words.
 */
import { type CliResult, prepareLaunch, type ProgramOptions, runHere } from "./program.ts";
import { withTree } from "./trees.ts";
import { makeProgram } from "./programs.ts";

export async function runShell(
  line: string,
  options: ProgramOptions & { readonly shell?: string } = {},
): Promise<CliResult> {
  await using launch = await prepareLaunch([], options);
  const { command, args, cwd, env } = launch;
  const program = [command, ...args].map((word) => `'${word}'`).join(" ");
  return await withTree({ "bmad-mcp": `#!/bin/sh\nexec ${program} "$@"\n` }, async (bin) => {
    makeProgram(`${bin}/bmad-mcp`);
    const { code, stdout, stderr } = await new Deno.Command(options.shell ?? "bash", {
      args: ["-c", line],
      cwd,
      env: { ...env, PATH: `${bin}:${env["PATH"]}` },
      clearEnv: true,
      stdin: "null",
    }).output();
    return { code, stdout: new TextDecoder().decode(stdout), stderr: new TextDecoder().decode(stderr) };
  });
}

/**
 * Runs a line as bash would, after `before`. A line that is nothing but one command of ours, without a pipe, redirection
 * or variable, is split by bash and then run in this process.
 */
export async function runLine(line: string, before = ""): Promise<CliResult> {
  if (!/^bmad-mcp [^|&;<>$`\n]*$/.test(line)) return await runShell(`${before}\n${line}`);
  return await withTree({ "home/": "", "work/": "" }, async (dir) => {
    const [cwd, env] = [`${dir}/work`, { HOME: `${dir}/home` }];
    return await runHere(wordsOf(line, { before, cwd, env }), { cwd, env });
  });
}

export function wordsOf(
  line: string,
  { before = "", ...options }: {
    readonly before?: string;
    readonly cwd?: string;
    readonly env?: Readonly<Record<string, string>>;
  } = {},
): readonly string[] {
  const { success, stdout, stderr } = new Deno.Command("bash", {
    args: ["-c", `${before}\nbmad-mcp() { printf '%s\\0' "$@"; }; ${line}`],
    ...options,
  }).outputSync();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout).split("\0").slice(0, -1);
}

export function hasShell(shell: string): boolean {
  try {
    return new Deno.Command(shell, { args: ["-c", "exit 0"], stdout: "null", stderr: "null" }).outputSync()
      .success;
  } catch {
    return false;
  }
}
