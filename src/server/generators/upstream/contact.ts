import type { SkinClient } from '../../../client/skin-client.ts';
import { FullQueue, USUAL_SLOTS } from '../../../dispatch/limits.ts';
import { readAccount, readServiceKey, type ServiceKey, slotsOf } from '../../../dispatch/service-facts.ts';
import { ONE_ATTEMPT, type Session } from '../../../dispatch/session.ts';
import type { SkinVisibility } from '../../../protocol/skin.ts';
import { GenerationPostponed, type Trust } from '../port.ts';

/** The service that makes the skins, and the key to use there. */
export interface UpstreamSettings {
  /** Its root, with or without a trailing `/v2`. */
  readonly url: string;
  readonly apiKey: string;
  /** Also send the key over plain http to public addresses. */
  readonly insecureHttp?: boolean | undefined;
  /** Time limit of one request in milliseconds; default: that of every client. */
  readonly timeout?: number | undefined;
  /**
   * Maximum number of jobs on the service at one time; default: that of the key's plan. A plan with fewer lowers it.
   */
  readonly slots?: number | undefined;
  /**
   * Visibility of the skins on the service; default: unlisted. A private skin is requested as private if the key's plan
   * allows such skins, regardless of this setting.
   */
  readonly visibility?: SkinVisibility | undefined;
}

/** The service rejects the key as invalid, so no skin could ever be made. */
export class UpstreamKeyError extends Error {
  override readonly name = 'UpstreamKeyError';
  readonly code = 'upstream_key_refused';

  constructor(url: string, cause: unknown) {
    super(`${url} does not accept the configured key.`, { cause });
  }
}

/** What the upstream service says about itself and its key. */
export interface UpstreamFacts extends ServiceKey {
  /** Maximum number of jobs on the service at one time. */
  readonly slots: number;
  readonly hasPrivateSkins: boolean;
}

/** @throws SkinsmithError; PublicKeyError; the signal's reason when aborted */
export async function readUpstreamFacts(
  client: SkinClient,
  settings: Pick<UpstreamSettings, 'slots'>,
  signal: AbortSignal,
): Promise<UpstreamFacts> {
  const reader = { client, call: { ...ONE_ATTEMPT, signal } };
  const me = await readAccount(reader);
  return {
    slots: Math.max(1, slotsOf(me, settings.slots)),
    hasPrivateSkins: me?.grants.private_skins ?? false,
    ...(await readServiceKey(reader)),
  };
}

export class Contact {
  readonly #client: SkinClient;
  readonly #settings: UpstreamSettings;
  #facts: UpstreamFacts | undefined;

  constructor(client: SkinClient, settings: UpstreamSettings) {
    this.#client = client;
    this.#settings = settings;
  }

  get name(): string {
    return this.#client.baseUrl;
  }

  /** Maximum number of jobs on the service at one time, as far as is known. */
  get slots(): number {
    return this.#facts?.slots ?? Math.min(this.#settings.slots ?? USUAL_SLOTS, USUAL_SLOTS);
  }

  /** The facts known so far. */
  get trust(): Trust {
    const { publicKey, skinDomains = [] } = this.#facts ?? {};
    const publicPem = publicKey?.export({ type: 'spki', format: 'pem' }).toString();
    return { publicPem, skinDomains };
  }

  /** Requests the facts until there is an answer. @throws SkinsmithError; the signal's reason when aborted */
  async facts(signal: AbortSignal): Promise<UpstreamFacts> {
    this.#facts ??= await readUpstreamFacts(this.#client, this.#settings, signal);
    return this.#facts;
  }

