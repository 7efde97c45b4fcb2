import { createHash, timingSafeEqual } from 'node:crypto';
import { seenJobAnswerSchema } from '../protocol/job.ts';
import { signWebhook, WEBHOOK_HEADERS, WEBHOOK_SECRET_PREFIX, webhookSecret } from '../protocol/webhook.ts';
import { WebhookError } from './errors.ts';
import { jobState } from './job-state.ts';
import type { JobState } from './types.ts';

/** A webhook as it was received. */
export interface ReceivedWebhook {
  /** The API key of the request that named the callback, or the secret (`whsec_…`) that follows from it. */
  readonly secretOrKey: string;
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Just as it came: parsed and written again it may be another text. */
  readonly body: string | Uint8Array;
  /** Seconds that its time may differ from this machine's; default: 300. */
  readonly toleranceSeconds?: number;
  /** Milliseconds since the epoch; default: now. */
  readonly now?: number;
}

const TOLERANCE_SECONDS = 300;

/**
 * Makes sure that a webhook is from the service and new, and reads it.
 * @example const { job, skin } = verifyWebhook({ secretOrKey: apiKey, headers: request.headers, body });
 * @throws WebhookError when it must not be believed
 */
export function verifyWebhook(received: ReceivedWebhook): JobState {
  const { secretOrKey, headers, toleranceSeconds = TOLERANCE_SECONDS, now = Date.now() } = received;
  const id = headerOf(headers, WEBHOOK_HEADERS.id);
  const timestamp = headerOf(headers, WEBHOOK_HEADERS.timestamp);
  const signatures = headerOf(headers, WEBHOOK_HEADERS.signature).split(' ');
  const body =
    typeof received.body === 'string' ? received.body : Buffer.from(received.body).toString('utf8');
  const expected = signWebhook(secretOf(secretOrKey), { id, timestamp, body });
  if (!signatures.some((signature) => isSame(signature, expected))) {
    throw new WebhookError('The signature is not right: it was signed with another key, or changed.');
  }
  const age = Math.abs(now / 1000 - Number(timestamp));
  if (!/^\d+$/.test(timestamp) || age > toleranceSeconds) {
    throw new WebhookError(`It was sent more than ${toleranceSeconds} seconds ago, or is ahead of time.`);
  }
  return readBody(body);
}

function headerOf(headers: ReceivedWebhook['headers'], name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : recorded(headers, name);
  if (value) return value;
  throw new WebhookError(`It has no header ${name}.`);
}

function recorded(headers: Exclude<ReceivedWebhook['headers'], Headers>, name: string): string | undefined {
  const value = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return typeof value === 'object' ? value[0] : value;
}

function secretOf(secretOrKey: string): string {
  if (secretOrKey.startsWith(WEBHOOK_SECRET_PREFIX)) return secretOrKey;
  return webhookSecret(createHash('sha256').update(secretOrKey).digest('hex'));
}

function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function readBody(body: string): JobState {
  try {
    return jobState(seenJobAnswerSchema.parse(JSON.parse(body)));
  } catch (cause) {
    throw new WebhookError('Its body is not that of a job.', cause);
  }
}
