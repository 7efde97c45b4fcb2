import { BADNAME, NODATA, NOTFOUND, Resolver } from 'node:dns/promises';
import type { LookupFunction, Socket } from 'node:net';
import type { buildConnector } from 'undici';
import {
  type BoundedAnswer,
  type BoundedRequest,
  FetchError,
  fetchBounded,
  firstOf,
} from '../../base/bounded-fetch.ts';
import { openSender, type Proxies, type Sender } from '../../base/proxies.ts';
import {
  allowedAddresses,
  asOutboundError,
  type Destination,
  literalOf,
  OutboundError,
  type OutboundPolicy,
  parseTarget,
} from './target.ts';

/** All addresses of a host name; none if it does not exist. Rejects if the name servers give no answer. */
export type ResolveName = (name: string) => Promise<readonly string[]>;

/** Time limit for a name server in milliseconds, and the number of tries. */
const TIMES = { timeout: 2_000, tries: 2 };
const LOOPBACK = ['127.0.0.1', '::1'];

/**
 * Queries the system's name servers. Does not use getaddrinfo, which occupies one of the four threads that sign skins
 * for as long as a name server takes. The drawback: it does not read the hosts file.
 */
export function systemResolve(
  resolver: Pick<Resolver, 'resolve4' | 'resolve6'> = new Resolver(TIMES),
): ResolveName {
  return async (name) => {
    if (/(^|\.)localhost\.?$/i.test(name)) return LOOPBACK; // RFC 6761: never resolved
    const found = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const addresses = found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
    const failed = found.find((one) => one.status === 'rejected' && !NO_ADDRESS.has(one.reason?.code));
    if (addresses.length === 0 && failed?.status === 'rejected') throw failed.reason;
    return addresses;
  };
}

/**
 * Errors of name servers that mean that there is no address: an unknown name, no record of that type, or a name that
 * cannot exist, such as `a..b`.
 */
const NO_ADDRESS: ReadonlySet<unknown> = new Set([NOTFOUND, NODATA, BADNAME]);

export interface GuardedAgentOptions {
  readonly policy: OutboundPolicy;
  /**
   * Proxies to go through. They look names up themselves, so they must refuse private networks themselves; only an address
   * without a name is checked here.
   */
  readonly proxies?: Proxies | undefined;
  /** Whether a host's connections, each of them checked, are kept for further requests to it. Default: false. */
  readonly keepsConnections?: boolean;
  /** Name server and network; replaceable for tests. */
  readonly resolve?: ResolveName;
  readonly dial?: typeof buildConnector;
}

/** The way out of the service to addresses from outside: every address it connects to itself has been checked. */
export interface GuardedAgent {
  readonly policy: OutboundPolicy;
  /** Sends requests; its package loads on first use. */
  sender(): Promise<Pick<Sender, 'request'>>;
  /** Aborts the requests in progress. */
  close(): Promise<void>;
}

/** Milliseconds. The time limit for a whole request is up to the caller. */
const CONNECT_TIMEOUT = 5_000;
const SILENCE_TIMEOUT = 10_000;
/** Maximum addresses of a host: no honest one has more. */
const MAX_ADDRESSES = 16;

export function makeGuardedAgent(options: GuardedAgentOptions): GuardedAgent {
  let opened: Promise<Sender> | undefined;
  return {
    policy: options.policy,
    sender: async () => {
      opened ??= openGuarded(options);
      return await opened;
    },
    close: async () => await (await opened)?.destroy(),
  };
}

async function openGuarded({
  policy,
  proxies,
  keepsConnections,
  resolve,
  dial,
}: GuardedAgentOptions): Promise<Sender> {
  const { buildConnector } = await import('undici');
  const tools = { policy, resolve: resolve ?? systemResolve(), dial: dial ?? buildConnector };
  return await openSender(proxies, {
    connect: guardedConnector(tools),
    allowH2: false,
    pipelining: keepsConnections ? 1 : 0,
    headersTimeout: SILENCE_TIMEOUT,
    bodyTimeout: SILENCE_TIMEOUT,
  });
}

type Connector = ReturnType<typeof buildConnector>;

