import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../../base/clock.ts';
import { type Holder, type KnownAddresses, type Place, Room } from '../pools.ts';
import { REQUEST_LIMITS, type RequestLimits } from '../service/request-limits.ts';

/** Limits for connections, before their requests are known. Milliseconds, bytes. */
export interface NetworkLimits extends RequestLimits {
  /** Maximum number of open connections; idle unauthenticated ones make room for new ones. */
  readonly maxConnections: number;
  /** The same for one address, excluding connections that have sent a valid key. */
  readonly maxConnectionsPerAddress: number;
  /** How long an answer may wait for a peer that does not read: longer than the silences of a stream. */
  readonly unreadTimeout: number;
  /** Total bytes of the incomplete bodies from callers without a key. */
  readonly maxUnfinished: number;
  /** Total bytes of the answers that wait for their peers to read them. */
  readonly maxUnread: number;
  /** Time from the first byte of a request to the end of its headers, and to its end. */
  readonly headersTimeout: number;
  readonly requestTimeout: number;
  readonly keepAliveTimeout: number;
}

export const NETWORK_LIMITS: NetworkLimits = {
  maxConnections: 2_000,
  maxConnectionsPerAddress: 100,
  unreadTimeout: 20_000,
  maxUnfinished: 32 * 1024 * 1024,
  maxUnread: 96 * 1024 * 1024,
  ...REQUEST_LIMITS,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 10_000,
};

/** Connections that one user may have in addition to those of the user's address. */
const MAX_PER_USER = 200;
/** Milliseconds for which an address is blocked after one of its connections sent too much at once. */
const BAN = 10_000;

/** The share of the connections that is never left to callers with a key alone, so that `/health` always gets in. */
const UNRESERVED = 0.95;

interface ConnectionsOptions extends Pick<NetworkLimits, 'maxConnections' | 'maxConnectionsPerAddress'> {
  /** The unit that counts as one address. */
  readonly nameOf: (address: string) => string;
  /** Whether the address belongs to a proxy, which serves many callers. */
  readonly isProxy: (address: string) => boolean;
  readonly known: KnownAddresses;
  readonly onDropped: () => void;
  readonly clock: Pick<Clock, 'monotonic'>;
}

/** Ranks of connections that make room, the first ones first. */
const RANK = { unused: 0, idle: 1, waiting: 2, working: 3 } as const;

/** A connection. While it is not a user's, it is a place of its address or, behind a proxy, of the forwarded address. */
class Connection implements Place {
  readonly socket: Socket;
  /** The peer's, which is the proxy's if it is one. */
  readonly address: string;
  readonly isProxy: boolean;
  readonly size = 1;
  holder: Holder;
  /** The owner whose valid key came over the connection; undefined: unauthenticated. */
  owner: string | undefined;
  /** Whether the key of a request under way has not been checked yet. */
  awaitsKey = false;
  requests = 0;
  /** Those not answered yet, in their order. */
  readonly open: (readonly [IncomingMessage, ServerResponse])[] = [];
  readonly #onDropped: () => void;

  constructor(
    socket: Socket,
    { holder, isProxy, onDropped }: { holder: Holder; isProxy: boolean; onDropped: () => void },
  ) {
    this.socket = socket;
    this.holder = holder;
    this.address = holder.name;
    this.isProxy = isProxy;
    this.#onDropped = onDropped;
  }

  /** A peer that has more of its request to send, or more of its answer to read, may be waited for in vain. */
  rank(): number {
    const [first] = this.open;
    if (!first) return this.requests === 0 ? RANK.unused : RANK.idle;
    const [request, response] = first;
    if (this.awaitsKey) return RANK.working;
    return request.complete && !response.headersSent ? RANK.working : RANK.waiting;
  }

  drop(): void {
    this.#onDropped();
    this.socket.destroy();
  }
}

/**
 * The connections of this process. If there are too many, one without a valid key is closed to make room: one of the
 * same address if that has too many, otherwise one of the address with the most; first those that wait for their peer.
 * A connection that has sent a valid key is never closed to make room.
 */
