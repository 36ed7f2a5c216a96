/** The configuration that the program would settle on, with the needs of its real tools. */
import { TOOL_NEEDS } from "../../src/serve/handshake/tool_needs.ts";
import { type Config, resolveConfig as resolve } from "../../src/settings/plan/mod.ts";
import type { SettingsInput } from "../../src/settings/mod.ts";

export function resolveConfig(input: SettingsInput): Config {
  return resolve(input, TOOL_NEEDS);
}
