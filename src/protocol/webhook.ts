import { createHmac } from 'node:crypto';

/** How a webhook is signed, after the Standard Webhooks convention (standardwebhooks.com). */
export const WEBHOOK_HEADERS = {
  id: 'webhook-id',
  timestamp: 'webhook-timestamp',
  signature: 'webhook-signature',
} as const;

export const WEBHOOK_SECRET_PREFIX = 'whsec_';
const DERIVED_FOR = 'skinsmith webhook';

export interface SignedContent {
  readonly id: string;
  /** Seconds since the epoch, as it stands in its header. */
  readonly timestamp: string;
  readonly body: string;
}

/**
 * The secret of an API key's webhooks. Both sides can work it out: the service keeps the key's hash, its owner
 * has the key.
 * @param keyHash hexadecimal SHA-256 of the API key
 */
export function webhookSecret(keyHash: string): string {
  return WEBHOOK_SECRET_PREFIX + createHmac('sha256', keyHash).update(DERIVED_FOR).digest('base64');
}

/** What the signature header says. */
export function signWebhook(secret: string, { id, timestamp, body }: SignedContent): string {
  const key = Buffer.from(secret.slice(WEBHOOK_SECRET_PREFIX.length), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
}
