import { BlockList, isIP } from 'node:net';
import type { Agent, Dispatcher } from 'undici';
import { NO_PROXY_ADDRESS, ProxyError } from './error-reasons.ts';

/** An http or https proxy. */
export interface NamedProxy {
  /**
   * Its address, which may have a user name and a password; undefined: the variable or option has no usable address.
   */
  readonly url: string | undefined;
  /** The variable or option that names it. */
  readonly from: string;
}

/** The proxies that connections go through. */
export interface Proxies {
  /** For http and https addresses; undefined: directly. */
  readonly http: NamedProxy | undefined;
  readonly https: NamedProxy | undefined;
  /** Hosts that are reached directly, in the form of NO_PROXY: names, domains, addresses, networks, `*`. */
  readonly except: string;
}

/** Sends requests over the network: the part of an undici dispatcher that we use. */
export interface Sender {
  request(options: Dispatcher.RequestOptions): Promise<Dispatcher.ResponseData>;
  /** Resolves when the requests under way have ended. */
  close(): Promise<void>;
  /** Aborts them. */
  destroy(): Promise<void>;
}

/** Never requested through a proxy, which would reach itself there. */
const LOOPBACK = 'localhost,127.0.0.0/8,::1';

/** The proxy on the way to an address; undefined: it is reached directly. */
export function proxyFor(address: URL, { http, https, except }: Proxies): NamedProxy | undefined {
  const proxy = address.protocol === 'https:' ? https : http;
  return proxy && !isListed(address, `${LOOPBACK},${except}`) ? proxy : undefined;
}

/** The proxy for messages: without user name and password. */
export function proxyName({ url, from }: NamedProxy): string {
  if (url === undefined) return `the proxy in ${from}`;
  const { protocol, host } = new URL(url);
  return `the proxy ${protocol}//${host} (${from})`;
}

function isListed({ hostname, port, protocol }: URL, list: string): boolean {
  const host = hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
  const places = { host, port: port || (protocol === 'https:' ? '443' : '80') };
  return list.split(/[\s,]+/).some((entry) => matches(entry.toLowerCase(), places));
}

/** An entry may end with a port. A name also covers the domains below it. */
function matches(entry: string, { host, port }: { readonly host: string; readonly port: string }): boolean {
  const [, bracketed, plain, only] = /^(?:\[(.*)\]|([^:]*|.*:.*:.*?))(?::(\d+))?$/.exec(entry) ?? [];
  const name = bracketed ?? plain ?? '';
  if (name === '' || (only !== undefined && only !== port)) return false;
  if (name === '*') return true;
  if (isIP(host) !== 0) return isInNetwork(host, name);
  const domain = name.replace(/^\*?\./, '').replace(/\.$/, '');
  return host === domain || host.endsWith(`.${domain}`);
}

function isInNetwork(host: string, text: string): boolean {
  const [address = '', bits] = text.split('/');
  const family = isIP(address);
  const prefix = Number(bits ?? (family === 4 ? 32 : 128));
  if (family === 0 || !Number.isInteger(prefix) || prefix < 0 || prefix > (family === 4 ? 32 : 128))
    return false;
  const network = new BlockList();
  network.addSubnet(address, prefix, family === 4 ? 'ipv4' : 'ipv6');
  return network.check(host, isIP(host) === 4 ? 'ipv4' : 'ipv6');
}

/** Milliseconds for a proxy to connect to the host that a request is for. */
const TUNNEL_TIMEOUT = 20_000;

/** What sends requests, through the proxies if there are any. `options`: of the agents, `connect` of the direct one. */
export async function openSender(
  proxies: Proxies | undefined,
  { connect, ...options }: Agent.Options = {},
): Promise<Sender> {
  const { Agent, Pool, ProxyAgent } = await import('undici');
  const direct = new Agent({ ...options, ...(connect && { connect }) });
  if (!proxies) return direct;
  const clientFactory = (proxy: URL, of: object) =>
    new Pool(proxy, { ...of, headersTimeout: TUNNEL_TIMEOUT });
  return new ProxiedSender(proxies, direct, (uri) => new ProxyAgent({ ...options, uri, clientFactory }));
}

class ProxiedSender implements Sender {
  readonly #proxies: Proxies;
  readonly #direct: Dispatcher;
  readonly #make: (url: string) => Dispatcher;
  readonly #agents = new Map<string, Dispatcher>();

  constructor(proxies: Proxies, direct: Dispatcher, make: (url: string) => Dispatcher) {
    this.#proxies = proxies;
    this.#direct = direct;
    this.#make = make;
  }

  /** @throws ProxyError */
  async request(options: Dispatcher.RequestOptions): Promise<Dispatcher.ResponseData> {
    const proxy = proxyFor(new URL(String(options.origin)), this.#proxies);
    if (!proxy) return await this.#direct.request(options);
    try {
      return await this.#through(proxy).request(options);
    } catch (cause) {
      throw new ProxyError(proxyName(proxy), cause);
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#direct, ...this.#agents.values()].map((agent) => agent.close()));
  }

  async destroy(): Promise<void> {
    await Promise.all([this.#direct, ...this.#agents.values()].map((agent) => agent.destroy()));
  }

  #through({ url }: NamedProxy): Dispatcher {
    if (url === undefined) throw noAddress();
    const agent = this.#agents.get(url) ?? this.#make(url);
    this.#agents.set(url, agent);
    return agent;
  }
}

function noAddress(): Error {
  return Object.assign(new Error('its address is not that of an http or https proxy'), {
    code: NO_PROXY_ADDRESS,
  });
}
