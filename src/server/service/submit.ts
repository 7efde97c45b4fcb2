import { randomBytes, randomUUID } from 'node:crypto';
import type { Note } from '../../protocol/envelope.ts';
import { isPending } from '../../protocol/job.ts';
import type { SkinVariant, SkinVisibility } from '../../protocol/skin.ts';
import { decodePng } from '../../skin/decode.ts';
import { encodePng } from '../../skin/encode.ts';
import { InvalidImageError, type Picture } from '../../skin/picture.ts';
import { pixelHash } from '../../skin/pixel-hash.ts';
import { chooseVariant } from '../../skin/variant.ts';
import type { NewJob, Repeated, Submission } from '../queue/port.ts';
import { ensureSkin, findOwnSkin, type SkinWithData } from '../store/skins.ts';
import { inTransaction } from '../store/store.ts';
import type { JobRow } from '../store/tables.ts';
import { findTextureData, keepTexture } from '../store/textures.ts';
import type { Caller } from './caller.ts';
import type { ServiceContext } from './context.ts';
import { dataIdentity, requestKey } from './identity.ts';
import { withSkin } from './jobs.ts';
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
  /** The caller's name for the request: sent again, it is answered with the job of the first time. */
  readonly idempotencyKey?: string | undefined;
}

type Found = { readonly job: JobRow } & (
  | { readonly kind: 'known'; readonly skin: SkinWithData }
  | { readonly kind: 'pending'; readonly eta: number | undefined }
  /** The job of an earlier request; `skin` is there when it was completed. */
  | { readonly kind: 'ended'; readonly skin: SkinWithData | undefined }
);

export type Submitted = Found & { readonly warnings: readonly Note[] };

/**
 * Takes a generation: answers with existing skin data, or with a job in the queue. The same picture
 * and options of the same caller while a job is pending are that job. A request that comes again under
 * its idempotency key is answered with its own job, which may have ended.
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

  const there = (await answerRepeated(context, job)) ?? (await answerKnown(context, job));
  if (there) return { ...there, warnings };
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
  { caller, visibility, name, idempotencyKey }: GenerationRequest,
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
    idempotencyKey,
  };
}

/** A look before anything is written; two at once with the same key are told apart by the queue. */
async function answerRepeated(context: ServiceContext, job: NewJob): Promise<Found | undefined> {
  const repeated = await context.queue.findRepeated(job);
  return repeated && (await answerAgain(context, repeated));
}

async function answerAgain(context: ServiceContext, repeated: Repeated): Promise<Found> {
  if (repeated.kind === 'key_taken') {
    throw new Refusal(
      'invalid_request',
      'This Idempotency-Key was sent before, with another picture or other options: use a new key.',
    );
  }
  if (isPending(repeated.job.status)) return await awaited(context, repeated.job);
  return { kind: 'ended', ...(await withSkin(context.db, repeated.job)) };
}

/** Existing data costs nothing: the caller gets a record of its own of it, and a job born completed. */
async function answerKnown(context: ServiceContext, job: NewJob): Promise<Found | undefined> {
  const own = await findOwnSkin(context.db, job);
  if (own) return await recordKnown(context, job, own);
  if (!(await findTextureData(context.db, job.identity))) return undefined;
  const skin = await inTransaction(context.db, async (tx) => {
    const created_at = context.clock.now();
    const { owner, identity, name, visibility } = job;
    const uuid = randomBytes(16).toString('hex');
    return await ensureSkin(tx, { uuid, owner, identity, name, visibility, created_at });
  });
  return await recordKnown(context, job, skin);
}

async function recordKnown(context: ServiceContext, job: NewJob, skin: SkinWithData): Promise<Found> {
  const recorded = await context.queue.recordKnown(job, skin.uuid);
  if (recorded.kind !== 'recorded') return await answerAgain(context, recorded);
  context.signals.accepted(job.owner);
  return { kind: 'known', job: recorded.job, skin };
}

async function keepPicture(context: ServiceContext, hash: string, picture: Picture): Promise<void> {
  const { width, height } = picture;
  const created_at = context.clock.now();
  await keepTexture(context.db, { hash, width, height, png: encodePng(picture), created_at });
}

async function enqueue(context: ServiceContext, caller: Caller, job: NewJob): Promise<Found> {
  const submission = await context.queue.submit(job, caller.plan);
  if (submission.kind === 'full' || submission.kind === 'too_fast') {
    throw await overLimit(context, caller, submission);
  }
  if (submission.kind === 'repeated' || submission.kind === 'key_taken') {
    return await answerAgain(context, submission);
  }
  if (submission.kind === 'queued') {
    context.signals.work();
    context.signals.accepted(job.owner);
  }
  return await awaited(context, submission.job);
}

/** A job that has not ended, and when it is expected to. */
async function awaited(context: ServiceContext, job: JobRow): Promise<Found> {
  context.onAccepted(job.uuid);
  const ahead = await context.queue.waitingBefore(job.id);
  const wait = context.expectedWait(job.uuid, ahead);
  const eta = wait === undefined ? undefined : Math.ceil(context.clock.now() + wait);
  return { kind: 'pending', job, eta };
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
