/**
 * THE table of clients: where each keeps its servers, in which format, under which key and in which shape.
 *
 * `install`, `uninstall`, the rights they get and docs/install.md all come from its rows. To add a client, add a row,
 * and grant its variables in deno.json. Pure data: nothing here looks at the disk.
 */
import { type Client, onSystem, SYSTEMS } from "./client.ts";
import { TERMINAL_CLIENTS } from "./terminal_clients.ts";
import { WINDOW_CLIENTS } from "./window_clients.ts";

/** Every client that we know how to tell of us. */
export const CLIENTS: readonly Client[] = [...TERMINAL_CLIENTS, ...WINDOW_CLIENTS];

/** The variables that say where clients keep their files, in the order of the table. */
export const CLIENT_VARIABLES: readonly string[] = [
  ...new Set(
    CLIENTS.flatMap(({ user, signs }) => [user, signs]).flatMap((paths) =>
      SYSTEMS.flatMap((os) => onSystem(paths, os))
    ).flatMap((path) => Array.from(path.matchAll(/\$\{(\w+)/g), ([, name]) => name!)),
  ),
];

/** The client that a name stands for, in any case. */
export function findClient(name: string): Client | undefined {
  const wanted = name.toLowerCase();
  return CLIENTS.find(({ id, aliases }) => id === wanted || aliases?.includes(wanted));
}
