import { newUuid } from '../../../base/text.ts';
import type { Note } from '../../../protocol/envelope.ts';
import { variantFor } from '../../../skin/variant.ts';
import { HOUR, MINUTE, roomAt } from '../../fairness.ts';
import { submitJob } from '../../queue/enqueue.ts';
import { findJob } from '../../queue/lists.ts';
import type { NewJob } from '../../queue/port.ts';
import { recallCaller } from '../../store/callers.ts';
import { type Db, inTransaction } from '../../store/db.ts';
import type { JobRow } from '../../store/schema/tables.ts';
import { ensureSkin, type SkinWithData } from '../../store/skins.ts';
import {
  findPublicCapeOf,
  findTexture,
  keepTexture,
  keepTextureData,
  textureRowOf,
} from '../../store/textures.ts';
import { noteGeneration } from '../../store/usage.ts';
import type { Caller, StoreContext } from '../callers.ts';
import { overLimitRefusal, rateLimitOf, untilOneEnds, withWait } from '../limits.ts';
import { Refusal } from '../refusal.ts';
import { readCapeFor, readSent } from '../skins/capes.ts';
import { requirePrivateSkins } from '../skins/changes.ts';
import { identityOfJob } from '../skins/identity.ts';
import { readPlayer, unreadableNote } from '../sources/player.ts';
import {
  type Material,
  nameOfSource,
  type SignedMaterial,
  type Source,
  type SourceContext,
  type SourceRequest,
  variantNote,
} from '../sources/source.ts';
import { readUrl } from '../sources/url.ts';
import {
  type AnswerContext,
  answerAgain,
  answerFromStore,
  awaited,
  type FoundAnswer,
  forCaller,
  recordDone,
  type Submitted,
} from './answering.ts';
import {
  type CallbackContext,
  type GenerationRequest,
  type JobRequest,
  newJob,
} from './generation-request.ts';

export interface SubmitContext extends SourceContext, AnswerContext, CallbackContext {
  /** Whether the service is shutting down and accepts nothing new. */
  readonly isStopping: () => boolean;
}

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
export async function readMaterial(context: SubmitContext, request: GenerationRequest): Promise<Material> {
  verifyMaySubmit(context, request);
  return await readSource(context, request.source, request);
}

/** @throws Refusal `service_unavailable`, `insufficient_grants`, `rate_limit` */
export function verifyMaySubmit(
  context: Pick<SubmitContext, 'isStopping' | 'webPages'>,
  { caller, visibility }: Pick<GenerationRequest, 'caller' | 'visibility'>,
): void {
  if (context.isStopping()) throw new Refusal('service_unavailable', 'The service is shutting down.');
  context.webPages.verifyMay('generate', caller);
  if (visibility === 'private') requirePrivateSkins(caller);
}

/** The second part of `submit`: call it for everything that `readMaterial` has read. @throws Refusal */
export async function submitMaterial(
  context: SubmitContext,
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
  context: SubmitContext,
  request: GenerationRequest,
  bytes: Uint8Array,
): Promise<Submitted> {
  const { pixels: textureHash, detected, picture } = readSent(bytes);
  const choice = variantFor(detected, request.variant);
  const warnings: Note[] = choice.warning ? [{ code: 'variant_mismatch', message: choice.warning }] : [];
  const source = nameOfSource(request.source);
  const texture = { textureHash, variant: choice.variant, source };
  const found = await submitTexture(context, request, texture, () => textureRowOf(picture, textureHash));
  return { ...found, warnings };
}

/** A texture, and the owner's description of it. */
type DescribedTexture = Pick<NewJob, 'textureHash' | 'variant' | 'source'>;

/** Answers with existing skin data, or with a job. `picture` is stored if it is needed. @throws Refusal */
export async function submitTexture(
  context: SubmitContext,
  request: JobRequest,
  texture: DescribedTexture,
  picture: () => NewJob['picture'],
): Promise<FoundAnswer> {
  const job = await describeJob(context, request, texture);
  const there = await answerFromStore(context, job, request);
  if (there) return there;
  if (request.checkOnly) throw new Refusal('no_duplicate');
  context.ceiling.verifyRoom();
  return await enqueue(context, request, { ...job, picture: picture() });
}

