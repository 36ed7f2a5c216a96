/**
 * THE table of clients: where each keeps its servers, in which format, under which keys and in which shape.
 *
 * `install`, `uninstall`, `doctor`, their rights and docs/install.md all follow from its rows. To add a client, add a
 * row, and grant its variables in deno.json. Pure data: nothing here looks at the disk.
 */
import { type Client, onSystem, variablesIn } from "./client.ts";
import { STANDARD } from "./templates.ts";
import { TERMINAL_CLIENTS } from "./terminal_clients.ts";
import { WINDOW_CLIENTS } from "./window_clients.ts";

/** Every client that we can configure. */
export const CLIENTS: readonly Client[] = [...TERMINAL_CLIENTS, ...WINDOW_CLIENTS];

/** Stands for a client that we do not know: the form of an entry that most clients take. */
export const ANY_CLIENT: Client = {
  id: "any",
  title: "Any client",
  remote: "http",
  ...STANDARD,
  manualSteps: "Paste this into its file of MCP servers, or add a server with these values:",
};

/** The variables that say where clients keep their files, in the order of the table. */
export const CLIENT_VARIABLES: readonly string[] = [
  ...new Set(
    CLIENTS.flatMap(({ user, detectBy }) => [user, detectBy]).flatMap((paths) =>
      ["linux", "darwin", "windows"].flatMap((os) => onSystem(paths, os))
    ).flatMap(variablesIn),
  ),
];

/** The client with this id or alias, in any case. */
export function findClient(name: string): Client | undefined {
  const wanted = name.toLowerCase();
  return CLIENTS.find(({ id, aliases }) => id === wanted || aliases?.includes(wanted));
}

/** Whether a client starts servers in no particular folder and has no file in a project that could name it. */
export function startsAnywhere(client: Client): boolean {
  return client.project === undefined && WINDOW_CLIENTS.includes(client);
}
