import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { systemClock } from '../../base/clock.ts';
import type { SkinClient } from '../../client/skin-client.ts';
import type { JobState } from '../../client/types.ts';
import { type Facts, learnFacts } from '../../dispatch/first-contact.ts';
import { JobEnds } from '../../dispatch/job-ends.ts';
import { Listener } from '../../dispatch/listener.ts';
import { Losses } from '../../dispatch/losses.ts';
import { ONE_ATTEMPT } from '../../dispatch/one-attempt.ts';
import { pixelsOf as pixelsOfPng } from '../../dispatch/proof.ts';
import { PublicKeyError, readServiceKey } from '../../dispatch/service-facts.ts';
import { Desk } from '../../dispatch/session.ts';
import { SharedQueue } from '../../dispatch/shared-queue.ts';
import type { OpenJob } from '../../dispatch/spots.ts';
import { type Sent, Submitter } from '../../dispatch/submitter.ts';
import { TextureReader } from '../../dispatch/texture-reader.ts';
import { endsBatch, lossPause } from '../../dispatch/trouble.ts';
import { Bell } from '../../dispatch/wake-up-signal.ts';
import { Watcher } from '../../dispatch/watcher.ts';
import { isPending, type Job } from '../../protocol/job.ts';
import type { BatchOptions } from '../api/options.ts';
import { BatchSetupError } from '../model/setup-error.ts';
import { sharedKey, type Work } from '../model/work.ts';
import { estimateSeconds, limitsOf } from '../plan/estimate.ts';
import { Finisher, problemOf } from './finisher.ts';
import type { ServiceSideTools } from './service-side-tools.ts';
import { SkinProver } from './skin-prover.ts';

const DEFAULT_RETRIES = 2;
const DEFAULT_POLL = 5_000;
/** A service that has never answered is given up sooner than one that stopped answering. */
const PATIENCE = { firstContact: 8_000, outage: 15 * 60_000 };

