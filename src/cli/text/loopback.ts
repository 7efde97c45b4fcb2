import { isIP } from 'node:net';

/** Whether a host, as in a URL or as an address, is always the machine itself. */
export function isLoopback(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}
