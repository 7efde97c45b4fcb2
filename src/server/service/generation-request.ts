import { randomUUID } from 'node:crypto';
import type { SkinVariant, SkinVisibility } from '../../protocol/skin.ts';
import type { NewJob } from '../queue/port.ts';
import type { Source } from '../sources/source.ts';
import type { Via } from '../store/tables.ts';
import { acceptCallback } from './callbacks.ts';
import type { Caller } from './caller.ts';
import type { ServiceContext } from './context.ts';
import { requestKey } from './identity.ts';

/** A generation as it is asked for: where its picture is and what is to become of it. */
export interface GenerationRequest {
  readonly caller: Caller;
  readonly source: Source;
  /** `unknown`: look at the picture. */
  readonly variant: SkinVariant;
  readonly visibility: SkinVisibility;
  readonly name: string | null;
  /** UUID (32 hexadecimal digits) of the cape that goes with the skin. */
  readonly cape?: string | undefined;
  /** How it came: the rules that hold differ. */
  readonly via: Via;
  /** Only look for skin data that exists; nothing is generated. */
  readonly checkOnly: boolean;
  /** The caller's name for the request: sent again, it is answered with the job of the first time. */
  readonly idempotencyKey?: string | undefined;
  /** Where to tell of the job's end. */
  readonly callback?: string | undefined;
}

/** The request as a job. @throws Refusal for a callback that is not taken */
export async function newJob(
  context: ServiceContext,
  request: GenerationRequest,
  what: Pick<NewJob, 'identity' | 'textureHash' | 'variant' | 'capeHash'>,
): Promise<NewJob> {
  const { caller, visibility, name, via, idempotencyKey, callback } = request;
  return {
    uuid: randomUUID(),
    owner: caller.owner,
    requestKey: requestKey(what.identity, { visibility, name }),
    ...what,
    visibility,
    name,
    via,
    idempotencyKey,
    callback: callback === undefined ? undefined : await acceptCallback(context, caller, callback),
  };
}
