import type { SkinVariant, SkinVisibility } from '../../../protocol/skin.ts';
import { newJobId, visitorsJobId } from '../../queue/job-id.ts';
import type { NewJob } from '../../queue/port.ts';
import type { Source } from '../../sources/source.ts';
import type { Via } from '../../store/schema/job-tables.ts';
import type { Caller } from '../callers/caller.ts';
import { requestKey } from '../skins/identity.ts';
import { acceptCallback, type CallbackContext } from './callbacks.ts';

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
  /** The caller's name for the request: a request that is sent again is answered with the job of the first one. */
  readonly idempotencyKey?: string | undefined;
  /** Whether the request is one of several that are read together. */
  readonly inBatch?: boolean;
  /** Secret of the browser that it comes from, if its person is not signed in. */
  readonly visitor?: string | undefined;
  /** URL to call when the job has ended. */
  readonly callback?: string | undefined;
}

/** A generation whose picture is known already. */
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
