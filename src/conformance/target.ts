import { randomBytes } from 'node:crypto';
import type { ErrorCode } from '../protocol/errors.ts';
import {
  isPending,
  type Job,
  receivedGenerateAnswerSchema,
  receivedJobAnswerSchema,
  receivedJobListAnswerSchema,
} from '../protocol/job.ts';
import { receivedSkinListAnswerSchema } from '../protocol/skin.ts';
import { makePicture } from '../skin/picture.ts';
import { encodePng } from '../skin/png/encode.ts';
import { pixelOffsets, UNUSED_IN_SLIM, type Variant } from '../skin/regions.ts';
import { type Answer, notTried } from './finding.ts';
import type { Session } from './session.ts';

/** A picture that no server has seen, and what became of it. */
export interface Draft {
  readonly name: string;
  readonly png: Buffer;
  readonly dataUrl: string;
  readonly drawn: Variant;
  /** The answer to its submission. */
  answer?: Answer;
  /** Whether the answer was lost: it may have been accepted. */
  isLost?: boolean;
  job?: Job;
  /** UUID of its skin. */
  uuid?: string;
}

/** Milliseconds between requests for the list of jobs, and from the last submission until the jobs must have ended. */
const LOOK = 1_000;
const LONGEST_JOBS = 5 * 60_000;
/** Skins on one page of the caller's list. */
const PAGE = 64;
/** Characters of a name in the published contract. */
const LONGEST_NAME = 20;
/** Milliseconds for deleting what was made, once the run is over. */
const CLEANING = 15_000;

/** The skins that a run makes: counted, unlisted, with names by which they are known, and deleted at the end. */
export class Making {
  /** New skins that the run may make. */
  readonly budget: number;
  readonly drafts: Draft[] = [];
  /** Whether all jobs are over, as far as they were waited for. */
  hasEnded = false;
  /** The last answer to submissions to the full queue, the caller's slots, and the jobs that it had; or why there is none. */
  overflow: { readonly answer: Answer; readonly slots: number; readonly jobs: number } | string | undefined;
  readonly #session: Session;
  /** When all jobs must have ended, on the monotonic clock. */
  #due = Number.NEGATIVE_INFINITY;
  #drawn = 0;
  /** How the names of all skins of this run begin: short, because services cut names. */
  readonly prefix = `cf-${randomBytes(3).toString('hex')}`;
  /** UUIDs of records under names of this run. */
  readonly #records = new Set<string>();

  constructor(session: Session, budget: number) {
    this.#session = session;
    this.budget = budget;
  }

  get records(): readonly string[] {
    return [...this.#records];
  }

  /** Draws a picture for the next skin. @throws Finding if the budget is used up */
  draft(drawn: Variant = 'classic'): Draft {
    const number = this.drafts.length + 1;
    if (number > this.budget)
      throw notTried(`All ${this.budget} skins of this run are used up: --generations ${number}`);
    const draft = this.spare(drawn);
    this.#add(draft);
    return draft;
  }

  /** Its job has its time from now on. */
  #add(draft: Draft): void {
    this.drafts.push(draft);
    this.#due = this.#session.clock.monotonic() + LONGEST_JOBS;
  }

  /** One for a submission that must be refused. */
  spare(drawn: Variant = 'classic'): Draft {
    const png = drawNew(drawn);
    const name = `${this.prefix}-${++this.#drawn}-conformance`.slice(0, LONGEST_NAME);
    return { name, png, dataUrl: `data:image/png;base64,${png.toString('base64')}`, drawn };
  }

  /** Notes that a submission was accepted which should have been refused. */
  keep(draft: Draft, answer: Answer): void {
    this.#add(draft);
    this.took(draft, answer);
  }

  /** Notes what an answer to a submission says. Reads leniently: what is wrong with it is for the checks to say. */
  took(draft: Draft, answer: Answer): Answer {
    draft.answer = answer;
    if (answer.status >= 500) draft.isLost = true; // its job may live on
    const { data } = receivedJobAnswerSchema.safeParse(answer.json);
    const skin = data?.skin ?? receivedGenerateAnswerSchema.safeParse(answer.json).data?.skin;
    if (data && answer.status < 400) draft.job = data.job;
    const uuid = skin?.uuid ?? data?.job.result;
    if (uuid !== undefined) this.note(draft, uuid, skin?.name);
    return answer;
  }

