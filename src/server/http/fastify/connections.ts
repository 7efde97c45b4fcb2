import type { Socket } from 'node:net';

/** Connections that one user may have in addition to those of its address. */
const MAX_PER_USER = 200;
/** Milliseconds between checks for answers that no one reads. */
const LOOK = 1_000;

export interface ConnectionsOptions {
  /** Maximum number of connections of this process, and of one address without those that have sent a valid key. */
  readonly maxConnections: number;
  readonly maxConnectionsPerAddress: number;
  /** Milliseconds after which a connection is closed if the peer reads nothing of an answer. */
  readonly unreadTimeout: number;
  /** The unit that counts as one address. */
  readonly nameOf: (address: string) => string;
  /** Whether the address belongs to a proxy, which serves many callers. */
  readonly isProxy: (address: string) => boolean;
  readonly onDropped: () => void;
}

interface Connection {
  readonly socket: Socket;
  readonly address: string;
  /** The owner whose valid key came over the connection, or a proxy; undefined: a stranger. */
  owner: string | undefined;
  /** Requests received, and requests not answered yet. */
  requests: number;
  open: number;
  /** The unwritten data at the last check, and for how many milliseconds it has not changed. */
  unread: string;
  stuck: number;
}

/**
 * The connections of this process. When there are too many, an idle stranger is closed to make room: first one of the
 * same address, otherwise one of the address with the most connections. A connection that has sent a valid key is never
 * closed to make room.
 */
export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #all = new Map<Socket, Connection>();
  readonly #strangers = new Map<string, Set<Connection>>();
  readonly #known = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: ConnectionsOptions) {
    this.#options = options;
  }

  /** Call with each new connection: it is kept, or closed at once. */
  add(socket: Socket): void {
    const { nameOf, isProxy, onDropped } = this.#options;
    const remote = socket.remoteAddress ?? '';
    const address = nameOf(remote);
    if (!this.#makeRoom(address, isProxy(remote))) {
      onDropped();
      socket.destroy();
      return;
    }
    const owner = isProxy(remote) ? `proxy:${address}` : undefined;
    const connection = { socket, address, owner, requests: 0, open: 0, unread: '', stuck: 0 };
    this.#all.set(socket, connection);
    if (owner === undefined) this.#strangersOf(address).add(connection);
    socket.once('close', () => this.#remove(connection));
    this.#timer ??= setInterval(() => this.#cutUnread(), LOOK).unref();
  }

  /** Counts a request over the connection; call the returned function when the request is over. */
  begin(socket: Socket): () => void {
    const connection = this.#all.get(socket);
    if (!connection) return () => {};
    connection.requests++;
    connection.open++;
    return () => void connection.open--;
  }

  /** A valid key of this owner came over the connection. */
  recognize(socket: Socket, owner: string): void {
    const connection = this.#all.get(socket);
    const count = this.#known.get(owner) ?? 0;
    if (!connection || connection.owner !== undefined || count >= MAX_PER_USER) return;
    connection.owner = owner;
    this.#known.set(owner, count + 1);
    this.#forgetStranger(connection);
  }

  #makeRoom(address: string, isProxy: boolean): boolean {
    const { maxConnections, maxConnectionsPerAddress } = this.#options;
    const own = this.#strangers.get(address)?.size ?? 0;
    if (!isProxy && own >= maxConnectionsPerAddress) return this.#closeOneOf(address);
    return this.#all.size < maxConnections || this.#closeOneOf(this.#heaviest());
  }

  /** Closes the most dispensable stranger of the address: idle ones before those that have sent a request. */
  #closeOneOf(address: string): boolean {
    const idle = [...(this.#strangers.get(address) ?? [])].filter(({ open }) => open === 0);
    const victim = idle.find(({ requests }) => requests === 0) ?? idle[0]; // oldest first
    if (!victim) return false;
    this.#options.onDropped();
    this.#remove(victim);
    victim.socket.destroy();
    return true;
  }

  #heaviest(): string {
    let heaviest = '';
    let most = 0;
    for (const [address, { size }] of this.#strangers) {
      if (size <= most) continue;
      heaviest = address;
      most = size;
    }
    return heaviest;
  }

  #remove(connection: Connection): void {
    if (!this.#all.delete(connection.socket)) return;
    this.#forgetStranger(connection);
    const { owner } = connection;
    const count = owner === undefined ? undefined : this.#known.get(owner);
    if (owner !== undefined && count !== undefined) {
      if (count > 1) this.#known.set(owner, count - 1);
      else this.#known.delete(owner);
    }
    if (this.#all.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #strangersOf(address: string): Set<Connection> {
    const there = this.#strangers.get(address) ?? new Set();
    this.#strangers.set(address, there);
    return there;
  }

  #forgetStranger(connection: Connection): void {
    const strangers = this.#strangers.get(connection.address);
    strangers?.delete(connection);
    if (strangers?.size === 0) this.#strangers.delete(connection.address);
  }

  /** Closes connections that have an answer to read and read nothing of it. */
  #cutUnread(): void {
    for (const connection of this.#all.values()) {
      const { socket } = connection;
      const unread = socket.writableLength === 0 ? '' : unreadOf(socket);
      connection.stuck = unread !== '' && unread === connection.unread ? connection.stuck + LOOK : 0;
      connection.unread = unread;
      if (connection.stuck < this.#options.unreadTimeout) continue;
      this.#options.onDropped();
      socket.destroy();
    }
  }
}

/** Changes with each byte that the system accepts. Node's own timeouts use the same field. */
function unreadOf(socket: Socket): string {
  const { _handle: handle } = socket as Socket & { _handle?: { writeQueueSize?: number } | null };
  return `${socket.bytesWritten} ${socket.writableLength} ${handle?.writeQueueSize}`;
}
