import { randomUUID } from 'node:crypto';
import { OutboundError } from '../outbound/outbound-error.ts';
import { type OutboundPolicy, parseTarget } from '../outbound/target.ts';
import { countOpenCallbacks, type NewCallback } from '../store/callbacks.ts';
import type { Caller } from './caller.ts';
import type { ServiceContext } from './context.ts';
import { readRateLimit } from './rate-limit.ts';
import { Refusal } from './refusal.ts';

/** Undelivered callbacks that an API key may have: a receiver that is down must not fill the store. */
const MAX_OPEN = 1_000;

/**
 * An address that a request wants to be told at.
 * @throws Refusal `insufficient_grants`, `validation_error`, `rate_limit`
 */
export async function acceptCallback(
  context: ServiceContext,
  caller: Caller,
  url: string,
): Promise<NewCallback> {
  const { callbacks: policy } = context;
  if (!policy) throw new Refusal('insufficient_grants', 'This service sends no webhooks.');
  const key = caller.kind === 'user' ? caller.key : undefined;
  if (!key) {
    throw new Refusal('insufficient_grants', 'A callback needs an API key: what is sent is signed for it.');
  }
  const { host, href } = targetOf(policy, url);
  if ((await countOpenCallbacks(context.db, key.id)) >= MAX_OPEN) {
    const message = `${MAX_OPEN} callbacks of this API key wait for their receivers; that is the most there may be.`;
    const rateLimit = await readRateLimit(context.db, caller, context.clock.now());
    throw new Refusal('rate_limit', { message, rateLimit });
  }
  return { uuid: randomUUID(), keyId: key.id, url: href, host };
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
