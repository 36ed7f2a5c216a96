/**
 * Runs Deno for a build, with only the environment variables that a build needs.
 *
 * Some variables change the result silently: telemetry that is on here would be on in every binary.
 */

import { isAbsolute } from "node:path";

/** Variables for programs, folders and the network. */
const PASSED_ON = [
  ...["PATH", "HOME", "TMPDIR", "XDG_CACHE_HOME", "DENO_DIR"],
  ...["USERPROFILE", "APPDATA", "LOCALAPPDATA", "TEMP", "TMP", "SYSTEMROOT"],
  ...["DENO_TLS_CA_STORE", "DENO_CERT", "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR"],
  "NPM_CONFIG_REGISTRY",
  ...["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"],
];

/** TMPDIR, unless it is empty or relative: a build works in several folders. */
function absoluteTmpdir(): string | undefined {
  const folder = Deno.env.get("TMPDIR");
  return folder !== undefined && isAbsolute(folder) ? folder : undefined;
}

/** The folder for temporary files. */
export function temporaryFolder(): string {
  return absoluteTmpdir() ?? Deno.env.get("TEMP") ?? "/tmp";
}

/** Runs Deno and returns its output; fails with its error message. */
export async function runDeno(
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const passed = PASSED_ON.flatMap((name) => {
    const value = name === "TMPDIR" ? absoluteTmpdir() : Deno.env.get(name);
    return value === undefined ? [] : [[name, value] as const];
  });
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [...args],
    cwd,
    env: { ...Object.fromEntries(passed), NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1", ...env },
    clearEnv: true,
  }).output();
  if (success) return new TextDecoder().decode(stdout);
  const said = new TextDecoder().decode(stderr).replace(/\n*Stack backtrace:[^]*$/, "").trim();
  throw new Error(`Cannot run deno ${args[0]}: ${said}`);
}
