import type { KeyObject } from 'node:crypto';
import { bareUuid } from '../base/text.ts';
import { classifyFailure, ServiceError } from '../client/errors.ts';
import type { SkinClient } from '../client/skin-client.ts';
import type { CallOptions } from '../client/types.ts';
import type { Me } from '../protocol/account.ts';
import { isPending, type Job } from '../protocol/job.ts';
import { textureName } from '../textures/property.ts';
import { fingerprintOf, parsePublicKey } from '../textures/signing-key.ts';
import { USUAL_SLOTS } from './limits.ts';
import type { UnknownJobReport } from './look-times.ts';

/** What is known of a service: what it says about itself, whether it has its data, and how far its answers lag behind. */

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

/** Milliseconds for which a service that knows none of the jobs that it knew is taken for one whose data will be back. */
const PATIENCE = 3 * 60_000;
/** Most jobs of ours that are remembered. */
const KEPT = 256;
/** Milliseconds between lists while its data is away: a part of the time for which it has been. */
const LOOK = { least: 1_000, growth: 0.25, longest: 5_000 };

/**
 * Whether a service has its data: one that was restarted with an empty database answers as if no job had ever existed, and
 * accepts all of them again. So a list that lacks everything that the service has shown is not believed for minutes.
 * Times: milliseconds of one monotonic clock.
 */
export class ServiceMemory {
  /** The jobs of the last list that is believed, and when that was requested. */
  #listed: ReadonlySet<string> = new Set();
  #listedAt: number;
  readonly #patience: number;
  /** One of them that had ended: a single read shows whether the service still knows it. */
  #ended: string | undefined;
  /** Jobs of ours, each with when the service is known to have known it. */
  readonly #ours = new Map<string, number>();
  /** When its stream of events was opened, and last told of a job. */
  #openedAt = Number.POSITIVE_INFINITY;
  #heardAt = Number.NEGATIVE_INFINITY;
  #awaySince: number | undefined;
  #backAt = Number.NEGATIVE_INFINITY;
  #lostAt: number | undefined;

  constructor(now: number, patience = PATIENCE) {
    this.#listedAt = now;
    this.#patience = patience;
  }

  /** When the last list was requested that is believed. */
  get listedAt(): number {
    return this.#listedAt;
  }

  /** Whether the service knows none of what it knew, which may pass. */
  get isAway(): boolean {
    return this.#awaySince !== undefined;
  }

  /** When the service had its data again. */
  get backAt(): number {
    return this.#backAt;
  }

