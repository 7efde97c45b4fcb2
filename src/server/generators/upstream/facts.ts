import type { KeyObject } from 'node:crypto';
import { ServiceError, SkinsmithError, UnreadableAnswerError } from '../../../client/errors.ts';
import type { SkinClient } from '../../../client/skin-client.ts';
import type { CallOptions } from '../../../client/types.ts';
import type { Grants } from '../../../protocol/account.ts';
import { parsePublicKey } from '../../../textures/signature.ts';
import { ONE_ATTEMPT } from './one-attempt.ts';
import type { UpstreamSettings } from './settings.ts';

/** Spots in the queue that every caller has (the service's specification). */
export const USUAL_SPOTS = 5;

/** What the upstream service says about itself and its key. */
export interface Facts {
  /** Maximum number of jobs on the service at one time. */
  readonly spots: number;
  readonly hasPrivateSkins: boolean;
  /** Its signing key, if it has one of its own and publishes it. */
  readonly publicKey: KeyObject | undefined;
  /** Hosts that serve its textures, if it names them. */
  readonly skinDomains: readonly string[];
}

/** @throws SkinsmithError; the signal's reason when aborted */
export async function learnFacts(
  client: SkinClient,
  { spots = Number.POSITIVE_INFINITY }: UpstreamSettings,
  call: CallOptions,
): Promise<Facts> {
  const grants = await readGrants(client, call);
  const planned = grants?.queue ?? Math.max(USUAL_SPOTS, grants?.concurrency ?? 1);
  return {
    spots: Math.max(1, Math.min(spots, planned)),
    hasPrivateSkins: grants?.private_skins ?? false,
    ...(await learnKey(client, call)),
  };
}

/** A key without an account has no limits to read. */
async function readGrants(client: SkinClient, call: CallOptions): Promise<Grants | undefined> {
  try {
    return (await client.me({ ...ONE_ATTEMPT, ...call })).grants;
  } catch (error) {
    if (error instanceof ServiceError && error.status === 404) return undefined;
    throw error;
  }
}

/** The hosted service has no key of its own: it uses the game's, which it does not publish. Its root is a web page. */
export async function learnKey(
  client: SkinClient,
  call: CallOptions,
): Promise<Pick<Facts, 'publicKey' | 'skinDomains'>> {
  try {
    const { signaturePublickey: pem, skinDomains } = await client.keyDocument({ ...ONE_ATTEMPT, ...call });
    return { publicKey: pem === undefined ? undefined : parsePublicKey(pem), skinDomains };
  } catch (error) {
    const isUnreadable = error instanceof UnreadableAnswerError && error.status < 400;
    const status = error instanceof SkinsmithError ? (error as { status?: number }).status : undefined;
    if (isUnreadable || status === 404) return { publicKey: undefined, skinDomains: [] };
    throw error;
  }
}
