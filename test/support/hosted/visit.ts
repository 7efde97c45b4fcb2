import type { Note } from '../../../src/protocol/envelope.ts';
import { note } from './answers.ts';
import { HostedRefusal } from './refusals.ts';
import type { HostedRequest } from './requests.ts';
import type { Counted, Traffic } from './traffic.ts';

/** Who asks: the user whose key was sent, or whoever is at an address. */
export type CallerKind = 'user' | 'anonymous';

/**
 * What is known while one request is answered: the published server keeps it on `req` and `res`. A limit that
 * was not looked up is absent, and told as zeros.
 */
export interface Visit {
  readonly request: HostedRequest;
  /** When it is dealt with; milliseconds since the epoch, on the service's clock. */
  now: number;
  readonly caller: CallerKind;
  readonly traffic: Traffic;
  readonly warnings: Note[];
  readonly links: Record<string, string>;
  readonly headers: Record<string, string>;
  nextRequest: number;
  minDelay: number;
  maxPerMinute: number;
  /** 0: no such limit is known. */
  maxPerHour: number;
  minute: Counted | undefined;
  hour: Counted | undefined;
}

const SHORTEST_KEY = 64;
const BEARER = 'Bearer ';

/**
 * `verifyApiKey`: a header of another scheme is as good as none, and without a key there is a warning.
 * @throws HostedRefusal
 */
export function verifyKey({ headers }: HostedRequest, key: string): { caller: CallerKind; warnings: Note[] } {
  const { authorization } = headers;
  if (!authorization?.startsWith(BEARER) || authorization === BEARER)
    return { caller: 'anonymous', warnings: [note('no_api_key', 'No API Key provided')] };
  const sent = authorization.slice(BEARER.length);
  if (sent.length < SHORTEST_KEY) {
    const message = 'Invalid API Key Length';
    throw new HostedRefusal(403, 'invalid_api_key', message, note('invalid_api_key_length', message));
  }
  if (sent !== key) {
    const cause = note('api_key_not_found', 'API Key not found');
    throw new HostedRefusal(403, 'invalid_api_key', 'Invalid API Key', cause);
  }
  return { caller: 'user', warnings: [] };
}

export function newVisit(about: Pick<Visit, 'request' | 'now' | 'caller' | 'traffic' | 'warnings'>): Visit {
  const unknown = {
    nextRequest: 0,
    minDelay: 0,
    maxPerMinute: 0,
    maxPerHour: 0,
    minute: undefined,
    hour: undefined,
  };
  return { ...about, links: {}, headers: {}, ...unknown };
}

/** A user's own affairs. @throws HostedRefusal for anybody else */
export function requireUser({ caller }: Visit): void {
  if (caller !== 'user') throw new HostedRefusal(401, 'unauthorized', 'Unauthorized');
}
