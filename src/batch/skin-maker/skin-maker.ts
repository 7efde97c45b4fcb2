import { hash } from 'node:crypto';
import { join } from 'node:path';
import { type StopSignals, systemClock } from '../../base/clock.ts';
import { isUuid } from '../../base/text.ts';
import { Dispatcher, type DispatcherUser, type Facts } from '../../dispatch/dispatcher.ts';
import {
  endsBatch,
  PrivateAddressError,
  pixelsOf as pixelsOfPng,
  TextureReader,
} from '../../dispatch/proof.ts';
import {
  estimateSeconds,
  LONGEST_LAG,
  limitsOf,
  PublicKeyError,
  readServiceKey,
} from '../../dispatch/service-facts.ts';
import { RetryingReader, Session } from '../../dispatch/session.ts';
import { isPending, type Job } from '../../protocol/job.ts';
import type { Journal, WorkState } from '../journal.ts';
import { BatchSetupError, pixelsOf, type Work } from '../model.ts';
import type { BatchOptions } from '../options.ts';
import { requestFor } from '../pictures.ts';
import { EMBEDDED } from '../signers.ts';
import { problemOf, type ResultHandlers, ResultVerifier, SkinProver } from './result-verifier.ts';

const DEFAULT_RETRIES = 2;
const DEFAULT_POLL = 5_000;
/** A service that has never answered is given up sooner than one that stopped answering. */
const PATIENCE = { firstContact: 8_000, outage: 15 * 60_000 };
/** The embedded service fails if its files cannot be written, which only the user can fix. */
const EMBEDDED_OUTAGE = 60_000;
/** Milliseconds, after an interruption, that reads may take to be answered, and submissions, which are paid for. */
const LAST_READS = 200;
const LONGEST_LAST_ANSWERS = 1_500;
/** Milliseconds for which a service surely knows the jobs of an earlier run. */
const STILL_KNOWN = 15 * 60_000;
const NO_FACTS: Facts = {
  me: undefined,
  publicKey: undefined,
  fingerprint: undefined,
  capeTexture: undefined,
  skinDomains: [],
};

/** The options of the part of a batch that talks to the service, and its callbacks. */
export interface SkinMakerOptions extends ResultHandlers, StopSignals {
  readonly options: BatchOptions;
  readonly journal: Journal;
  readonly onWaiting: (
    reason: 'limit' | 'trouble' | 'queue',
    message: string,
    ms: number | undefined,
  ) => void;
  /** The service has a job for it. */
  readonly onAccepted: (work: Work, job: Job) => void;
  /** Other processes of the caller cannot be taken into account; gives the reason. */
  readonly onAlone: (why: string) => void;
  readonly onFatal: (error: unknown) => void;
  /** A change that may let the batch continue or end. */
  readonly onChange: () => void;
}

/** The part of a batch that talks to the service: work goes in, results come out. */
export class SkinMaker {
  readonly #options: SkinMakerOptions;
  readonly #session: Session<Work>;
  readonly #reader: RetryingReader;
  readonly #textures: TextureReader;
  readonly #verifier: ResultVerifier;
  #dispatcher!: Dispatcher<Work>;
  #facts = NO_FACTS;
  /** Submissions that became jobs, and when the first one did. */
  #generations = 0;
  #firstAt: number | undefined;

  /** Makes first contact: the caller's account, its limits, and the jobs already in the queue. */
  static async open(options: SkinMakerOptions): Promise<SkinMaker> {
    const maker = new SkinMaker(options, await openSession(options));
    await maker.#start();
    return maker;
  }

