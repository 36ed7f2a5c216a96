/**
 * What the faults need from the machine: mounts, and a server that is denied files by their permissions.
 *
 * Each says why it is unavailable, so that a run reports what it skips.
 */
import { PROGRAM, type ProgramOptions } from "../support/program.ts";

export async function complaintOf(command: string, ...args: readonly string[]): Promise<string | undefined> {
  try {
    const { success, stderr } = await new Deno.Command(command, { args: [...args], stdout: "null" }).output();
    return success ? undefined : new TextDecoder().decode(stderr).trim() || `${command} failed`;
  } catch (error) {
    return String(error);
  }
}

export async function command(name: string, ...args: readonly string[]): Promise<void> {
  const complaint = await complaintOf(name, ...args);
  if (complaint !== undefined) throw new Error(complaint);
}

export async function whyNoMounts(): Promise<string | undefined> {
  if (Deno.build.os !== "linux") return "mounts are tested on Linux only";
  if (Deno.uid() !== 0) return "only root can mount";
  const folder = await Deno.makeTempDir();
  const complaint = await complaintOf("mount", "-t", "tmpfs", "tmpfs", folder);
  if (complaint === undefined) await command("umount", folder);
  await Deno.remove(folder);
  return complaint;
}

/** Root ignores file permissions unless it gives up these capabilities. */
const GIVEN_UP = ["--bounding-set", "-dac_override,-dac_read_search", "--inh-caps", "-all"];

export async function whyNoDenial(): Promise<string | undefined> {
  if (Deno.build.os === "windows") return "files have no permission bits on Windows";
  return Deno.uid() === 0 ? await complaintOf("setpriv", ...GIVEN_UP, "true") : undefined;
}

export function withoutOverride(): ProgramOptions {
  if (Deno.uid() !== 0) return {};
  return { command: "setpriv", program: [...GIVEN_UP, PROGRAM.command, ...PROGRAM.args] };
}
