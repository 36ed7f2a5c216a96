/**
 * The table of clients as docs/install.md prints it.
 *
 * The clients themselves are declared in src/commands/clients; this only formats them.
 */
import { type Client, CLIENT_VARIABLES, CLIENTS, onSystem } from "../src/commands/clients/mod.ts";
import { PLACE_VARIABLES } from "../src/settings/mod.ts";

/** The headings of `clientRows`. */
export const CLIENT_HEAD = ["Client", "Name", "Your file", "In a project"];

/** One row per client: its title, its name for `install`, its file and its project file. */
export function clientRows(): readonly (readonly string[])[] {
  return CLIENTS.map((client) => [
    client.title,
    `\`${client.id}\``,
    client.manualSteps === undefined ? userFiles(client) : "by hand: `install` prints the entry to paste",
    client.project?.map(code).join(" or ") ?? "–",
  ]);
}

/** The clients that have a hook for the start of a session. */
export function hookedClients(): string {
  const titles = CLIENTS.filter(({ hooks }) => hooks !== undefined).map(({ title }) => title);
  return `${titles.slice(0, -1).join(", ")} and ${titles.at(-1)}`;
}

/** The variables that move clients' files, without the general ones such as `APPDATA`. */
export function movingVariables(): readonly string[] {
  const known: readonly string[] = PLACE_VARIABLES;
  return CLIENT_VARIABLES.filter((name) => !known.includes(name));
}

const SYSTEMS = { linux: "", darwin: "macOS: ", windows: "Windows: " };

/** The user's file on each system; Linux is not labelled, and a path that another system has is not repeated. */
function userFiles({ user }: Client): string {
  const files = Object.entries(SYSTEMS).flatMap(([os, label]) =>
    onSystem(user, os).slice(0, 1).map((template) => ({ label, path: code(readable(template)) }))
  );
  const differing = files.filter(({ path }, at) => files.findIndex((file) => file.path === path) === at);
  return differing.map(({ label, path }) => `${label}${path}`).join("; ") || "–";
}

/** A template as people know the path: with the default of a variable, or Windows' own notation. */
function readable(template: string): string {
  return template.replaceAll(
    /\$\{(\w+):-([^}]*)\}/g,
    (_, name: string, standard: string) => /APPDATA$/.test(name) ? `%${name}%` : standard,
  );
}

function code(text: string): string {
  return `\`${text}\``;
}