async function describeJob(
  context: SubmitContext,
  request: JobRequest,
  texture: DescribedTexture,
): Promise<NewJob> {
  const { caller, visibility, cape } = request;
  const capeHash = cape === undefined ? null : (await readCapeFor(context, caller, cape)).texture_hash;
  const asked = { ...texture, capeHash, visibility, owner: caller.owner };
  const identity = identityOfJob(asked, await context.generator.signer(texture.textureHash));
  return await newJob(context, request, { ...texture, identity, capeHash });
}

async function enqueue(context: SubmitContext, request: JobRequest, job: NewJob): Promise<FoundAnswer> {
  const { caller } = request;
  const submission = await submitJob(context.db, job, { limits: caller.plan, now: context.clock.now() });
  if ('memory' in submission) {
    // The job that the request would have joined may be done by now, and then costs nothing.
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

/**
 * Accepts data that is already signed: there is nothing to generate, so its job is created as completed. A private skin
 * with this data is a private record of shared data.
 * @throws Refusal
 */
export async function submitSigned(
  context: SubmitContext,
  request: GenerationRequest,
  material: SignedMaterial,
): Promise<Submitted> {
  if (request.cape !== undefined) {
    throw new Refusal(
      'invalid_cape',
      "A player's skin is signed together with the cape that the player wears, so it cannot have another.",
    );
  }
  const { identity, texture_hash: textureHash, variant, cape_hash: capeHash } = material.data;
  const source = nameOfSource(request.source);
  const job = await newJob(context, request, { identity, textureHash, variant, capeHash, source });
  const warnings = [...variantNote(request.variant, material), ...unreadableNote(material)];
  const there = await answerFromStore(context, job, request);
  if (there) return { ...there, warnings };
  if (request.checkOnly) throw new Refusal('no_duplicate');
  // Deleted after it was found in the store.
  const { data, textures } = material;
  if (!textures)
    throw new Refusal('service_unavailable', "The player's skin has just been deleted. Try again.");
  context.ceiling.verifyRoom();
  const done = await recordDone(context, job, await keepFound(context, job, { data, textures }));
  return done.kind === 'known' ? { ...done, kind: 'ended', warnings } : { ...done, warnings };
}

/** Uses the same time for all rows: the record is as old as its data, so it is not a duplicate. */
async function keepFound(
  { db, clock }: StoreContext,
  { owner, identity, name, visibility }: NewJob,
  { data, textures }: Required<Pick<SignedMaterial, 'data' | 'textures'>>,
): Promise<SkinWithData> {
  const created_at = clock.now();
  return await inTransaction(db, async (tx) => {
    for (const texture of textures) await keepTexture(tx, { ...texture, created_at });
    await keepTextureData(tx, { ...data, created_at });
    const uuid = newUuid();
    return await ensureSkin(tx, { uuid, owner, identity, name, visibility, created_at });
  });
}

/**
 * Submits a failed job of the caller again: as a new job for the same picture and options under the current limits, or
 * with the skin if it exists by now.
 * @throws Refusal `job_not_found`; `invalid_request` for a job that has not failed; otherwise as `submit` does
 */
export async function retryJob(
  context: SubmitContext,
  caller: Caller,
  { uuid, ...rest }: { readonly uuid: string } & Pick<JobRequest, 'idempotencyKey' | 'visitor'>,
): Promise<Submitted> {
  const job = await failedJob(context, caller, uuid);
  const { name, visibility, variant, texture_hash: textureHash, source } = job;
  verifyMaySubmit(context, { caller, visibility });
  const cape = await capeOf(context.db, job);
  const picture = await findTexture(context.db, textureHash);
  const request = { caller, name, visibility, cape, via: 'queue', checkOnly: false, ...rest } as const;
  const texture = { textureHash, variant, source: source ?? undefined };
  const found = await submitTexture(context, request, texture, () => picture);
  return forCaller(caller, { ...found, warnings: [] });
}

async function failedJob(
  { db }: Pick<SubmitContext, 'db'>,
  { owner }: Caller,
  uuid: string,
): Promise<JobRow> {
  const job = await findJob(db, uuid);
  if (job?.owner !== owner) throw new Refusal('job_not_found');
  if (job.status === 'failed') return job;
  throw new Refusal('invalid_request', `Only failed jobs can be submitted again; this one is ${job.status}.`);
}

/** UUID of the job's cape. @throws Refusal `invalid_cape` if it has been removed or hidden since */
async function capeOf(db: Db, { cape_hash }: JobRow): Promise<string | undefined> {
  if (cape_hash === null) return undefined;
  const cape = await findPublicCapeOf(db, cape_hash);
  if (!cape) throw new Refusal('invalid_cape', 'The cape of this job is no longer available.');
  return cape.uuid;
}

/** @throws Refusal */
async function readSource(context: SourceContext, source: Source, request: SourceRequest): Promise<Material> {
  switch (source.kind) {
    case 'upload':
      return { kind: 'picture', bytes: source.bytes };
    case 'url':
      return await readUrl(context, source.url, request);
    case 'user':
      return await readPlayer(context, source.user, request);
  }
}

/** One generation of a batch, without what is common to all. */
type BatchItemInput = Omit<GenerationRequest, 'caller' | 'via' | 'idempotencyKey' | 'inBatch'>;

export interface Batch {
  readonly caller: Caller;
  /** Reads each generation of the batch. @throws Refusal */
  readonly inputs: readonly (() => BatchItemInput)[];
  readonly idempotencyKey: string | undefined;
}

/**
 * Submits several generations in order, so that the first ones get the slots. @returns the result or error of each
 * @throws Refusal if the caller may not submit so many; then none is submitted
 */
export async function submitBatch(
  context: SubmitContext,
  batch: Batch,
): Promise<({ readonly submitted: Submitted } | { readonly error: unknown })[]> {
  verifyMayBatch(batch.caller);
  await verifyRoomFor(context, batch.caller, batch.inputs.length);
  const results = [];
  for (const reading of readItems(context, batch)) {
    try {
      const { request, material } = await reading;
      results.push({ submitted: await submitMaterial(context, request, material) });
    } catch (error) {
      results.push({ error });
    }
  }
  return results;
}

interface ReadItem {
  readonly request: GenerationRequest;
  readonly material: Material;
}

/** Number of items to fetch at the same time, so that the waits for slow hosts overlap. */
const READ_AT_ONCE = 6;

function readItems(context: SubmitContext, { caller, inputs, idempotencyKey }: Batch): Promise<ReadItem>[] {
  const items = inputs.map((input) => ({ input, ...Promise.withResolvers<ReadItem>() }));
  for (const { promise } of items) promise.catch(() => {}); // handled when its turn comes
  const waiting = items.entries();
  const read = async () => {
    for (const [index, { input, resolve, reject }] of waiting) {
      try {
        const key = itemKey(idempotencyKey, index);
        const request = { ...input(), caller, via: 'queue', idempotencyKey: key, inBatch: true } as const;
        resolve({ request, material: await readMaterial(context, request) });
      } catch (error) {
        reject(error);
      }
    }
  };
  for (let reader = 0; reader < READ_AT_ONCE; reader++) void read();
  return items.map(({ promise }) => promise);
}

/** @throws Refusal `insufficient_grants` if the caller's plan has no batches */
export function verifyMayBatch({ plan }: Caller): void {
  if (plan.batchGeneration) return;
  throw new Refusal(
    'insufficient_grants',
    `The plan ${plan.name} does not include batches. Send one skin at a time.`,
  );
}

/**
 * Whether the caller may send `size` generations in one request now. All count as new here; in the end, those whose
 * skins exist are free.
 * @throws Refusal `rate_limit` with the time at which they fit into the caller's windows
 */
async function verifyRoomFor({ db, clock }: StoreContext, caller: Caller, size: number): Promise<void> {
  const { plan } = caller;
  const now = clock.now();
  const memory = await recallCaller(db, caller.owner, now);
  const absolute = Math.max(
    roomAt(memory.minute, MINUTE, plan.perMinute - size + 1, now),
    roomAt(memory.hour, HOUR, plan.perHour - size + 1, now),
  );
  if (absolute <= now) return;
  const rateLimit = withWait(rateLimitOf(memory, caller, now), absolute - now, now);
  const message = `${size} generations exceed your remaining limit. Send fewer or wait.`;
  throw new Refusal('rate_limit', { message, rateLimit });
}

/**
 * The idempotency key of one item of a batch with a key. It contains a line break, which no header can, so no other
 * request has it.
 */
function itemKey(batchKey: string | undefined, index: number): string | undefined {
  return batchKey === undefined ? undefined : `${batchKey}\n${index}`;
}