  /** A record is deleted at the end only if it has a name of this run: a faulty server may name any other. */
  note(draft: Draft, uuid: string, name: string | null | undefined): void {
    draft.uuid ??= uuid;
    if (name?.startsWith(this.prefix)) this.#records.add(uuid);
  }

  forget(uuid: string): void {
    this.#records.delete(uuid);
  }

  /** Those of this run with a skin. @throws Finding if there is none */
  finished(): Draft & { readonly uuid: string } {
    const draft = this.drafts.find((one): one is Draft & { uuid: string } => one.uuid !== undefined);
    if (draft) return draft;
    throw notTried(this.drafts.length === 0 ? 'No skin was made.' : 'None of the skins was finished.');
  }

  /** Jobs of the caller that have not ended, by the list. Undefined: the list cannot be read. */
  async pending(): Promise<number | undefined> {
    const jobs = await this.#list({ isUnpaced: true });
    return jobs?.filter(({ status }) => isPending(status)).length;
  }

  /** Waits, as a careful client does, until the jobs of this run are over. */
  async untilEnded(): Promise<void> {
    if (this.hasEnded) return;
    await this.#lookUntil(async () => {
      const jobs = await this.#list();
      for (const draft of this.#open()) {
        const seen = jobs?.find(({ id }) => id === draft.job?.id);
        if (seen) draft.job = seen;
        else if (draft.job) await this.#poll(draft);
      }
      return this.#open().length === 0;
    });
    this.hasEnded = true;
    for (const draft of this.drafts) if (draft.job?.status === 'completed') await this.#poll(draft);
  }

  /** Looks repeatedly until `look` returns true or the jobs' time is up. It looks once more after that time. */
  async #lookUntil(look: () => Promise<boolean>): Promise<void> {
    const { clock, signal } = this.#session;
    for (;;) {
      const isLate = clock.monotonic() >= this.#due;
      if ((await look()) || isLate) return;
      await clock.sleep(LOOK, signal);
    }
  }

  #open(): Draft[] {
    return this.drafts.filter(({ job }) => job !== undefined && isPending(job.status));
  }

  async #list(sent: { readonly isUnpaced?: boolean } = {}): Promise<readonly Job[] | undefined> {
    if (!this.#session.hasKey) return undefined;
    const { json } = await this.#session.get('/v2/queue', sent);
    return receivedJobListAnswerSchema.safeParse(json).data?.jobs;
  }

  async #poll(draft: Draft, signal?: AbortSignal): Promise<void> {
    const path = `/v2/queue/${encodeURIComponent(draft.job?.id ?? '')}`;
    const { json } = await this.#session.get(path, signal && { signal });
    const { data } = receivedJobAnswerSchema.safeParse(json);
    if (!data) return;
    draft.job = data.job;
    const uuid = data.skin?.uuid ?? data.job.result;
    if (uuid !== undefined) this.note(draft, uuid, data.skin?.name);
  }

  /**
   * Deletes what is left, also after an interruption.
   * @returns what stays, in words
   */
  async cleanUp(): Promise<string[]> {
    const isFound = await this.#findOthers().catch(() => false); // interrupted, or the server is gone
    const signal = AbortSignal.timeout(CLEANING);
    const stays: string[] = [];
    for (const draft of this.#open()) await this.#poll(draft, signal).catch(() => {}); // reported as what stays
    if (!isFound) await this.#findNamed(signal).catch(() => {});
    const answered = new Map<string, number | undefined>();
    for (const uuid of this.#records) answered.set(uuid, await this.#delete(uuid, signal));
    await this.#findNamed(signal).catch(() => {}); // a server may say that it deleted what it did not
    for (const uuid of this.#records) {
      if (!answered.has(uuid)) answered.set(uuid, await this.#delete(uuid, signal));
      if (await this.#isGone(uuid, signal)) this.#records.delete(uuid);
      else stays.push(`the skin ${uuid} (${outcomeOf(answered.get(uuid))})`);
    }
    for (const uuid of this.#unnamed()) {
      if (!(await this.#isGone(uuid, signal)))
        stays.push(`perhaps the skin ${uuid}, which has no name of this run any more`);
    }
    for (const { job, name } of this.#others()) {
      if (job) stays.push(`the job ${job.id}, which becomes the unlisted skin ${name}`);
      else if (!isFound)
        stays.push(`perhaps the unlisted skin ${name}, whose submission was not answered with a job`);
    }
    return stays;
  }

  /** Skins that answers named, but not by the names of this run: they may be someone else's. */
  #unnamed(): Set<string> {
    const named = this.drafts.flatMap(({ uuid }) => uuid ?? []);
    return new Set(named).difference(this.#records);
  }

  /** Submissions that may have become a skin, or may still, of which no record is known. */
  #others(): Draft[] {
    return this.drafts.filter(({ uuid, job, answer, isLost = false }) => {
      const isAccepted = isLost || (answer !== undefined && answer.status < 400);
      return uuid === undefined && isAccepted && job?.status !== 'failed';
    });
  }

  /** Waits for jobs that could not be followed. @returns whether all of them have ended, and their skins are known */
  async #findOthers(): Promise<boolean> {
    if (this.#others().length === 0) return true;
    let isOver = false;
    await this.#lookUntil(async () => {
      const pending = await this.pending();
      isOver = (await this.#findNamed(this.#session.signal)) && pending === 0;
      return isOver || pending === undefined || this.#others().length === 0;
    });
    return isOver;
  }

  /** Finds records by their names: the caller's newest ones. @returns whether the list could be read */
  async #findNamed(signal: AbortSignal): Promise<boolean> {
    if (!this.#session.hasKey) return false;
    const { json } = await this.#session.get(`/v2/me/skins?size=${PAGE}`, { signal });
    const { data } = receivedSkinListAnswerSchema.safeParse(json);
    for (const { uuid, name } of data?.skins ?? []) {
      if (!name?.startsWith(this.prefix)) continue;
      this.#records.add(uuid);
      const draft = this.drafts.find((one) => one.name.startsWith(name));
      if (draft) draft.uuid ??= uuid;
    }
    return data !== undefined;
  }

  async #isGone(uuid: string, signal: AbortSignal): Promise<boolean> {
    const path = `/v2/skins/${encodeURIComponent(uuid)}`;
    return (await this.#session.get(path, { signal }).catch(() => undefined))?.status === 404;
  }

  async #delete(uuid: string, signal: AbortSignal): Promise<number | undefined> {
    try {
      return (await this.#session.send('DELETE', `/v2/skins/${encodeURIComponent(uuid)}`, { signal })).status;
    } catch {
      return undefined; // reported as what stays
    }
  }
}

/** What the server answered to the request to delete a skin that is still there. */
function outcomeOf(status: number | undefined): string {
  if (status === undefined) return 'no answer';
  return status < 300 ? `the server said that it deleted it: status ${status}` : `status ${status}`;
}

/** The side of a square of one colour, in pixels. */
const SQUARE = 8;

/** A skin of random colours: small, and known to nobody. */
function drawNew(variant: Variant): Buffer {
  const picture = makePicture(64, 64);
  for (let y = 0; y < 64; y += SQUARE) {
    for (let x = 0; x < 64; x += SQUARE) {
      const colour = [...randomBytes(3), 255];
      for (const at of pixelOffsets({ x, y, width: SQUARE, height: SQUARE }, 64))
        picture.pixels.set(colour, at);
    }
  }
  if (variant === 'slim') {
    for (const rect of UNUSED_IN_SLIM)
      for (const at of pixelOffsets(rect, 64)) picture.pixels.fill(0, at, at + 4);
  }
  return encodePng(picture);
}

/** The server that is judged. */
export interface Target {
  readonly session: Session;
  /** The skins that the run makes there. */
  readonly making: Making;
}

/** One sentence that a server either keeps or does not. */
export interface Check {
  /** Stable, for programs. */
  readonly id: string;
  /** What a server must do. */
  readonly judges: string;
  /** Numbers of the statements in docs/internals/specification.md that it judges. */
  readonly statements?: readonly string[];
  /** Rows of docs/internals/compatibility.md that it judges, such as `GET /v2/delay`. */
  readonly endpoints?: readonly string[];
  /** Error codes that it provokes. */
  readonly codes?: readonly ErrorCode[];
  readonly needsKey?: true;
  /** Whether a server without this is no server of the interface. */
  readonly isRequired?: true;
  /** Resolves if the server does it. @throws Finding */
  readonly run: (target: Target) => Promise<void>;
  /** What else there is to say if it does. */
  readonly remark?: (target: Target) => string | undefined;
}
