/**
 * `install --http`: which server do entries name, and with which token?
 *
 * The token is read, or created, while the state folder can still be seen. A preview leaves it out: what is shown on
 * a screen stays in its history.
 */
import { fail } from "../../base/errors.ts";
import type { Host } from "../../process/host.ts";
import { userFolders } from "../../base/paths.ts";
import { readUserToken } from "../../process/user_token.ts";
import { type Choices, SETTING_KEYS, SETTINGS } from "../../settings/mod.ts";
import type { Remote } from "./remote_shapes.ts";

/** Stands for the token in an entry to paste by hand. */
const YOUR_TOKEN = "YOUR-TOKEN";

/** Settings that say where the server listens, and not what it does. */
const OF_ADDRESS: readonly string[] = ["http", "tlsCert", "tlsKey"];

/** The server that `--http` names. Fails if an entry cannot name it. */
export function planRemote(
  { settings, provenance, invocation: { options } }: Choices,
  host: Pick<Host, "home" | "os" | "env">,
): Remote | undefined {
  const { http, tlsCert, token } = settings;
  if (http === undefined) return undefined;
  const refuse = (field: string, problem: string, hint?: string) =>
    fail({ code: "invalid-input", field, problem, ...(hint !== undefined && { hint }) });
  const isElsewhere = http.url !== undefined && !http.isLoopback;
  if (!http.isLoopback && !isElsewhere) {
    refuse(
      "--http",
      `${http.host} is where a server listens`,
      "Give the address as clients see it: https://HOST/mcp",
    );
  }
  if (isElsewhere && !http.url!.startsWith("https:")) {
    refuse("--http", "your token would cross the network unencrypted", "Use an https address (docs/http.md)");
  }
  if (http.port === 0) refuse("--http", "an entry needs a port");
  for (const key of SETTING_KEYS) {
    const { flag } = SETTINGS[key];
    if (flag === undefined || provenance[key] !== flag || OF_ADDRESS.includes(key)) continue;
    // A project's file names a variable instead of the token.
    if (key === "project" && isElsewhere) continue;
    const [problem, hint] = OWN_REFUSALS[key] ?? ["it belongs to the server", "Use it with serve --http"];
    refuse(flag, problem!, hint);
  }
  const address = http.host.includes(":") ? `[${http.host}]` : http.host;
  const url = http.url ?? `${tlsCert === undefined ? "http" : "https"}://${address}:${http.port}/mcp`;
  const isPreview = options.dryRun !== undefined || options.print !== undefined;
  if (isPreview) return { url, token: YOUR_TOKEN };
  // The user's own token is for servers on this machine alone.
  if (!isElsewhere) return { url, token: token ?? readUserToken(userFolders(host).state) };
  const isShared = provenance.project === SETTINGS.project.flag && options.user === undefined;
  if (token !== undefined || isShared) return { url, token: token ?? YOUR_TOKEN };
  return refuse("--http", `the token of ${url} is missing`, "Set BMAD_TOKEN to it");
}

const OWN_REFUSALS: Readonly<Record<string, readonly string[]>> = {
  project: ["the entry holds your token, and a project's file is shared", "Leave it out"],
  token: ["other users of the machine can see it", "Set BMAD_TOKEN, or leave it out to use your own token"],
  noToken: ["install --http writes your token, and a server without one lets everybody in", "Leave it out"],
};