export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #all = new Map<Socket, Connection>();
  readonly #unauthenticated = new Room<Connection>();
  /** The numbers of users' connections. */
  readonly #users = new Map<string, number>();
  #ofUsers = 0;
  /** When blocked addresses are allowed again (monotonic). */
  readonly #bans = new Map<string, number>();

  constructor(options: ConnectionsOptions) {
    this.#options = options;
  }

  /** Admits a new connection, or closes it at once. */
  add(socket: Socket): void {
    const { nameOf, onDropped, maxConnections } = this.#options;
    const remote = socket.remoteAddress ?? '';
    const isProxy = this.#options.isProxy(remote);
    const holder = this.#holder(nameOf(remote));
    const hasRoom =
      !this.#isBanned(holder.name) &&
      (isProxy || this.#makeRoomOf(holder.name)) &&
      (this.#all.size < maxConnections || this.#unauthenticated.makeRoom());
    if (!hasRoom) {
      onDropped();
      socket.destroy();
      return;
    }
    const connection = new Connection(socket, { holder, isProxy, onDropped });
    this.#all.set(socket, connection);
    if (!isProxy) this.#unauthenticated.add(connection);
    socket.once('close', () => this.#remove(connection));
  }

  #holder(name: string): Holder {
    const { known } = this.#options;
    return {
      name,
      get isKnown() {
        return known.has(name);
      },
    };
  }

  #isBanned(address: string): boolean {
    const end = this.#bans.get(address);
    if (end === undefined) return false;
    if (this.#options.clock.monotonic() < end) return true;
    this.#bans.delete(address);
    return false;
  }

  /** Whether one more connection of the address fits; closes one of its own that waits for its peer if necessary. */
  #makeRoomOf(address: string): boolean {
    const own = [...this.#unauthenticated.placesOf(address)].filter(({ awaitsKey }) => !awaitsKey);
    if (own.length < this.#options.maxConnectionsPerAddress) return true;
    return this.#unauthenticated.makeRoom({ of: address, below: RANK.working });
  }

  /**
   * Closes a connection that sent too much at once. If it is unauthenticated, its address is blocked for a while, and
   * the address's connections that have sent nothing, or several requests at once, are closed too.
   */
  ban(socket: Socket): void {
    const { clock } = this.#options;
    const connection = this.#all.get(socket);
    if (!socket.destroyed) (connection ?? { drop: () => socket.destroy() }).drop();
    if (!connection || connection.owner !== undefined || connection.isProxy) return;
    for (const [address, end] of this.#bans) if (end < clock.monotonic()) this.#bans.delete(address);
    this.#bans.set(connection.address, clock.monotonic() + BAN);
    for (const other of [...this.#unauthenticated.placesOf(connection.address)]) {
      if (other !== connection && (other.requests === 0 || other.open.length > 1)) other.drop();
    }
  }

  /**
   * Counts a request on its connection until it is answered. With a key, the connection does not count as
   * unauthenticated until the key is checked. `address`: of the caller, as a proxy reports it
   */
  begin(request: IncomingMessage, response: ServerResponse, address: string): void {
    const connection = this.#all.get(request.socket);
    if (!connection) return;
    connection.requests++;
    const exchange = [request, response] as const;
    connection.open.push(exchange);
    if (connection.isProxy) this.#beginForwarded(connection, this.#options.nameOf(address));
    if (request.headers.authorization !== undefined) this.#awaitKey(connection);
    response.once('close', () => {
      connection.open.splice(connection.open.indexOf(exchange), 1);
      connection.awaitsKey = false;
      if (connection.isProxy && connection.open.length === 0) this.#unauthenticated.remove(connection);
    });
  }

  #beginForwarded(connection: Connection, address: string): void {
    this.#unauthenticated.remove(connection);
    this.#makeRoomOf(address);
    connection.holder = this.#holder(address);
    this.#unauthenticated.add(connection);
  }

  #awaitKey(connection: Connection): void {
    if (connection.owner !== undefined) return;
    const all = [...this.#unauthenticated.placesOf(connection.holder.name)];
    connection.awaitsKey = all.filter(({ awaitsKey }) => awaitsKey).length < MAX_PER_USER;
  }

  /** Call when the request's key has been checked. `owner`: whose key it is; undefined: no valid key. */
  recognize(socket: Socket, owner: string | undefined): void {
    const connection = this.#all.get(socket);
    if (!connection) return;
    connection.awaitsKey = false;
    if (owner === undefined) return;
    this.#options.known.note(connection.holder.name);
    if (connection.isProxy) this.#unauthenticated.remove(connection);
    else if (connection.owner === undefined) this.#giveTo(connection, owner);
  }

  #giveTo(connection: Connection, owner: string): void {
    const count = this.#users.get(owner) ?? 0;
    if (count >= MAX_PER_USER || this.#ofUsers >= UNRESERVED * this.#options.maxConnections) return;
    connection.owner = owner;
    this.#users.set(owner, count + 1);
    this.#ofUsers++;
    this.#unauthenticated.remove(connection);
  }

  /** Who is responsible for what comes over a connection, and for the memory that it takes. */
  holderOf(socket: Socket): Holder {
    const connection = this.#all.get(socket);
    if (connection?.owner !== undefined) return { name: connection.owner, isKnown: true };
    return connection?.holder ?? { name: '', isKnown: false };
  }

  /** Whether it comes from a proxy, which joins the pieces of bodies as it likes. */
  isProxied(socket: Socket): boolean {
    return this.#all.get(socket)?.isProxy === true;
  }

  #remove(connection: Connection): void {
    if (!this.#all.delete(connection.socket)) return;
    this.#unauthenticated.remove(connection);
    const { owner } = connection;
    if (owner === undefined) return;
    const count = this.#users.get(owner)! - 1;
    this.#ofUsers--;
    if (count > 0) this.#users.set(owner, count);
    else this.#users.delete(owner);
  }
}
