import { Resolver } from 'node:dns/promises';

/** All addresses of a host name; none when there is no such host. */
export type Resolve = (name: string) => Promise<readonly string[]>;

/** Time limit for a name server in milliseconds, and the number of tries. */
const TIMES = { timeout: 2_000, tries: 2 };
const LOOPBACK = ['127.0.0.1', '::1'];

/**
 * Queries the system's name servers. Does not use getaddrinfo, which occupies one of the four threads that sign skins
 * for as long as a name server takes. The drawback: it does not read the hosts file.
 */
export function systemResolve(): Resolve {
  const resolver = new Resolver(TIMES);
  return async (name) => {
    if (/(^|\.)localhost\.?$/i.test(name)) return LOOPBACK; // RFC 6761: never resolved
    const found = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    return found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  };
}
