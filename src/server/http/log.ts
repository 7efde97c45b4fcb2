import { type FastifyReply, type FastifyRequest, type FastifyServerOptions, LogController } from 'fastify';
import ipaddr from 'ipaddr.js';
import type { Caller } from '../service/caller.ts';

/** How much is logged; each includes the ones before it. */
export type LogLevel = 'silent' | 'error' | 'warn' | 'info' | 'debug';

/** How much of a caller's address is logged: all of it, the network it is in (/24, /48), nothing. */
export type LogAddresses = 'full' | 'short' | 'none';

/** Where the lines go. */
export interface LogStream {
  write(line: string): unknown;
}

/** Any key of ours, wherever in a line: also in an address that somebody asked for by mistake. */
const KEYS = /sksm_[0-9a-z]+|(?<=\bbearer )[^\s"\\]+/gi;

/**
 * One JSON line per event. A request is logged by its path alone; neither headers
 * nor query ever get in, and what looks like a key is cut out of every line.
 */
export function loggerOptions(level: LogLevel, stream: LogStream): FastifyServerOptions['logger'] {
  if (level === 'silent') return false;
  return {
    level,
    stream,
    serializers: { req: ({ method, url }: FastifyRequest) => ({ method, path: pathOf(url) }) },
    hooks: { streamWrite: withoutKeys },
  } as FastifyServerOptions['logger'];
}

/** Whether it is so much that each request has its line. */
export function logsRequests(level: LogLevel): boolean {
  return level === 'info' || level === 'debug';
}

/** Without the framework's two lines for each request: ours has what an operator needs in one. */
export class QuietLogController extends LogController {
  override incomingRequest(): void {}
  override requestCompleted(): void {}
}

export interface RequestEnd {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Undefined where nobody was asked for. */
  readonly caller: Caller | undefined;
  readonly milliseconds: number;
  readonly addresses: LogAddresses;
}

/** The line of a request: its id is in every line of its logger. */
export function logRequest({ request, reply, caller, milliseconds, addresses }: RequestEnd): void {
  const { method, url, ip, log } = request;
  const line = {
    method,
    path: pathOf(url),
    status: reply.statusCode,
    ms: Math.round(milliseconds * 10) / 10,
    ...describeCaller(caller),
    ...describeAddress(ip, addresses),
    // The caller went away before it had its answer.
    ...(!reply.raw.writableFinished && { aborted: true }),
  };
  log.info(line, 'request');
}

/** Who an anonymous caller is stands for its address, so that is left out here. */
function describeCaller(caller: Caller | undefined): Record<string, string> {
  if (!caller) return {};
  if (caller.kind === 'anonymous') return { caller: 'anonymous' };
  return { caller: caller.kind, user: caller.id, ...(caller.key && { key: caller.key.id }) };
}

export function describeAddress(address: string, how: LogAddresses): Record<string, string> {
  if (how === 'none' || !ipaddr.isValid(address)) return {};
  return { address: how === 'full' ? address : networkOf(address) };
}

/** `192.0.2.0/24`, `2001:db8:1::/48`. */
function networkOf(address: string): string {
  const parsed = ipaddr.process(address);
  const bits = parsed.kind() === 'ipv4' ? 24 : 48;
  const kind = parsed.kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6;
  return `${kind.networkAddressFromCIDR(`${parsed}/${bits}`)}/${bits}`;
}

function pathOf(url: string): string {
  return url.split('?', 1)[0] ?? '';
}

function withoutKeys(line: string): string {
  return line.replace(KEYS, '…');
}