  /** The current signing key of a service that has one. @throws SkinsmithError; the signal's reason when aborted */
  async freshKey(signal: AbortSignal): Promise<UpstreamFacts['publicKey']> {
    if (!(await this.facts(signal)).publicKey) return undefined;
    const fresh = await readServiceKey({ client: this.#client, call: { ...ONE_ATTEMPT, signal } });
    this.#facts = { ...(await this.facts(signal)), ...fresh };
    return fresh.publicKey;
  }
}

interface AvailabilityOptions {
  readonly session: Pick<Session, 'clock' | 'random' | 'now' | 'pace' | 'outage' | 'intake'>;
  /** Tells workers to continue. */
  readonly wake: () => void;
  readonly warn: (message: string) => void;
  /** The name of the service in messages. */
  readonly name: string;
  /** The service is temporarily unusable: callers may stop waiting for it. */
  readonly onDown: () => void;
}

/** Milliseconds of continuous trouble after which the service counts as down. */
const PATIENCE = 5_000;
/** Minimum milliseconds that a job is postponed. */
const LEAST_POSTPONEMENT = 250;
const KEY_PAUSE = 60_000;
/** Minimum milliseconds between messages about limits, which are ordinary. */
const SAID_AGAIN = 10 * 60_000;

/**
 * Whether the upstream service can be used, and when the next submission is allowed. All workers share it, so that
 * they pause together and none runs into a limit that another has already met. Tells the operator why they wait.
 */
export class Availability {
  readonly #options: AvailabilityOptions;
  readonly #fullQueue: FullQueue;
  #saidLimitsAt = Number.NEGATIVE_INFINITY;
  #isDown = false;
  /** The service answers, but accepts no submissions. */
  #isClosed = false;

  constructor(options: AvailabilityOptions) {
    this.#options = options;
    this.#fullQueue = new FullQueue(options.session.random);
  }

  /** Whether the service is unusable for more than a moment. */
  get isDown(): boolean {
    return this.#isDown;
  }

  /** Milliseconds until the next submission is allowed; 0: now. */
  wait(): number {
    const { pace, outage, intake } = this.#options.session;
    const now = this.#now();
    const openAt = Math.max(pace.openAt(now), outage.openAt, intake.openAt, this.#fullQueue.openAt);
    return Math.max(this.#isDown ? 1 : 0, openAt - now);
  }

  /** The error that a worker throws if its job has to wait. */
  postponed(cause?: unknown): GenerationPostponed {
    const wait = Math.max(LEAST_POSTPONEMENT, this.wait());
    return new GenerationPostponed(this.#options.session.clock.now() + wait, { cause });
  }

  accepted(): void {
    this.#fullQueue.accepted();
  }

  /** All slots are taken by others with the same key. */
  full(): void {
    this.#fullQueue.refused(this.#now());
    this.#sayLimits(`${this.#options.name} has no free slot for this key; jobs wait for one.`);
  }

  /** A slot may have become free. */
  roomSeen(): void {
    this.#fullQueue.roomSeen();
  }

  /** Submissions wait for a limit. */
  limited(): void {
    this.#sayLimits(`${this.#options.name} limits requests; jobs wait as long as it requires.`);
  }

  /** A request failed for this reason and will be repeated after a pause. */
  failed(reason: string): void {
    const { session, name, warn } = this.#options;
    if (session.intake.isOn && !this.#isClosed) {
      this.#isClosed = true;
      warn(`${name} accepts no submissions; jobs wait until it does: ${reason}`);
    }
    const { since } = session.outage;
    if (since !== undefined && this.#now() - since >= PATIENCE) this.#down(reason);
  }

  /** One kind of problem is over. */
  passed(): void {
    const { session, name } = this.#options;
    if (this.#isDown && !session.outage.isOn) {
      this.#isDown = false;
      this.#goOn(`${name} responds again; jobs continue.`);
    }
    if (this.#isClosed && !session.intake.isOn) {
      this.#isClosed = false;
      this.#goOn(`${name} accepts submissions again; jobs continue.`);
    }
  }

  keyRefused(error: unknown): void {
    this.#options.session.outage.failed(error, KEY_PAUSE);
    this.#down(reasonOf(error));
  }

  /** The service is unusable from the start. */
  unreachable(error: unknown): void {
    this.#options.session.outage.failed(error);
    this.#down(reasonOf(error));
  }

  /** Reports this once until the service responds again. */
  #down(reason: string): void {
    if (this.#isDown) return;
    this.#isDown = true;
    const { name, warn, onDown } = this.#options;
    warn(`${name} is unavailable; jobs wait until it is back: ${reason}`);
    onDown();
  }

  #goOn(message: string): void {
    this.#options.warn(message);
    this.#options.wake();
  }

  #sayLimits(message: string): void {
    const now = this.#now();
    if (now - this.#saidLimitsAt < SAID_AGAIN) return;
    this.#saidLimitsAt = now;
    this.#options.warn(message);
  }

  #now(): number {
    return this.#options.session.now();
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
