import { randomBytes, randomUUID } from 'node:crypto';
import type { Note } from '../../protocol/envelope.ts';
import type { SkinVariant, SkinVisibility } from '../../protocol/skin.ts';
import { decodePng } from '../../skin/decode.ts';
import { encodePng } from '../../skin/encode.ts';
import { InvalidImageError, type Picture } from '../../skin/picture.ts';
import { pixelHash } from '../../skin/pixel-hash.ts';
import { chooseVariant } from '../../skin/variant.ts';
import type { NewJob, Submission } from '../queue/port.ts';
import { ensureSkin, findOwnSkin, type SkinWithData } from '../store/skins.ts';
import { inTransaction } from '../store/store.ts';
import type { JobRow } from '../store/tables.ts';
import { findTextureData, keepTexture } from '../store/textures.ts';
import type { Caller } from './caller.ts';
import type { ServiceContext } from './context.ts';
import { dataIdentity, requestKey } from './identity.ts';
import { rateLimitOf, readRateLimit } from './rate-limit.ts';
import { Refusal } from './refusal.ts';

/** A generation as it is asked for: a PNG and what is to become of it. */
export interface GenerationRequest {
  readonly caller: Caller;
  readonly image: Uint8Array;
  /** `unknown`: look at the picture. */
  readonly variant: SkinVariant;
  readonly visibility: SkinVisibility;
  readonly name: string | null;
  /** Only look for skin data that exists; nothing is generated. */
  readonly checkOnly: boolean;
}

export type Submitted = { readonly job: JobRow; readonly warnings: readonly Note[] } & (
  | { readonly kind: 'known'; readonly skin: SkinWithData }
  | { readonly kind: 'pending'; readonly eta: number | undefined }
);

/**
 * Takes a generation: answers with existing skin data, or with a job in the queue. The same picture
 * and options of the same caller while a job is pending are that job.
 * @throws Refusal
 */
export async function submit(context: ServiceContext, request: GenerationRequest): Promise<Submitted> {
  verifyAllowed(context, request);
  const picture = decodeSkin(request.image);
  const wanted = request.variant === 'unknown' ? undefined : request.variant;
  const choice = chooseVariant(picture, wanted);
  const warnings = choice.warning ? [{ code: 'variant_mismatch', message: choice.warning }] : [];
  const textureHash = pixelHash(picture);
  const job = await describeJob(context, request, { textureHash, variant: choice.variant });

  const known = await answerKnown(context, job);
  if (known) return { ...known, warnings };
  if (request.checkOnly) throw new Refusal('no_duplicate');
  await keepPicture(context, textureHash, picture);
  return { ...(await enqueue(context, request.caller, job)), warnings };
}

function verifyAllowed(context: ServiceContext, { caller, visibility }: GenerationRequest): void {
  if (context.isStopping()) throw new Refusal('service_unavailable', 'The service is being stopped.');
  if (visibility === 'private' && !caller.plan.privateSkins) {
    throw new Refusal('insufficient_grants', 'Private skins need an API key: only its owner can reach them.');
  }
}

function decodeSkin(image: Uint8Array): Picture {
  try {
    return decodePng(image);
  } catch (error) {
    if (!(error instanceof InvalidImageError)) throw error;
    const message = error.hint ? `${error.message} ${error.hint}` : error.message;
    throw new Refusal('invalid_image', { message, cause: error });
  }
}

async function describeJob(
  context: ServiceContext,
  { caller, visibility, name }: GenerationRequest,
  texture: Pick<NewJob, 'textureHash' | 'variant'>,
): Promise<NewJob> {
  const identity = dataIdentity(texture.textureHash, texture.variant, await context.generator.signer());
  return {
    uuid: randomUUID(),
    owner: caller.owner,
    requestKey: requestKey(identity, { visibility, name }),
    identity,
    ...texture,
    visibility,
    name,
  };
}

/** Existing data costs nothing: the caller gets a record of its own of it, and a job born completed. */
async function answerKnown(
  context: ServiceContext,
  job: NewJob,
): Promise<{ kind: 'known'; job: JobRow; skin: SkinWithData } | undefined> {
  const own = await findOwnSkin(context.db, job);
  if (own) return { kind: 'known', job: await context.queue.recordKnown(job, own.uuid), skin: own };
  if (!(await findTextureData(context.db, job.identity))) return undefined;
  const skin = await inTransaction(context.db, async (tx) => {
    const created_at = context.clock.now();
    const { owner, identity, name, visibility } = job;
    const uuid = randomBytes(16).toString('hex');
    return await ensureSkin(tx, { uuid, owner, identity, name, visibility, created_at });
  });
  return { kind: 'known', job: await context.queue.recordKnown(job, skin.uuid), skin };
}

async function keepPicture(context: ServiceContext, hash: string, picture: Picture): Promise<void> {
  const { width, height } = picture;
  const created_at = context.clock.now();
  await keepTexture(context.db, { hash, width, height, png: encodePng(picture), created_at });
}

async function enqueue(
  context: ServiceContext,
  caller: Caller,
  job: NewJob,
): Promise<{ kind: 'pending'; job: JobRow; eta: number | undefined }> {
  const submission = await context.queue.submit(job, caller.plan);
  if (!('job' in submission)) throw await overLimit(context, caller, submission);
  context.onAccepted(submission.job.uuid);
  if (submission.kind === 'queued') context.signals.work();
  const wait = context.expectedWait(await context.queue.waiting());
  const eta = wait === undefined ? undefined : context.clock.now() + wait;
  return { kind: 'pending', job: submission.job, eta };
}

async function overLimit(
  context: ServiceContext,
  caller: Caller,
  over: Extract<Submission, { kind: 'full' | 'too_fast' }>,
): Promise<Refusal> {
  const now = context.clock.now();
  if (over.kind === 'too_fast') {
    return new Refusal('rate_limit', { rateLimit: rateLimitOf(over.usage, caller, now) });
  }
  const message = `All ${over.pending} of your spots in the queue are taken; send more as jobs finish.`;
  return new Refusal('job_limit', { message, rateLimit: await readRateLimit(context.db, caller, now) });
}
