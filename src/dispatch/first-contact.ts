import type { Me } from '../protocol/account.ts';
import type { Reads } from './reads.ts';
import {
  type FactsReader,
  readAccount,
  readCapeTexture,
  readServiceKey,
  type ServiceKey,
  spotsOf,
} from './service-facts.ts';
import type { Session } from './session.ts';

/** What the service says about itself. */
export interface Facts extends ServiceKey {
  /** The account; undefined for anonymous callers. */
  readonly me: Me | undefined;
  /** Texture name of the requested cape, if known. */
  readonly capeTexture: string | undefined;
}

/** What is known of a service without asking it: of an embedded one. */
export interface KnownService {
  /** Jobs that the caller may have in the queue at a time. */
  readonly spots: number;
  /** The key that it signs with. */
  readonly signingKey: () => Promise<Pick<ServiceKey, 'publicKey' | 'fingerprint'> | undefined>;
}

interface Contact {
  readonly known?: KnownService | undefined;
  readonly session: Pick<Session, 'client' | 'call' | 'spotLimit'>;
  readonly reads: Reads;
  readonly tracker: { firstLook(): Promise<void> };
  readonly stop: AbortSignal;
  /** UUID of the requested cape. */
  readonly cape: string | undefined;
}

/** Asks the service for the caller's account, its signing key and the jobs already in the queue, unless they are known. */
export async function learnFacts(contact: Contact, spots: number | undefined): Promise<Facts> {
  const { session, reads, stop, cape } = contact;
  const reader = {
    client: session.client,
    call: session.call(stop),
    repeatedly: async <T>(request: () => Promise<T>) => await reads.repeatedly('facts', request),
  };
  const [{ me, ...key }, capeTexture] = await Promise.all([
    contact.known ? knownFacts(contact.known) : askedFacts(reader, contact.tracker),
    cape === undefined ? undefined : readCapeTexture(reader, cape),
  ]);
  session.spotLimit.told = spotsOf(me, spots);
  return { ...key, me, capeTexture };
}

type LearnedFacts = Omit<Facts, 'capeTexture'>;

async function knownFacts({ spots, signingKey }: KnownService): Promise<LearnedFacts> {
  const { publicKey, fingerprint } = (await signingKey()) ?? {};
  return { publicKey, fingerprint, skinDomains: [], me: { grants: { queue: spots } } };
}

async function askedFacts(reader: FactsReader, tracker: Contact['tracker']): Promise<LearnedFacts> {
  const [me, key] = await Promise.all([readAccount(reader), readServiceKey(reader), tracker.firstLook()]);
  return { ...key, me };
}
