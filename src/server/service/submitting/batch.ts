import { HOUR, MINUTE, roomAt } from '../../fairness.ts';
import type { Material } from '../../sources/source.ts';
import { recallCaller } from '../../store/callers.ts';
import type { Caller } from '../callers.ts';
import { rateLimitOf } from '../limits.ts';
import { Refusal } from '../refusal.ts';
import type { Submitted } from './answering.ts';
import type { GenerationRequest } from './generation-request.ts';
import { type MaterialContext, readMaterial, type SubmitContext, submitMaterial } from './submit.ts';

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

/** An item with its input. */
interface ReadItem {
  readonly request: GenerationRequest;
  readonly material: Material;
}

/** Number of items to fetch at the same time, so that the waits for slow hosts overlap. */
const READ_AT_ONCE = 6;

function readItems(context: MaterialContext, { caller, inputs, idempotencyKey }: Batch): Promise<ReadItem>[] {
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
async function verifyRoomFor(
  { db, clock }: Pick<SubmitContext, 'db' | 'clock'>,
  caller: Caller,
  size: number,
): Promise<void> {
  const { plan } = caller;
  const now = clock.now();
  const memory = await recallCaller(db, caller.owner, now);
  const absolute = Math.max(
    roomAt(memory.minute, MINUTE, plan.perMinute - size + 1, now),
    roomAt(memory.hour, HOUR, plan.perHour - size + 1, now),
  );
  if (absolute <= now) return;
  const rateLimit = { ...rateLimitOf(memory, caller, now), next: { absolute, relative: absolute - now } };
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
