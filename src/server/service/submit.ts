import type { Note } from '../../protocol/envelope.ts';
import { decodePng } from '../../skin/decode.ts';
import { encodePng } from '../../skin/encode.ts';
import type { Picture } from '../../skin/picture.ts';
import { pixelHash } from '../../skin/pixel-hash.ts';
import { chooseVariant } from '../../skin/variant.ts';
import type { NewJob } from '../queue/port.ts';
import type { Material } from '../sources/source.ts';
import { readSource } from '../sources/sources.ts';
import { keepTexture } from '../store/textures.ts';
import {
  answerAgain,
  answerKnown,
  answerRepeated,
  awaited,
  type Found,
  type Submitted,
} from './answering.ts';
import type { Caller } from './caller.ts';
import { readCapeFor } from './capes.ts';
import type { ServiceContext } from './context.ts';
import { type GenerationRequest, newJob } from './generation-request.ts';
import { dataIdentity, ownIdentity } from './identity.ts';
import { decodeImage } from './images.ts';
import { overLimitRefusal } from './over-limit.ts';
import { Refusal } from './refusal.ts';
import { requirePrivateSkins } from './skin-changes.ts';
import { submitSigned } from './submit-signed.ts';

/**
 * Takes a generation: answers with existing skin data, or with a job in the queue. The same picture
 * and options of the same caller while a job is pending are that job. A request that comes again under
 * its idempotency key is answered with its own job, which may have ended.
 * @throws Refusal
 */
export async function submit(context: ServiceContext, request: GenerationRequest): Promise<Submitted> {
  return await submitMaterial(context, request, await readMaterial(context, request));
}

/** What the request is to be made of, fetched where that is needed: the part that may take long. @throws Refusal */
export async function readMaterial(context: ServiceContext, request: GenerationRequest): Promise<Material> {
  const { caller, visibility, source } = request;
  if (context.isStopping()) throw new Refusal('service_unavailable', 'The service is being stopped.');
  if (visibility === 'private') requirePrivateSkins(caller);
  return await readSource(context, source, request);
}

/** The other part of `submit`. @throws Refusal */
export async function submitMaterial(
  context: ServiceContext,
  request: GenerationRequest,
  material: Material,
): Promise<Submitted> {
  return material.kind === 'signed'
    ? await submitSigned(context, request, material)
    : await submitPicture(context, request, material.bytes);
}

async function submitPicture(
  context: ServiceContext,
  request: GenerationRequest,
  bytes: Uint8Array,
): Promise<Submitted> {
  const picture = decodeImage(bytes, decodePng);
  const wanted = request.variant === 'unknown' ? undefined : request.variant;
  const choice = chooseVariant(picture, wanted);
  const warnings: Note[] = choice.warning ? [{ code: 'variant_mismatch', message: choice.warning }] : [];
  const textureHash = pixelHash(picture);
  const job = await describeJob(context, request, { textureHash, variant: choice.variant });

  const there = (await answerRepeated(context, job)) ?? (await answerKnown(context, job, request));
  if (there) return { ...there, warnings };
  if (request.checkOnly) throw new Refusal('no_duplicate');
  await keepPicture(context, textureHash, picture);
  return { ...(await enqueue(context, request.caller, job)), warnings };
}

async function describeJob(
  context: ServiceContext,
  request: GenerationRequest,
  texture: Pick<NewJob, 'textureHash' | 'variant'>,
): Promise<NewJob> {
  const { caller, visibility, cape } = request;
  const { textureHash: pixelHash, variant } = texture;
  const capeHash = cape === undefined ? null : (await readCapeFor(context, caller, cape)).texture_hash;
  const shared = dataIdentity({ pixelHash, variant, capeHash, signer: await context.generator.signer() });
  // What is made for a private skin must not answer anybody else.
  const identity = visibility === 'private' ? ownIdentity(shared, caller.owner) : shared;
  return await newJob(context, request, { ...texture, identity, capeHash });
}

async function keepPicture(context: ServiceContext, hash: string, picture: Picture): Promise<void> {
  const { width, height } = picture;
  const created_at = context.clock.now();
  await keepTexture(context.db, { hash, width, height, png: encodePng(picture), created_at });
}

async function enqueue(context: ServiceContext, caller: Caller, job: NewJob): Promise<Found> {
  const submission = await context.queue.submit(job, caller.plan);
  if ('memory' in submission) {
    throw overLimitRefusal(submission, { caller, via: job.via, now: context.clock.now() });
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
