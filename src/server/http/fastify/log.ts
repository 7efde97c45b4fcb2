import type { ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import { type FastifyReply, type FastifyRequest, type FastifyServerOptions, LogController } from 'fastify';
import ipaddr from 'ipaddr.js';
import { parseUnmapped } from '../../outbound/addresses.ts';
import type { Caller } from '../../service/callers/caller.ts';
import { withoutKeys } from '../without-keys.ts';

/** How much is logged; each level includes the ones before it. */
export type LogLevel = 'silent' | 'error' | 'warn' | 'info' | 'debug';

/** How much of a caller's address is logged: all of it, its network (/24, /48), or nothing. */
export type LogAddresses = 'full' | 'short' | 'none';

/** The field of a line that names its request. */
export const LABEL_OF_ID = 'request';

/** Where the lines go. */
export interface LogStream {
  write(line: string): unknown;
}

/**
 * One JSON line per event. A request is logged by its path only; headers and query are never logged, and anything that
 * looks like a key is removed from every line.
 */
export function loggerOptions(level: LogLevel, stream: LogStream): FastifyServerOptions['logger'] {
  if (level === 'silent') return false;
  return {
    level,
    stream,
    serializers: { req: ({ method, url }: FastifyRequest) => ({ method, path: withoutQuery(url) }) },
    hooks: { streamWrite: withoutKeys, logMethod: withoutListening },
  } as FastifyServerOptions['logger'];
}

/** What the framework logs for each address that it listens on. The service's own line `started` says more. */
const LISTENING = 'Server listening at ';

function withoutListening(this: unknown, args: unknown[], method: (...args: unknown[]) => void): void {
  const [first] = args;
  if (typeof first === 'string' && first.startsWith(LISTENING)) return;
  method.apply(this, args);
}

/** Whether the level includes a line for each request. */
export function logsRequests(level: LogLevel): boolean {
  return level === 'info' || level === 'debug';
}

type StreamErrorRest = [request: FastifyRequest, reply: FastifyReply, metadata?: Record<string, unknown>];

/** Leaves out the framework's two lines per request: this service logs one line with everything an operator needs. */
export class QuietLogController extends LogController {
  override incomingRequest(): void {}
  override requestCompleted(): void {}

  /** Listeners close event streams whenever they have heard enough; the request's line says `aborted`. */
  override streamError(error: NodeJS.ErrnoException, ...rest: StreamErrorRest): void {
    if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') super.streamError(error, ...rest);
  }
}

export interface RequestEnd {
  readonly request: Pick<FastifyRequest, 'method' | 'url' | 'ip' | 'log'>;
  readonly response: ServerResponse;
  /** Undefined if the route does not authenticate. */
  readonly caller: Caller | undefined;
  readonly milliseconds: number;
  readonly addresses: LogAddresses;
}

/** Logs the line of a request; every line of the request's logger includes its id. */
export function logRequest({ request, response, caller, milliseconds, addresses }: RequestEnd): void {
  const { method, url, ip, log } = request;
  const line = {
    method,
    path: withoutQuery(url),
    status: response.statusCode,
    ms: Math.round(milliseconds * 10) / 10,
    ...describeCaller(caller),
    ...describeAddress(ip, addresses),
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

function withoutQuery(url: string): string {
  return url.split('?', 1)[0] ?? '';
}
