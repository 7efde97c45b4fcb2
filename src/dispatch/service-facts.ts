import type { KeyObject } from 'node:crypto';
import { bareUuid } from '../base/text.ts';
import { classifyFailure, ServiceError } from '../client/errors.ts';
import type { SkinClient } from '../client/skin-client.ts';
import type { CallOptions } from '../client/types.ts';
import type { Me } from '../protocol/account.ts';
import { textureName } from '../textures/property.ts';
import { fingerprintOf, parsePublicKey } from '../textures/signing-key.ts';
import type { RetryingReader } from './retrying-reader.ts';
import type { Session } from './session.ts';
import { USUAL_SLOTS } from './slots.ts';

/** The key that a service signs with. */
export interface ServiceKey {
  /** Undefined: it publishes none, as the hosted service, for which the game signs. */
  readonly publicKey: KeyObject | undefined;
  /** The fingerprint of that key. */
  readonly fingerprint: string | undefined;
  /** Hosts that serve its textures, if it names them. */
  readonly skinDomains: readonly string[];
}

export interface FactsReader {
  readonly client: SkinClient;
  readonly call: CallOptions;
  /** Repeats a request after temporary failures; absent: only the client does. */
  readonly repeatedly?: <T>(request: () => Promise<T>) => Promise<T>;
}

/**
 * The caller's account and limits; undefined: the service says nothing about the caller, for instance an anonymous one.
 * @throws SkinsmithError
 */
export async function readAccount(reader: FactsReader): Promise<Me | undefined> {
  const { client, call } = reader;
  return await ifPresent(reader, isUnknown, () => client.me(call));
}

/** The key with which the service signs. @throws SkinsmithError; PublicKeyError */
export async function readServiceKey(reader: FactsReader): Promise<ServiceKey> {
  const { client, call } = reader;
  const document = await ifPresent(reader, isUnknownOrPage, () => client.keyDocument(call));
  const { signaturePublickey: text, skinDomains = [] } = document ?? {};
  if (text === undefined) return { publicKey: undefined, fingerprint: undefined, skinDomains };
  const publicKey = publicKeyIn(text, client.baseUrl);
  return { publicKey, fingerprint: fingerprintOf(publicKey), skinDomains };
}

/** The texture name of a cape; undefined if the service does not list it. @throws SkinsmithError */
export async function readCapeTexture(reader: FactsReader, cape: string): Promise<string | undefined> {
  const { client, call } = reader;
  const capes = await ifPresent(reader, isUnknown, () => client.capes(call));
  const found = capes?.find(({ uuid }) => bareUuid(uuid) === bareUuid(cape));
  return found && textureName(found.url);
}

/** Jobs that the caller may have in the queue at a time. `wanted` lowers the number. */
export function slotsOf(me: Me | undefined, wanted: number | undefined): number {
  const { queue, concurrency = 1 } = me?.grants ?? {};
  return Math.min(wanted ?? Number.POSITIVE_INFINITY, queue ?? Math.max(USUAL_SLOTS, concurrency));
}

/** A public key that a service or a file should contain. */
export class PublicKeyError extends Error {
  override readonly name = 'PublicKeyError';
  readonly code = 'invalid_key';
  readonly hint =
    'The key must be SPKI in PEM, as in signaturePublickey at the root URL of a skinsmith service.';
}

/** A public key from a file or a service. @throws PublicKeyError when it is invalid */
export function publicKeyIn(text: string, place: string): KeyObject {
  try {
    return parsePublicKey(text);
  } catch (cause) {
    throw new PublicKeyError(`${place} does not contain a public key.`, { cause });
  }
}

/** Undefined: the service does not have it, which is a regular answer and not repeated. */
async function ifPresent<T>(
  { client, repeatedly = async (request) => await request() }: FactsReader,
  isAbsence: (error: unknown, client: SkinClient) => boolean,
  read: () => Promise<T>,
): Promise<T | undefined> {
  return await repeatedly(async () => {
    try {
      return await read();
    } catch (error) {
      if (isAbsence(error, client)) return undefined;
      throw error;
    }
  });
}

/** The resource or the account does not exist. */
function isUnknown(error: unknown, { caller }: SkinClient): boolean {
  if (classifyFailure(error)?.status === 404) return true;
  if (!(error instanceof ServiceError)) return false;
  return error.code === 'user_not_found' || (error.code === 'unauthorized' && caller === 'anonymous');
}

