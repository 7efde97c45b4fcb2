import { JobFailedError, ServiceError, SkinsmithError } from '../../client/errors.ts';
import type { JobAnswer } from '../../client/types.ts';
import type { Facts } from '../../dispatch/dispatcher.ts';
import { MissingResultError } from '../../dispatch/job-tracker.ts';
import { endsBatch, ProofError, proveSkin, type Signing } from '../../dispatch/proof.ts';
import type { RetryingReader, Session } from '../../dispatch/session.ts';
import type { Note } from '../../protocol/envelope.ts';
import { TEMPORARY_ERRORS } from '../../protocol/errors.ts';
import type { ReceivedSkin } from '../../protocol/skin.ts';
import type { Journal } from '../journal.ts';
import {
  type FinishedSkin,
  fetchHint,
  finishedSkin,
  pixelsOf,
  provableVariant,
  type SignedBy,
  type SourceProblem,
  type Work,
} from '../model.ts';
import type { BatchOptions } from '../options.ts';
import { mergeNotes, pictureOf } from '../pictures.ts';
import { UNPROVED, UNPROVED_NOTE } from '../signers.ts';

export interface MadeSkin {
  readonly skin: FinishedSkin;
  readonly job: string | undefined;
  readonly warnings: readonly Note[];
}

export interface ResultHandlers {
  readonly onDone: (work: Work, made: MadeSkin) => Promise<void>;
  readonly onFailed: (work: Work, problem: SourceProblem, job: string | undefined) => Promise<void>;
  /** The work is submitted again, with the reason. `mayCost`: it may be paid for twice. */
  readonly onAgain: (work: Work, why: string, options?: { readonly mayCost?: boolean }) => void;
}

export interface ResultVerifierOptions extends ResultHandlers {
  readonly session: Session<Work>;
  readonly journal: Journal;
  readonly reader: RetryingReader;
  readonly prover: SkinProver;
  /** How often work is submitted again after a temporary failure of its job. */
  readonly retries: number;
  readonly service: string;
  /** See `BatchService`. */
  readonly caller: string;
  readonly signal: AbortSignal;
  /** Accept results that cannot be proved. */
  readonly acceptUnverified: boolean;
  /** What was submitted and cannot be found any more is submitted again. */
  readonly resubmitLost: boolean;
}

/** The service accepted a submission and shows no job for it now, which may still change. */
export class MissingJobError extends SkinsmithError {
  override readonly name = 'MissingJobError';
  readonly code = 'job_missing';
  readonly isPassing = true;
  readonly hint =
    'Run the command again: it asks for the job again. --resubmit-lost submits it anew, which may cost it twice.';

  constructor() {
    super('It was submitted, but the service does not know its job any more.');
  }
}

/** Turns finished jobs into results: fetches and proves them and writes them to the journal. */
export class ResultVerifier {
  readonly #options: ResultVerifierOptions;

  constructor(options: ResultVerifierOptions) {
    this.#options = options;
  }

  /** Runs one of the following; a permanently failing request fails only this work. */
  async attempt(work: Work, job: string | undefined, step: () => Promise<void>): Promise<void> {
    try {
      await step();
    } catch (error) {
      if (this.#options.signal.aborted || endsBatch(error)) throw error;
      // Not written to the journal: the job may exist, and the next run asks again.
      await this.#options.onFailed(work, problemOf(error), job);
    }
  }

  /** The work's job has ended; handles its result. */
  async settle(work: Work, state: JobAnswer): Promise<void> {
    const { id, result, status } = state.job;
    const skin = state.skin ?? (status === 'completed' ? await this.#skin(result) : undefined);
    if (skin) await this.#finish(work, skin, { job: id, warnings: state.warnings });
    else if (status === 'completed') this.#skinMissing(work);
    else await this.fail(work, new JobFailedError(id, state.errors), id);
  }

  /** The service no longer knows the job. Its skin may exist nevertheless. */
  async settleForgotten(work: Work, job: string | undefined, result: string | undefined): Promise<void> {
    const skin = await this.#skin(result);
    if (skin) await this.#finish(work, skin, { job, warnings: [] });
    else if (result !== undefined) this.#skinMissing(work);
    else if (this.#mayResubmit) this.#vanished(work, 'The service has forgotten the job.');
    else this.lost(work, { isJobKnown: job !== undefined });
  }

  /** The next run asks for it again. `isJobKnown`: by the job's id. @throws MissingJobError */
  lost({ key }: Work, { isJobKnown }: { readonly isJobKnown: boolean }): never {
    const { journal, session, caller } = this.#options;
    if (!isJobKnown) journal.lost(key, session.newestJobTime, caller);
    throw new MissingJobError();
  }

  /** A service of ours has one store: what that lacks does not exist, unless all of its data is missing. */
  get #mayResubmit(): boolean {
    const { resubmitLost, session } = this.#options;
    return resubmitLost || (session.isSkinsmith && !session.memory.hasLost(Number.NEGATIVE_INFINITY));
  }

  #skinMissing(work: Work): void {
    if (!this.#mayResubmit)
      throw new MissingResultError('The service does not have the skin that the job made.');
    this.#vanished(work, 'The service has forgotten the skin.');
  }

  /** Nothing of the job is left, so it is made again, which counts as an attempt. */
  #vanished(work: Work, why: string): void {
    const { retries, onAgain, session } = this.#options;
    if (work.attempt < retries) {
      work.attempt++;
      const mayCost = !session.isSkinsmith;
      onAgain(work, mayCost ? `${why} It is submitted again and may be paid for twice.` : why, { mayCost });
    } else session.track(this.#giveUp(work, { code: 'job_not_found', message: why }, undefined));
  }

  /** The job failed: make it again if the reason is temporary and attempts are left. */
  async fail(work: Work, error: unknown, job?: string): Promise<void> {
    const { retries, onAgain } = this.#options;
    const problem = problemOf(error);
    if (canPass(error) && work.attempt < retries) {
      work.attempt++;
      onAgain(work, problem.message);
    } else await this.#giveUp(work, problem, job);
  }

  async #giveUp(work: Work, problem: SourceProblem, job: string | undefined): Promise<void> {
    const { journal, onFailed } = this.#options;
    const { code, message, hint } = problem;
    journal.failed({ k: work.key, code, message, hint, j: job });
    await onFailed(work, problem, job);
  }

  async #skin(uuid: string | undefined): Promise<ReceivedSkin | undefined> {
    const { session, reader, signal } = this.#options;
    if (uuid === undefined) return undefined;
    return await reader.awaited(() => session.client.skin(uuid, session.call(signal)));
  }

