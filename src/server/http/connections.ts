import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../../base/clock.ts';

/** Connections that one user may have in addition to those of the user's address. */
const MAX_PER_USER = 200;
/** Milliseconds for which an address is blocked after one of its connections sent too much at once. */
const BAN = 10_000;

export interface ConnectionsOptions {
  /** Maximum number of connections, in all and per address; those that have sent a valid key do not count for the latter. */
  readonly maxConnections: number;
  readonly maxConnectionsPerAddress: number;
  /** The unit that counts as one address. */
  readonly nameOf: (address: string) => string;
  /** Whether the address belongs to a proxy, which serves many callers. */
  readonly isProxy: (address: string) => boolean;
  readonly onDropped: () => void;
  readonly clock: Pick<Clock, 'monotonic'>;
}

interface Connection {
  readonly socket: Socket;
  readonly address: string;
  /** The owner whose valid key came over the connection, or a proxy; undefined: unauthenticated. */
  owner: string | undefined;
  /** Whether the key of a request under way has not been checked yet. */
  awaitsKey: boolean;
  /** Requests received, and those not answered yet. */
  requests: number;
  open: number;
}

/**
 * The connections of this process. If there are too many, an idle unauthenticated one is closed to make room: one of
 * the same address if possible, otherwise one of the address with the most connections. A connection that has sent a
 * valid key is never closed to make room.
 */
export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #all = new Map<Socket, Connection>();
  /** The unauthenticated connections by address, oldest first. */
  readonly #unauthenticated = new Map<string, Set<Connection>>();
  readonly #known = new Map<string, number>();
  /** When blocked addresses are allowed again (monotonic). */
  readonly #bans = new Map<string, number>();

  constructor(options: ConnectionsOptions) {
    this.#options = options;
  }

  /** Admits a new connection, or closes it at once. */
  add(socket: Socket): void {
    const { nameOf, isProxy, onDropped } = this.#options;
    const remote = socket.remoteAddress ?? '';
    const address = nameOf(remote);
    const owner = isProxy(remote) ? `proxy:${address}` : undefined;
    if (this.#isBanned(address) || !this.#makeRoom(address, owner)) {
      onDropped();
      socket.destroy();
      return;
    }
    const connection = { socket, address, owner, awaitsKey: false, requests: 0, open: 0 };
    this.#all.set(socket, connection);
    if (owner === undefined) this.#strangersOf(address).add(connection);
    socket.once('close', () => this.#remove(connection));
  }

  #isBanned(address: string): boolean {
    const end = this.#bans.get(address);
    if (end === undefined) return false;
    if (this.#options.clock.monotonic() < end) return true;
    this.#bans.delete(address);
    return false;
  }

  /**
   * Closes a connection that sent too much at once. If it is unauthenticated, its address is blocked for a while, and
   * the address's connections that have sent nothing, or several requests at once, are closed too.
   */
  ban(socket: Socket): void {
    const { clock, onDropped } = this.#options;
    const connection = this.#all.get(socket);
    if (!socket.destroyed) {
      onDropped();
      socket.destroy();
    }
    if (!connection || connection.owner !== undefined) return;
    for (const [address, end] of this.#bans) if (end < clock.monotonic()) this.#bans.delete(address);
    this.#bans.set(connection.address, clock.monotonic() + BAN);
    for (const other of this.#unauthenticated.get(connection.address) ?? []) {
      if (other === connection || (other.requests > 0 && other.open < 2)) continue;
      onDropped();
      other.socket.destroy();
    }
  }

  /** Counts a request on its connection until it is answered. With a key, the connection does not count as unauthenticated until the key is checked. */
  begin({ socket, headers }: IncomingMessage, response: ServerResponse): void {
    const connection = this.#all.get(socket);
    if (!connection) return;
    connection.requests++;
    connection.open++;
    if (headers.authorization !== undefined) this.#awaitKey(connection);
    response.once('close', () => {
      connection.open--;
      connection.awaitsKey = false;
    });
  }

  #awaitKey(connection: Connection): void {
    if (connection.owner !== undefined) return;
    const others = [...this.#strangersOf(connection.address)].filter(({ awaitsKey }) => awaitsKey);
    connection.awaitsKey = others.length < MAX_PER_USER;
  }

  /** Call when the request's key has been checked. `owner`: whose key it is; undefined: no valid key. */
  recognize(socket: Socket, owner: string | undefined): void {
    const connection = this.#all.get(socket);
    if (!connection) return;
    connection.awaitsKey = false;
    const count = this.#known.get(owner ?? '') ?? 0;
    if (owner === undefined || connection.owner !== undefined || count >= MAX_PER_USER) return;
    connection.owner = owner;
    this.#known.set(owner, count + 1);
    this.#forgetUnauthenticated(connection);
  }

  /**
   * Who is responsible for what comes over a connection, and for the memory that it takes before the caller is known.
   * A proxy is only responsible for the latter, because it forwards for many.
   */
  sendersOf(socket: Socket): { sender: string | undefined; holder: string } {
    const { address = '', owner } = this.#all.get(socket) ?? {};
    const name = owner ?? address;
    return { sender: owner?.startsWith('proxy:') ? undefined : name, holder: name };
  }

  #makeRoom(address: string, owner: string | undefined): boolean {
    const { maxConnections, maxConnectionsPerAddress } = this.#options;
    const own = [...(this.#unauthenticated.get(address) ?? [])];
    const count = own.filter(({ awaitsKey }) => !awaitsKey).length;
    if (owner === undefined && count >= maxConnectionsPerAddress) return this.#closeOneOf(own);
    return this.#all.size < maxConnections || this.#closeOneOf(this.#heaviest());
  }

  /** Closes the oldest idle connection, preferably one that has never sent a request. */
  #closeOneOf(oldestFirst: Iterable<Connection>): boolean {
    const idle = [...oldestFirst].filter(({ open }) => open === 0);
    const victim = idle.find(({ requests }) => requests === 0) ?? idle[0];
    if (!victim) return false;
    this.#options.onDropped();
    this.#remove(victim);
    victim.socket.destroy();
    return true;
  }

  #heaviest(): Iterable<Connection> {
    let heaviest: ReadonlySet<Connection> = new Set();
    for (const connections of this.#unauthenticated.values())
      if (connections.size > heaviest.size) heaviest = connections;
    return heaviest;
  }

  #remove(connection: Connection): void {
    if (!this.#all.delete(connection.socket)) return;
    this.#forgetUnauthenticated(connection);
    const { owner = '' } = connection;
    const count = this.#known.get(owner);
    if (count === undefined) return;
    if (count > 1) this.#known.set(owner, count - 1);
    else this.#known.delete(owner);
  }

  #strangersOf(address: string): Set<Connection> {
    const there = this.#unauthenticated.get(address) ?? new Set();
    this.#unauthenticated.set(address, there);
    return there;
  }

  #forgetUnauthenticated(connection: Connection): void {
    const connections = this.#unauthenticated.get(connection.address);
    connections?.delete(connection);
    if (connections?.size === 0) this.#unauthenticated.delete(connection.address);
  }
}
