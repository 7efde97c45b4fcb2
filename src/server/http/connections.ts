import { IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../../base/clock.ts';
import { Allowances } from '../fairness.ts';
import { REQUEST_LIMITS, type RequestLimits } from '../service/limits.ts';
import { hasBody } from './request.ts';

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
  /** Time from the first byte of a request to the end of its headers, and to its end. */
  readonly headersTimeout: number;
  readonly requestTimeout: number;
  /** How long an idle connection is kept. */
  readonly keepAliveTimeout: number;
}

export const NETWORK_LIMITS: NetworkLimits = {
  maxConnections: 2_000,
  maxConnectionsPerAddress: 100,
  unreadTimeout: 20_000,
  maxUnfinished: 32 * 1024 * 1024,
  ...REQUEST_LIMITS,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 10_000,
};

/** Connections that one user may have in addition to those of the user's address. */
const MAX_PER_USER = 200;
/** Milliseconds for which an address is blocked after one of its connections sent too much at once. */
const BAN = 10_000;

interface ConnectionsOptions extends Pick<NetworkLimits, 'maxConnections' | 'maxConnectionsPerAddress'> {
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

/** Memory of each piece of a body besides its content, in bytes. */
const PIECE = 512;
/** Largest size of a small piece, in bytes. Network packets and clients' buffers hold more. */
const SMALL = 256;
/** Small pieces allowed per body. Clients send a few, for the headers of a form's parts. */
const MAX_SMALL_PIECES = 1_000;
/** Small pieces that a sender may send at once, and again each minute. */
const SMALL_PIECES_PER_MINUTE = 20_000;
const MANY_SENDERS = 1_000;

interface UnfinishedBodiesOptions {
  /** Maximum bytes of all bodies together. */
  readonly most: number;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly onDropped: () => void;
  /** Called after a connection was closed because it sent a body in too many small pieces. */
  readonly onFlood: (socket: Socket) => void;
}

interface Body {
  readonly message: CountedMessage;
  /** The sender whose small pieces are counted together; undefined: only those of this connection. */
  readonly sender: string | undefined;
  /** The unauthenticated sender whose memory it takes; undefined: a user's body, or one that is over. */
  holder: string | undefined;
  bytes: number;
  smallPieces: number;
}

/** A request whose body is counted without being read. */
export class CountedMessage extends IncomingMessage {
  onPiece: ((bytes: number) => void) | undefined;
  onEnd: (() => void) | undefined;

  /** Node calls this with each piece of the body, and with null at its end. */
  override push(piece: Buffer | null, encoding?: BufferEncoding): boolean {
    if (piece === null) this.onEnd?.();
    else this.onPiece?.(piece.length);
    // Drops what was read along with the piece that closed the connection.
    return this.socket.destroyed && piece !== null ? false : super.push(piece, encoding);
  }
}

/**
 * The incomplete request bodies. Pieces cost more memory than bytes: a body in single bytes takes hundreds of times
 * its size. So each body and each sender may send few small pieces; with more, the connection is closed. If the bodies
 * of unauthenticated senders take too much memory together, the largest body of the sender with the most bytes is cut
 * off, so that nobody else is affected.
 */
export class UnfinishedBodies {
  readonly #options: UnfinishedBodiesOptions;
  readonly #bodies = new Map<IncomingMessage, Body>();
  readonly #allowances = new Allowances(SMALL_PIECES_PER_MINUTE, MANY_SENDERS);
  #bytes = 0;

  constructor(options: UnfinishedBodiesOptions) {
    this.#options = options;
  }

  /** Counts the body of a request from its first byte, before the caller is known. */
  follow(
    message: IncomingMessage,
    response: ServerResponse,
    { sender, holder }: Pick<Body, 'sender' | 'holder'>,
  ): void {
    if (!(message instanceof CountedMessage) || !hasBody(message)) return;
    const body: Body = { message, sender, holder, bytes: 0, smallPieces: 0 };
    this.#bodies.set(message, body);
    message.onPiece = (bytes) => this.#add(body, bytes);
    const forget = () => this.#forget(body);
    message.onEnd = forget;
    message.once('close', forget);
    response.once('close', forget);
    // Runs before Node drops the rest of an unread body, whose pieces would not be counted.
    response.prependOnceListener('finish', () => {
      if (!message.complete) message.resume();
    });
  }

  /** Call when the caller is known: an unauthenticated sender, or undefined for a user, whose plan sets the limits. */
  attribute(message: IncomingMessage, stranger: string | undefined): void {
    const body = this.#bodies.get(message);
    if (body?.holder !== undefined) this.#holdFor(body, stranger);
  }

  #holdFor(body: Body, holder: string | undefined): void {
    if (body.holder !== undefined && holder === undefined) this.#bytes -= body.bytes;
    body.holder = holder;
  }

  #forget(body: Body): void {
    this.#holdFor(body, undefined);
    this.#bodies.delete(body.message);
  }

  #add(body: Body, bytes: number): void {
    if (body.message.socket.destroyed) return; // came with the piece that closed the connection
    if (bytes < SMALL && !this.#mayBeSmall(body)) return;
    if (body.holder === undefined) return;
    body.bytes += bytes + PIECE;
    this.#bytes += bytes + PIECE;
    if (this.#bytes > this.#options.most) this.#cut(this.#largest());
  }

  /** Counts a small piece. Beyond the limit, closes the connection, or all of the sender's with a body. */
  #mayBeSmall(body: Body): boolean {
    if (++body.smallPieces > MAX_SMALL_PIECES) this.#flooded(body);
    else if (!this.#isAffordable(body.sender)) {
      const others = [...this.#bodies.values()].filter(({ sender }) => sender === body.sender);
      for (const one of new Set([body, ...others])) this.#flooded(one);
    }
    return !body.message.socket.destroyed;
  }

  #isAffordable(sender: string | undefined): boolean {
    if (sender === undefined) return true;
    return --this.#allowances.of(sender, this.#options.clock.monotonic()).left >= 0;
  }

  #flooded(body: Body): void {
    this.#cut(body);
    this.#options.onFlood(body.message.socket);
  }

  #cut(body: Body): void {
    this.#forget(body);
    this.#options.onDropped();
    body.message.socket.destroy();
  }

  #largest(): Body {
    const held = [...this.#bodies.values()].filter(({ holder }) => holder !== undefined);
    const sums = new Map<string, number>();
    for (const { holder, bytes } of held) sums.set(holder!, (sums.get(holder!) ?? 0) + bytes);
    const [heaviest] = [...sums].reduce((most, one) => (one[1] > most[1] ? one : most));
    const own = held.filter(({ holder }) => holder === heaviest);
    return own.reduce((most, body) => (body.bytes > most.bytes ? body : most));
  }
}
