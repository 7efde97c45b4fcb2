import type { IncomingMessage, ServerResponse } from 'node:http';
import { isInside } from '../outbound/target.ts';
import { Refusal } from '../service/refusal.ts';
import type { Head } from './route.ts';

/** Maximum number of headers per request. */
const MAX_HEADERS = 100;
/** Headers that Node must keep so that a request with too many is noticed. */
export const KEPT_HEADERS = MAX_HEADERS + 1;

/** The head of a request over the network. Call it while the connection is open: a closed one has no address. */
export function networkHead(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  isProxy: (address: string) => boolean,
): Head {
  const { method = 'GET', url = '/', headers } = incoming;
  let signal: AbortSignal | undefined;
  return {
    method,
    url,
    headers,
    ...originIn(incoming, isProxy),
    content: hasBody(incoming) ? incoming.iterator({ destroyOnReturn: false }) : undefined,
    problem: problemOf(incoming),
    get signal() {
      signal ??= signalOf(outgoing);
      return signal;
    },
  };
}

function problemOf({ headersDistinct, rawHeaders, httpVersion }: IncomingMessage): Refusal | undefined {
  const hosts = headersDistinct['host']?.length ?? 0;
  // With two, a proxy in front of the service might use the other one.
  if (hosts > 1 || (hosts === 0 && httpVersion !== '1.0'))
    return new Refusal('invalid_request', hosts > 1 ? 'Send one Host header only.' : 'Send a Host header.');
  if (rawHeaders.length / 2 > MAX_HEADERS)
    return new Refusal('invalid_request', { status: 431, message: 'There are too many headers.' });
  return undefined;
}

export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function signalOf(outgoing: ServerResponse): AbortSignal {
  const closed = new AbortController();
  if (outgoing.closed) closed.abort();
  else outgoing.once('close', () => closed.abort());
  return closed.signal;
}

/** The caller's address and the host that it addressed. Proxies put both into headers; each appends itself. */
function originIn(
  { socket, headers }: IncomingMessage,
  isProxy: (address: string) => boolean,
): Pick<Head, 'address' | 'host'> {
  const { remoteAddress: address = '' } = socket;
  const { host = '' } = headers;
  if (!isProxy(address)) return { address, host };
  return {
    address: forwardedFor(headers['x-forwarded-for'], isProxy) ?? address,
    host: listIn(headers['x-forwarded-host']).at(-1) || host,
  };
}

/** The caller's address, as a trusted proxy reports it if there is one. */
export function callerAddress(incoming: IncomingMessage, isProxy: (address: string) => boolean): string {
  return originIn(incoming, isProxy).address;
}

/** The last address that is not a trusted proxy's; if all are, the first. */
function forwardedFor(
  header: string | string[] | undefined,
  isProxy: (address: string) => boolean,
): string | undefined {
  const addresses = listIn(header).filter(Boolean);
  return addresses.findLast((address) => !isProxy(address)) ?? addresses[0];
}

function listIn(header: string | string[] | undefined): string[] {
  return String(header ?? '')
    .split(',')
    .map((one) => one.trim());
}

/** Names for networks, as in the configuration of reverse proxies. */
const NAMED_NETWORKS: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

/** Whether an address is one of the proxies in `--trust-proxy`. */
export function proxyTest(trusted: string | undefined): (address: string) => boolean {
  const names = (trusted ?? '').split(',').map((one) => one.trim());
  const networks = names.filter(Boolean).flatMap((one) => NAMED_NETWORKS[one] ?? [one]);
  return (address) => networks.some((network) => isInside(address, network));
}