/** The part of a batch that talks to the service: work goes in, results come out. */
export class ServiceSide {
  readonly #tools: ServiceSideTools;
  readonly #desk: Desk;
  readonly #submitter: Submitter;
  readonly #watcher: Watcher;
  readonly #losses: Losses;
  readonly #finisher: Finisher;
  readonly #listener: Listener;
  readonly #ends: JobEnds;
  #queue: SharedQueue | undefined;
  readonly #loops = new AbortController();
  #facts: Facts = {
    me: undefined,
    publicKey: undefined,
    fingerprint: undefined,
    capeTexture: undefined,
    skinDomains: [],
  };

  /** Makes first contact: the caller's account, its limits, and the jobs already in the queue. */
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
      onWindows: (windows) => this.#queue?.heardWindows(windows),
      onFatal: tools.onFatal,
      onTaskEnd: tools.onChange,
    });
    const desk = this.#desk;
    const reader = new TextureReader({
      fetch: async (url, signal) => await client.texture(url, { ...ONE_ATTEMPT, signal }),
      clock,
      random,
      onWaiting: (message, ms) => tools.onWaiting('trouble', message, ms),
    });
    const texture = async (url: string) => await reader.read(url, hardStop);
    const prover = new SkinProver({
      options,
      texture,
      facts: () => this.#facts,
      freshKey: async () => await this.#freshKey(),
    });
    this.#finisher = new Finisher({
      desk,
      retries: options.retries ?? DEFAULT_RETRIES,
      service: options.service.name,
      signal: hardStop,
      prove: async (skin, work) => await prover.prove(skin, work),
      signedBy: (signing) => prover.signedBy(signing),
      acceptUnproven: options.acceptUnproven ?? false,
      onDone: tools.onDone,
      onFailed: tools.onFailed,
      onAgain: (work, why) => this.#again(work, why),
    });
    this.#losses = new Losses({
      desk,
      isElsewhere: (id) => this.#shared.isElsewhere(id),
      fetchJob: async (id) => await this.#finisher.fetch(id),
      texturePixels: async (url) => pixelsOfPng(await texture(url)),
      onFound: (work, state) => this.#accepted(work, state),
      onGone: (work) => this.#resubmit(work),
      lookSoon: () => this.#watcher.lookSoon(),
    });
    this.#watcher = new Watcher({
      desk,
      bell: new Bell(clock),
      losses: this.#losses,
      queue: () => this.#shared,
      stop: loops,
      onEnded: (job, seen, at) => this.#ends.ended(job, { seen, at }),
      onAsk: (job) => this.#ends.ask(job),
      onLooked: () => this.#submitter.looked(),
    });
    this.#submitter = new Submitter(
      {
        desk,
        bell: new Bell(clock),
        queue: () => this.#shared,
        force: options.force ?? false,
        onOthers: (jobs) => tools.onWaiting('queue', othersText(jobs), undefined),
        onElsewhere: (work, job) => this.#follow(work, job),
        players: options.game?.players,
        stop: loops,
        hardStop,
        onAccepted: (work, state, sent) => this.#accepted(work, state, sent),
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
      onRoom: () => {
        this.#submitter.roomSeen();
        this.#watcher.sawEnd();
      },
      onPending: () => this.#watcher.added(),
    });
    this.#listener = new Listener({
      client,
      clock,
      signal: loops,
      run: (loop) => desk.run(loop, loops),
      onListening: (isListening) => this.#listening(isListening),
      onJob: (state) => this.#heard(state),
    });
  }

  /** Jobs of this batch that are, or may be, on the service. */
  get open(): number {
    return this.#desk.spots.ours;
  }

  /** Work not sent yet. */
  get waiting(): number {
    return this.#submitter.waiting;
  }

  /** Work is left, but the budget is spent. */
  get isSpent(): boolean {
    return this.#submitter.isSpent;
  }

  /** No job or request is left that could bring a result. */
  get isSettled(): boolean {
    const { spots } = this.#desk;
    const open = this.#follows ? spots.ours : spots.unsure.size;
    return (this.waiting === 0 || this.isSpent) && open === 0 && !this.#desk.isBusy;
  }

  get #follows(): boolean {
    return this.#tools.options.follow !== false;
  }

  /** Takes new work, or work that an earlier run of this batch began. */
  add(work: Work): void {
    const state = this.#tools.journal.stateOf(work.key);
    work.attempt = state && 'attempt' in state ? state.attempt : 0;
    if (state?.step === 'job') this.#attach(work, state.job);
    else if (state?.step === 'intent' && !this.#desk.isSkinsmith) {
      this.#desk.spots.unsure.add(work);
      this.#losses.add(work, { at: Number.NEGATIVE_INFINITY, mark: state.mark });
      this.#watcher.lookSoon();
    } else if (state?.step === 'unproven') this.#proveAgain(work);
    else this.#submitter.add(work);
  }

  #proveAgain(work: Work): void {
    const again = async () => await this.#finisher.proveAgain(work);
    this.#desk.track(this.#finisher.attempt(work, undefined, again));
  }

  /** Estimated seconds for this many new skins by the caller's limits. */
  estimate(count: number): number {
    const { options } = this.#tools;
    const { told: limit } = this.#desk.spotLimit;
    return estimateSeconds(count, limitsOf(this.#facts.me, limit, options.service.name === 'embedded'));
  }

  /** No more work comes: other batches may use the spots. */
  noMore(): void {
    this.#submitter.noMore();
  }

  /** Ends all loops and waits for tasks in progress. */
  async close(): Promise<void> {
    this.#loops.abort();
    await this.#desk.settled();
    this.#queue?.close();
  }

  async #start(): Promise<void> {
    const { options, stop } = this.#tools;
    const { cape } = options;
    this.#queue = await this.#openQueue();
    const contact = { desk: this.#desk, finisher: this.#finisher, watcher: this.#watcher, stop, cape };
    this.#facts = await learnFacts(contact, options.slots).catch(asSetupError);
    this.#queue.enter();
    this.#desk.run(this.#keepUp(), this.#loops.signal);
    this.#listenIfStreamed();
    for (const loop of [this.#submitter, this.#watcher]) this.#desk.run(loop.run(), this.#loops.signal);
  }

  async #freshKey(): Promise<Facts['publicKey']> {
    const desk = this.#desk;
    const fresh = await readServiceKey({
      client: desk.client,
      call: desk.call(this.#tools.hardStop),
      repeatedly: async (request) => await this.#finisher.repeatedly(request),
    });
    this.#facts = { ...this.#facts, ...fresh };
    return fresh.publicKey;
  }

  get #shared(): SharedQueue {
    if (!this.#queue) throw new Error('Contact was not made yet.');
    return this.#queue;
  }

  async #openQueue(): Promise<SharedQueue> {
    const { options } = this.#tools;
    const { clock, spots } = this.#desk;
    return await SharedQueue.open(join(options.stateDir, 'shares', callerFolder(options)), {
      clock,
      spots,
      typical: () => this.#desk.times.typical,
      onOrphans: (jobs) => {
        for (const id of jobs) spots.sawJob({ id, status: 'waiting' });
        this.#watcher.lookSoon();
      },
      onBroken: this.#tools.onAlone,
    });
  }

  async #keepUp(): Promise<void> {
    const onNews = () => {
      this.#watcher.hear();
      this.#submitter.looked();
    };
    await this.#shared.keepUp(onNews, this.#loops.signal);
  }

  /** The service has a known job for the work now. `sent`: absent if it is not known when it was submitted. */
  #accepted(work: Work, state: JobState, sent?: Sent): void {
    const { journal, onAccepted } = this.#tools;
    if (journal.stateOf(work.key)?.step !== 'job') journal.accepted(work.key, work.attempt, state.job.id);
    const { timestamp, eta } = state.job;
    const span = eta !== undefined && timestamp !== undefined ? eta - timestamp : undefined;
    const job: OpenJob = {
      id: state.job.id,
      work,
      timestamp,
      isTimed: sent !== undefined,
      acceptedAt: sent ? this.#desk.acceptedAt(timestamp, sent.at) : this.#desk.now(),
      eta: span,
    };
    this.#desk.spots.took(job);
    this.#shared.became(sharedKey(work), job.id);
    onAccepted(work, state.job);
    this.#listenIfStreamed();
    const ended = isPending(state.job.status) ? this.#listener.takeEnd(job.id) : state;
    if (ended) this.#ends.ended(job, { seen: ended.job, state: ended, at: this.#desk.now() });
    else this.#watcher.added();
  }

  #listenIfStreamed(): void {
    if (this.#desk.isSkinsmith) this.#listener.start();
  }

  #listening(isListening: boolean): void {
    this.#watcher.listening(isListening);
    if (isListening) this.#submitter.roomSeen();
  }

  /** An event about a job, which may be another program's. */
  #heard(state: JobState): void {
    const { job } = state;
    const { spots } = this.#desk;
    this.#desk.sawJobTime(job);
    const ours = spots.jobs.get(job.id);
    if (isPending(job.status)) {
      if (spots.unsure.size === 0) spots.sawJob(job); // otherwise it may be an unanswered submission's
      return;
    }
    if (ours) this.#ends.ended(ours, { seen: job, state, at: this.#desk.now() });
    else spots.sawJob(job);
    this.#submitter.roomSeen();
  }

  /** A job that an earlier run submitted, or whose end is unknown for another reason. */
  #attach(work: Work, id: string): void {
    this.#follow(work, id);
    this.#watcher.lookSoon();
  }

  /** A job that another process submitted and also follows. */
  #follow(work: Work, id: string): void {
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
    this.#accepted(work, state);
  }

  #lost(work: Work, error: unknown, sent: Sent): void {
    this.#tools.onAgain(work, `The answer was lost: ${problemOf(error).message}`);
    this.#losses.add(work, sent, error);
    this.#watcher.added();
  }

  /** It certainly did not become a job and will not. */
  #notTaken(work: Work, error: unknown): void {
    if (endsBatch(error)) this.#tools.onFatal(error);
    else this.#desk.track(this.#finisher.fail(work, error));
  }

  #again(work: Work, why: string): void {
    this.#tools.onAgain(work, why);
    this.#submitter.addAgain(work);
  }

  /** It keeps its spot until then, so that a failing service gets fewer requests of all kinds. */
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
}

/** A service whose key is none cannot be used. */
function asSetupError(error: unknown): never {
  if (!(error instanceof PublicKeyError)) throw error;
  const { code, message, hint, cause } = error;
  throw new BatchSetupError(code, message, { hint, cause });
}

function othersText(jobs: number): string {
  const subject = jobs === 1 ? 'A job that somebody else' : `${jobs} jobs that others`;
  return `${subject} submitted with this key ${jobs === 1 ? 'fills' : 'fill'} the queue.`;
}

/** Callers of different services or keys do not share spots. */
function callerFolder({ service }: BatchOptions): string {
  return createHash('sha256').update(`${service.name}\n${service.caller}`).digest('hex').slice(0, 24);
}
