import type { Me } from '../protocol/account.ts';
import type { Reads } from './reads.ts';
import { readAccount, readCapeTexture, readServiceKey, type ServiceKey, spotsOf } from './service-facts.ts';
import type { Session } from './session.ts';

/** What the service says about itself. */
export interface Facts extends ServiceKey {
  /** The account; undefined for anonymous callers. */
  readonly me: Me | undefined;
  /** Texture name of the requested cape, if known. */
  readonly capeTexture: string | undefined;
}

interface Contact {
  readonly session: Pick<Session, 'client' | 'call' | 'spotLimit'>;
  readonly reads: Reads;
  readonly tracker: { firstLook(): Promise<void> };
  readonly stop: AbortSignal;
  /** UUID of the requested cape. */
  readonly cape: string | undefined;
}

/** Asks the service for the caller's account, its signing key and the jobs already in the queue. */
export async function learnFacts(contact: Contact, slots: number | undefined): Promise<Facts> {
  const { session, reads, tracker, stop, cape } = contact;
  const reader = {
    client: session.client,
    call: session.call(stop),
    repeatedly: async <T>(request: () => Promise<T>) => await reads.repeatedly(request),
  };
  const [me, key, capeTexture] = await Promise.all([
    readAccount(reader),
    readServiceKey(reader),
    cape === undefined ? undefined : readCapeTexture(reader, cape),
    tracker.firstLook(),
  ]);
  session.spotLimit.told = spotsOf(me, slots);
  return { ...key, me, capeTexture };
}
