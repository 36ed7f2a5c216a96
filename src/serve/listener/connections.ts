/**
 * Which connections are kept when there are too many.
 *
 * A connection is a stranger's until one of its requests was let in. At a limit, a new connection replaces the
 * oldest stranger's, then the oldest that is idle, so that idle connections cannot keep a client out. While all
 * are in use, a few more are accepted for requests that need no token, so that a load balancer still gets its answer.
 */
import type { IncomingMessage } from "node:http";
import { clientOf } from "./client_key.ts";

type Socket = IncomingMessage["socket"];

/** How many connections there may be. */
export interface ConnectionLimits {
  readonly connections: number;
  readonly clientConnections: number;
}

/** One connection. */
export interface Connection {
  readonly client: string;
  /** Whether it was accepted beyond a limit, for public requests alone. */
  readonly isSpare: boolean;
  /** Whether one of its requests was let in. */
  isKnown: boolean;
  /** How many of its requests are under way. */
  busy: number;
}

/** Accepted beyond the limits. */
const SPARE = 16;

/** No connections yet. `closed` is called for each one that had to make room. */
export function openConnections({ connections, clientConnections }: ConnectionLimits, closed: () => void) {
  /** The oldest first. */
  const all = new Map<Socket, Connection>();
  const drop = (socket: Socket) => {
    all.delete(socket);
    closed();
    socket.destroy();
  };
  const oldest = (isVictim: (connection: Connection) => boolean): Socket | undefined => {
    for (const [socket, connection] of all) if (isVictim(connection)) return socket;
    return undefined;
  };
  /** Makes room among the connections of a client, or of all; false if every one is in use. */
  const makeRoom = (isOne: (connection: Connection) => boolean): boolean => {
    const isOrdinary = (connection: Connection) => !connection.isSpare && isOne(connection);
    const victim = oldest((one) => isOrdinary(one) && !one.isKnown) ??
      oldest((one) => isOrdinary(one) && one.busy === 0);
    if (victim === undefined) return false;
    drop(victim);
    return true;
  };
  const count = (isCounted: (connection: Connection) => boolean) => {
    let found = 0;
    for (const connection of all.values()) if (isCounted(connection)) found++;
    return found;
  };

  return {
    /** Takes a connection in, at the expense of another if need be. */
    enter: (socket: Socket): void => {
      const client = clientOf(socket.remoteAddress);
      const isTheirs = (connection: Connection) => connection.client === client;
      const hasRoom = (all.size < clientConnections || count(isTheirs) < clientConnections ||
        makeRoom(isTheirs)) && (all.size < connections || makeRoom(() => true));
      if (!hasRoom && count(({ isSpare }) => isSpare) >= SPARE) {
        const idle = oldest(({ isSpare, busy }) => isSpare && busy === 0);
        drop(idle ?? socket);
        if (idle === undefined) return;
      }
      all.set(socket, { client, isSpare: !hasRoom, isKnown: false, busy: 0 });
      socket.once("close", () => all.delete(socket));
    },
    /** The connection of a socket that a request came over; undefined if it had to make room. */
    of: (socket: Socket): Connection | undefined => all.get(underlying(socket)),
  };
}

/** The TCP socket below an encrypted one. */
function underlying(socket: Socket): Socket {
  return (socket as { readonly _parent?: Socket })._parent ?? socket;
}
