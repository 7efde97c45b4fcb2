import { BADNAME, NODATA, NOTFOUND, Resolver } from 'node:dns/promises';

/** All addresses of a host name; none when there is no such host. Rejects when the name servers cannot tell. */
export type Resolve = (name: string) => Promise<readonly string[]>;

/** Time limit for a name server in milliseconds, and the number of tries. */
const TIMES = { timeout: 2_000, tries: 2 };
const LOOPBACK = ['127.0.0.1', '::1'];

/**
 * Queries the system's name servers. Does not use getaddrinfo, which occupies one of the four threads that sign skins
 * for as long as a name server takes. The drawback: it does not read the hosts file.
 */
export function systemResolve(
  resolver: Pick<Resolver, 'resolve4' | 'resolve6'> = new Resolver(TIMES),
): Resolve {
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
 * Errors of name servers that mean that there is no address: no such name, no record of that type, or a name that
 * cannot exist, such as `a..b`.
 */
const NO_ADDRESS: ReadonlySet<unknown> = new Set([NOTFOUND, NODATA, BADNAME]);
