import type { Note } from '../../../protocol/envelope.ts';
import type { Picture } from '../../../skin/picture.ts';
import { encodePng } from '../../../skin/png/encode.ts';
import { variantFor } from '../../../skin/variant.ts';
import { submitJob } from '../../queue/enqueue.ts';
import type { NewJob } from '../../queue/port.ts';
import { readSource } from '../../sources/read-source.ts';
import type { SourceContext } from '../../sources/reserve-slot.ts';
import { type Material, nameOfSource } from '../../sources/source.ts';
import { noteGeneration } from '../../store/usage.ts';
import { overLimitRefusal, untilOneEnds } from '../limits/over-limit.ts';
import { Refusal } from '../refusal.ts';
import { readCapeFor } from '../skins/capes.ts';
import { requirePrivateSkins } from '../skins/changes.ts';
import { readSent } from '../skins/decode-image.ts';
import { identityOfJob } from '../skins/identity.ts';
import {
  answerAgain,
  answerFromStore,
  awaited,
  type FoundAnswer,
  forCaller,
  type Submitted,
} from './answering.ts';
import { type GenerationRequest, type JobRequest, newJob } from './generation-request.ts';
import { type StoringContext, submitSigned } from './submit-signed.ts';

export interface MaterialContext extends SourceContext {
  /** Whether the service is shutting down and accepts nothing new. */
  readonly isStopping: () => boolean;
}

export interface SubmitContext extends MaterialContext, StoringContext {}

/**
 * Accepts a generation: answers with existing skin data, or with a job in the queue. A request with the same picture
 * and options as a pending job of the same caller gets that job. A request that is repeated under its idempotency key
 * gets its own job, which may have ended.
 * @throws Refusal
 */
export async function submit(context: SubmitContext, request: GenerationRequest): Promise<Submitted> {
  return await submitMaterial(context, request, await readMaterial(context, request));
}

/** Reads the input of the request, and fetches it if necessary: the part that may take long. @throws Refusal */
export async function readMaterial(context: MaterialContext, request: GenerationRequest): Promise<Material> {
  verifyMaySubmit(context, request);
  return await readSource(context, request.source, request);
}

/** @throws Refusal `service_unavailable`, `insufficient_grants`, `rate_limit` */
export function verifyMaySubmit(
  context: Pick<MaterialContext, 'isStopping' | 'webPages'>,
  { caller, visibility }: Pick<GenerationRequest, 'caller' | 'visibility'>,
): void {
  if (context.isStopping()) throw new Refusal('service_unavailable', 'The service is shutting down.');
  context.webPages.verifyMay('generate', caller);
  if (visibility === 'private') requirePrivateSkins(caller);
}

/** The second part of `submit`: call it for everything that `readMaterial` has read. @throws Refusal */
export async function submitMaterial(
  context: StoringContext,
  request: GenerationRequest,
  material: Material,
): Promise<Submitted> {
  const { caller } = request;
  if (material.kind === 'signed') return forCaller(caller, await submitSigned(context, request, material));
  try {
    return forCaller(caller, await submitPicture(context, request, material.bytes));
  } finally {
    material.leave?.();
  }
}

async function submitPicture(
  context: StoringContext,
  request: GenerationRequest,
  bytes: Uint8Array,
): Promise<Submitted> {
  const { pixels: textureHash, detected, picture } = readSent(bytes);
  const choice = variantFor(detected, request.variant);
  const warnings: Note[] = choice.warning ? [{ code: 'variant_mismatch', message: choice.warning }] : [];
  const source = nameOfSource(request.source);
  const texture = { textureHash, variant: choice.variant, source };
  const found = await submitTexture(context, request, texture, () => storedPicture(textureHash, picture));
  return { ...found, warnings };
}

/** A texture, and what its owner knows it by. */
type Texture = Pick<NewJob, 'textureHash' | 'variant' | 'source'>;

/** Answers with existing skin data, or with a job. `picture` is stored if it is needed. @throws Refusal */
export async function submitTexture(
  context: StoringContext,
  request: JobRequest,
  texture: Texture,
  picture: () => NewJob['picture'],
): Promise<FoundAnswer> {
  const job = await describeJob(context, request, texture);
  const there = await answerFromStore(context, job, request);
  if (there) return there;
  if (request.checkOnly) throw new Refusal('no_duplicate');
  context.ceiling.verifyRoom();
  return await enqueue(context, request, { ...job, picture: picture() });
}

async function describeJob(context: StoringContext, request: JobRequest, texture: Texture): Promise<NewJob> {
  const { caller, visibility, cape } = request;
  const capeHash = cape === undefined ? null : (await readCapeFor(context, caller, cape)).texture_hash;
  const asked = { ...texture, capeHash, visibility, owner: caller.owner };
  const identity = identityOfJob(asked, await context.generator.signer());
  return await newJob(context, request, { ...texture, identity, capeHash });
}

function storedPicture(hash: string, picture: Picture): NewJob['picture'] {
  const { width, height } = picture;
  return { hash, width, height, png: encodePng(picture) };
}

async function enqueue(context: StoringContext, request: JobRequest, job: NewJob): Promise<FoundAnswer> {
  const { caller } = request;
  const submission = await submitJob(context.db, job, { limits: caller.plan, now: context.clock.now() });
  if ('memory' in submission) {
    // What the request would have joined a moment ago may be done by now, and costs nothing.
    const made = await answerFromStore(context, job, request);
    if (made) return made;
    throw await overLimitRefusal(context, submission, { caller, via: job.via });
  }
  if (!('usage' in submission)) return await answerAgain(context, submission);
  if (submission.kind === 'queued') {
    if (caller.kind === 'user' && caller.key) noteGeneration(context.db, caller.key.id);
    context.signals.work(1);
    context.signals.accepted(job.owner, submission.job);
  }
  const opensIn = submission.isFull ? await untilOneEnds(context, caller) : 0;
  return { ...(await awaited(context, submission.job)), usage: submission.usage, opensIn };
}