  async #finish(
    work: Work,
    skin: ReceivedSkin,
    { job, warnings: theirs }: Omit<MadeSkin, 'skin'>,
  ): Promise<void> {
    const warnings = mergeNotes(work.warnings, theirs);
    await this.#prove(work, { skin: finishedSkin(skin), job, warnings });
  }

  /** Proves a result again that an earlier run could not prove: the texture may have been served wrong temporarily. */
  async proveAgain(work: Work): Promise<void> {
    const { skin, j: job, w: warnings } = this.#options.journal.readUnverified(work.key);
    await this.#prove(work, { skin, job, warnings });
  }

  async #prove(work: Work, made: MadeSkin): Promise<void> {
    const { prover, acceptUnverified } = this.#options;
    try {
      await this.#done(work, made, await prover.prove(made.skin, work));
    } catch (error) {
      if (!(error instanceof ProofError)) throw error;
      if (acceptUnverified && error.code !== 'invalid_skin_data') {
        const note = { code: 'unverified', message: error.message };
        const warnings = mergeNotes(made.warnings, [note]);
        await this.#done(work, { ...made, warnings }, prover.signedBy(error.signing));
      } else if (error.code === 'unverified') throw error;
      else if (error.code === 'invalid_skin_data') await this.#giveUp(work, problemOf(error), made.job);
      else await this.#keep(work, made, error);
    }
  }

  async #done(work: Work, { skin, job, warnings }: MadeSkin, signedBy: SignedBy): Promise<void> {
    const { journal, onDone, service } = this.#options;
    const { signer, key } = signedBy;
    const w = signer === UNPROVED ? mergeNotes(warnings, [UNPROVED_NOTE]) : [...warnings];
    journal.done({ k: work.key, j: job, skin, w, service, signer, key });
    await onDone(work, { skin: { ...skin, signedBy }, job, warnings: w });
  }

  /** The result was paid for, so it is kept for the user to decide. */
  async #keep(work: Work, { skin, job, warnings }: MadeSkin, { code, message }: ProofError): Promise<void> {
    const { journal, onFailed, service } = this.#options;
    journal.unverified({ k: work.key, j: job, skin, w: [...warnings], service, code, message });
    await onFailed(work, { code, message, hint: KEPT_HINT }, job);
  }
}

const KEPT_HINT =
  'The skin is kept: --accept-unverified accepts it unchanged, --force asks the service again.';

function canPass(error: unknown): boolean {
  if (error instanceof JobFailedError) return TEMPORARY_ERRORS.has(error.code as never);
  return error instanceof ServiceError && error.isPassing;
}

/** The failure as a problem for the owner of the source. */
export function problemOf(error: unknown): SourceProblem {
  const { code, message, hint = fetchHint(error) } = error as Record<keyof SourceProblem, unknown>;
  return {
    code: typeof code === 'string' ? code : 'failed',
    message: String(message),
    ...(typeof hint === 'string' && { hint }),
  };
}

interface SkinProverOptions {
  readonly options: Pick<BatchOptions, 'verify' | 'game' | 'service'>;
  /** Reads a texture. */
  readonly texture: (url: string) => Promise<Uint8Array>;
  /** What is known of the service now. */
  readonly facts: () => Facts;
  /** Reads the service's key again. */
  readonly freshKey: () => Promise<Facts['publicKey']>;
}

/** Proves that a skin is what was requested, and finds out who signed it. */
export class SkinProver {
  readonly #options: SkinProverOptions;

  constructor(options: SkinProverOptions) {
    this.#options = options;
  }

  /** @throws ProofError when it is another skin; what reading its texture throws */
  async prove(skin: FinishedSkin, work: Work): Promise<SignedBy> {
    const { options, facts, freshKey } = this.#options;
    const { publicKey, capeTexture } = facts();
    const texture = options.verify === false ? undefined : this.#options.texture;
    const cape = work.cape === undefined ? undefined : { texture: capeTexture };
    const picture = () => pictureOf(work);
    const expected = { pixels: pixelsOf(work), picture, variant: provableVariant(work), cape };
    const keys = { publicKey, freshKey, gameKeys: options.game?.keys };
    return this.signedBy(await proveSkin(skin, expected, { ...keys, texture }));
  }

  signedBy(signing: Signing): SignedBy {
    if (signing !== 'service') return { signer: signing };
    // `embedded` names both the service and its signer.
    return { signer: this.#options.options.service.name, key: this.#options.facts().fingerprint };
  }
}
