import { ServiceError } from '../../../client/errors.ts';
import type { SkinClient } from '../../../client/skin-client.ts';
import type { CallOptions } from '../../../client/types.ts';
import type { GivenSkin } from '../../model/source.ts';

/** Answers meaning that the service has no such skin, or none visible to the caller. */
const ABSENT = new Set([400, 403, 404, 410, 422]);

/** Milliseconds that a service may fail after it has answered before. */
const OUTAGE = { budget: 15 * 60_000, patience: 15 * 60_000 };

/** Asks a service for skins by UUID; see `findSkin`. Waits longer for it once it has answered. */
export function skinFinder(
  connect: () => Promise<SkinClient>,
  call: CallOptions,
): (uuid: string) => Promise<GivenSkin | undefined> {
  let hasAnswered = false;
  return async (uuid) => {
    const client = await connect();
    const skin = await findSkin(client, uuid, hasAnswered ? { ...call, retry: OUTAGE } : call);
    hasAnswered = true;
    return skin;
  };
}

/** The skin with a UUID; undefined if the service has none. @throws the client's other errors */
export async function findSkin(
  client: SkinClient,
  uuid: string,
  call: CallOptions,
): Promise<GivenSkin | undefined> {
  try {
    const { name, visibility, texture } = await client.skin(uuid, call);
    const { value, signature } = texture.data;
    return { value, signature, uuid, name, visibility };
  } catch (error) {
    if (error instanceof ServiceError && ABSENT.has(error.status)) return undefined;
    throw error;
  }
}
