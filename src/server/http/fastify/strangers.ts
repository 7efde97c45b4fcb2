import type { Socket } from 'node:net';

export interface Connection {
  readonly socket: Socket;
  readonly address: string;
  /** The owner whose valid key came over the connection, or a proxy; undefined: a stranger. */
  owner: string | undefined;
  /** Whether a key of a request that is under way has yet to be checked. */
  awaitsKey: boolean;
  /** Requests received, and requests not answered yet. */
  requests: number;
  open: number;
  /** The unwritten data at the last check, and for how many milliseconds it has not changed. */
  unread: string;
  stuck: number;
}

/** The connections of an address that have not sent a valid key. */
export interface Strangers {
  readonly connections: Set<Connection>;
  /** How many of them await the check of a key. */
  awaitingKey: number;
  /** How many have made room for others since `replacedSince` (monotonic). */
  replaced: number;
  replacedSince: number;
}

/** How many count towards the limit of their address. */
export function countOf({ connections, awaitingKey }: Strangers): number {
  return connections.size - awaitingKey;
}

/** The oldest without a request under way, rather one that has never sent any. */
export function mostDispensable(oldestFirst: Iterable<Connection>): Connection | undefined {
  let idle: Connection | undefined;
  for (const connection of oldestFirst) {
    if (connection.open > 0) continue;
    if (connection.requests === 0) return connection;
    idle ??= connection;
  }
  return idle;
}
