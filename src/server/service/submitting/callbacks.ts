import { randomUUID } from 'node:crypto';
import type { Clock } from '../../../base/clock.ts';
import { OutboundError } from '../../outbound/outbound-error.ts';
import { type OutboundPolicy, parseTarget } from '../../outbound/target.ts';
import { countOpenCallbacks, type NewCallback } from '../../store/callbacks.ts';
import type { Db } from '../../store/db.ts';
import type { Caller } from '../callers/caller.ts';
import { readRateLimit } from '../limits/rate-limit.ts';
import { Refusal } from '../refusals/refusal.ts';

/** Maximum undelivered callbacks per user, over all keys: a receiver that is down must not fill the store. */
const MAX_OPEN = 1_000;

export interface CallbackContext {
  readonly db: Db;
  readonly clock: Clock;
  /** Rules for callback URLs; undefined if callbacks are disabled. */
  readonly callbacks: OutboundPolicy | undefined;
}

/**
 * Validates the callback URL of a request.
 * @throws Refusal `insufficient_grants`, `validation_error`, `rate_limit`
 */
export async function acceptCallback(
  context: CallbackContext,
  caller: Caller,
  url: string,
): Promise<NewCallback> {
  const { callbacks: policy } = context;
  if (!policy) throw new Refusal('insufficient_grants', 'This service sends no webhooks.');
  if (caller.kind !== 'user' || !caller.key) {
    throw new Refusal(
      'insufficient_grants',
      'A callback requires an API key, because webhooks are signed with it.',
    );
  }
  const { host, href } = targetOf(policy, url);
  if ((await countOpenCallbacks(context.db, caller.id)) >= MAX_OPEN) {
    const message = `You have ${MAX_OPEN} undelivered callbacks, which is the maximum.`;
    const rateLimit = await readRateLimit(context.db, caller, context.clock.now());
    throw new Refusal('rate_limit', { message, rateLimit });
  }
  return { uuid: randomUUID(), keyId: caller.key.id, url: href, host };
}

function targetOf(policy: OutboundPolicy, url: string): URL {
  try {
    return parseTarget(url, policy);
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    const note = { code: error.code, message: `callback: ${error.message}`, path: ['callback'] };
    throw new Refusal('validation_error', { notes: [note], cause: error });
  }
}