function guardedConnector({
  policy,
  resolve,
  dial,
}: Required<Omit<GuardedAgentOptions, 'proxies' | 'keepsConnections'>>): Connector {
  return (options, callback) => {
    const { hostname, protocol } = options;
    const port = Number(options.port) || (protocol === 'https:' ? 443 : 80);
    const heading: Destination = { host: hostname, port, policy };
    const literal = literalOf(hostname);
    try {
      if (literal !== undefined) allowedAddresses([literal], heading); // a literal address needs no look-up
    } catch (error) {
      callback(error as Error, null);
      return;
    }
    const lookup = guardedLookup(resolve, heading);
    const connect = dial({ allowH2: false, timeout: CONNECT_TIMEOUT, maxCachedSessions: 0, lookup });
    connect(options, (...[error, socket]) => {
      const wrong = error ?? whereWrong(socket, heading);
      if (wrong === null) return callback(null, socket as Socket);
      socket?.destroy();
      callback(wrong, null);
    });
  };
}

/** Gives the socket only addresses that have been checked. */
function guardedLookup(resolve: ResolveName, heading: Destination): LookupFunction {
  return (name, { all }, callback) => {
    findAddresses(resolve, name, heading).then(
      (found) => {
        const addresses = found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
        const [first] = addresses;
        if (all || !first) callback(null, addresses);
        else callback(null, first.address, first.family);
      },
      (error: Error) => callback(error, []),
    );
  };
}

async function findAddresses(resolve: ResolveName, name: string, heading: Destination): Promise<string[]> {
  const addresses = await resolve(name).catch((cause) => {
    throw new OutboundError('unreachable', `The name servers could not look up ${name}.`, cause);
  });
  if (addresses.length === 0) throw new OutboundError('unresolved', `No host ${name}.`);
  return allowedAddresses(addresses.slice(0, MAX_ADDRESSES), heading);
}

/** The final check, of the address the connection actually reached; nothing has been sent over it yet. */
function whereWrong(socket: Socket | null, heading: Destination): Error | null {
  const address = socket?.remoteAddress;
  if (address === undefined)
    return new OutboundError('broken_off', `${heading.host} closed the connection without an answer.`);
  try {
    allowedAddresses([address], heading);
    return null;
  } catch (error) {
    return error as Error;
  }
}

export interface GuardedRequest extends Pick<BoundedRequest, 'method' | 'timeout' | 'maxBytes' | 'signal'> {
  readonly url: string;
  /** Sent only to the host of `url`, not to hosts that it redirects to. Lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** `ignored`: only the status matters; the body is cut off after `maxBytes`. */
  readonly answer: 'whole' | 'ignored';
  /** For a GET; 0: a redirect is returned like any other answer. */
  readonly maxRedirects: number;
}

export interface GuardedAnswer extends Pick<BoundedAnswer, 'status' | 'bytes'> {
  readonly contentType: string | undefined;
  /** The final URL, after redirects. */
  readonly url: string;
}

/**
 * Sends a request to an address from an untrusted source, within limits, and checks each redirect again.
 * @throws OutboundError; the signal's reason when aborted
 */
export async function fetchGuarded(agent: GuardedAgent, request: GuardedRequest): Promise<GuardedAnswer> {
  const { policy } = agent;
  const { maxRedirects: max, answer } = request;
  const first = parseTarget(request.url, policy);
  try {
    const { status, headers, bytes, url } = await fetchBounded(await agent.sender(), {
      ...request,
      url: first,
      headers: ({ origin }) => (origin === first.origin && request.headers) || {},
      reads: () => (answer === 'whole' ? 'whole' : 'start'),
      ...(max > 0 && { redirects: { max, target: (to, from) => parseTarget(to, policy, from) } }),
    });
    return { status, contentType: firstOf(headers['content-type']), bytes, url: url.href };
  } catch (error) {
    if (!(error instanceof FetchError)) throw error;
    const { code, host, message, cause } = error;
    if (code === 'broken') throw asOutboundError(cause, host);
    throw new OutboundError(code, `${host} ${message}.`, cause);
  }
}
