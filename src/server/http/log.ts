import type { ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { inspect } from 'node:util';
import ipaddr from 'ipaddr.js';
import { parseUnmapped } from '../outbound/target.ts';
import type { Caller } from '../service/callers.ts';

/** What to log; each level includes the ones before it. */
export type LogLevel = 'silent' | 'error' | 'warn' | 'info' | 'debug';

/** What to log of a caller's address: all of it, its network (/24, /48), or nothing. */
export type LogAddresses = 'full' | 'short' | 'none';

export interface LogStream {
  write(line: string): unknown;
}

/** A line's fields and its message. */
type Line = [details: object, message: string] | [message: string];

/** The numbers of the levels in pino, which log viewers know. */
const LEVELS = { debug: 20, info: 30, warn: 40, error: 50 } as const;

interface LogOptions {
  readonly level: LogLevel;
  readonly stream: LogStream;
  readonly now: () => number;
  /** Fields for every line. */
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** The part of `Log` that the rest of the service uses. */
export type ServiceLog = Pick<Log, 'info' | 'warn' | 'error'>;

/**
 * Writes one JSON line per event. Of a request's address, it logs only the path; it never logs headers or queries, and
 * removes anything that looks like a key from every line.
 */
export class Log {
  readonly #options: LogOptions;
  readonly #least: number;

  constructor(options: LogOptions) {
    this.#options = options;
    this.#least = options.level === 'silent' ? Number.POSITIVE_INFINITY : LEVELS[options.level];
  }

  /** The same log, with a request's ID in each line. */
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

  /** Whether each request is logged. */
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

/** JSON cannot hold errors. */
function readable(details: object): object {
  const entries = Object.entries(details).map(([name, value]) => [
    name,
    value instanceof Error ? { type: value.name, message: value.message, stack: inspect(value) } : value,
  ]);
  return Object.fromEntries(entries);
}

/** Any API key of this service, anywhere in a line, also in an address requested by mistake. */
const KEYS = /sksm_[0-9a-z]+|(?<=\bbearer )[^\s"\\]+/gi;

function withoutKeys(line: string): string {
  return line.replace(KEYS, '…');
}

interface OverRequest {
  readonly log: Log;
  readonly method: string;
  readonly url: string;
  readonly address: string;
  /** Undefined if it was not admitted. */
  readonly caller: Caller | undefined;
}

interface RequestEnd {
  readonly response: ServerResponse;
  readonly milliseconds: number;
  readonly addresses: LogAddresses;
}

/** What proxies and containers ask every few seconds. */
const CHECKS = ['/health', '/ready'];

/** Logs the line of a request, unless it is a check and all is well. */
export function logRequest(
  { log, method, url, address, caller }: OverRequest,
  { response, milliseconds, addresses }: RequestEnd,
): void {
  const path = url.split('?', 1)[0] ?? '';
  if (response.statusCode === 200 && CHECKS.includes(path)) return;
  const line = {
    method,
    path,
    status: response.statusCode,
    ms: Math.round(milliseconds * 10) / 10,
    ...describeCaller(caller),
    ...describeAddress(address, addresses),
    // The caller disconnected before it got its answer.
    ...(!response.writableFinished && { aborted: true }),
  };
  log.info(line, 'request');
}

/** Leaves out anonymous callers, whose ID is their address. */
function describeCaller(caller: Caller | undefined): Record<string, string> {
  if (!caller) return {};
  if (caller.kind === 'anonymous') return { caller: 'anonymous' };
  return { caller: caller.kind, user: caller.id, ...(caller.key && { key: caller.key.id }) };
}

export function describeAddress(address: string, how: LogAddresses): Record<string, string> {
  if (how === 'none' || isIP(address) === 0) return {};
  return { address: how === 'full' ? address : shortened(address) };
}

/** A network shared by many, not the one that counts as a caller: `192.0.2.0/24`, `2001:db8:1::/48`. */
function shortened(address: string): string {
  const parsed = parseUnmapped(address);
  const bits = parsed.kind() === 'ipv4' ? 24 : 48;
  const kind = parsed.kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6;
  return `${kind.networkAddressFromCIDR(`${parsed}/${bits}`)}/${bits}`;
}
