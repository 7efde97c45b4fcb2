/** Why nothing, or nothing usable, was had from an address outside. */
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
 * A request to the outside that came to nothing. The message is for whoever named the address: it never
 * tells which address a name stands for. `cause` may, and is for nobody's eyes but the operator's.
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
  ECONNREFUSED: ['unreachable', 'nothing listens there'],
  EHOSTUNREACH: ['unreachable', 'there is no way to it'],
  ENETUNREACH: ['unreachable', 'there is no way to it'],
  ETIMEDOUT: ['unreachable', 'no connection in time'],
  UND_ERR_CONNECT_TIMEOUT: ['unreachable', 'no connection in time'],
  ECONNRESET: ['broken_off', 'the connection was cut'],
  UND_ERR_SOCKET: ['broken_off', 'the connection was cut'],
  UND_ERR_HEADERS_OVERFLOW: ['too_large', 'the head of its answer is too long'],
  UND_ERR_HEADERS_TIMEOUT: ['timeout', 'no answer in time'],
  UND_ERR_BODY_TIMEOUT: ['timeout', 'silence for too long'],
};

/** Whatever was thrown while talking to `host`, in words that may be shown. */
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
