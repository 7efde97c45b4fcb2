import { ProxyError } from '../../base/network-reason.ts';
import { OutboundError } from '../outbound/outbound-error.ts';

/**
 * `unreachable`: it does not answer, or not as such a provider does; `denied`: it did not let the person in; `stale`: this
 * sign-in was used, is too old, or began in another browser; `not_allowed`: the settings do not let the person in;
 * `busy`: there are too many sign-ins; `invalid`: what it answered proves nothing.
 */
export type ProviderFault = 'unreachable' | 'denied' | 'stale' | 'not_allowed' | 'busy' | 'invalid';

/** Why somebody was not signed in. The message is for the operator; it has no tokens in it. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError';
  readonly code: ProviderFault;

  constructor(code: ProviderFault, message: string) {
    super(message);
    this.code = code;
  }
}

/** Codes of openid-client for answers that no OpenID provider gives, and for missing ones. */
const NO_ANSWER: ReadonlySet<unknown> = new Set([
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_PARSE_ERROR',
  'OAUTH_TIMEOUT',
  'OAUTH_ABORT',
]);
/** What the provider itself answers when it is in trouble (RFC 6749). */
const IN_TROUBLE: ReadonlySet<unknown> = new Set(['server_error', 'temporarily_unavailable']);

/** Names what openid-client has thrown. Of its causes only a message is kept: the rest holds tokens. */
export function asProviderError(error: unknown): ProviderError {
  if (error instanceof ProviderError) return error;
  const outbound = outboundErrorIn(error);
  if (outbound) return new ProviderError('unreachable', messageOf(outbound));
  const { name, code, error: answered, message, cause } = error as Record<string, unknown>;
  const detail = cause instanceof Error ? cause.message : undefined;
  const told = [code, answered, message, detail].filter((part) => typeof part === 'string').join(': ');
  return new ProviderError(faultOf({ name, code, answered }), told.slice(0, 300));
}

/** This message is for the operator, whose proxy it may have been. */
function messageOf({ message, cause }: OutboundError): string {
  return cause instanceof ProxyError ? `${message.replace(/\.$/, '')}: ${cause.message}.` : message;
}

function faultOf({ name, code, answered }: Readonly<Record<string, unknown>>): ProviderFault {
  if (NO_ANSWER.has(code) || IN_TROUBLE.has(answered)) return 'unreachable';
  if (answered === 'invalid_grant') return 'stale';
  return name === 'AuthorizationResponseError' ? 'denied' : 'invalid';
}

function outboundErrorIn(error: unknown): OutboundError | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof OutboundError) return cause;
  }
  return undefined;
}
