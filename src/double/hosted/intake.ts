import { ERRORS } from '../../protocol/errors.ts';
import type { Skin } from '../../protocol/skin.ts';
import type { Picture } from '../../skin/picture.ts';
import { pixelHash } from '../../skin/read-skin.ts';
import { fateOf, isNewJob, type JobPlan } from '../plans.ts';
import type { Seed } from '../seed.ts';
import {
  type Before,
  etaOf,
  fakeJobId,
  type HostedJob,
  hasRightSkin,
  hasSkin,
  inputKey,
  JobBook,
  type JobOwner,
  makeJobId,
  notBefore,
  type PlannedJob,
  type SkinInput,
} from './jobs.ts';
import type { AcceptedSubmission, HostedOptions } from './options.ts';
import { plainPicture } from './pictures.ts';
import { inputOf, type SubmissionOptions, type SubmittedSkin } from './requests.ts';
import { type SkinSigner, SkinStore } from './skins.ts';
import { type CallerKind, countSubmission, type HostedFlags, HostedRefusal, type Visit } from './visit.ts';

/** A skin that existed already, under the id of a job that never existed. */
export interface Duplicate {
  readonly id: string;
  readonly timestamp: number;
  readonly skin: Skin;
}

/** What became of a submission that was not refused. */
export type Taken =
  | { readonly kind: 'job'; readonly job: HostedJob }
  | { readonly kind: 'duplicate'; readonly duplicate: Duplicate };

interface NewInput extends Pick<HostedJobInput, 'input' | 'picture' | 'plan' | 'attempt'> {
  readonly before: Before;
}

interface HostedJobInput extends Omit<PlannedJob, 'input'> {
  readonly input: SkinInput;
  readonly picture: Picture;
  readonly now: number;
  readonly times: Pick<HostedJob, 'startsAt' | 'endsAt' | 'eta'>;
}

/** Takes submissions in: `v2SubmitGeneratorJob`. */
export class Intake {
  readonly book: JobBook;
  readonly skins = new SkinStore();
  flags: HostedFlags;
  readonly #maker: SkinSigner;
  readonly #options: HostedOptions;
  readonly #seed: Seed;
  readonly #fakeJobs = new Map<string, Duplicate>();
  /** Skins that existed before this service started, by input. */
  readonly #old = new Map<string, { skin: Promise<Skin>; uuid: string }>();
  /** Submissions of each picture that were decided on, by pixel hash and the name that planned them. */
  readonly #attempts = new Map<string, number>();
  #foreignJobs = 0;
  /** Accepted submissions. */
  #accepted = 0;

  constructor(maker: SkinSigner, seed: Seed, options: HostedOptions) {
    this.#maker = maker;
    this.#seed = seed;
    this.#options = options;
    this.flags = options.flags ?? {};
    this.book = new JobBook(options.workers ?? 5);
  }

  /** In the published order: the queue's limit, what is allowed, the quota, the picture, duplicates, the switch. */
  async take(visit: Visit, { options, picture: read }: SubmittedSkin): Promise<Taken> {
    const { caller, now, plan } = visit;
    const before = { pending: this.book.unfinished(caller, now), lastJob: this.book.last(caller) };
    this.#checkQueue(before);
    checkGrants(caller, options);
    countSubmission(visit);
    const picture = read();
    const input = inputOf(options, picture);
    const attempt = (this.#attempts.get(attemptsKey(input, plan)) ?? 0) + 1;
    const known = isNewJob(plan, attempt)
      ? undefined
      : this.#knownSkin(input, picture, { now, isPlanned: plan?.isKnown ?? false });
    if (known) return { kind: 'duplicate', duplicate: await this.#duplicate(input, known, now) };
    this.#checkSwitch();
    if (before.pending > 1) visit.nextRequest = Math.max(visit.nextRequest, now + before.pending * 50);
    this.#attempts.set(attemptsKey(input, plan), attempt);
    return { kind: 'job', job: this.#takeNew(visit, { input, picture, before, plan, attempt }) };
  }

  /** A job of another program of the same user: takes a slot but no worker. */
  occupy(serviceTime: number, owner: JobOwner, now: number): string {
    const number = this.#foreignJobs++;
    const picture = plainPicture([number & 255, number >> 8, 9, 255]);
    const look = { variant: 'classic', visibility: 'public', name: undefined } as const;
    const input: SkinInput = { pixels: pixelHash(picture), ...look };
    const times = { startsAt: now, endsAt: now + serviceTime, eta: undefined };
    return this.#add({ input, attempt: 1, fate: undefined, owner, picture, now, times }).id;
  }

  fakeJob(id: string): Duplicate | undefined {
    return this.#fakeJobs.get(id);
  }

  #checkQueue({ pending }: Before): void {
    const { limit = 5, slack = 0 } = this.#options;
    if (pending >= limit + slack)
      throw new HostedRefusal(429, 'job_limit', 'You have too many jobs in the queue');
  }

  #checkSwitch(): void {
    const { blockGeneration = false } = this.flags;
    if (blockGeneration === false) return;
    const message =
      typeof blockGeneration === 'string' ? blockGeneration : 'Skin Generation is currently disabled.';
    throw new HostedRefusal(503, 'service_unavailable', message);
  }

  #knownSkin(
    input: SkinInput,
    picture: Picture,
    { now, isPlanned }: { now: number; isPlanned: boolean },
  ): { skin: Promise<Skin>; uuid: string } | undefined {
    const { known = 'made' } = this.#options;
    if (known === 'nothing') return undefined;
    const made = this.book.of(input).find((job) => hasRightSkin(job, now));
    const old = made ? { skin: made.skin, uuid: made.skinUuid } : this.#old.get(inputKey(input));
    const isOld = isPlanned || known === 'everything' || (typeof known === 'function' && known(input.pixels));
    if (old || !isOld) return old;
    const uuid = this.#seed.uuid();
    const skin = this.#maker.make({ uuid, input, picture, isWrong: false, madeAt: now, duration: 0 });
    this.#old.set(inputKey(input), { skin, uuid });
    this.skins.add(uuid, { skin, madeAt: now, isThere: () => true });
    return { skin, uuid };
  }

