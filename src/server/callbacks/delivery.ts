import { signWebhook, WEBHOOK_HEADERS, webhookSecret } from '../../protocol/job.ts';
import { fetchGuarded, type GuardedAgent } from '../outbound/guarded-agent.ts';
import { OutboundError } from '../outbound/target.ts';

/** The result of a delivery: the receiver's HTTP status, or why the request failed. */
export type DeliveryOutcome = { readonly status: number } | { readonly error: string };

/** `again`: in `wait` ms. */
export type NextStep =
  | { readonly kind: 'done' }
  | { readonly kind: 'again'; readonly wait: number }
  | { readonly kind: 'given_up' };

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** Milliseconds between a failed attempt and the next one. */
export const WAITS: readonly number[] = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 60 * MINUTE];
/** The receiver wants no further deliveries. */
const GONE = 410;

/** @param attempts number of attempts, including this one */
export function stepAfter(outcome: DeliveryOutcome, attempts: number): NextStep {
  if ('status' in outcome) {
    if (outcome.status >= 200 && outcome.status < 300) return { kind: 'done' };
    if (outcome.status === GONE) return { kind: 'given_up' };
  }
  const wait = WAITS[attempts - 1];
  return wait === undefined ? { kind: 'given_up' } : { kind: 'again', wait };
}

/** For the log. */
export function describeOutcome(outcome: DeliveryOutcome): string {
  return 'status' in outcome ? `HTTP ${outcome.status}` : outcome.error;
}

/** A webhook, ready to be sent. */
export interface Webhook {
  readonly uuid: string;
  readonly url: string;
  /** JSON. */
  readonly body: string;
  /** Stored hash of the API key that signs the webhook. */
  readonly keyHash: string;
}

/** Time limit for a receiver in milliseconds, and how much of its answer is read. */
const TIMEOUT = 10_000;
const MAX_ANSWER_BYTES = 1024;

/** One attempt. @throws the signal's reason when aborted */
export async function deliver(
  agent: GuardedAgent,
  { uuid, url, body, keyHash }: Webhook,
  { now, signal }: { now: number; signal: AbortSignal },
): Promise<DeliveryOutcome> {
  const timestamp = String(Math.floor(now / 1000));
  const signature = signWebhook(webhookSecret(keyHash), { id: uuid, timestamp, body });
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    [WEBHOOK_HEADERS.id]: uuid,
    [WEBHOOK_HEADERS.timestamp]: timestamp,
    [WEBHOOK_HEADERS.signature]: signature,
  };
  const limits = { timeout: TIMEOUT, maxBytes: MAX_ANSWER_BYTES, maxRedirects: 0 };
  try {
    return await fetchGuarded(agent, {
      url,
      method: 'POST',
      headers,
      body,
      answer: 'ignored',
      ...limits,
      signal,
    });
  } catch (error) {
    if (error instanceof OutboundError) return { error: error.message };
    throw error;
  }
}
