/** Hosts to listen on that this machine reaches by any name of its loopback. */
const LOCAL: ReadonlySet<string> = new Set(['0.0.0.0', '::', '127.0.0.1', '::1', 'localhost']);
const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '::1'];

/** The address of a server that listens on `host`, no slash at its end. */
export function urlOf(host: string, port: number): string {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

/** All addresses that are known to lead to a server on `host`, which is reached at `url` and, by others, at `publicUrl`. */
export function addressesOf(host: string, url: string, publicUrl: string): string[] {
  const port = Number(new URL(url).port);
  const local = LOCAL.has(host) ? LOOPBACK_NAMES.map((name) => urlOf(name, port)) : [];
  return [...new Set([publicUrl, url, ...local])];
}
