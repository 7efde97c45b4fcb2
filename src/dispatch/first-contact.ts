import type { KeyObject } from 'node:crypto';
import { BatchSetupError } from '../batch/model/setup-error.ts';
import { HOSTED_SECONDS, type Limits, SIGNING_SECONDS } from '../batch/plan/estimate.ts';
import type { Finisher } from '../batch/service/finisher.ts';
import { ServiceError, UnreadableAnswerError } from '../client/errors.ts';
import type { Me } from '../protocol/account.ts';
import { fingerprintOf } from '../textures/fingerprint.ts';
import { parsePublicKey } from '../textures/signature.ts';
import { capeTexture } from './cape-texture.ts';
import type { Desk } from './session.ts';
import { USUAL_SLOTS } from './spot-limit.ts';
import type { Watcher } from './watcher.ts';

/** What the service says about itself. */
export interface Facts {
  /** The account; undefined for anonymous callers. */
  readonly me: Me | undefined;
  /** The service's own signing key, if it has one. */
  readonly publicKey: KeyObject | undefined;
  /** The fingerprint of that key. */
  readonly fingerprint: string | undefined;
  /** Texture name of the requested cape, if known. */
  readonly capeTexture: string | undefined;
}

interface Contact {
  readonly desk: Desk;
  readonly finisher: Finisher;
  readonly watcher: Watcher;
  readonly stop: AbortSignal;
  /** UUID of the requested cape. */
  readonly cape: string | undefined;
}

/** Asks the service for the caller's account, its signing key and the jobs already in the queue. */
export async function learnFacts(contact: Contact, slots: number | undefined): Promise<Facts> {
  const [me, key, capeTexture] = await Promise.all([
    readMe(contact),
    readKey(contact),
    readCape(contact),
    contact.watcher.firstLook(),
  ]);
  contact.desk.spotLimit.told = slotsOf(me, slots);
  return { ...key, me, capeTexture };
}

/** Spots of the caller's plan; `wanted` lowers the number. */
export function slotsOf(me: Me | undefined, wanted: number | undefined): number {
  const { queue, concurrency = 1 } = me?.grants ?? {};
  return Math.min(wanted ?? Number.POSITIVE_INFINITY, queue ?? Math.max(USUAL_SLOTS, concurrency));
}

/** The limits that decide how long a batch takes. */
export function limitsOf(me: Me | undefined, slots: number, isEmbedded: boolean): Limits {
  const { per_minute: perMinute, per_hour: perHour } = me?.grants ?? {};
  const concurrency = me?.grants.burst ?? me?.grants.concurrency;
  const service = isEmbedded ? SIGNING_SECONDS : HOSTED_SECONDS;
  return { perMinute, perHour, concurrency, slots, service };
}

/** An anonymous caller has no readable limits. */
async function readMe({ desk, finisher, stop }: Contact): Promise<Me | undefined> {
  try {
    return await finisher.repeatedly(() => desk.client.me(desk.call(stop)));
  } catch (error) {
    if (isOnlyAbsent(error)) return undefined;
    throw error;
  }
}

/** The hosted service has no key of its own: the game signs, and its key is not published there. */
async function readKey({ desk, finisher, stop }: Contact): Promise<Pick<Facts, 'publicKey' | 'fingerprint'>> {
  const document = await finisher.repeatedly(async () => {
    try {
      return await desk.client.keyDocument(desk.call(stop));
    } catch (error) {
      if (stop.aborted || !isOnlyAbsent(error)) throw error;
      return undefined;
    }
  });
  if (document?.signaturePublickey === undefined) return { publicKey: undefined, fingerprint: undefined };
  const publicKey = keyIn(document.signaturePublickey, desk.client.baseUrl);
  return { publicKey, fingerprint: fingerprintOf(publicKey) };
}

async function readCape({ desk, finisher, stop, cape }: Contact): Promise<string | undefined> {
  if (cape === undefined) return undefined;
  try {
    return await finisher.repeatedly(() => capeTexture(desk.client, cape, desk.call(stop)));
  } catch (error) {
    if (isOnlyAbsent(error)) return undefined;
    throw error;
  }
}

/** A public key from a file or a service. @throws BatchSetupError when it is invalid */
export function keyIn(text: string, place: string): KeyObject {
  try {
    return parsePublicKey(text);
  } catch (cause) {
    throw new BatchSetupError('invalid_key', `${place} does not contain a public key.`, {
      hint: 'The key must be SPKI in PEM, as in signaturePublickey at the root URL of a skinsmith service.',
      cause,
    });
  }
}

/** The resource or the account does not exist: a regular answer, not a failure. */
function isOnlyAbsent(error: unknown): boolean {
  if (error instanceof UnreadableAnswerError) return error.status < 500;
  if (!(error instanceof ServiceError)) return false;
  return error.status === 404 || error.code === 'unauthorized' || error.code === 'user_not_found';
}
