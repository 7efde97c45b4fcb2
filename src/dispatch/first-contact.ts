import type { Finisher } from '../batch/service/finisher.ts';
import type { Me } from '../protocol/account.ts';
import { readAccount, readCapeTexture, readServiceKey, type ServiceKey, spotsOf } from './service-facts.ts';
import type { Desk } from './session.ts';
import type { Watcher } from './watcher.ts';

/** What the service says about itself. */
export interface Facts extends ServiceKey {
  /** The account; undefined for anonymous callers. */
  readonly me: Me | undefined;
  /** Texture name of the requested cape, if known. */
  readonly capeTexture: string | undefined;
}

interface Contact {
  readonly desk: Desk;
  readonly finisher: Finisher;
  readonly watcher: Watcher;
  readonly stop: AbortSignal;
  /** UUID of the requested cape. */
  readonly cape: string | undefined;
}

/** Asks the service for the caller's account, its signing key and the jobs already in the queue. */
export async function learnFacts(contact: Contact, slots: number | undefined): Promise<Facts> {
  const { desk, finisher, watcher, stop, cape } = contact;
  const reader = {
    client: desk.client,
    call: desk.call(stop),
    repeatedly: async <T>(request: () => Promise<T>) => await finisher.repeatedly(request),
  };
  const [me, key, capeTexture] = await Promise.all([
    readAccount(reader),
    readServiceKey(reader),
    cape === undefined ? undefined : readCapeTexture(reader, cape),
    watcher.firstLook(),
  ]);
  desk.spotLimit.told = spotsOf(me, slots);
  return { ...key, me, capeTexture };
}
