/** Gives up all rights that are not needed; nothing third-party is imported before, not even indirectly. */
import { type CommandPlan, printStartFailure, run } from "./commands/cli/mod.ts";
import { type Config, resolveConfig } from "./settings/plan/mod.ts";
import type { Handshake } from "./serve/handshake/mod.ts";
import type { Host } from "./process/host.ts";
import { userFolders } from "./base/paths.ts";
import { command } from "./base/text.ts";
import { dropRights } from "./process/rights.ts";
import { TOOL_NEEDS } from "./serve/handshake/tool_needs.ts";

/** Of a bundle, code that a start does not ask for is loaded later. */
const OWN_CODE = ownCode(import.meta.dirname!);

/** `own` is what the entry has at hand. Only a caller that keeps its rights, as a test, passes a `drop`. */
export async function start(
  host: Host,
  own: { readonly printVersion: (json: boolean) => void },
  drop: typeof dropRights = dropRights,
): Promise<number> {
  try {
    const { config: settled, streams, greeting: greeted } = await settle(host);
    const config = await withHttpState(await withToken(settled, host));
    // Opened now, so that the right to use the network is dropped with the others.
    const listener = isHttp(config)
      ? await (await import("./serve/listener/mod.ts")).listenFor(config, host)
      : undefined;
    const plans = greeted === undefined ? await planCommand(host, config) : { greeting: greeted };
    const { clients, sources, setup, greeting } = plans;
    const { read, write, ...others } = (clients ?? sources ?? setup ?? config).rights;
    const code = OWN_CODE.map((folder) => host.look(folder)?.real ?? folder);
    const note = greeting?.ends === undefined ? [] : [greeting.ends.reminder];
    const rights = drop({ read: [...read, ...code], write: [...write, ...note], ...others }, {
      sandbox: config.settings.sandbox,
      instead: inCheckout(host),
    });
    return await run({ ...host, ...streams }, config, rights, { ...own, ...plans, listener });
  } catch (error) {
    return await printStartFailure(host, error);
  }
}

/** One file of a bundle may have been copied anywhere: its folder is not ours. */
export function ownCode(folder: string): readonly string[] {
  return /[\\/](?:chunks|src)$/.test(folder) ? [folder] : [];
}

function inCheckout({ args, launch, look }: Host): string | undefined {
  const file = launch.args.find((word) => word.endsWith("/deno.json"));
  if (file === undefined || look(file) === undefined) return undefined;
  return command`deno ${{ args: [...launch.args, ...args] }}`;
}

async function planCommand(host: Host, config: Config): Promise<CommandPlan> {
  switch (config.invocation.name) {
    case "install":
    case "uninstall":
    case "doctor":
      return { clients: (await import("./commands/clients/mod.ts")).planClients(config, host) };
    case "add":
    case "remove":
    case "update":
    case "preview":
      return { sources: (await import("./commands/sources/mod.ts")).planSources(config, host) };
    case "team":
      return { setup: (await import("./commands/team.ts")).planSetup(config, host) };
    default:
      return {};
  }
}

interface Settled {
  readonly config: Config;
  readonly streams?: Handshake["streams"];
  readonly greeting?: CommandPlan["greeting"];
}

async function settle(host: Host): Promise<Settled> {
  const config = resolveConfig(host, TOOL_NEEDS);
  if (config.invocation.options.hook !== undefined) {
    const greeting = await (await import("./commands/hooks.ts")).planGreeting(host);
    const { folder } = greeting;
    const isElsewhere = folder !== undefined && folder !== host.findFolder(host.cwd);
    return { config: isElsewhere ? withRoot(host, folder) : config, greeting };
  }
  const mayAsk = config.isProjectOpen && config.invocation.name === "serve" && !host.terminal.stdin &&
    !isHttp(config);
  if (!mayAsk) return { config };
  const { askForRoot, isProject } = await import("./serve/handshake/mod.ts");
  if (isProject(config)) return { config };
  const { root, warnings, streams } = await askForRoot(host, config);
  const settled = root === undefined ? config : withRoot(host, root);
  return { config: { ...settled, warnings: [...settled.warnings, ...warnings] }, streams };
}

function withRoot(host: Host, clientRoot: string): Config {
  return resolveConfig({ ...host, clientRoot }, TOOL_NEEDS);
}

async function withToken(config: Config, host: Host): Promise<Config> {
  const { settings, provenance } = config;
  const isOwn = isHttp(config) && settings.http?.isLoopback === true;
  if (!isOwn || settings.token !== undefined || settings.noToken) return config;
  const { readUserToken, USER_TOKEN } = await import("./process/user_token.ts");
  const token = readUserToken(userFolders(host).state);
  return { ...config, settings: { ...settings, token }, provenance: { ...provenance, token: USER_TOKEN } };
}

/** While it can be seen who owns the folders above; otherwise nothing is kept. */
async function withHttpState(config: Config): Promise<Config> {
  const { invocation: { name }, httpState } = config;
  if (httpState === undefined) return config;
  if (name === "token") (await import("./process/named_tokens.ts")).prepareTokens(httpState.state);
  if (name !== "serve") return config;
  const { prepareHttpState } = await import("./process/http_state.ts");
  const secret = prepareHttpState(httpState.state, httpState.isNamed);
  return { ...config, httpState: secret === undefined ? undefined : { ...httpState, secret } };
}

function isHttp({ invocation, settings }: Config): boolean {
  return invocation.name === "serve" && settings.http !== undefined;
}
