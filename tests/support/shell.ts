/**
 * How does a test write what a person writes?
 *
 * `runShell` runs a line in a real shell, where `bmad-mcp` is the program, with a home of its own.
 */
import { type CliResult, prepareLaunch, type ProgramOptions } from "./program.ts";
import { withTree } from "./trees.ts";

/** Runs a line in a shell, by default bash, with nothing on stdin. */
export async function runShell(
  line: string,
  options: ProgramOptions & { readonly shell?: string } = {},
): Promise<CliResult> {
  await using launch = await prepareLaunch([], options);
  const { command, args, cwd, env } = launch;
  const program = [command, ...args].map((word) => `'${word}'`).join(" ");
  return await withTree({ "bmad-mcp": `#!/bin/sh\nexec ${program} "$@"\n` }, async (bin) => {
    await Deno.chmod(`${bin}/bmad-mcp`, 0o755);
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

/** Whether there is such a shell here. */
export function hasShell(shell: string): boolean {
  try {
    return new Deno.Command(shell, { args: ["-c", "exit 0"], stdout: "null", stderr: "null" }).outputSync()
      .success;
  } catch {
    return false;
  }
}
