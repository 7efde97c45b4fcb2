import type { Socket } from 'node:net';
import type { Clock } from '../../../base/clock.ts';
import { closeFlooding } from './close-flooding.ts';
import { type Connection, countOf, mostDispensable, type Strangers } from './strangers.ts';

/** Connections that one user may have in addition to those of its address. */
const MAX_PER_USER = 200;
/** Milliseconds between checks for answers that no one reads. */
const LOOK = 1_000;
/** How many of its connections an address may replace in so many milliseconds. */
const MAX_REPLACED = 50;
const REPLACING = 250;
/** Milliseconds for which the address of a connection that sent too much at once may open no other. */
const BAN = 10_000;

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
  readonly clock: Pick<Clock, 'monotonic'>;
}

/**
 * The connections of this process. When there are too many, an idle stranger is closed to make room: first one of the
 * same address, otherwise one of the address with the most connections. A connection that has sent a valid key is never
 * closed to make room.
 */
export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #all = new Map<Socket, Connection>();
  readonly #strangers = new Map<string, Strangers>();
  readonly #known = new Map<string, number>();
  /** When the bans of addresses end (monotonic). */
  readonly #bans = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: ConnectionsOptions) {
    this.#options = options;
  }

  /**
   * Whether a connection from this address is to be refused before anything is done for it: making something of
   * thousands would delay all others.
   */
  refuses(remote: string): boolean {
    const { nameOf, isProxy, onDropped } = this.#options;
    const address = nameOf(remote);
    if (!this.#isBanned(address) && (!this.#isReplacing(address) || isProxy(remote))) return false;
    onDropped();
    return true;
  }

  /** Whether the address has all the connections that it may have, and keeps replacing them. */
  #isReplacing(address: string): boolean {
    const { maxConnectionsPerAddress, clock } = this.#options;
    const strangers = this.#strangers.get(address);
    if (!strangers || countOf(strangers) < maxConnectionsPerAddress) return false;
    return strangers.replaced >= MAX_REPLACED && clock.monotonic() - strangers.replacedSince < REPLACING;
  }

  #isBanned(address: string): boolean {
    const end = this.#bans.get(address);
    if (end === undefined) return false;
    if (this.#options.clock.monotonic() < end) return true;
    this.#bans.delete(address);
    return false;
  }

  /**
   * A stranger sent too much at once: for a while its address may open no other connection. Those that have sent
   * nothing, or several requests at once, are closed.
   */
  ban(socket: Socket): void {
    const { clock, onDropped } = this.#options;
    const connection = this.#all.get(socket);
    if (!connection || connection.owner !== undefined) return;
    onDropped();
    this.#bans.set(connection.address, clock.monotonic() + BAN);
    for (const other of this.#strangers.get(connection.address)?.connections ?? []) {
      if (other === connection || (other.requests > 0 && other.open < 2)) continue;
      onDropped();
      closeFlooding(other.socket);
    }
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
    const connection = {
      socket,
      address,
      owner,
      awaitsKey: false,
      requests: 0,
      open: 0,
      unread: '',
      stuck: 0,
    };
    this.#all.set(socket, connection);
    if (owner === undefined) this.#strangersOf(address).connections.add(connection);
    socket.once('close', () => this.#remove(connection));
    this.#timer ??= setInterval(() => this.#look(), LOOK).unref();
  }

  /** Counts a request over the connection; call the returned function when the request is over. */
  begin(socket: Socket): () => void {
    const connection = this.#all.get(socket);
    if (!connection) return () => {};
    connection.requests++;
    connection.open++;
    return () => {
      connection.open--;
      this.#endAwaiting(connection);
    };
  }

  /** A key came with the request under way: until it has been checked, the connection takes no place of a stranger. */
  awaitKey(socket: Socket): void {
    const connection = this.#all.get(socket);
    if (!connection || connection.owner !== undefined || connection.awaitsKey) return;
    const strangers = this.#strangersOf(connection.address);
    if (strangers.awaitingKey >= MAX_PER_USER) return;
    connection.awaitsKey = true;
    strangers.awaitingKey++;
  }

  /** The caller of the request under way is known, and no user: the connection takes the place of a stranger again. */
  countAsStranger(socket: Socket): void {
    const connection = this.#all.get(socket);
    if (connection) this.#endAwaiting(connection);
  }

  #endAwaiting(connection: Connection): void {
    const strangers = this.#strangers.get(connection.address);
    if (connection.awaitsKey && strangers) strangers.awaitingKey--;
    connection.awaitsKey = false;
  }

  /** The connections that have not sent a valid key. */
  *strangers(): Iterable<Connection> {
    for (const { connections } of this.#strangers.values()) yield* connections;
  }

  /** The unit that counts as one address, for a connection that is open. */
  addressOf(socket: Socket): string {
    return this.#all.get(socket)?.address ?? '';
  }

  /**
   * Who answers for what comes over a connection, and for the memory that it takes before the caller is known: a proxy
   * only for the latter, because it sends for many.
   */
  sendersOf(socket: Socket): { sender: string | undefined; holder: string } {
    const { address = '', owner } = this.#all.get(socket) ?? {};
    const name = owner ?? address;
    return { sender: owner === undefined || this.isRecognized(socket) ? name : undefined, holder: name };
  }

  /** Whether a valid key of a user came over this connection. */
  isRecognized(socket: Socket): boolean {
    const connection = this.#all.get(socket);
    return connection?.owner !== undefined && this.#known.has(connection.owner);
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
    const own = this.#strangers.get(address);
    if (!isProxy && own && countOf(own) >= maxConnectionsPerAddress) {
      this.#countReplaced(own);
      return this.#closeOneOf(address);
    }
    return this.#all.size < maxConnections || this.#closeOneOf(this.#heaviest());
  }

  #countReplaced(strangers: Strangers): void {
    const now = this.#options.clock.monotonic();
    if (now - strangers.replacedSince >= REPLACING) {
      strangers.replaced = 0;
      strangers.replacedSince = now;
    }
    strangers.replaced++;
  }

  /** Closes the most dispensable stranger of the address: idle ones before those that have sent a request. */
  #closeOneOf(address: string): boolean {
    const victim = mostDispensable(this.#strangers.get(address)?.connections ?? []);
    if (!victim) return false;
    this.#options.onDropped();
    this.#remove(victim);
    victim.socket.destroy();
    return true;
  }

  #heaviest(): string {
    let heaviest = '';
    let most = 0;
    for (const [address, { connections }] of this.#strangers) {
      if (connections.size <= most) continue;
      heaviest = address;
      most = connections.size;
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

  #strangersOf(address: string): Strangers {
    const there = this.#strangers.get(address) ?? {
      connections: new Set<Connection>(),
      awaitingKey: 0,
      replaced: 0,
      replacedSince: 0,
    };
    this.#strangers.set(address, there);
    return there;
  }

  #forgetStranger(connection: Connection): void {
    this.#endAwaiting(connection);
    const connections = this.#strangers.get(connection.address)?.connections;
    connections?.delete(connection);
    if (connections?.size === 0) this.#strangers.delete(connection.address);
  }

  #look(): void {
    this.#cutUnread();
    for (const address of this.#bans.keys()) this.#isBanned(address); // forgets those that have ended
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
