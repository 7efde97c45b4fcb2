import type { Submission } from '../../../dispatch/submission.ts';
import type { Texture } from '../port.ts';

/** One skin that the upstream service is to make; its key is the identity of the skin data. */
export interface UpstreamWork extends Submission {
  readonly texture: Texture;
  /** Of the submission about to be sent. */
  idempotencyKey: string;
}

export function workFor(texture: Texture): UpstreamWork {
  const { identity, variant } = texture;
  const wishes = { variant, visibility: undefined, cape: undefined };
  return { key: identity, ...wishes, attempt: 0, losses: 0, texture, idempotencyKey: '' };
}
