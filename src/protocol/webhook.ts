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
  /** Seconds since the epoch, as in its header. */
  readonly timestamp: string;
  readonly body: string;
}

/**
 * The secret of an API key's webhooks. Both sides can derive it: the service stores the key's hash, and the owner
 * has the key.
 * @param keyHash hexadecimal SHA-256 of the API key
 */
export function webhookSecret(keyHash: string): string {
  return WEBHOOK_SECRET_PREFIX + createHmac('sha256', keyHash).update(DERIVED_FOR).digest('base64');
}

/** The value of the signature header. */
export function signWebhook(secret: string, { id, timestamp, body }: SignedContent): string {
  const key = Buffer.from(secret.slice(WEBHOOK_SECRET_PREFIX.length), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
}
