import { createHash, timingSafeEqual } from 'node:crypto';
import {
  receivedJobAnswerSchema,
  signWebhook,
  WEBHOOK_HEADERS,
  WEBHOOK_SECRET_PREFIX,
  webhookSecret,
} from '../protocol/job.ts';
import { WebhookError } from './errors.ts';
import { jobAnswer } from './jobs.ts';
import type { JobAnswer } from './types.ts';

/** A webhook as received. */
export interface ReceivedWebhook {
  /** The API key of the request that named the callback, or the secret (`whsec_…`) derived from it. */
  readonly secretOrKey: string;
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The raw body as received: parsed and serialized again it may differ. */
  readonly body: string | Uint8Array;
  /** Maximum difference in seconds between its timestamp and this machine's clock; default: 300. */
  readonly toleranceSeconds?: number;
  /** Milliseconds since the epoch; default: now. */
  readonly now?: number;
}

const TOLERANCE_SECONDS = 300;

/**
 * Verifies that a webhook is authentic and recent, and parses it.
 * @example const { job, skin } = verifyWebhook({ secretOrKey: apiKey, headers: request.headers, body });
 * @throws WebhookError when it cannot be trusted
 */
export function verifyWebhook(received: ReceivedWebhook): JobAnswer {
  const { secretOrKey, headers, toleranceSeconds = TOLERANCE_SECONDS, now = Date.now() } = received;
  const id = headerOf(headers, WEBHOOK_HEADERS.id);
  const timestamp = headerOf(headers, WEBHOOK_HEADERS.timestamp);
  const signatures = headerOf(headers, WEBHOOK_HEADERS.signature).split(' ');
  const body =
    typeof received.body === 'string' ? received.body : Buffer.from(received.body).toString('utf8');
  const expected = signWebhook(secretOf(secretOrKey), { id, timestamp, body });
  if (!signatures.some((signature) => isSame(signature, expected))) {
    throw new WebhookError(
      'The signature is invalid: it was signed with another key, or the body was changed.',
    );
  }
  const age = Math.abs(now / 1000 - Number(timestamp));
  if (!/^\d+$/.test(timestamp) || age > toleranceSeconds) {
    throw new WebhookError(
      `The webhook's timestamp differs from now by more than ${toleranceSeconds} seconds.`,
    );
  }
  return readBody(body);
}

function headerOf(headers: ReceivedWebhook['headers'], name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : recorded(headers, name);
  if (value) return value;
  throw new WebhookError(`The webhook has no header ${name}.`);
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

function readBody(body: string): JobAnswer {
  try {
    return jobAnswer(receivedJobAnswerSchema.parse(JSON.parse(body)));
  } catch (cause) {
    throw new WebhookError('The body of the webhook is not a job.', cause);
  }
}