  private constructor(options: SkinMakerOptions, session: Session<Work>) {
    const { hardStop, onWaiting } = options;
    this.#options = options;
    this.#session = session;
    this.#reader = new RetryingReader(session, hardStop);
    this.#textures = new TextureReader({
      fetch: async (url, signal) => await session.client.texture(url, session.call(signal)),
      clock: session.clock,
      random: session.random,
      onWaiting: (message, ms) => onWaiting('trouble', message, ms),
    });
    this.#verifier = this.#makeVerifier();
  }

  /** What submits the work and follows its jobs. */
  get dispatcher(): Dispatcher<Work> {
    return this.#dispatcher;
  }

  /** Milliseconds for which answers in flight are worth waiting for: none while the service fails requests. */
  get lastAnswersIn(): number {
    const { isUnwell, answersDueIn } = this.#session;
    return isUnwell ? 0 : Math.min(LONGEST_LAST_ANSWERS, Math.max(LAST_READS, answersDueIn));
  }

  /** Seconds until the rest can have been submitted, at least, by the limits known now and by those of the plan. */
  get leastSeconds(): number {
    const { toSend } = this.#dispatcher;
    const now = this.#session.now();
    const told = this.#session.pace.reach(toSend, now) - now;
    if (toSend === 0) return told / 1_000;
    const planned = 1_000 * this.estimate(this.#generations + toSend) - (now - (this.#firstAt ?? now));
    return Math.max(told, planned) / 1_000;
  }

  /** Whether an earlier run of this batch submitted the work, so that it needs none of the budget. */
  hasBegun({ key }: Work): boolean {
    const state = this.#options.journal.stateOf(key);
    return state?.step === 'intent' || this.#isOwnJob(state);
  }

  /** Takes new work, or work that an earlier run of this batch began. */
  add(work: Work): void {
    const { journal, options } = this.#options;
    const state = journal.stateOf(work.key);
    work.attempt = state && 'attempt' in state ? state.attempt : 0;
    const content = work.members[0]?.source.content;
    const isNamed = content?.kind === 'user' && !isUuid(content.user);
    const isOwnJob = this.#isOwnJob(state);
    const isSent = isOwnJob || state?.step === 'unverified';
    if (isNamed && !isSent) options.game?.players.expect(content.user);
    if (isOwnJob) this.#dispatcher.attach(work, state.job);
    else if (state?.step === 'intent')
      this.#dispatcher.addUnsure(work, state.mark, journal.foundAt, {
        isOtherKeys: isOtherKeys(state, options.service.caller),
      });
    else if (state?.step === 'unverified') this.#proveAgain(work);
    else this.#dispatcher.add(work);
  }

  /** Whether this user submitted the job, with any key; unknown for jobs of earlier versions. */
  #isOwnJob(state: WorkState | undefined): state is Extract<WorkState, { step: 'job' }> {
    return state?.step === 'job' && this.#isOurs(state.by);
  }

  #isOurs(by: string | undefined): boolean {
    const { caller } = this.#options.options.service;
    return [undefined, this.#facts.me?.user, caller].includes(by);
  }

  #proveAgain(work: Work): void {
    const again = async () => await this.#verifier.proveAgain(work);
    this.#session.track(this.#verifier.attempt(work, undefined, again));
  }

  /** Estimated seconds for this many new skins by the caller's limits, as far as the budget allows them. */
  estimate(count: number): number {
    const { service, maxNew = count } = this.#options.options;
    const { announced: limit } = this.#session.slotLimit;
    return estimateSeconds(Math.min(count, maxNew), limitsOf(this.#facts.me, limit, service.name));
  }

  async #start(): Promise<void> {
    const { options, journal, stop, hardStop } = this.#options;
    const { service, stateDir, slots, cape } = options;
    this.#dispatcher = await Dispatcher.open({
      session: this.#session,
      record: {
        intent: (key, attempt, mark) => journal.intent(key, attempt, mark, service.caller),
        refused: (key) => journal.refused(key),
        // A power cut ends an embedded service, too, and costs nothing there.
        flushed: service.known ? undefined : async () => await journal.flushed(),
      },
      reader: this.#reader,
      user: this.#dispatcherUser(),
      known: service.known,
      shareFolder: service.known ? undefined : join(stateDir, 'shares', callerFolder(options)),
      follows: options.follow !== false,
      force: options.force ?? false,
      maxNew: options.maxNew ?? Number.POSITIVE_INFINITY,
      stop,
      hardStop,
    });
    try {
      this.#facts = await this.#dispatcher.meet({ slots, cape }).catch(asSetupError);
    } catch (error) {
      await this.#dispatcher.close(); // nobody else can: the batch does not get this skin maker
      throw error;
    }
    if (this.#session.clock.now() - journal.foundAt < STILL_KNOWN)
      this.#dispatcher.expects(journal.lastJobs((by) => this.#isOurs(by)));
    this.#dispatcher.start();
  }

  #makeVerifier(): ResultVerifier {
    const { options, journal, hardStop, onDone, onFailed, onAgain } = this.#options;
    const prover = new SkinProver({
      options,
      texture: async (url) => await this.#texture(url),
      facts: () => this.#facts,
      freshKey: async () => await this.#freshKey(),
    });
    return new ResultVerifier({
      session: this.#session,
      journal,
      reader: this.#reader,
      prover,
      retries: options.retries ?? DEFAULT_RETRIES,
      service: options.service.name,
      signal: hardStop,
      acceptUnverified: options.acceptUnverified ?? false,
      resubmitLost: this.#resubmitsLost,
      caller: options.service.caller,
      onDone,
      onFailed,
      onAgain: (work, why, again) => {
        onAgain(work, why, options.service.known ? undefined : again);
        this.#dispatcher.addAgain(work);
      },
    });
  }

  get #resubmitsLost(): boolean {
    const { resubmitLost, service } = this.#options.options;
    return resubmitLost ?? service.known !== undefined; // an embedded service costs nothing
  }

  /** Whether what was submitted without an answer is submitted again, since no list shows it. */
  #mayRepeat(work: Work, isSure: boolean): boolean {
    const { journal, onAgain } = this.#options;
    const state = journal.stateOf(work.key);
    if (isSure && !(state?.step === 'intent' && state.isLost)) return true;
    if (this.#resubmitsLost) {
      onAgain(work, LOST_ANSWER, { mayCost: true });
      return true;
    }
    const verifier = this.#verifier;
    const lose = async () => verifier.lost(work, { isJobKnown: false });
    this.#session.track(verifier.attempt(work, undefined, lose));
    return false;
  }

  /** What a batch does with submissions and their results. */
  #dispatcherUser(): DispatcherUser<Work> {
    const { options, journal, onAccepted, onAgain, onFatal, onWaiting, onAlone } = this.#options;
    const [session, verifier] = [this.#session, this.#verifier];
    const { caller } = options.service;
    const fail = (work: Work, problem: unknown) => session.track(verifier.fail(work, problem));
    return {
      attempt: async (work, job, step) => await verifier.attempt(work, job, step),
      settle: async (work, state) => await verifier.settle(work, state),
      settleForgotten: async (work, job, result) => await verifier.settleForgotten(work, job, result),
      prepare: async (work, signal) => {
        // A skinsmith service recognizes the repetition.
        if (!session.isSkinsmith && isOtherKeys(journal.stateOf(work.key), caller))
          onAgain(work, UNSEEN, { mayCost: true });
        return await requestFor(work, {
          client: session.client,
          players: options.game?.players,
          isRemote: options.service.name !== EMBEDDED,
          signal,
        });
      },
      pixelsOf,
      texturePixels: async (url) => pixelsOfPng(await this.#texture(url)),
      accepted: (work, job) => {
        // The user, or the caller where the service does not name users.
        if (journal.stateOf(work.key)?.step !== 'job')
          journal.accepted(work.key, work.attempt, job.id, this.#facts.me?.user ?? caller);
        if (isPending(job.status)) this.#generations++;
        this.#firstAt ??= session.now();
        onAccepted(work, job);
      },
      rejected: (work, error) => (endsBatch(error) ? onFatal(error) : fail(work, error)),
      unusable: fail,
      answerLost: (work, error) => onAgain(work, `The answer was lost: ${problemOf(error).message}`),
      mayRepeat: (work, isSure) => this.#mayRepeat(work, isSure),
      queueFilledByOthers: (jobs) => onWaiting('queue', othersText(jobs), undefined),
      sharingBroken: onAlone,
    };
  }

  async #texture(url: string): Promise<Uint8Array> {
    try {
      return await this.#textures.read(url, this.#options.hardStop);
    } catch (error) {
      // No other texture of this service could be read either, and each skin is paid for.
      if (error instanceof PrivateAddressError) this.#dispatcher.stopFor(error);
      throw error;
    }
  }

  /**
   * Reads the service's key again. A service without a published key is not asked again for every skin; the embedded one makes its
   * key at the first use, which takes long on a slow machine.
   */
  async #freshKey(): Promise<Facts['publicKey']> {
    if (!this.#facts.publicKey) {
      this.#facts = { ...this.#facts, ...(await this.#options.options.service.known?.signingKey()) };
      return this.#facts.publicKey;
    }
    const fresh = await readServiceKey({
      client: this.#session.client,
      call: this.#session.call(this.#options.hardStop),
      repeatedly: async (request) => await this.#reader.repeatedly('facts', request),
    });
    this.#facts = { ...this.#facts, ...fresh };
    return fresh.publicKey;
  }
}

