import { PROXY_REFUSED } from '../../base/network-reason.ts';

/** Why an outbound request had no answer, or no usable one. */
export type OutboundFault =
  | 'bad_url'
  | 'address_refused'
  | 'port_refused'
  | 'unresolved'
  | 'unreachable'
  | 'broken_off'
  | 'timeout'
  | 'too_large'
  | 'encoded'
  | 'too_many_redirects';

/**
 * A failed outbound request. The message is for the user who named the address: it never reveals the address behind a
 * name. `cause` may, and is only for the operator.
 */
export class OutboundError extends Error {
  override readonly name = 'OutboundError';
  readonly code: OutboundFault;

  constructor(code: OutboundFault, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

const FAULTS: Readonly<Record<string, readonly [OutboundFault, string]>> = {
  ECONNREFUSED: ['unreachable', 'connection refused'],
  EHOSTUNREACH: ['unreachable', 'there is no way to it'],
  ENETUNREACH: ['unreachable', 'there is no way to it'],
  ETIMEDOUT: ['unreachable', 'the connection timed out'],
  UND_ERR_CONNECT_TIMEOUT: ['unreachable', 'the connection timed out'],
  ECONNRESET: ['broken_off', 'the connection was reset'],
  UND_ERR_SOCKET: ['broken_off', 'the connection was closed'],
  UND_ERR_HEADERS_OVERFLOW: ['too_large', 'the head of its answer is too long'],
  UND_ERR_HEADERS_TIMEOUT: ['timeout', 'the request timed out'],
  UND_ERR_BODY_TIMEOUT: ['timeout', 'the answer stalled'],
  [PROXY_REFUSED]: ['unreachable', 'there is no way to it'],
};

/** Turns any error from talking to `host` into one whose message may be shown. */
export function asOutboundError(error: unknown, host: string): OutboundError {
  if (error instanceof OutboundError) return error;
  const { code, name } = error as { code?: unknown; name?: unknown };
  const word = name === 'HTTPParserError' && code === undefined ? 'HPE_' : String(code);
  const [fault, reason] = FAULTS[word] ?? ['broken_off', reasonOf(word)];
  return new OutboundError(fault, `${host} could not be asked: ${reason}.`, error);
}

function reasonOf(code: string): string {
  if (code.startsWith('HPE_')) return 'its answer is not HTTP';
  const isAboutTls = /CERT|TLS|SSL|SIGNATURE|ISSUER/.test(code);
  return isAboutTls ? 'its certificate is not valid, or it speaks no TLS' : 'the connection failed';
}
