/**
 * A new connection replaces the oldest without an admitted request, then the oldest idle one. Beyond the
 * limit, some are accepted for requests that need no token, such as a load balancer's.
 */
import type { IncomingMessage } from "node:http";

type Socket = IncomingMessage["socket"];

export interface ConnectionLimits {
  readonly connections: number;
  readonly clientConnections: number;
}

export interface Connection {
  readonly client: string;
  /** Accepted beyond a limit, for public requests alone. */
  readonly isSpare: boolean;
  isKnown: boolean;
  busy: number;
}

const SPARE = 16;

export function openConnections({ connections, clientConnections }: ConnectionLimits, closed: () => void) {
  const all = new Map<Socket, Connection>();
  const drop = (socket: Socket) => {
    all.delete(socket);
    closed();
    socket.destroy();
  };
  const oldest = (isVictim: (connection: Connection) => boolean): Socket | undefined =>
    all.entries().find(([, connection]) => isVictim(connection))?.[0];
  const makeRoom = (isOne: (connection: Connection) => boolean): boolean => {
    const isOrdinary = (connection: Connection) => !connection.isSpare && isOne(connection);
    const victim = oldest((one) => isOrdinary(one) && !one.isKnown) ??
      oldest((one) => isOrdinary(one) && one.busy === 0);
    if (victim === undefined) return false;
    drop(victim);
    return true;
  };
  const count = (isCounted: (connection: Connection) => boolean) =>
    all.values().reduce((found, one) => found + Number(isCounted(one)), 0);

  return {
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
    /** A TLS socket is counted by the one below it. */
    of: (socket: Socket & { readonly _parent?: Socket }): Connection | undefined =>
      all.get(socket._parent ?? socket),
  };
}

/** One host has a whole /64 of IPv6 addresses to choose from. */
export function clientOf(address: string | undefined): string {
  if (address === undefined) return "unknown";
  const mapped = /^::ffff:(\d+(?:\.\d+){3})$/i.exec(address)?.[1];
  if (mapped !== undefined || !address.includes(":")) return mapped ?? address;
  const [head = "", tail] = address.split("%", 1)[0]!.toLowerCase().split("::");
  const groups = (text: string) => text === "" ? [] : text.split(":");
  const [before, after] = [groups(head), groups(tail ?? "")];
  const zeros = tail === undefined
    ? []
    : Array<string>(Math.max(0, 8 - before.length - after.length)).fill("0");
  return `${[...before, ...zeros, ...after].slice(0, 4).join(":")}::/64`;
}
