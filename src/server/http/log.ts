import type { ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { inspect } from 'node:util';
import ipaddr from 'ipaddr.js';
import { parseUnmapped } from '../outbound/addresses.ts';
import type { Caller } from '../service/callers/caller.ts';

/** How much is logged; each level includes the ones before it. */
export type LogLevel = 'silent' | 'error' | 'warn' | 'info' | 'debug';

/** How much of a caller's address is logged: all of it, its network (/24, /48), or nothing. */
export type LogAddresses = 'full' | 'short' | 'none';

/** Where the lines go. */
export interface LogStream {
  write(line: string): unknown;
}

/** What a line is about, and its message. */
type Line = [details: object, message: string] | [message: string];

/** Numbers of the levels as widely used programs for logs know them. */
const LEVELS = { debug: 20, info: 30, warn: 40, error: 50 } as const;

export interface LogOptions {
  readonly level: LogLevel;
  readonly stream: LogStream;
  readonly now: () => number;
  /** Fields of each line. */
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** What the parts of the service log with; each line goes to one `Log`. */
export type ServiceLog = Pick<Log, 'info' | 'warn' | 'error'>;

/**
 * One JSON line per event. A request is logged by its path only; headers and query are never logged, and anything that
 * looks like a key is removed from every line.
 */
export class Log {
  readonly #options: LogOptions;
  readonly #least: number;

  constructor(options: LogOptions) {
    this.#options = options;
    this.#least = options.level === 'silent' ? Number.POSITIVE_INFINITY : LEVELS[options.level];
  }

  /** The same log, with the name of a request in each line. */
  of(request: string): Log {
    return new Log({ ...this.#options, fields: { request } });
  }

  info(...line: Line): void {
    this.#write(LEVELS.info, line);
  }

  warn(...line: Line): void {
    this.#write(LEVELS.warn, line);
  }

  error(details: object, message: string): void {
    this.#write(LEVELS.error, [details, message]);
  }

  /** Whether each request has a line. */
  get hasRequests(): boolean {
    return this.#least <= LEVELS.info;
  }

  #write(level: number, line: Line): void {
    if (level < this.#least) return;
    const { stream, now, fields } = this.#options;
    const [details, msg] = line.length === 1 ? [{}, line[0]] : line;
    const source = { pid: process.pid, hostname: hostname(), ...fields };
    const text = JSON.stringify({ level, time: now(), ...source, ...readable(details), msg });
    stream.write(`${withoutKeys(text)}\n`);
  }
}

/** JSON has no errors. */
function readable(details: object): object {
  const entries = Object.entries(details).map(([name, value]) => [
    name,
    value instanceof Error ? { type: value.name, message: value.message, stack: inspect(value) } : value,
  ]);
  return Object.fromEntries(entries);
}

/** Any API key of this service, anywhere in a line: also in an address that was requested by mistake. */
const KEYS = /sksm_[0-9a-z]+|(?<=\bbearer )[^\s"\\]+/gi;

function withoutKeys(line: string): string {
  return line.replace(KEYS, '…');
}

export interface RequestEnd {
  readonly request: { readonly method: string; readonly url: string; readonly address: string };
  readonly response: ServerResponse;
  /** Undefined if the route does not authenticate. */
  readonly caller: Caller | undefined;
  readonly milliseconds: number;
  readonly addresses: LogAddresses;
}

/** Logs the line of a request. */
export function logRequest(
  log: Log,
  { request: { method, url, address }, response, caller, milliseconds, addresses }: RequestEnd,
): void {
  const line = {
    method,
    path: url.split('?', 1)[0] ?? '',
    status: response.statusCode,
    ms: Math.round(milliseconds * 10) / 10,
    ...describeCaller(caller),
    ...describeAddress(address, addresses),
    // The caller disconnected before it had its answer.
    ...(!response.writableFinished && { aborted: true }),
  };
  log.info(line, 'request');
}

/** An anonymous caller is identified by its address, so it is left out here. */
function describeCaller(caller: Caller | undefined): Record<string, string> {
  if (!caller) return {};
  if (caller.kind === 'anonymous') return { caller: 'anonymous' };
  return { caller: caller.kind, user: caller.id, ...(caller.key && { key: caller.key.id }) };
}

export function describeAddress(address: string, how: LogAddresses): Record<string, string> {
  if (how === 'none' || isIP(address) === 0) return {};
  return { address: how === 'full' ? address : shortened(address) };
}

/** A network that many share, not the one that counts as a caller: `192.0.2.0/24`, `2001:db8:1::/48`. */
function shortened(address: string): string {
  const parsed = parseUnmapped(address);
  const bits = parsed.kind() === 'ipv4' ? 24 : 48;
  const kind = parsed.kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6;
  return `${kind.networkAddressFromCIDR(`${parsed}/${bits}`)}/${bits}`;
}
