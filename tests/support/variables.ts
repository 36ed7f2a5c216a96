/**
 * Which environment variables does the program read, and does a grant cover them?
 *
 * The tables of src say which are read; `--allow-env` of the `start` task says which it may read, by name or by the
 * beginning of a name (`BMAD_*`), as Deno understands it.
 */
import { startWords } from "../../.github/release/binary_rights.ts";
import { CLIENT_VARIABLES } from "../../src/commands/clients/mod.ts";
import {
  ACCOUNT_VARIABLES,
  GIT_VARIABLES,
  PLACE_VARIABLES,
  SESSION_VARIABLES,
  SETTING_KEYS,
  SETTINGS,
  TERMINAL_VARIABLES,
} from "../../src/settings/mod.ts";

export const READ_VARIABLES: readonly string[] = [
  ...new Set([
    ...PLACE_VARIABLES,
    ...ACCOUNT_VARIABLES,
    ...Object.keys(SESSION_VARIABLES),
    ...TERMINAL_VARIABLES,
    ...GIT_VARIABLES,
    ...CLIENT_VARIABLES,
    ...SETTING_KEYS.flatMap((key) => SETTINGS[key].variables),
  ]),
];

export function grantedVariables(): readonly string[] {
  const flag = startWords().find((word) => word.startsWith("--allow-env="))!;
  return flag.slice("--allow-env=".length).split(",");
}

export function covers(grant: string, variable: string): boolean {
  return grant.endsWith("*") ? variable.startsWith(grant.slice(0, -1)) : grant === variable;
}
