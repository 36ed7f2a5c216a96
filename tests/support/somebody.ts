/**
 * How does a test run the program as a user to whom the system says no?
 *
 * A user who may do everything is refused nothing, so where tests run as one, the program is bundled and run as
 * another. Everybody else is refused by the system as they are.
 */
import { tmpdir } from "node:os";

import { bundleFlags } from "../../.github/release/binary_rights.ts";
import { sharedBundle } from "./bundle.ts";
import { type CliResult, prepareLaunch, PROGRAM, type ProgramOptions, runCli } from "./program.ts";

const IS_ROOT = Deno.build.os !== "windows" && Deno.uid() === 0;
const NOBODY = 65_534;
const SETPRIV = "/usr/bin/setpriv";

const AS_NOBODY = [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups", "--"];

export const HAS_SOMEBODY = Deno.build.os !== "windows" && (!IS_ROOT || canStartDeno());

export async function giveToSomebody(folder: string): Promise<void> {
  if (!IS_ROOT) return;
  const temporary = await Deno.realPath(tmpdir());
  // A wrong path here would give the machine away.
  if (!(await Deno.realPath(folder)).startsWith(`${temporary}/`)) {
    throw new Error(`Only a folder inside ${temporary} can be given away, not ${folder}`);
  }
  const { success } = await new Deno.Command("chown", { args: ["-R", `${NOBODY}:${NOBODY}`, folder] })
    .output();
  if (!success) throw new Error(`Cannot give ${folder} away`);
}

export async function runAsSomebody(
  args: readonly string[],
  options: ProgramOptions & { readonly cwd: string },
): Promise<CliResult> {
  if (!IS_ROOT) return await runCli(args, options);
  await using launch = await prepareLaunch([], options);
  const words = await wordsFor(launch.place);
  await giveToSomebody(launch.place);
  if (launch.env["HOME"] !== `${launch.place}/home`) await giveToSomebody(launch.env["HOME"]!);
  const { code, stdout, stderr } = await new Deno.Command(SETPRIV, {
    args: [...AS_NOBODY, ...words, ...args],
    cwd: options.cwd,
    env: { ...launch.env, DENO_DIR: `${launch.env["HOME"]}/deno` },
    clearEnv: true,
    stdin: "null",
  }).output();
  return { code, stdout: new TextDecoder().decode(stdout), stderr: new TextDecoder().decode(stderr) };
}

async function wordsFor(place: string): Promise<readonly string[]> {
  if (PROGRAM.file !== undefined) {
    return [Deno.execPath(), "run", ...bundleFlags(), (await sharedBundle()).file];
  }
  // The launcher of the npm package needs what is beside it.
  if (PROGRAM.command.endsWith(".mjs")) return [PROGRAM.command];
  await Deno.copyFile(PROGRAM.command, `${place}/bmad-mcp`);
  return [`${place}/bmad-mcp`];
}

function canStartDeno(): boolean {
  try {
    return new Deno.Command(SETPRIV, { args: [...AS_NOBODY, Deno.execPath(), "--version"], stderr: "null" })
      .outputSync().success;
  } catch {
    return false;
  }
}
