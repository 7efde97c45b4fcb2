import { AWAKE, type Clock, sleepOrWake } from '../base/clock.ts';
import type { Proxies } from '../base/proxies.ts';
import type { Scope } from '../protocol/api-key.ts';
import { signWebhook, WEBHOOK_HEADERS, webhookSecret } from '../protocol/job.ts';
import type { JobSignals, ServiceEvents } from './events.ts';
import { fetchGuarded, type GuardedAgent, makeGuardedAgent } from './outbound/guarded-agent.ts';
import { OutboundError, type OutboundPolicy, outboundPolicy } from './outbound/target.ts';
import { type NodeName, nameThisNode, workerName } from './queue/leases.ts';
import {
  type CallbackLease,
  claimCallback,
  endCallback,
  findSigner,
  nextCallbackAt,
  type PausedReceivers,
  postponeCallback,
  returnCallback,
} from './store/callbacks.ts';
import type { Db } from './store/db.ts';

/** The result of a delivery: the receiver's HTTP status, or why the request failed. */
export type DeliveryOutcome = { readonly status: number } | { readonly error: string };

/** `again`: in `wait` ms. */
export type NextStep =
  | { readonly kind: 'done' }
  | { readonly kind: 'again'; readonly wait: number }
  | { readonly kind: 'given_up' };

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** Milliseconds between a failed attempt and the next one. */
export const WAITS: readonly number[] = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 60 * MINUTE];
/** The receiver wants no further deliveries. */
const GONE = 410;

/** @param attempts number of attempts, including this one */
export function stepAfter(outcome: DeliveryOutcome, attempts: number): NextStep {
  if ('status' in outcome) {
    if (outcome.status >= 200 && outcome.status < 300) return { kind: 'done' };
    if (outcome.status === GONE) return { kind: 'given_up' };
  }
  const wait = WAITS[attempts - 1];
  return wait === undefined ? { kind: 'given_up' } : { kind: 'again', wait };
}

/** For the log. */
export function describeOutcome(outcome: DeliveryOutcome): string {
  return 'status' in outcome ? `HTTP ${outcome.status}` : outcome.error;
}

export interface Webhook {
  readonly uuid: string;
  readonly url: string;
  /** JSON. */
  readonly body: string;
  /** Stored hash of the API key that signs the webhook. */
  readonly keyHash: string;
}

/** Time limit for a receiver in milliseconds, and how much of its answer is read. */
const TIMEOUT = 10_000;
const MAX_ANSWER_BYTES = 1024;

/** One attempt. @throws the signal's reason when aborted */
export async function deliver(
  agent: GuardedAgent,
  { uuid, url, body, keyHash }: Webhook,
  { now, signal }: { now: number; signal: AbortSignal },
): Promise<DeliveryOutcome> {
  const timestamp = String(Math.floor(now / 1000));
  const signature = signWebhook(webhookSecret(keyHash), { id: uuid, timestamp, body });
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    [WEBHOOK_HEADERS.id]: uuid,
    [WEBHOOK_HEADERS.timestamp]: timestamp,
    [WEBHOOK_HEADERS.signature]: signature,
  };
  const limits = { timeout: TIMEOUT, maxBytes: MAX_ANSWER_BYTES, maxRedirects: 0 };
  try {
    return await fetchGuarded(agent, {
      url,
      method: 'POST',
      headers,
      body,
      answer: 'ignored',
      ...limits,
      signal,
    });
  } catch (error) {
    if (error instanceof OutboundError) return { error: error.message };
    throw error;
  }
}

/** Maximum number of simultaneous deliveries: in total, to one host, and of one user. */
const MAX = 16;
const MAX_PER_HOST = 2;
const MAX_PER_USER = 6;

interface Receiver {
  readonly host: string;
  readonly userId: string;
}

/** The deliveries in progress. Limits keep a slow receiver, or one with many names, from delaying the others. */
export class BusyReceivers {
  readonly #under = new Set<Receiver>();

