/** The configuration that the program would settle on, with the needs of its real tools. */
import { TOOL_NEEDS } from "../../src/serve/handshake/tool_needs.ts";
import { type Config, resolveConfig as resolve } from "../../src/settings/plan/mod.ts";
import type { SettingsInput } from "../../src/settings/mod.ts";

/** A disk that is given as folders alone has no files, and no links that are broken. */
export function resolveConfig(input: SettingsInput): Config {
  const look: SettingsInput["look"] = (path) => {
    const real = input.findFolder?.(path);
    return real === undefined ? undefined : { kind: "folder", real };
  };
  return resolve({ look, ...input }, TOOL_NEEDS);
}

export interface Told extends Partial<Omit<SettingsInput, "env">> {
  readonly env?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
}

export function configOf({ env = {}, files = {}, ...rest }: Told): Config {
  return resolveConfig({
    args: [],
    cwd: "/home/ann/shop",
    home: "/home/ann",
    os: "linux",
    contentDir: "/opt/bmad-mcp/content",
    readSettings: (path) => files[path],
    ...rest,
    env: (name) => env[name],
  });
}
