import { type NamedProxy, type Proxies, proxyFor } from '../../base/proxies.ts';
import { type GameAddresses, readGameAddresses } from '../../game/addresses.ts';
import type { ServerOptions } from '../../server/server.ts';
import { type CliError, usageError } from '../errors/exit.ts';
import type { ServeOptions } from '../serve/options.ts';

/** The configured addresses of the game's services; undefined for the default ones. @throws CliError */
export function gameAddresses(env: NodeJS.ProcessEnv): GameAddresses | undefined {
  const text = env['SKINSMITH_GAME_ADDRESSES'];
  if (!text) return undefined;
  const { addresses, problem } = readGameAddresses(text);
  if (addresses) return addresses;
  throw usageError('invalid_setting', `SKINSMITH_GAME_ADDRESSES is invalid: ${problem}.`);
}

type GameSettings = Pick<ServerOptions, 'accountRules' | 'gameAddresses' | 'loginClientId'>;

const CLIENT_ID = /^[\w-]{1,64}$/;

/** How a service accesses the game; options override the environment. @throws CliError */
export function gameSettings(
  typed: Pick<ServeOptions, 'accountDelay' | 'loginClientId'>,
  env: NodeJS.ProcessEnv,
): GameSettings {
  const { accountDelay, loginClientId = env['SKINSMITH_LOGIN_CLIENT_ID'] } = typed;
  const addresses = gameAddresses(env);
  if (loginClientId && !CLIENT_ID.test(loginClientId)) {
    throw usageError(
      'invalid_setting',
      'The client ID for signing in must be one word of letters, digits and dashes, as Microsoft shows it.',
    );
  }
  return {
    loginClientId: loginClientId || undefined,
    ...(accountDelay !== undefined && { accountRules: { delay: accountDelay * 1000 } }),
    ...(addresses && { gameAddresses: addresses }),
  };
}

/** The variable that names the proxy of the addresses that callers name; a password has no place on a command line. */
const FETCH_PROXY = 'SKINSMITH_FETCH_PROXY';

/**
 * The proxies in the usual variables, lower case first; undefined: none. An unusable address fails only the connections
 * that would go through it.
 */
export function readProxies(env: NodeJS.ProcessEnv): Proxies | undefined {
  const http = firstOf(['http_proxy', 'HTTP_PROXY'], env);
  const https = firstOf(['https_proxy', 'HTTPS_PROXY'], env) ?? http;
  if (!http && !https) return undefined;
  return { http, https, except: env['no_proxy'] ?? env['NO_PROXY'] ?? '' };
}

/** @throws CliError if the proxy on the way to an address has none that can be used */
export function verifyProxies(proxies: Proxies | undefined, address: string): void {
  const proxy = proxies && proxyFor(new URL(address), proxies);
  if (proxy) verifyUsable(proxy);
}

/** The same for a service, which says at its start what is wrong. @throws CliError */
export function usableProxies(env: NodeJS.ProcessEnv): Proxies | undefined {
  const proxies = readProxies(env);
  for (const proxy of [proxies?.http, proxies?.https]) if (proxy) verifyUsable(proxy);
  return proxies;
}

function verifyUsable({ url, from }: NamedProxy): void {
  if (url === undefined) throw unusableProxy(from);
}

/** The proxy of a service for the addresses that callers name; the option overrides the environment. @throws CliError */
export function fetchProxies(typed: string | undefined, env: NodeJS.ProcessEnv): Proxies | undefined {
  if (typed?.includes('@')) {
    const message = 'A user name and password on the command line can be seen by others.';
    throw usageError('invalid_setting', message, `Set ${FETCH_PROXY} instead of --fetch-proxy.`);
  }
  const proxy = typed === undefined ? firstOf([FETCH_PROXY], env) : proxyAt(typed, '--fetch-proxy');
  if (proxy) verifyUsable(proxy);
  return proxy && { http: proxy, https: proxy, except: '' };
}

function firstOf(names: readonly string[], env: NodeJS.ProcessEnv): NamedProxy | undefined {
  const name = names.find((one) => env[one] !== undefined);
  const text = name === undefined ? '' : (env[name]?.trim() ?? '');
  return name === undefined || text === '' ? undefined : proxyAt(text, name);
}

function proxyAt(text: string, from: string): NamedProxy {
  const url = URL.parse(/^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `http://${text}`);
  return { url: url && isAddress(url) && isReadable(url) ? url.href : undefined, from };
}

/** A / in the password ends the host: the rest of it is in the path. */
function isAddress({ protocol, hostname, pathname, search, hash }: URL): boolean {
  return /^https?:$/.test(protocol) && hostname !== '' && `${pathname}${search}${hash}` === '/';
}

function isReadable({ username, password }: URL): boolean {
  try {
    decodeURIComponent(`${username}${password}`);
    return true;
  } catch {
    return false; // a % that begins nothing
  }
}

/** Does not repeat the address: it may hold a password. */
function unusableProxy(from: string): CliError {
  return usageError(
    'invalid_setting',
    `${from} must be the address of an http or https proxy, like http://proxy.example.org:3128.`,
    'In a user name or password, encode special characters: %2F (/), %40 (@), %25 (%) and so on.',
  );
}
