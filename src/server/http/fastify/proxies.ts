import { isInside } from '../../service/callers/caller.ts';

/** Names for networks, as in Fastify. */
const NAMED: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

/** Whether an address is one of the proxies in `--trust-proxy`. */
export function proxyTest(trusted: string | undefined): (address: string) => boolean {
  const names = (trusted ?? '').split(',').map((one) => one.trim());
  const networks = names.filter(Boolean).flatMap((one) => NAMED[one] ?? [one]);
  return (address) => networks.some((network) => isInside(address, network));
}
