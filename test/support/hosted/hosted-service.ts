import { randomUUID } from 'node:crypto';
import { type Clock, systemClock } from '../../../src/base/clock.ts';
import { type Door, openDoor } from '../../../src/double/door.ts';
import {
  type FaultKind,
  type FaultSource,
  type FaultyRequest,
  type RandomFaults,
  randomFaults,
  strike,
} from '../../../src/double/faults.ts';
import { HostedApi } from '../../../src/double/hosted/api.ts';
import type { HostedOptions } from '../../../src/double/hosted/options.ts';
import type { HostedFlags, RateRule } from '../../../src/double/hosted/visit.ts';
import { jsonReply, type Outcome, type Reply, refusalCode } from '../../../src/double/replies.ts';
import type { DoubleRequest, RequestKind } from '../../../src/double/requests.ts';
import { Seed } from '../../../src/double/seed.ts';
import { openSigningKey } from '../../../src/textures/signing-key.ts';
import { sharedKey } from '../textures/shared-key.ts';
import { type DoubleSubmission, type HostedRecords, Recorder } from './recorder.ts';

export interface ServiceOptions extends HostedOptions {
  /** Faults on the way; default: none. */
  readonly faults?: RandomFaults | FaultSource;
  /** Signing key (RSA, PKCS#8 PEM); default: one of 2048 bits for this run. */
  readonly signingKeyPath?: string;
}

/** Where a request is: it came in, it was processed (no byte of the answer is sent yet), its answer left. */
export type Moment = 'arrived' | 'processed' | 'answered';
export type Watcher = (moment: Moment, kind: RequestKind) => void;

interface Records extends HostedRecords {
  readonly troubles: Readonly<Partial<Record<FaultKind, number>>>;
}

/** The default for all services: it signs much faster than one of 4096 bits. */
export const usualKey = sharedKey();

/** The double of the hosted service behind its door, steered by a test while it runs. */
export class HostedService {
  readonly #closing = new AbortController();
  readonly #records = new Recorder();
  readonly #watchers = new Set<Watcher>();
  readonly #troubles: Partial<Record<FaultKind, number>> = {};
  readonly #clock: Clock;
  #faults: FaultSource | undefined;
  #door!: Door;
  #api!: HostedApi;

  private constructor(options: ServiceOptions) {
    this.faults = options.faults;
    this.#clock = options.clock ?? systemClock;
  }

  /** Starts on a free port of the loopback. */
  static async start(options: ServiceOptions = {}): Promise<HostedService> {
    const service = new HostedService(options);
    service.#door = await openDoor({ handle: (request, sent) => service.#handle(request, sent) });
    const { signingKeyPath, ...rest } = options;
    const signingKey =
      signingKeyPath === undefined ? await usualKey() : (await openSigningKey(signingKeyPath)).privateKey;
    const own = { signingKey, seed: new Seed(randomUUID()), recorder: service.#records };
    service.#api = new HostedApi(service.url, { ...own, ...rest });
    return service;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#door.close();
  }

  get url(): string {
    return this.#door.url;
  }

  /** The user's API key. */
  get key(): string {
    return this.#api.key;
  }

  /** The user revokes the key and makes another one, whose list has none of the earlier jobs. */
  replaceKey(): void {
    this.#api.key = this.key.split('').reverse().join('');
    this.#api.intake.book.hideEarlier(this.#api.now());
  }

  get records(): Records {
    return Object.assign(this.#records, { troubles: this.#troubles });
  }

  /** Submissions although the service had a job that could still give the skin. */
  get doubleSubmissions(): readonly DoubleSubmission[] {
    return this.records.doubleSubmissions;
  }

  /** Sets the random faults; undefined: none. */
  set faults(faults: RandomFaults | FaultSource | undefined) {
    this.#faults = typeof faults === 'object' ? randomFaults(faults) : faults;
  }

  /** Changes the rate limit from now on; undefined: none. */
  set rate(rule: RateRule | undefined) {
    this.#api.rate = rule;
  }

  /** Changes the service's flags from now on. */
  set flags(flags: HostedFlags) {
    this.#api.intake.flags = flags;
  }

  /** Jobs accepted from now on run until `release`: a test decides when they end, not the clock. */
  hold(): void {
    this.#api.intake.book.hold();
  }

  /** Ends all jobs that have no end yet, and holds no others. */
  release(): void {
    this.#api.intake.book.release(this.#api.now());
  }

  /**
   * Another program of the same user takes a slot for this many milliseconds (Infinity: until `release`); with a key of
   * its own its job is in no list that the caller sees. Answers the job's id.
   */
  occupy(milliseconds: number, { key = 'same' }: { key?: 'same' | 'other' } = {}): string {
    const owner = key === 'same' ? 'other program' : 'other key';
    return this.#api.intake.occupy(milliseconds, owner, this.#api.now());
  }

  /** Calls `watcher` at every stage of every request, before anything else happens. Returns a function that stops it. */
  watch(watcher: Watcher): () => void {
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }

  async #handle(request: DoubleRequest, sent: Promise<void>): Promise<Outcome> {
    const { kind } = request;
    const records = this.#records;
    const process = async () => await this.#process(request);
    if (request.address === '/_records') return { kind: 'answered', reply: jsonReply(200, { ...records }) };
    records.count(records.requests, kind);
    this.#tell('arrived', kind);
    void sent.then(() => this.#tell('answered', kind));
    const fault = this.#faults?.(request);
    if (!fault) return { kind: 'answered', reply: await process() };
    records.count(this.#troubles, fault.kind);
    const refuse: FaultyRequest['refuse'] = (code) => this.#api.refuse(request, code, fault);
    return await strike({ process, refuse, clock: this.#clock, closing: this.#closing.signal }, fault);
  }

  async #process(request: DoubleRequest): Promise<Reply> {
    const records = this.#records;
    const onProcessed = (reply: Reply) => {
      const code = refusalCode(reply);
      if (code !== undefined) records.count(records.refusals, code);
      this.#tell('processed', request.kind);
    };
    return await this.#api.answerFromAfar(request, this.#closing.signal, { onProcessed });
  }

  #tell(moment: Moment, kind: RequestKind): void {
    for (const watcher of this.#watchers) watcher(moment, kind);
  }
}