  get isFull(): boolean {
    return this.#under.size >= MAX;
  }

  /** Counts a delivery until the returned function is called. */
  begin(receiver: Receiver): () => void {
    this.#under.add(receiver);
    return () => void this.#under.delete(receiver);
  }

  atLimit(): PausedReceivers {
    const under = [...this.#under];
    return {
      hosts: atLeast(
        MAX_PER_HOST,
        under.map(({ host }) => host),
      ),
      users: atLeast(
        MAX_PER_USER,
        under.map(({ userId }) => userId),
      ),
    };
  }
}

/** Names that occur `limit` times or more. */
function atLeast(limit: number, names: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].filter(([, count]) => count >= limit).map(([name]) => name);
}

export interface DelivererOptions {
  readonly db: Db;
  readonly clock: Clock;
  readonly self: NodeName;
  readonly signals: JobSignals;
  readonly agent: GuardedAgent;
  /** The answer of GET /v2/queue/:jobId for a key with these scopes; undefined if the job is no longer kept. */
  readonly describeJob: (jobId: number, scopes: readonly Scope[]) => Promise<object | undefined>;
  readonly events: ServiceEvents;
  readonly onGivenUp: (report: AbandonedCallback) => void;
  /** Called with bugs, and when the store cannot be used. */
  readonly onError: (error: unknown) => void;
}

/** An abandoned webhook, for the log. */
export interface AbandonedCallback {
  readonly webhook: string;
  /** The URL without its query, which may contain secrets. */
  readonly url: string;
  readonly attempts: number;
  readonly reason: string;
}

/** Milliseconds after which an unfinished delivery is considered lost: longer than a delivery can take. */
const LEASE = 30_000;
/** How long the deliverer sleeps if no signal wakes it. */
const IDLE = 1_000;
/** Minimum pause between looks: a busy queue sends signals all the time. */
const GATHER = 25;
/** Pause after a problem with the store. */
const TROUBLE_PAUSE = 500;

/** Notifies the callbacks of jobs that have ended. Several nodes share the work on one store. */
export class Deliverer {
  readonly #options: DelivererOptions;
  readonly #owner: string;
  readonly #busy = new BusyReceivers();
  readonly #under = new Set<Promise<void>>();
  readonly #hardStop = new AbortController();
  #sleep = new AbortController();
  #isStopping = false;
  #loop: Promise<void> = Promise.resolve();
  #stopListening: (() => void) | undefined;

  constructor(options: DelivererOptions) {
    this.#options = options;
    this.#owner = workerName(options.self, 0);
  }

