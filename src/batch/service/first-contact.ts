import { createHash, type KeyObject } from 'node:crypto';
import { ServiceError, UnreadableAnswerError } from '../../client/errors.ts';
import type { Me } from '../../protocol/account.ts';
import { parsePublicKey } from '../../textures/signature.ts';
import { HOSTED_SECONDS, type Limits, SIGNING_SECONDS } from '../plan/estimate.ts';
import { capeTexture } from '../proof/cape-texture.ts';
import { BatchSetupError } from '../setup-error.ts';
import type { Desk } from './desk.ts';
import type { Finisher } from './finisher.ts';
import type { Watcher } from './watcher.ts';

/** What the service says about itself. */
export interface Facts {
  /** Who is asking; undefined for callers without an account. */
  readonly me: Me | undefined;
  /** The key it signs with, where it has one of its own. */
  readonly publicKey: KeyObject | undefined;
  /** SHA-256 of that key, hexadecimal. */
  readonly fingerprint: string | undefined;
  /** Name of the texture of the cape that is asked for, where it is known. */
  readonly capeTexture: string | undefined;
}

interface Contact {
  readonly desk: Desk;
  readonly finisher: Finisher;
  readonly watcher: Watcher;
  readonly stop: AbortSignal;
  /** UUID of the cape that is asked for. */
  readonly cape: string | undefined;
}

/** Spots in the queue that everybody has (the service's specification). */
export const USUAL_SLOTS = 5;

/** Asks who we are to the service, what it signs with, and what is in the queue already. */
export async function learnFacts(contact: Contact, slots: number | undefined): Promise<Facts> {
  const [me, key, capeTexture] = await Promise.all([
    readMe(contact),
    readKey(contact),
    readCape(contact),
    contact.watcher.firstLook(),
  ]);
  contact.desk.spots.limit = slotsOf(me, slots);
  return { ...key, me, capeTexture };
}

/** Spots that the caller's plan has; `wanted` lowers it. */
export function slotsOf(me: Me | undefined, wanted: number | undefined): number {
  const { queue, concurrency = 1 } = me?.grants ?? {};
  return Math.min(wanted ?? Number.POSITIVE_INFINITY, queue ?? Math.max(USUAL_SLOTS, concurrency));
}

/** What decides how long a batch takes. */
export function limitsOf(me: Me | undefined, slots: number, isEmbedded: boolean): Limits {
  const { per_minute: perMinute, per_hour: perHour, concurrency } = me?.grants ?? {};
  const service = isEmbedded ? SIGNING_SECONDS : HOSTED_SECONDS;
  return { perMinute, perHour, concurrency, slots, service };
}

/** A caller without an account has no limits to read. */
async function readMe({ desk, finisher, stop }: Contact): Promise<Me | undefined> {
  try {
    return await finisher.repeatedly(() => desk.client.me(desk.call(stop)));
  } catch (error) {
    if (isOnlyAbsent(error)) return undefined;
    throw error;
  }
}

/** The hosted service has no key of its own: the game's, which it does not tell. */
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
  const der = publicKey.export({ type: 'spki', format: 'der' });
  return { publicKey, fingerprint: createHash('sha256').update(der).digest('hex') };
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

/** A public key from a file or a service. @throws BatchSetupError when it is none */
export function keyIn(text: string, place: string): KeyObject {
  try {
    return parsePublicKey(text);
  } catch (cause) {
    throw new BatchSetupError('invalid_key', `${place} gives no public key.`, {
      hint: 'It is to be SPKI in PEM, as a skinsmith service has it under / as signaturePublickey.',
      cause,
    });
  }
}

/** There is no such thing there, or nobody to have it: an answer, and no trouble. */
function isOnlyAbsent(error: unknown): boolean {
  if (error instanceof UnreadableAnswerError) return error.status < 500;
  if (!(error instanceof ServiceError)) return false;
  return error.status === 404 || error.code === 'unauthorized' || error.code === 'user_not_found';
}