async function openSession(given: SkinMakerOptions): Promise<Session<Work>> {
  const { options, journal } = given;
  const { clock = systemClock, random = Math.random, service } = options;
  const usual = service.name === EMBEDDED ? { ...PATIENCE, outage: EMBEDDED_OUTAGE } : PATIENCE;
  return new Session({
    client: await service.connect(),
    clock,
    random,
    submissions: {
      isOwnJob: (id) => journal.isOwnJob(id),
      idempotencyKey: ({ key, attempt }) => journal.idempotencyKey(key, attempt),
    },
    longestLookPause: options.pollInterval ?? DEFAULT_POLL,
    forgottenAfter: options.resubmitLost ? undefined : LONGEST_LAG,
    patience: { ...usual, ...options.patience },
    onWaiting: given.onWaiting,
    onFatal: given.onFatal,
    onTaskEnd: given.onChange,
  });
}

/** Whether an earlier run submitted it with another key, and heard no answer. */
function isOtherKeys(state: WorkState | undefined, caller: string): boolean {
  return state?.step === 'intent' && state.by !== undefined && state.by !== caller;
}

const UNSEEN =
  'An earlier run submitted it with another key and got no answer. It is submitted again, so you may pay for it twice.';

const LOST_ANSWER =
  'Its answer was lost, and then the data of the service. It is submitted again and may be paid for twice.';

/** A service that publishes something other than a key cannot be used. */
function asSetupError(error: unknown): never {
  if (!(error instanceof PublicKeyError)) throw error;
  const { code, message, hint, cause } = error;
  throw new BatchSetupError(code, message, { hint, cause });
}

function othersText(jobs: number): string {
  if (jobs === 0) return 'Jobs that this user submitted with another key fill the queue.';
  const subject = jobs === 1 ? 'A job that someone else' : `${jobs} jobs that others`;
  return `${subject} submitted with this key ${jobs === 1 ? 'fills' : 'fill'} the queue.`;
}

/** Callers of different services or keys do not share slots. */
function callerFolder({ service }: BatchOptions): string {
  return hash('sha256', `${service.name}\n${service.caller}`).slice(0, 24);
}