  async #duplicate(
    input: SkinInput,
    { skin, uuid }: { skin: Promise<Skin>; uuid: string },
    at: number,
  ): Promise<Duplicate> {
    const id = fakeJobId(uuid);
    const { pixels, variant } = input;
    this.#record({ pixels, variant, job: id, at, endsAt: at, duplicate: true }, this.book.of(input));
    const duplicate = { id, timestamp: at, skin: (await this.skins.find(uuid, at)) ?? (await skin) };
    this.#fakeJobs.set(id, duplicate);
    return duplicate;
  }

  #takeNew({ caller, traffic, now }: Visit, { input, picture, before, plan, attempt }: NewInput): HostedJob {
    const fate = fateOf(plan?.fate ?? this.#options.fate?.(input.pixels), attempt);
    if (fate?.kind === 'refused')
      throw new HostedRefusal(ERRORS[fate.code].status, fate.code, ERRORS[fate.code].message);
    const earlier = this.book.of(input);
    const planned: PlannedJob = { input, attempt, fate, owner: caller, plan };
    const { spread = true, eta = 0 } = this.#options;
    const time = this.#timeOf(planned);
    const startsAt = spread && traffic.rule ? notBefore(before, traffic.rule, now) : undefined;
    const told = eta === false ? undefined : etaOf(startsAt ?? now, time);
    const work = this.book.schedule(Math.max(now, startsAt ?? 0), time);
    const times = { ...work, eta: told === undefined ? undefined : told + (eta || 0) };
    const job = this.#add({ ...planned, picture, now, times });
    const endsAt = Number.isFinite(job.endsAt) ? job.endsAt : null;
    const { pixels, variant } = input;
    this.#record({ pixels, variant, job: job.id, at: now, endsAt, duplicate: false }, earlier);
    return job;
  }

  #record(submission: AcceptedSubmission, earlier: readonly HostedJob[]): void {
    this.#accepted++;
    this.#options.recorder?.submission(submission, earlier);
  }

  #timeOf(planned: PlannedJob): number {
    const { serviceTime = 40 } = this.#options;
    if (planned.plan?.polls !== undefined) return Number.POSITIVE_INFINITY;
    if (planned.plan?.serviceTime !== undefined) return planned.plan.serviceTime;
    if (typeof serviceTime === 'number') return serviceTime;
    if (typeof serviceTime === 'function') return serviceTime(planned);
    return serviceTime[this.#accepted % serviceTime.length] ?? 0;
  }

  #add({ picture, now, times, ...planned }: HostedJobInput): HostedJob {
    const { input, fate, owner } = planned;
    const { startsAt, endsAt } = times;
    const made = Number.isFinite(endsAt)
      ? { madeAt: endsAt, duration: endsAt - startsAt }
      : { madeAt: now, duration: 0 };
    const skinUuid = this.#seed.uuid();
    const isWrong = fate?.kind === 'wrong';
    const skin = this.#maker.make({ uuid: skinUuid, input, picture, isWrong, ...made });
    const id = makeJobId(this.#seed);
    const job: HostedJob = { ...planned, ...times, id, acceptedAt: now, skin, skinUuid, polls: 0 };
    this.book.add(job);
    const isThere = (at: number) => hasSkin(job, at);
    this.skins.add(skinUuid, { skin, madeAt: made.madeAt, isThere });
    const unfinished = this.book.unfinished(owner === 'anonymous' ? 'anonymous' : 'user', now);
    this.#options.recorder?.unfinished(unfinished);
    return job;
  }
}

function attemptsKey({ pixels }: SkinInput, plan: JobPlan | undefined): string {
  return `${pixels} ${plan?.name ?? ''}`;
}

/** What needs an account; the user's grants allow it, and no cape is known. */
function checkGrants(caller: CallerKind, { visibility, cape }: SubmissionOptions): void {
  if (cape !== undefined) throw new HostedRefusal(400, 'invalid_cape', `invalid cape: ${cape}`);
  if (visibility !== 'private' || caller === 'user') return;
  throw new HostedRefusal(401, 'unauthorized', 'private skins require an API key or User');
}
