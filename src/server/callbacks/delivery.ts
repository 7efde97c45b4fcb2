import { signWebhook, WEBHOOK_HEADERS, webhookSecret } from '../../protocol/webhook.ts';
import { fetchGuarded } from '../outbound/fetch-guarded.ts';
import type { GuardedAgent } from '../outbound/guarded-agent.ts';
import { OutboundError } from '../outbound/outbound-error.ts';
import type { Outcome } from './attempts.ts';

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
): Promise<Outcome> {
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
