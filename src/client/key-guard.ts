import { lookup as lookUp } from 'node:dns/promises';
import { BlockList, isIP, isIPv6, type LookupFunction } from 'node:net';
import { InsecureHttpError } from './errors.ts';

/** An address that a name resolves to. */
interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/** Resolves a host name as the operating system does. */
export type ResolveHost = (host: string) => Promise<readonly ResolvedAddress[]>;

export const systemResolve: ResolveHost = async (host) => await lookUp(host, { all: true });

/** Networks that end at this machine or at its owner's router (RFC 1918, 4193, 3927, 6598 and loopback). */
const LOCAL_NETWORKS = [
  ['0.0.0.0', 32, 'ipv4'],
  ['10.0.0.0', 8, 'ipv4'],
  ['100.64.0.0', 10, 'ipv4'],
  ['127.0.0.0', 8, 'ipv4'],
  ['169.254.0.0', 16, 'ipv4'],
  ['172.16.0.0', 12, 'ipv4'],
  ['192.168.0.0', 16, 'ipv4'],
  ['::', 128, 'ipv6'],
  ['::1', 128, 'ipv6'],
  ['fc00::', 7, 'ipv6'],
  ['fe80::', 10, 'ipv6'],
] as const;

/** Whether an address is neither local to this machine nor in a private network. */
export function isPublicAddress(address: string): boolean {
  const local = new BlockList();
  for (const [network, prefix, family] of LOCAL_NETWORKS) local.addSubnet(network, prefix, family);
  const [bare = ''] = address.split('%'); // the zone of a link-local address
  return !local.check(bare, isIPv6(bare) ? 'ipv6' : 'ipv4'); // IPv4-mapped addresses are checked as IPv4
}

/**
 * Keeps an API key from crossing a public network in plain text: the key is sent to an `http:` URL only if
 * every address of the host is local or private.
 */
export class KeyGuard {
  readonly #origin: string;
  readonly #host: string;
  readonly #resolve: ResolveHost;

  /** @throws InsecureHttpError when the host is a public IP address */
  constructor(origin: string, resolve: ResolveHost) {
    this.#origin = origin;
    this.#host = new URL(origin).hostname.replace(/^\[(.*)\]$/, '$1');
    this.#resolve = resolve;
    if (isIP(this.#host) !== 0) this.#verify([{ address: this.#host, family: isIP(this.#host) }]);
  }

  /** For connections: the address checked is the one connected to, so DNS cannot change in between. */
  get lookup(): LookupFunction {
    return (host, options, callback) => {
      this.#addressesOf(host).then(
        (addresses) => {
          const wanted = addresses.filter(({ family }) => !options.family || family === options.family);
          const [first] = wanted.length > 0 ? wanted : addresses;
          if (options.all) callback(null, [...(wanted.length > 0 ? wanted : addresses)]);
          else callback(null, first?.address ?? '', first?.family);
        },
        (error: NodeJS.ErrnoException) => callback(error, ''),
      );
    };
  }

  /** For a caller's own dispatcher, whose connections we cannot check. @throws InsecureHttpError */
  async verify(): Promise<void> {
    if (isIP(this.#host) !== 0) return; // checked in the constructor
    await this.#addressesOf(this.#host).catch((cause: unknown) => {
      throw cause instanceof InsecureHttpError
        ? cause
        : new InsecureHttpError(this.#origin, undefined, cause);
    });
  }

  /** Textures come over the same connections from other hosts, without the key. */
  async #addressesOf(host: string): Promise<readonly ResolvedAddress[]> {
    const addresses = await this.#resolve(host);
    if (host === this.#host) this.#verify(addresses);
    return addresses;
  }

  #verify(addresses: readonly ResolvedAddress[]): void {
    const open = addresses.find(({ address }) => isPublicAddress(address));
    if (open) throw new InsecureHttpError(this.#origin, open.address);
  }
}
