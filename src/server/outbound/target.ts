import { isIP } from 'node:net';
import { judgeAddress, type Network } from './addresses.ts';
import { OutboundError } from './outbound-error.ts';

/** Where the service may go. */
export interface OutboundPolicy {
  /** Networks of the operator's own that may be reached, at any port. */
  readonly networks: readonly Network[];
  /** Ports that may be reached everywhere. */
  readonly ports: readonly number[];
}

/** Ports of the web. */
export const WEB_PORTS: readonly number[] = [80, 443];
/** Longest URL that is gone to, in characters: a redirect may name any. */
const MAX_LENGTH = 2_048;

/**
 * An address to go to, as far as it can be judged before its name is looked up.
 * @throws OutboundError `bad_url`, `address_refused`, `port_refused`
 */
export function parseTarget(text: string, policy: OutboundPolicy, base?: URL): URL {
  const url = text.length > MAX_LENGTH ? null : URL.parse(text, base?.href);
  if (!url) throw new OutboundError('bad_url', 'This is not a valid URL.');
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new OutboundError('bad_url', 'Only http and https URLs are taken.');
  }
  if (url.username !== '' || url.password !== '') {
    throw new OutboundError('bad_url', 'A URL with a user name or password in it is not taken.');
  }
  const address = literalOf(url.hostname);
  if (address !== undefined) choose([address], { host: url.hostname, port: portOf(url), policy });
  else if (policy.networks.length === 0) verifyPort(portOf(url), policy);
  return url;
}

/** Which way a connection is to go. */
export interface Heading {
  readonly host: string;
  readonly port: number;
  readonly policy: OutboundPolicy;
}

/**
 * Those of a host's addresses that may be connected to at this port.
 * @throws OutboundError `address_refused`, `port_refused` when there are none
 */
export function choose(addresses: readonly string[], { host, port, policy }: Heading): string[] {
  const judged = addresses.map((address) => ({ address, ...judgeAddress(address, policy.networks) }));
  const reachable = judged.filter((one) => one.allowed);
  if (reachable.length === 0) {
    const why = judged.find((one) => !one.allowed)?.why ?? 'no address';
    // Of a name no more is told than that: what it stands for inside is nobody's business.
    const message =
      literalOf(host) === undefined
        ? `${host} leads to a private address, which this service does not go to.`
        : `${host} is ${why}, which this service does not go to.`;
    throw new OutboundError('address_refused', message);
  }
  const chosen = reachable.filter(({ isOwn }) => isOwn || policy.ports.includes(port));
  if (chosen.length === 0) verifyPort(port, policy);
  return chosen.map(({ address }) => address);
}

/** The IP address that a URL's host is; undefined when it is a name. */
export function literalOf(host: string): string | undefined {
  const bare = host.startsWith('[') ? host.slice(1, -1) : host;
  return isIP(bare) === 0 ? undefined : bare;
}

function portOf({ port, protocol }: URL): number {
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
}

function verifyPort(port: number, { ports }: OutboundPolicy): void {
  if (ports.includes(port)) return;
  throw new OutboundError(
    'port_refused',
    `This service goes to the ports ${ports.join(' and ')} only, not to ${port}.`,
  );
}
