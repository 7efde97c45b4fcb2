import type { Clock } from '../../../base/clock.ts';
import { newUuid } from '../../../base/uuid.ts';
import type { NewJob } from '../../queue/port.ts';
import { unreadableNote } from '../../sources/profile-data.ts';
import { type FoundData, nameOfSource, type SignedMaterial, variantNote } from '../../sources/source.ts';
import { type Db, inTransaction } from '../../store/db.ts';
import { ensureSkin, type SkinWithData } from '../../store/skins.ts';
import { keepTexture, keepTextureData } from '../../store/textures.ts';
import { Refusal } from '../refusal.ts';
import { type AnswerContext, answerFromStore, recordDone, type Submitted } from './answering.ts';
import { type CallbackContext, type GenerationRequest, newJob } from './generation-request.ts';

/** What is needed to answer a request by storing something new. */
export interface StoringContext extends AnswerContext, CallbackContext {}

/**
 * Accepts data that is already signed: there is nothing to generate, so its job is created as completed. A private skin
 * with this data is a private record of shared data.
 * @throws Refusal
 */
export async function submitSigned(
  context: StoringContext,
  request: GenerationRequest,
  material: SignedMaterial,
): Promise<Submitted> {
  if (request.cape !== undefined) {
    throw new Refusal(
      'invalid_cape',
      "A player's skin is signed together with the cape that the player wears, so it cannot have another.",
    );
  }
  const { identity, textureHash, variant, capeHash, found } = material;
  const job = await newJob(context, request, {
    ...{ identity, textureHash, variant, capeHash },
    source: nameOfSource(request.source),
  });
  const warnings = [...variantNote(request.variant, material), ...unreadableNote(material)];
  const there = await answerFromStore(context, job, request);
  if (there) return { ...there, warnings };
  if (request.checkOnly) throw new Refusal('no_duplicate');
  // Deleted after it was found in the store.
  if (!found) throw new Refusal('service_unavailable', "The player's skin has just been deleted: try again.");
  context.ceiling.verifyRoom();
  const done = await recordDone(context, job, await keepFound(context, job, found));
  return done.kind === 'known' ? { ...done, kind: 'ended', warnings } : { ...done, warnings };
}

/** Uses the same time for all rows: the record is as old as its data, so it is not a duplicate. */
async function keepFound(
  { db, clock }: { readonly db: Db; readonly clock: Clock },
  { owner, identity, name, visibility }: NewJob,
  { data, textures }: FoundData,
): Promise<SkinWithData> {
  const created_at = clock.now();
  return await inTransaction(db, async (tx) => {
    for (const texture of textures) await keepTexture(tx, { ...texture, created_at });
    await keepTextureData(tx, { ...data, created_at });
    const uuid = newUuid();
    return await ensureSkin(tx, { uuid, owner, identity, name, visibility, created_at });
  });
}
