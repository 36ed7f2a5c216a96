/**
 * The human-readable table of clients in docs/install.md.
 *
 * The clients themselves are declared in src/commands/clients; this only formats them.
 */
import { type Client, CLIENT_VARIABLES, CLIENTS, type PerSystem } from "../src/commands/clients/mod.ts";
import { PLACE_VARIABLES } from "../src/settings/mod.ts";

/** One row for each client: its title, its name for `install`, its file and its project file. */
export function clientRows(): readonly (readonly string[])[] {
  return CLIENTS.map((client) => [
    client.title,
    `\`${client.id}\``,
    client.byHand === undefined ? userFiles(client) : "by hand: `install` prints the entry to paste",
    client.project === undefined ? "–" : client.project.map(code).join(" or "),
  ]);
}

export const CLIENT_HEAD = ["Client", "Name", "Your file", "In a project"];

/** The variables that move clients' files, without the general ones such as `APPDATA`. */
export function movingVariables(): readonly string[] {
  const known: readonly string[] = PLACE_VARIABLES;
  return CLIENT_VARIABLES.filter((name) => !known.includes(name));
}

function userFiles({ user }: Client): string {
  if (user === undefined) return "–";
  const systems = isPerSystem(user) ? user : { linux: user, darwin: user, windows: user };
  const shown = {
    "": systems.linux?.[0] && readable(systems.linux[0]),
    macOS: systems.darwin?.[0] && readable(systems.darwin[0]),
    Windows: systems.windows?.[0] && readable(systems.windows[0]),
  };
  const kinds = Object.entries(shown).filter(([, path]) => path !== undefined);
  const differing = kinds.filter(([, path], at) => kinds.findIndex(([, other]) => other === path) === at);
  return differing.map(([system, path]) => {
    const isAll = differing.length === 1 && kinds.length === 3;
    return isAll || system === "" ? code(path!) : `${system}: ${code(path!)}`;
  }).join("; ");
}

function isPerSystem<T>(
  value: PerSystem<readonly T[]>,
): value is Exclude<PerSystem<readonly T[]>, readonly T[]> {
  return !Array.isArray(value);
}

/** A path template with the default of each variable, or with the variable itself on Windows. */
function readable(template: string): string {
  return template.replaceAll(
    /\$\{(\w+):-([^}]*)\}/g,
    (_, name: string, standard: string) => /APPDATA$/.test(name) ? `%${name}%` : standard,
  );
}

function code(text: string): string {
  return `\`${text}\``;
}
