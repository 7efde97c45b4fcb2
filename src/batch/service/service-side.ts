import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { SkinClient } from '../../client/skin-client.ts';
import type { JobState } from '../../client/types.ts';
import { systemClock } from '../../clock.ts';
import { isPending, type Job } from '../../protocol/job.ts';
import type { Journal } from '../journal/journal.ts';
import type { BatchOptions } from '../options.ts';
import { estimateSeconds } from '../plan/estimate.ts';
import { pixelsOf as pixelsOfPng, proveSkin } from '../proof/proof.ts';
import type { FinishedSkin, SourceProblem } from '../types.ts';
import { Bell } from './bell.ts';
import { Desk } from './desk.ts';
import { FairShare } from './fair-share.ts';
import { Finisher, type Made, problemOf } from './finisher.ts';
import { type Facts, learnFacts, limitsOf } from './first-contact.ts';
import { JobEnds } from './job-ends.ts';
import { Listener } from './listener.ts';
import { Losses } from './losses.ts';
import { type Sent, Submitter } from './submitter.ts';
import { endsBatch, lossPause } from './trouble.ts';
import { Watcher } from './watcher.ts';
import { pixelsOf, provableVariant, type Work } from './work.ts';

export interface ServiceSideTools {
  readonly options: BatchOptions;
  readonly journal: Journal;
  /** Nothing new is sent once aborted. */
  readonly stop: AbortSignal;
  /** What is under way ends too. */
  readonly hardStop: AbortSignal;
  readonly onWaiting: (reason: 'limit' | 'trouble', message: string, ms: number) => void;
  readonly onDone: (work: Work, made: Made) => Promise<void>;
  readonly onFailed: (work: Work, problem: SourceProblem, job: string | undefined) => Promise<void>;
  /** The service has a job for it. */
  readonly onAccepted: (work: Work, job: Job) => void;
  /** It is done again, and why. */
  readonly onAgain: (work: Work, why: string) => void;
  readonly onFatal: (error: unknown) => void;
  /** Something has moved that may let the batch go on, or end. */
  readonly onChange: () => void;
}

/** Milliseconds that a texture's address may be in trouble before its skin is left unproven. */
const TEXTURE_PATIENCE = { budget: 60_000, patience: 120_000 };
const DEFAULT_RETRIES = 2;
const DEFAULT_POLL = 5_000;
/** A service that has never answered is given up sooner than one that has stopped to. */
const PATIENCE = { firstContact: 8_000, outage: 15 * 60_000 };