  /** When to request the list, to see whether the data is back. */
  lookAt(lastLook: number): number | undefined {
    if (this.#awaySince === undefined) return undefined;
    const { least, growth, longest } = LOOK;
    return lastLook + Math.min(longest, Math.max(least, growth * (lastLook - this.#awaySince)));
  }

  /** A job that had ended, for a single read. */
  get endedJob(): string | undefined {
    return this.#ended;
  }

  /** Whether the service has lost for good what it knew at this time. */
  hasLost(at: number): boolean {
    return this.#lostAt !== undefined && at <= this.#lostAt;
  }

  /**
   * The last jobs of an earlier run, the newest last, which the first list should have shown. The newest of them may have
   * been accepted without the data of the others.
   */
  expects(ids: readonly string[], now: number): void {
    const newest = ids.findLastIndex((id) => !this.#listed.has(id));
    const expected = ids.slice(0, newest + 1);
    if (newest < 0 || expected.some((id) => this.#listed.has(id))) return;
    for (const id of expected) this.#keep(id, this.#listedAt);
    this.#listed = new Set();
    this.#ended = expected.at(-1);
    this.#awaySince = now;
  }

  /** The service has accepted the job; it may have given the id to another one before. */
  accepted(id: string, at: number): void {
    this.#listed = this.#listed.difference(new Set([id]));
    this.#keep(id, at);
  }

  /** Its stream of events has been opened: the next list shows whether it is as it was. */
  opened(at: number): void {
    this.#openedAt = at;
  }

  /** The stream that was open at the time of the last list tells of a job: the service is as it was then. */
  heard(at: number): void {
    if (!this.isAway && this.#listedAt >= this.#openedAt) this.#heardAt = at;
  }

  /** A single read shows the job. @returns whether that shows that the data is back */
  found(id: string, at: number): boolean {
    const isBack = this.isAway && this.#knew(id);
    if (isBack) this.#isBack(at);
    if (!this.#ours.has(id)) this.#keep(id, at);
    return isBack;
  }

  /** A list that was requested `at` shows these jobs. `open`: those of ours that have not ended as far as known. */
  sawList(jobs: readonly Job[], at: number, open: readonly Pick<Job, 'id'>[]): void {
    const isKnown = jobs.some(({ id }) => this.#knew(id)) || !this.#expectsAny(at, open);
    if (isKnown) {
      if (this.#awaySince !== undefined) this.#isBack(at);
      this.#believe(jobs, at);
      return;
    }
    this.#awaySince ??= at;
    if (at - this.#awaySince < this.#patience) return;
    this.#lostAt = this.#awaySince;
    this.#awaySince = undefined;
    for (const [id, knownAt] of this.#ours) if (this.hasLost(knownAt)) this.#ours.delete(id);
    this.#believe(jobs, at);
  }

  /** Whether there is a job that the list should show, or one that the last list showed. */
  #expectsAny(at: number, open: readonly Pick<Job, 'id'>[]): boolean {
    if (this.#awaySince !== undefined || open.some(({ id }) => this.#knew(id))) return true;
    return this.#ended !== undefined && at - this.#listedAt <= LONGEST_LAG; // lists drop jobs after some time
  }

  /** Newer jobs may have been accepted without the data. */
  #knew(id: string): boolean {
    const knownAt = this.#ours.get(id) ?? Number.POSITIVE_INFINITY;
    return this.#listed.has(id) || knownAt <= Math.max(this.#listedAt, this.#heardAt);
  }

  #believe(jobs: readonly Job[], at: number): void {
    this.#listed = new Set(jobs.map(({ id }) => id));
    this.#listedAt = at;
    this.#ended = jobs.find(({ status }) => !isPending(status))?.id;
  }

  #isBack(at: number): void {
    this.#awaySince = undefined;
    this.#backAt = at;
  }

  #keep(id: string, at: number): void {
    this.#ours.delete(id);
    this.#ours.set(id, at);
    const [oldest] = this.#ours.keys();
    if (this.#ours.size > KEPT && oldest !== undefined) this.#ours.delete(oldest);
  }
}

/** Milliseconds that a service may need to take in a submission whose answer was lost, and to list its job. */
const SETTLES_SOON = 5_000;
/** The same after a request that timed out: the service may have been processing it. */
export const SETTLES_LATE = 15_000;
/** Milliseconds after a process wrote that it was about to submit, and died: as long as a request may take. */
const SETTLES_AFTER_DEATH = 20_000;
/** Milliseconds after which a job that only another key's list shows has probably ended: the service then knows the picture. */
const ENDS_UNSEEN = 60_000;

/** Milliseconds after which a job that no list has shown is no longer expected there: lists may drop jobs that have ended. */
export const LONGEST_LAG = 60_000;
/** Milliseconds for which a job must be missing before it counts as forgotten, by default, and the least number of answers that lack it. */
const FORGOTTEN = 10_000;
const LEAST_MISSES = 4;

/** Milliseconds from the loss of an answer until the job is listed, if the submission became one and the list does not lag. */
export function settlingTime(error: unknown): number {
  return classifyFailure(error)?.isLate ? SETTLES_LATE : SETTLES_SOON;
}

/**
 * The same for a submission that a process made, at the latest, `age` milliseconds ago, before it died.
 * `isOtherKeys`: with another key, so that it may never be listed.
 */
export function settlingTimeAfterDeath(age: number, { isOtherKeys = false } = {}): number {
  return Math.max(SETTLES_SOON, (isOtherKeys ? ENDS_UNSEEN : SETTLES_AFTER_DEATH) - Math.max(0, age));
}

/**
 * How long answers of the service may lack a job that it has: it may have several parts of which some are behind, or
 * have just been restarted. Learned from jobs that were missing and came back.
 */
export class Lag {
  readonly #patience: number;
  /** Our jobs that no list has shown, each with when it was accepted and the request of the last list that lacked it. */
  readonly #unlisted = new Map<string, { readonly acceptedAt: number; lackedAt: number }>();
  /** The longest time for which a job was missing that came back, milliseconds. */
  #longest = 0;
  /** For how long the newest list has lacked one of ours that no list has shown. */
  #current = 0;
  #isListTorn = false;

  /** `patience`: milliseconds for which a job must be missing to count as forgotten. */
  constructor(patience = FORGOTTEN) {
    this.#patience = patience;
  }

  /** Whether the newest list lacks a job of ours that an earlier one showed: it proves nothing about others. */
  get isListTorn(): boolean {
    return this.#isListTorn;
  }

  /** The service has accepted the job: lists should show it from now on. */
  accepted(id: string, at: number): void {
    this.#unlisted.set(id, { acceptedAt: at, lackedAt: at });
  }

  /** A list that was requested `at` shows these jobs. `open`: those of ours that have not ended as far as known. */
  sawList(shown: ReadonlySet<string>, at: number, open: readonly string[]): void {
    this.#isListTorn = open.some((id) => !shown.has(id) && !this.#unlisted.has(id));
    this.#current = 0;
    for (const [id, job] of this.#unlisted) {
      if (shown.has(id)) this.#learn(job.lackedAt - job.acceptedAt);
      else if (at > job.acceptedAt) job.lackedAt = at;
      const lacking = job.lackedAt - job.acceptedAt;
      if (shown.has(id) || lacking > LONGEST_LAG) this.#unlisted.delete(id);
      else this.#current = Math.max(this.#current, lacking);
    }
  }

  /** An answer shows this job: it may have been missing. */
  found(job: { absent?: UnknownJobReport | undefined }): void {
    if (!job.absent) return;
    this.#learn(job.absent.at - job.absent.since);
    job.absent = undefined;
  }

  /** Whether the job has been missing for so long that the service must have forgotten it. */
  isForgotten({ since, at, times }: UnknownJobReport): boolean {
    return times >= LEAST_MISSES && at - since >= this.#patience + 2 * this.#longest;
  }

  /** The job counts as forgotten: no list is expected to show it. */
  forget(id: string): void {
    this.#unlisted.delete(id);
  }

  /** Milliseconds until a list shows a job that would be listed in `usual` milliseconds at a service that does not lag. */
  listedIn(usual: number): number {
    return usual + 2 * Math.max(this.#longest, this.#current);
  }

  #learn(ms: number): void {
    this.#longest = Math.max(this.#longest, Math.min(ms, LONGEST_LAG));
  }
}