  start(): void {
    const wake = () => this.#wake();
    this.#stopListening = this.#options.signals.listen({
      accepted: wake,
      finished: wake,
      storeChanged: wake,
    });
    this.#loop = this.#run();
  }

  /** Starts no more deliveries and waits for those in progress; after `limit` ms it returns them for the next start. */
  async stop(limit: number): Promise<void> {
    this.#isStopping = true;
    this.#stopListening?.();
    this.#wake();
    const late = setTimeout(() => this.#hardStop.abort(), limit);
    await this.#loop;
    await Promise.all(this.#under);
    clearTimeout(late);
  }

  #wake(): void {
    this.#sleep.abort(AWAKE);
  }

  async #run(): Promise<void> {
    while (!this.#isStopping) {
      this.#sleep = new AbortController(); // so that no signal is missed during the check
      const pause = await this.#look().catch((error: unknown) => {
        this.#options.onError(error);
        return TROUBLE_PAUSE;
      });
      await sleepOrWake(this.#options.clock, pause, this.#sleep.signal);
      await this.#options.clock.sleep(GATHER);
    }
  }

  /** Starts all due deliveries, within the limits. Returns the milliseconds until the next look. */
  async #look(): Promise<number> {
    const { db, clock } = this.#options;
    while (!this.#isStopping && !this.#busy.isFull) {
      const busy = this.#busy.atLimit();
      // Check first, because a claim locks out all other writers.
      const next = await nextCallbackAt(db, busy);
      if (next === undefined) return IDLE;
      const now = clock.now();
      if (next > now) return Math.min(IDLE, next - now);
      const lease = await claimCallback(db, { owner: this.#owner, now, until: now + LEASE, busy });
      if (lease) this.#begin(lease);
    }
    return IDLE;
  }

  #begin(lease: CallbackLease): void {
    const end = this.#busy.begin(lease);
    const work = this.#work(lease)
      .catch(this.#options.onError) // the delivery is due again once it counts as lost
      .finally(() => {
        end();
        this.#under.delete(work);
        this.#wake();
      });
    this.#under.add(work);
  }

  async #work(lease: CallbackLease): Promise<void> {
    const { db, clock } = this.#options;
    try {
      await this.#conclude(lease, await this.#attempt(lease));
    } catch (error) {
      if (!this.#hardStop.signal.aborted) throw error;
      await returnCallback(db, lease, clock.now());
    }
  }

  /** Undefined if there is nothing (more) to deliver, or no key to sign with. */
  async #attempt(lease: CallbackLease): Promise<DeliveryOutcome | undefined> {
    const { db, agent, clock, describeJob } = this.#options;
    const signer = await findSigner(db, lease.key_id);
    if (!signer) return undefined;
    const job = await describeJob(lease.job_id, JSON.parse(signer.scopes) as Scope[]);
    if (job === undefined) return undefined;
    const webhook = { uuid: lease.uuid, url: lease.url, body: JSON.stringify(job), keyHash: signer.hash };
    return await deliver(agent, webhook, { now: clock.now(), signal: this.#hardStop.signal });
  }

  async #conclude(lease: CallbackLease, outcome: DeliveryOutcome | undefined): Promise<void> {
    const { db, clock, events } = this.#options;
    const step = outcome ? stepAfter(outcome, lease.attempts) : ({ kind: 'given_up' } as const);
    if (step.kind === 'again') return await postponeCallback(db, lease, clock.now() + step.wait);
    await endCallback(db, lease, clock.now());
    events.emit('webhookEnded', step.kind !== 'given_up');
    if (step.kind === 'given_up') {
      const reason = outcome ? describeOutcome(outcome) : 'its API key is no longer valid';
      const { uuid: webhook, attempts } = lease;
      this.#options.onGivenUp({ webhook, url: withoutQuery(lease.url), attempts, reason });
    }
  }
}

function withoutQuery(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}

interface CallbackSettings {
  readonly embedded?: boolean | undefined;
  readonly webhooks?: boolean | undefined;
  readonly allowedNetworks?: readonly string[] | undefined;
}

/**
 * The policy for callback addresses; undefined if callbacks are not accepted.
 * @throws Error if an allowed network is malformed
 */
export function callbackPolicy(settings: CallbackSettings): OutboundPolicy | undefined {
  const { embedded = false, webhooks = true } = settings;
  const policy = outboundPolicy(settings);
  return embedded || !webhooks ? undefined : policy;
}

export interface Callbacks {
  /** Ends the deliveries in progress; after `limit` ms they are left for the next start. */
  stop(limit: number): Promise<void>;
}

export interface CallbacksOptions extends Omit<DelivererOptions, 'self' | 'agent'> {
  /** Rules for callback URLs; undefined if callbacks are disabled. */
  readonly policy: OutboundPolicy | undefined;
  readonly fetchProxies?: Proxies | undefined;
}

/** Starts the delivery of callbacks, if they are enabled. */
export function startCallbacks({ policy, fetchProxies: proxies, ...options }: CallbacksOptions): Callbacks {
  if (!policy) return { stop: async () => {} };
  const agent = makeGuardedAgent({ policy, proxies });
  const deliverer = new Deliverer({ ...options, self: nameThisNode(), agent });
  deliverer.start();
  return {
    stop: async (limit) => {
      await deliverer.stop(limit);
      await agent.close();
    },
  };
}