/** The part of a batch that talks with the service: work goes in, results come out. */
export class ServiceSide {
  readonly #tools: ServiceSideTools;
  readonly #desk: Desk;
  readonly #submitter: Submitter;
  readonly #watcher: Watcher;
  readonly #losses: Losses;
  readonly #finisher: Finisher;
  readonly #listener: Listener;
  readonly #ends: JobEnds;
  readonly #share: FairShare;
  readonly #loops = new AbortController();
  #facts: Facts = {
    me: undefined,
    publicKey: undefined,
    fingerprint: undefined,
    capeTexture: undefined,
  };

  /** Makes contact: who is asking, what may be spent, what is in the queue already. */
  static async open(tools: ServiceSideTools): Promise<ServiceSide> {
    const side = new ServiceSide(await tools.options.service.connect(), tools);
    await side.#start();
    return side;
  }

  private constructor(client: SkinClient, tools: ServiceSideTools) {
    this.#tools = tools;
    const { options, journal, stop, hardStop } = tools;
    const { clock = systemClock, random = Math.random } = options;
    const loops = AbortSignal.any([stop, this.#loops.signal]);
    this.#desk = new Desk({
      client,
      clock,
      random,
      journal,
      longestPoll: options.pollInterval ?? DEFAULT_POLL,
      patience: { ...PATIENCE, ...options.patience },
      onWaiting: tools.onWaiting,
      onFatal: tools.onFatal,
      onTaskEnd: tools.onChange,
    });
    const desk = this.#desk;
    this.#share = new FairShare(join(options.stateDir, 'shares', callerFolder(options)), clock);
    this.#finisher = new Finisher({
      desk,
      retries: options.retries ?? DEFAULT_RETRIES,
      service: options.service.name,
      signal: hardStop,
      prove: async (skin, work) => await this.#prove(skin, work),
      onDone: tools.onDone,
      onFailed: tools.onFailed,
      onAgain: (work, why) => this.#again(work, why),
    });
    this.#losses = new Losses({
      desk,
      fetchJob: async (id) => await this.#finisher.fetch(id),
      texturePixels: async (url) => pixelsOfPng(await this.#texture(url)),
      onFound: (work, state) => this.#accepted(work, state, { isTimed: false }),
      onGone: (work) => this.#resubmit(work),
      lookSoon: () => this.#watcher.lookSoon(),
    });
    this.#watcher = new Watcher({
      desk,
      bell: new Bell(clock),
      losses: this.#losses,
      stop: loops,
      onEnded: (job, seen, at) => this.#ends.ended(job, { seen, at }),
      onMissing: (job) => this.#ends.missing(job),
      onLooked: () => this.#submitter.looked(),
    });
    this.#submitter = new Submitter(
      {
        desk,
        bell: new Bell(clock),
        share: this.#share,
        players: options.game?.players,
        stop: loops,
        hardStop,
        onAccepted: (work, state) => this.#accepted(work, state, { isTimed: true }),
        onFailed: (work, error) => this.#notTaken(work, error),
        onUnusable: (work, problem) => desk.track(this.#finisher.fail(work, problem)),
        onLost: (work, error, sent) => this.#lost(work, error, sent),
        lookSoon: () => this.#watcher.lookSoon(),
      },
      options.maxNew ?? Number.POSITIVE_INFINITY,
    );
    this.#ends = new JobEnds({
      desk,
      finisher: this.#finisher,
      follows: this.#follows,
      onRoom: () => this.#submitter.roomSeen(),
    });
    this.#listener = new Listener({
      desk,
      signal: loops,
      onListening: (isListening) => this.#watcher.listening(isListening),
      onEnded: (job, state) => this.#ends.ended(job, { seen: state.job, state, at: desk.now() }),
      onRoom: () => this.#submitter.roomSeen(),
    });
  }

  /** Jobs of this batch that are on the service, or may be. */
  get open(): number {
    return this.#desk.spots.ours;
  }

  /** Work that has not been sent. */
  get waiting(): number {
    return this.#submitter.waiting;
  }

  /** There is work left, but no more may be spent on it. */
  get isSpent(): boolean {
    return this.#submitter.isSpent;
  }

  /** Nothing is under way that could still bring a result. */
  get isSettled(): boolean {
    const { spots } = this.#desk;
    const open = this.#follows ? spots.ours : spots.unsure.size;
    return (this.waiting === 0 || this.isSpent) && open === 0 && !this.#desk.isBusy;
  }

  get #follows(): boolean {
    return this.#tools.options.follow !== false;
  }

  /** Takes work that is new, or that an earlier run of this batch has begun. */
  add(work: Work): void {
    const state = this.#tools.journal.stateOf(work.key);
    work.attempt = state && 'attempt' in state ? state.attempt : 0;
    if (state?.step === 'job') this.#attach(work, state.job);
    else if (state?.step === 'intent' && !this.#desk.isSkinsmith) {
      this.#desk.spots.unsure.add(work);
      this.#losses.add(work, { at: Number.NEGATIVE_INFINITY, mark: state.mark });
      this.#watcher.lookSoon();
    } else this.#submitter.add(work);
  }

  /** Seconds that so many new skins take by the caller's limits. */
  estimate(count: number): number {
    const { options } = this.#tools;
    const { limit } = this.#desk.spots;
    return estimateSeconds(count, limitsOf(this.#facts.me, limit, options.service.name === 'embedded'));
  }

  /** No more work comes: other batches may have the spots. */
  noMore(): void {
    this.#submitter.noMore();
  }

  /** Ends all loops and waits for what is under way. */
  async close(): Promise<void> {
    this.#share.leave();
    this.#loops.abort();
    await this.#desk.settled();
  }

  async #start(): Promise<void> {
    const { options, stop } = this.#tools;
    const { cape } = options;
    const contact = { desk: this.#desk, finisher: this.#finisher, watcher: this.#watcher, stop, cape };
    this.#facts = await learnFacts(contact, options.slots);
    this.#share.enter();
    this.#listener.start();
    for (const loop of [this.#submitter, this.#watcher]) this.#desk.run(loop.run(), this.#loops.signal);
  }

  /** The service has a job for the work now, and we know which. */
  #accepted(work: Work, state: JobState, { isTimed }: { isTimed: boolean }): void {
    const { journal, onAccepted } = this.#tools;
    if (journal.stateOf(work.key)?.step !== 'job') journal.accepted(work.key, work.attempt, state.job.id);
    const { timestamp, eta } = state.job;
    const span = eta !== undefined && timestamp !== undefined ? eta - timestamp : undefined;
    const job = { id: state.job.id, work, timestamp, isTimed, acceptedAt: this.#desk.now(), eta: span };
    this.#desk.spots.took(job);
    onAccepted(work, state.job);
    this.#listener.start();
    const ended = isPending(state.job.status) ? this.#listener.takeEarly(job.id) : state;
    if (ended) this.#ends.ended(job, { seen: ended.job, state: ended, at: this.#desk.now() });
    else this.#watcher.added();
  }

  /** A job that an earlier run submitted, or whose end is not known for another reason. */
  #attach(work: Work, id: string): void {
    const job: Job = { id, status: 'unknown', timestamp: undefined, eta: undefined, result: undefined };
    const state = {
      job,
      skin: undefined,
      errors: [],
      warnings: [],
      messages: [],
      links: {},
      rateLimit: undefined,
    };
    this.#accepted(work, state, { isTimed: false });
    this.#watcher.lookSoon();
  }

  #lost(work: Work, error: unknown, sent: Sent): void {
    this.#tools.onAgain(work, `The answer was lost: ${problemOf(error).message}`);
    this.#losses.add(work, sent, error);
    this.#watcher.added();
  }

  /** It certainly did not become a job, and will not. */
  #notTaken(work: Work, error: unknown): void {
    if (endsBatch(error)) this.#tools.onFatal(error);
    else this.#desk.track(this.#finisher.fail(work, error));
  }

  #again(work: Work, why: string): void {
    this.#tools.onAgain(work, why);
    this.#submitter.addAgain(work);
  }

  /** It keeps its spot until then, so that a service in trouble gets less of everything. */
  #resubmit(work: Work): void {
    const { clock, random, spots } = this.#desk;
    const again = () => {
      spots.unsure.delete(work);
      this.#submitter.addAgain(work);
    };
    const pause = lossPause(work.losses, random());
    if (pause === 0) again();
    else this.#desk.track(clock.sleep(pause, this.#tools.stop).then(again));
  }

  /** Answers the fingerprint of the service's key where that has signed. */
  async #prove(skin: FinishedSkin, work: Work): Promise<string | undefined> {
    const { verify, game } = this.#tools.options;
    const texture = verify === false ? undefined : async (url: string) => await this.#texture(url);
    const { publicKey, fingerprint, capeTexture } = this.#facts;
    const cape = work.cape === undefined ? undefined : { texture: capeTexture };
    const expected = { pixels: pixelsOf(work), variant: provableVariant(work), cape };
    const isServices = await proveSkin(skin, expected, { publicKey, gameKeys: game?.keys, texture });
    return isServices ? fingerprint : undefined;
  }

  async #texture(url: string): Promise<Uint8Array> {
    const { client } = this.#desk;
    return await client.texture(url, { signal: this.#tools.hardStop, retry: TEXTURE_PATIENCE });
  }
}

/** Callers of different services or keys do not share spots. */
function callerFolder({ service }: BatchOptions): string {
  return createHash('sha256').update(`${service.name}\n${service.caller}`).digest('hex').slice(0, 24);
}