/** The root of a service without a key of its own may also be a web page. */
function isUnknownOrPage(error: unknown, client: SkinClient): boolean {
  return isUnknown(error, client) || classifyFailure(error)?.kind === 'unreadable';
}

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
  readonly slots: number;
  readonly signingKey: () => Promise<Pick<ServiceKey, 'publicKey' | 'fingerprint'> | undefined>;
}

/** What a batch wants to use of a service. */
export interface WantedFacts {
  /** Maximum slots of the queue; undefined: all. */
  readonly slots: number | undefined;
  /** UUID of the requested cape. */
  readonly cape: string | undefined;
}

interface Contact extends WantedFacts {
  readonly known?: KnownService | undefined;
  readonly session: Pick<Session, 'client' | 'call' | 'slotLimit'>;
  readonly reader: RetryingReader;
  readonly tracker: { firstLook(): Promise<void> };
  readonly stop: AbortSignal;
}

/** Asks the service for the caller's account, its signing key and the jobs already in the queue, unless they are known. */
export async function learnFacts(contact: Contact): Promise<Facts> {
  const { session, stop, slots, cape } = contact;
  const reader = {
    client: session.client,
    call: session.call(stop),
    repeatedly: async <T>(request: () => Promise<T>) => await contact.reader.repeatedly('facts', request),
  };
  const [{ me, ...key }, capeTexture] = await Promise.all([
    contact.known ? knownFacts(contact.known) : askedFacts(reader, contact.tracker),
    cape === undefined ? undefined : readCapeTexture(reader, cape),
  ]);
  session.slotLimit.announced = slotsOf(me, slots);
  return { ...key, me, capeTexture };
}

type LearnedFacts = Omit<Facts, 'capeTexture'>;

async function knownFacts({ slots, signingKey }: KnownService): Promise<LearnedFacts> {
  const { publicKey, fingerprint } = (await signingKey()) ?? {};
  return { publicKey, fingerprint, skinDomains: [], me: { grants: { queue: slots } } };
}

async function askedFacts(reader: FactsReader, tracker: Contact['tracker']): Promise<LearnedFacts> {
  const [me, key] = await Promise.all([readAccount(reader), readServiceKey(reader), tracker.firstLook()]);
  return { ...key, me };
}

const HOSTED = /(^|\.)mineskin\.org$/;

/** Whether an address is that of the hosted service, for which the game signs. */
export function isHostedService(address: string): boolean {
  return HOSTED.test(URL.parse(address)?.hostname ?? '');
}

/** The limits of a caller that decide how long a batch takes. */
export interface Limits {
  /** Submissions a minute and an hour. */
  readonly perMinute: number | undefined;
  readonly perHour: number | undefined;
  /** Jobs processed at once. */
  readonly concurrency: number | undefined;
  /** Slots in the queue. */
  readonly slots: number;
  /** Seconds that one skin takes. */
  readonly service: number;
}

/** Seconds per skin on the hosted service, as its documentation says. */
const HOSTED_SECONDS = 1.5;
/** Approximate seconds for a signature of our own on one core: other services may be as fast. */
const SIGNING_SECONDS = 0.006;

/** The limits that decide how long a batch takes. `slots`: in the queue. `service`: its address, or `embedded`. */
export function limitsOf(me: Me | undefined, slots: number, service: string): Limits {
  const { per_minute: perMinute, per_hour: perHour } = me?.grants ?? {};
  const concurrency = me?.grants.burst ?? me?.grants.concurrency;
  const seconds = isHostedService(service) ? HOSTED_SECONDS : SIGNING_SECONDS;
  return { perMinute, perHour, concurrency, slots, service: seconds };
}

/**
 * The minimum seconds for `count` new skins, by the tightest limit. A whole hour's quota can be sent at once,
 * then the next one waits for the hour to pass; the same holds for minutes.
 */
export function estimateSeconds(count: number, limits: Limits): number {
  if (count === 0) return 0;
  const { perMinute, perHour, concurrency = limits.slots, slots, service } = limits;
  const atOnce = Math.max(1, Math.min(concurrency || slots, slots));
  return Math.max(
    Math.ceil(count / atOnce) * service,
    windows(count, perMinute) * 60 + service,
    windows(count, perHour) * 3600 + service,
  );
}

/** Whole windows that have to pass before the last one may be sent. */
function windows(count: number, perWindow: number | undefined): number {
  return perWindow === undefined || perWindow <= 0 ? 0 : Math.ceil(count / perWindow) - 1;
}
