import { Resolver } from 'node:dns/promises';

/** All addresses of a host name; none when there is no such host. */
export type Resolve = (name: string) => Promise<readonly string[]>;

/** Milliseconds a name server is waited for, and how often it is asked. */
const TIMES = { timeout: 2_000, tries: 2 };
const LOOPBACK = ['127.0.0.1', '::1'];

/**
 * Asks the system's name servers. Not getaddrinfo: that takes one of the four threads that skins are signed
 * on, for as long as somebody's name server likes. The price: the hosts file is not read.
 */
export function systemResolve(): Resolve {
  const resolver = new Resolver(TIMES);
  return async (name) => {
    if (/(^|\.)localhost\.?$/i.test(name)) return LOOPBACK; // RFC 6761: never asked for
    const found = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    return found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  };
}
