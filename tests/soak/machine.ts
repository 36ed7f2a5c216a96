/**
 * What of the machine a fault needs: mounts, and a server that may not read what its user may not.
 *
 * Each says why it cannot be had, so that a run that leaves something out says so.
 */
import { PROGRAM, type ProgramOptions } from "../support/program.ts";

/** Runs a command; what it complained about, or undefined when it succeeded. */
export async function complaintOf(command: string, ...args: readonly string[]): Promise<string | undefined> {
  try {
    const { success, stderr } = await new Deno.Command(command, { args: [...args], stdout: "null" }).output();
    return success ? undefined : new TextDecoder().decode(stderr).trim() || `${command} failed`;
  } catch (error) {
    return String(error);
  }
}

/** Runs a command that must succeed. */
export async function command(name: string, ...args: readonly string[]): Promise<void> {
  const complaint = await complaintOf(name, ...args);
  if (complaint !== undefined) throw new Error(complaint);
}

/** Why nothing can be mounted here; undefined when it can. */
export async function whyNoMounts(): Promise<string | undefined> {
  if (Deno.build.os !== "linux") return "mounts are made on Linux only";
  if (Deno.uid() !== 0) return "only root can mount";
  const folder = await Deno.makeTempDir();
  const complaint = await complaintOf("mount", "-t", "tmpfs", "tmpfs", folder);
  if (complaint === undefined) await command("umount", folder);
  await Deno.remove(folder);
  return complaint;
}

/** For root the bits of a file do not count, unless it gives that up. */
const GIVEN_UP = ["--bounding-set", "-dac_override,-dac_read_search", "--inh-caps", "-all"];

/** Why no server can be kept from reading a file of its own user; undefined when it can. */
export async function whyNoDenial(): Promise<string | undefined> {
  if (Deno.build.os === "windows") return "files have no bits on Windows";
  return Deno.uid() === 0 ? await complaintOf("setpriv", ...GIVEN_UP, "true") : undefined;
}

/** How a server starts for which the bits of files count. */
export function withoutOverride(): ProgramOptions {
  if (Deno.uid() !== 0) return {};
  return { command: "setpriv", program: [...GIVEN_UP, PROGRAM.command, ...PROGRAM.args] };
}
