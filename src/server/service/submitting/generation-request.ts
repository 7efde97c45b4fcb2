import { randomUUID } from 'node:crypto';
import type { SkinVariant, SkinVisibility } from '../../../protocol/skin.ts';
import { OutboundError, type OutboundPolicy, parseTarget } from '../../outbound/target.ts';
import { newJobId, visitorsJobId } from '../../queue/enqueue.ts';
import type { NewJob } from '../../queue/port.ts';
import { countOpenCallbacks, type NewCallback } from '../../store/callbacks.ts';
import type { Via } from '../../store/schema/tables.ts';
import type { Caller, StoreContext } from '../callers.ts';
import { readRateLimit } from '../limits.ts';
import { Refusal } from '../refusal.ts';
import { requestKey } from '../skins/identity.ts';
import type { Source } from '../sources/source.ts';

/** Maximum undelivered callbacks per user, over all keys: a receiver that is down must not fill the store. */
const MAX_OPEN = 1_000;

export interface CallbackContext extends StoreContext {
  /** Rules for callback URLs; undefined if callbacks are disabled. */
  readonly callbacks: OutboundPolicy | undefined;
}

/**
 * Validates the callback URL of a request.
 * @throws Refusal `insufficient_grants`, `validation_error`, `rate_limit`
 */
export async function acceptCallback(
  context: CallbackContext,
  caller: Caller,
  url: string,
): Promise<NewCallback> {
  const { callbacks: policy } = context;
  if (!policy) throw new Refusal('insufficient_grants', 'This service sends no webhooks.');
  if (caller.kind !== 'user' || !caller.key) {
    throw new Refusal(
      'insufficient_grants',
      'A callback requires an API key, because webhooks are signed with it.',
    );
  }
  const { host, href } = targetOf(policy, url);
  if ((await countOpenCallbacks(context.db, caller.id)) >= MAX_OPEN) {
    const message = `You have ${MAX_OPEN} undelivered callbacks, which is the maximum.`;
    const rateLimit = await readRateLimit(context.db, caller, context.clock.now());
    throw new Refusal('rate_limit', { message, rateLimit });
  }
  return { uuid: randomUUID(), keyId: caller.key.id, url: href, host };
}

function targetOf(policy: OutboundPolicy, url: string): URL {
  try {
    return parseTarget(url, policy);
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    const note = { code: error.code, message: `callback: ${error.message}`, path: ['callback'] };
    throw new Refusal('validation_error', { notes: [note], cause: error });
  }
}

/** A generation as requested: the source of its picture and the options of the skin. */
export interface GenerationRequest {
  readonly caller: Caller;
  readonly source: Source;
  /** `unknown`: decide by the picture. */
  readonly variant: SkinVariant;
  readonly visibility: SkinVisibility;
  readonly name: string | null;
  /** UUID (32 hexadecimal digits) of the cape that goes with the skin. */
  readonly cape?: string | undefined;
  /** The route by which the request came; the rules depend on it. */
  readonly via: Via;
  /** Only look for existing skin data; generate nothing. */
  readonly checkOnly: boolean;
  /** The caller's ID for the request. A repeated request gets the job of the first one. */
  readonly idempotencyKey?: string | undefined;
  /** Whether the request is part of a batch. */
  readonly inBatch?: boolean;
  /** The secret of the requesting browser, if the person is not signed in. */
  readonly visitor?: string | undefined;
  /** URL to call when the job has ended. */
  readonly callback?: string | undefined;
}

/** A generation whose picture is already known. */
export type JobRequest = Omit<GenerationRequest, 'source' | 'variant'>;

/** Turns the request into a job. @throws Refusal for a callback that is not accepted */
export async function newJob(
  context: CallbackContext,
  request: JobRequest,
  what: Pick<NewJob, 'identity' | 'textureHash' | 'variant' | 'capeHash' | 'source'>,
): Promise<NewJob> {
  const { caller, visibility, name, via, idempotencyKey, visitor, callback } = request;
  const now = context.clock.now();
  return {
    uuid: visitor === undefined ? newJobId(now) : visitorsJobId(visitor, now),
    owner: caller.owner,
    requestKey: requestKey({ ...what, visibility, name }),
    ...what,
    visibility,
    name,
    via,
    idempotencyKey,
    callback: callback === undefined ? undefined : await acceptCallback(context, caller, callback),
  };
}
