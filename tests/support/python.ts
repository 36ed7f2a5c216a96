/**
 * How does a test ask BMAD's own scripts what they would do?
 *
 * They need Python 3.11 or newer. Where that is missing, tests that compare with them are skipped:
 * `Deno.test({ name, ignore: NO_PYTHON, fn })`.
 */

const found = findPython();

/** Whether there is no Python that could run BMAD's scripts. */
export const NO_PYTHON: boolean = found === undefined;

/** The program itself: what `python3` names may be a script that looks for it, which takes longer than most calls. */
export const PYTHON: string = found ?? "python3";

function findPython(): string | undefined {
  try {
    const check = "import sys; print(sys.executable); sys.exit(sys.version_info < (3, 11))";
    const { success, stdout } = new Deno.Command("python3", { args: ["-c", check] }).outputSync();
    return success ? new TextDecoder().decode(stdout).trim() : undefined;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

export async function runPython(
  cwd: string,
  args: readonly string[],
): Promise<{ readonly success: boolean; readonly out: string; readonly said: string }> {
  const { success, stdout, stderr } = await new Deno.Command(PYTHON, { args: ["-B", ...args], cwd }).output();
  const out = new TextDecoder().decode(stdout);
  return { success, out, said: out + new TextDecoder().decode(stderr) };
}

/** A Python that has the library for YAML which two of BMAD's scripts need; undefined on most machines. */
export function findRuamel(): string | undefined {
  return [PYTHON, "/usr/bin/python3"].find((name) => {
    try {
      return new Deno.Command(name, { args: ["-c", "import ruamel.yaml"], stderr: "null" }).outputSync()
        .success;
    } catch {
      return false;
    }
  });
}
