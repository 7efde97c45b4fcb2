import type { JobAnswer } from '../client/types.ts';

/**
 * When to request the job list, and when to poll a single job. A request before a job can be done gains
 * nothing, and every millisecond after its end leaves a slot empty, so requests are aimed at the moment at
 * which a wave of jobs ends, learned from earlier jobs. The service's eta is only a hint. All times are
 * milliseconds of one monotonic clock.
 */

/** Jobs whose expected ends differ by at most this part of their duration are one wave, worth one request. */
const WAVE = 0.2;
const SHORTEST_WAVE = 20;
/** Without experience an eta is used, but capped at the duration of a usual job. */
const USUAL = 2_000;
/** An overdue job is polled again after this part of the usual duration, or of its delay. */
const OVERDUE = 0.08;
const OVERDUE_GROWTH = 0.4;
const UNKNOWN_GROWTH = 1;
const SHORTEST_OVERDUE = 10;
/** A list request is never put off longer than this, whatever is expected. */
const LONGEST_TRUST = 60_000;
/** Minimum pause between two list requests: when some jobs are long, and while little is known. */
const LIST_GAP = 515; // a little over half a second: the first looks may come faster
const FIRST_LIST_GAP = 250;
/** A list request that is due this soon after a single poll makes the poll needless. */
const LIST_SOON = 100;
/** Jobs whose ends are known to this part of their duration are polled singly: each answer has the result as well. */
const FORESEEN = 0.1;
const LEAST_EXPERIENCE = 5;
/** While all jobs are polled singly, lists only show others' jobs: this often, if some were seen that recently. */
const OTHERS_UNSEEN = 2_000;
const OTHERS_RECENT = 60_000;
/** Two clocks that count milliseconds agree within this. */
const CLOCK_MARGIN = 2;
/** Jobs that typically take this long are long: requests for them are rarer, although slots stay empty a little longer. */
const LONG_TYPICAL = 1_500;
/** Durations spread by more than this part of the typical one form no waves. */
const UNEVEN = { short: 0.6, long: 0.4 };
/** Without waves, the list is worth a request once this many jobs have probably ended: politer where jobs take long. */
const WORTH_A_LIST = { short: 1.5, long: 2.5 };
/**
 * Without waves, jobs that typically take this long are polled singly, without a list, which takes fewer requests but more
 * time. A poll in vain costs quick jobs too much, since the next one is only a second later.
 */
const POLLED_SINGLY = [
  { from: 400, below: 850 },
  { from: LONG_TYPICAL, below: Number.POSITIVE_INFINITY },
];
/** Without waves, a job is polled singly once this part of the jobs that took at least as long have ended. */
const NEARLY_SURE = 0.92;

/** Sums of parts may differ by this with their order. */
const ROUNDING = 1e-9;
/** Milliseconds to which a moment is found. */
const PRECISE = 0.0001;

/** Learns how long jobs take, and how reliable the service's etas are. */
export class LookTimes {
  readonly #longest: number;
  readonly #durations = new RecentSamples();
  /** How much later than its eta a job ends. */
  readonly #lateness = new RecentSamples();
  /** Whether the last duration is the service's own, not only as exact as our looks. */
  #isReported = false;

  /** `longest`: maximum pause between list requests. */
  constructor(longest: number) {
    this.#longest = longest;
  }

  /** Records that a job ended `duration` after it was accepted. `isReported`: according to the service. */
  ended({ eta }: RunningJob, duration: number, { isReported = false } = {}): void {
    if (!Number.isFinite(duration) || duration < 0) return;
    this.#isReported = isReported;
    this.#durations.add(duration);
    if (isPlausible(eta)) this.#lateness.add(duration - this.#earliest(eta));
  }

  /** Another process's typical duration, used until this one has its own. */
  assumeTypical(typical: number | undefined): void {
    if (typical !== undefined && this.typical === undefined) this.#durations.add(typical);
  }

  /** The typical duration of a job; undefined while nothing is known. */
  get typical(): number | undefined {
    return this.#durations.median;
  }

  /** The shortest known duration of a job. */
  get least(): number | undefined {
    return this.#durations.leastOfAll;
  }

  /** When to request the list, given the running jobs (at least one). */
  next(jobs: readonly RunningJob[], state: LookState): number {
    const { lastLook } = state;
    const at = this.#isUneven(jobs, state)
      ? this.#untilSeveralEnded(jobs, state)
      : this.#nextOfWaves(jobs, state);
    return Math.max(Math.min(at, lastLook + LONGEST_TRUST), lastLook + this.#listGap());
  }

  /** Which job to poll singly, and when: at most once a second each. Undefined: none. */
  nextPoll<J extends RunningJob>(jobs: readonly J[], state: LookState): { job: J; at: number } | undefined {
    const plan = { ...state, jobs, listAt: this.next(jobs, state) };
    const polls = jobs.map((job) => ({ job, at: Math.max(this.#pollAt(job, plan), pollableAt(job)) }));
    const first = polls.reduce((least, poll) => (poll.at < least.at ? poll : least));
    return Number.isFinite(first.at) ? first : undefined;
  }

  #listGap(): number {
    // The first to end are the shortest: the others may well take over a second.
    if (this.#durations.count < LEAST_EXPERIENCE) return FIRST_LIST_GAP;
    return (this.#durations.high ?? 0) > LONG_JOB ? LIST_GAP : 0;
  }

  /** Jobs that are polled singly need a list only if they are late; it also shows other callers' jobs. */
  #nextOfWaves(jobs: readonly RunningJob[], state: LookState): number {
    if (this.typical === undefined && state.isAlone) return this.#nextOfProbes(jobs, state);
    if (!this.#isForeseen(jobs, state)) return this.#nextWave(jobs, state);
    const listed = jobs.filter((job) => !this.#isPolledInstead(job, state));
    return Math.min(this.#nextWave(listed, state), this.#nextForOthers(state));
  }

  /** When a list is due only because it shows the jobs of others. */
  #nextForOthers({ now, lastLook, othersAt = Number.NEGATIVE_INFINITY }: LookState): number {
    if (now - othersAt >= OTHERS_RECENT) return Number.POSITIVE_INFINITY;
    return lastLook + Math.min(this.#longest, OTHERS_UNSEEN);
  }

  /** Without experience, a list is for jobs with an estimate to wait for, and for gaps between single polls. */
  #nextOfProbes(jobs: readonly RunningJob[], state: LookState): number {
    const wave = this.#nextWave(jobs.filter(isAwaited), state);
    return Math.min(wave, fillingLookAt(jobs, state), state.lastLook + this.#longest);
  }

  /** Infinity without jobs. */
  #nextWave(jobs: readonly RunningJob[], { now, lastLook, roundTrip }: LookState): number {
    const expected = jobs.map((job) => this.#expectedEnd(job)).sort((a, b) => a - b);
    const late = expected.findLast((end) => end <= now);
    const lastPoll = Math.max(lastLook, ...jobs.map((job) => this.#polledInVain(job)));
    const again = late === undefined ? Number.POSITIVE_INFINITY : this.#lookAgain(late, lastPoll, roundTrip);
    return Math.min(this.#endOfWave(expected, now), again);
  }

  /** The end of the first wave still to come. */
  #endOfWave(expected: readonly number[], now: number): number {
    const first = expected.find((end) => end > now) ?? Number.POSITIVE_INFINITY;
    const part = this.typical === undefined ? FIRST_PAUSE : WAVE * this.typical;
    // A second request has to wait, so jobs that end until then are worth waiting for.
    const wave = Math.max(SHORTEST_WAVE, part, this.typical === undefined ? 0 : this.#listGap());
    return expected.findLast((end) => end <= first + wave && end > now) ?? first;
  }

  /** At once if it has not been polled since; then with pauses that grow with the delay. */
  #lookAgain(expected: number, lastLook: number, roundTrip: number): number {
    if (lastLook < expected) return expected;
    const least = Math.max(SHORTEST_OVERDUE, 2 * roundTrip, OVERDUE * (this.typical ?? USUAL));
    const growth = this.typical === undefined ? UNKNOWN_GROWTH : OVERDUE_GROWTH;
    return lastLook + Math.min(this.#longest, Math.max(least, growth * (lastLook - expected)));
  }

  /** By eta or by experience, whichever has been more accurate. */
  #expectedEnd({ acceptedAt, eta }: RunningJob): number {
    const byExperience = this.#durations.high;
    if (byExperience === undefined) return acceptedAt + (isPlausible(eta) ? Math.min(eta, USUAL) : USUAL);
    const byEta =
      isPlausible(eta) && this.#isEtaBetter ? this.#earliest(eta) + this.#lateness.high! : undefined;
    return acceptedAt + (byEta ?? byExperience) + (this.#isReported ? CLOCK_MARGIN : 0);
  }

  /** An eta counts from a start that may have passed when the job is accepted, but no job is faster than the fastest. */
  #earliest(eta: number): number {
    return Math.max(eta, this.#durations.least ?? 0);
  }

  /** Whether the end of each job is known so well that a single poll at that time finds it ended. */
  #isForeseen(jobs: readonly RunningJob[], { isAlone = false }: LookState): boolean {
    const { typical } = this;
    const { count } = this.#durations;
    if (!isAlone || !this.#isReported || typical === undefined || count < LEAST_EXPERIENCE) return false;
    const isByEta = this.#isEtaBetter && jobs.every(({ eta }) => isPlausible(eta));
    return (isByEta ? this.#lateness : this.#durations).spread <= FORESEEN * typical;
  }

  /** Whether the job is polled singly at its expected end, or is being polled. */
  #isPolledInstead(job: RunningJob, { now }: LookState): boolean {
    const { polledAt, seenAt = 0 } = job;
    if (polledAt === undefined || pollableAt(job) <= this.#expectedEnd(job)) return true;
    return polledAt > seenAt && now < pollableAt(job);
  }

  /** When the job was polled singly at its expected end or later, but had not ended. */
  #polledInVain({ polledAt = Number.NEGATIVE_INFINITY, ...job }: RunningJob): number {
    return polledAt >= this.#expectedEnd(job) ? polledAt : Number.NEGATIVE_INFINITY;
  }

  get #isEtaBetter(): boolean {
    return this.#lateness.high !== undefined && this.#lateness.spread <= this.#durations.spread;
  }

  /** The first to end are the shortest, so that jobs are taken for long while little is known. */
  get #usual(): 'short' | 'long' {
    const { typical = USUAL } = this;
    return this.#durations.count >= LEAST_EXPERIENCE && typical < LONG_TYPICAL ? 'short' : 'long';
  }

  /** Whether experience shows that these jobs do not end in waves. */
  #isUneven(jobs: readonly RunningJob[], { isAlone = false }: LookState): boolean {
    const { typical } = this;
    const { count, spread } = this.#durations;
    const isKnown = count >= LEAST_EXPERIENCE || !isAlone; // the little that others tell is typical
    if (typical === undefined || (isKnown && spread <= UNEVEN[this.#usual] * typical)) return false;
    const isForeseen = this.#isEtaBetter && jobs.every(({ eta }) => isPlausible(eta));
    return !isForeseen || this.#lateness.spread > UNEVEN[this.#usual] * typical;
  }

  /** Whether the ends of jobs without waves are noticed by single polls alone. */
  get #arePolledSingly(): boolean {
    const { typical = Number.NaN } = this;
    const isKnown = this.#durations.count >= LEAST_EXPERIENCE;
    return isKnown && POLLED_SINGLY.some(({ from, below }) => typical >= from && typical < below);
  }

  /** Time at which enough jobs have probably ended to justify a list request. */
  #untilSeveralEnded(jobs: readonly RunningJob[], state: LookState): number {
    const { lastLook, roundTrip, isAlone = false } = state;
    if (isAlone && this.#arePolledSingly) return this.#nextForOthers(state);
    const gap = Math.max(this.#listGap(), SHORTEST_OVERDUE, 2 * roundTrip);
    const several = WORTH_A_LIST[this.#usual];
    const worth = isAlone ? several : Math.min(several, jobs.length / 2); // it shows the ends of others' jobs as well
    const ended = (at: number) => jobs.reduce((sum, job) => sum + this.#endedBy(job, at), 0);
    const longest = this.#longest + (isAlone ? (this.#durations.high ?? 0) : 0);
    return firstMoment(
      lastLook + Math.min(gap, longest),
      lastLook + longest,
      (at) => ended(at) > worth - ROUNDING,
    );
  }

  #pollAt(job: RunningJob, plan: LookPlan): number {
    const { jobs } = plan;
    if (this.typical === undefined) return probeAt(job, jobs, plan);
    if (!this.#isUneven(jobs, plan)) {
      const isPolled = this.#isForeseen(jobs, plan) && this.#isPolledInstead(job, plan);
      return isPolled ? this.#expectedEnd(job) : this.#pollLate(job, plan);
    }
    const from = Math.max(job.acceptedAt, job.seenAt ?? 0, pollableAt(job));
    const longest = this.#longest + (this.#durations.high ?? 0);
    const at = firstMoment(from, from + longest, (time) => this.#endedBy(job, time) >= NEARLY_SURE);
    return unlessListFollows(at, plan);
  }

  /** While the list has to wait, polls an overdue job. */
  #pollLate(job: RunningJob, plan: LookPlan): number {
    return unlessListFollows(this.#lookAgain(this.#expectedEnd(job), plan.lastLook, plan.roundTrip), plan);
  }

  /** How probable it is that the job has ended by then, judged by other jobs that took at least as long. */
  #endedBy({ acceptedAt, seenAt = acceptedAt }: RunningJob, at: number): number {
    return this.#durations.probability(at - acceptedAt, seenAt - acceptedAt);
  }
}

/** What single polls are planned with: all running jobs, and when the next list is due. */
interface LookPlan extends LookState {
  readonly jobs: readonly RunningJob[];
  readonly listAt: number;
}

/** When to poll a job singly: never if a list is due soon. */
function unlessListFollows(at: number, { listAt }: LookPlan): number {
  return listAt <= at + LIST_SOON ? Number.POSITIVE_INFINITY : at;
}

/** The first moment between two at which a condition begins to hold; otherwise the last. */
function firstMoment(from: number, to: number, holds: (at: number) => boolean): number {
  let [early, late] = [from, Math.max(from, to)];
  if (holds(early)) return early;
  while (late - early > PRECISE) {
    const middle = (early + late) / 2;
    if (holds(middle)) late = middle;
    else early = middle;
  }
  return late;
}

/**
 * When to look for the end of jobs before any job has ended, if the service gave no estimate to wait for: often
 * at first, then ever more rarely, so that an end is noticed within a part of the time that the job took. Jobs
 * are polled singly, one after the other; where none may be polled yet, the list fills the gap.
 */

/** The first poll; then pauses that grow with the age of the jobs. */
const FIRST_PAUSE = 100;
const SHORTEST_PAUSE = 80;
const GROWTH = 0.2;
/** The same for several jobs, which end one after the other: none of them is worth as many requests. */
const FIRST_OF_SEVERAL = 250;
const GROWTH_OF_SEVERAL = 1;
/** From this age on, the list tells more than a single poll: one of several jobs may well have ended. */
const LISTED_AGE = 500;
/** An estimate up to this is waited for. Until a later one, jobs are polled as without any. */
const AWAITED_ETA = 3_000;
/** Minimum pause between two list requests: once a job is long, and before. */
const LONG_GAP = 500;
const SHORT_GAP = 250;
/** A job that may be polled singly this soon, in milliseconds and in parts of its age, makes a list needless. */
const POLL_SOON = 150;
const POLL_SOON_GROWTH = 0.05;

/** When to poll the job singly, or any other in its stead. */
export function probeAt(
  job: RunningJob,
  jobs: readonly RunningJob[],
  { lastLook, roundTrip, isAlone = false }: LookState,
): number {
  const { acceptedAt, eta } = job;
  const lastProbe = Math.max(lastLook, ...jobs.map(({ polledAt = 0 }) => polledAt));
  const isLone = jobs.length === 1;
  const first = acceptedAt + (isAwaited(job) ? job.eta : isLone ? FIRST_PAUSE : FIRST_OF_SEVERAL);
  const estimated = isPlausible(eta) ? acceptedAt + eta : Number.POSITIVE_INFINITY;
  const isOverdue = lastProbe >= estimated;
  const growth = (isLone ? GROWTH : GROWTH_OF_SEVERAL) * (lastProbe - (isOverdue ? estimated : acceptedAt));
  const at = Math.max(first, lastProbe + Math.max(SHORTEST_PAUSE, 2 * roundTrip, growth));
  const probe = isOverdue ? at : Math.max(first, Math.min(at, estimated));
  const isListed = isAlone && !isLone && !isAwaited(job) && probe - acceptedAt >= LISTED_AGE;
  return isListed ? Number.POSITIVE_INFINITY : probe;
}

/** When to request the list because no job may be polled singly for some time; infinity: not for that reason. */
export function fillingLookAt(jobs: readonly RunningJob[], state: LookState): number {
  const guessed = jobs.filter((job) => !isAwaited(job));
  if (guessed.length === 0) return Number.POSITIVE_INFINITY;
  const oldest = Math.min(...guessed.map(({ acceptedAt }) => acceptedAt));
  if (jobs.length > 1)
    return Math.max(oldest + LISTED_AGE, state.lastLook + GROWTH_OF_SEVERAL * (state.lastLook - oldest));
  const probes = guessed.map((job) => ({ job, at: probeAt(job, jobs, state) }));
  const due = Math.max(Math.min(...probes.map(({ at }) => at)), state.lastLook + SHORT_GAP);
  const at = due - oldest > LONG_JOB ? Math.max(due, state.lastLook + LONG_GAP) : due;
  const poll = Math.min(...probes.map((probe) => Math.max(probe.at, pollableAt(probe.job))));
  const soon = Math.max(POLL_SOON, POLL_SOON_GROWTH * (at - oldest));
  return poll <= at + soon ? Number.POSITIVE_INFINITY : at;
}

/** Whether the service's estimate for the job is waited for. */
function isAwaited<J extends RunningJob>(job: J): job is J & { readonly eta: number } {
  return isPlausible(job.eta) && job.eta <= AWAITED_ETA;
}

/** The service says that it does not know a job. Times: milliseconds of one monotonic clock. */
export interface UnknownJobReport {
  /** When it should have known the job for the first time. */
  readonly since: number;
  /** When it last said so. */
  readonly at: number;
  /** Number of such answers in a row. */
  readonly times: number;
}

/** What is known of a running job. All times are milliseconds of one monotonic clock. */
export interface RunningJob {
  /** When the service accepted it. */
  readonly acceptedAt: number;
  /** The service's estimate of its duration from then on, if given. */
  readonly eta: number | undefined;
  /** When it was last seen unfinished; absent: when it was accepted. */
  readonly seenAt?: number | undefined;
  /** When it was last polled singly; absent: never. */
  readonly polledAt?: number | undefined;
  /** When such a poll was last answered; absent: never. */
  readonly answeredAt?: number | undefined;
  /** The service did not know it when it was last polled. */
  readonly absent?: UnknownJobReport | undefined;
}

export interface LookState {
  readonly now: number;
  /** When the last list request began. */
  readonly lastLook: number;
  /** Duration of a short request, milliseconds. */
  readonly roundTrip: number;
  /** Whether all jobs in the queue are this process's own, so that no other process needs a list. */
  readonly isAlone?: boolean;
  /** When a list last showed jobs of others; absent: never. */
  readonly othersAt?: number | undefined;
}

/** Milliseconds; jobs that take longer are called long, and the list is requested at most twice a second for them. */
export const LONG_JOB = 1_000;
/** An eta further off than this is ignored: a wrong clock, or seconds instead of milliseconds. */
const PLAUSIBLE_ETA = 60_000;
/** Minimum pause between two polls of the same job. */
const POLL_GAP = 1_000;

export function isPlausible(eta: number | undefined): eta is number {
  return eta !== undefined && eta > 0 && eta <= PLAUSIBLE_ETA;
}

/** The pause grows by this part of the time for which the service has not known the job. */
const ABSENT_GROWTH = 0.25;

/** When the job may be polled singly again. The service got the last poll at some time before it answered. */
export function pollableAt({ polledAt, answeredAt = 0, absent }: RunningJob): number {
  if (polledAt === undefined) return 0;
  const missing = absent ? absent.at - absent.since : 0;
  return Math.max(polledAt, answeredAt) + Math.max(POLL_GAP, ABSENT_GROWTH * missing);
}

/**
 * The milliseconds that a job took that had ended `at`. `isReported`: by the service's own times, if it gives them and they
 * are possible; otherwise by when its end was noticed.
 */
export function jobDuration(
  job: RunningJob,
  { job: { timestamp }, skin }: Pick<JobAnswer, 'job' | 'skin'>,
  at: number,
  least: number | undefined,
): { readonly duration: number; readonly isReported: boolean } {
  const end = skin?.generator?.timestamp;
  const longest = at - job.acceptedAt;
  const reported = (end ?? Number.NaN) - (timestamp ?? Number.NaN);
  const isReported = reported >= 0 && reported <= longest;
  return { duration: isReported ? reported : longest - unseen(job, at, least) / 2, isReported };
}

/** How long the job may have been over before it was noticed: since it was last seen, or since the shortest time known. */
function unseen({ acceptedAt, seenAt }: RunningJob, at: number, least: number | undefined): number {
  const shortest = least === undefined ? at : acceptedAt + least;
  return Math.max(0, at - (seenAt ?? shortest));
}

/** Number of samples kept, which show how far values spread; older ones are dropped. */
const KEPT = 48;
/** Only the last samples tell what is usual, since a service may become slower or faster. */
const RECENT = 16;
/** One sample is exceeded by up to this part of it, many by less. */
const BEYOND = 0.5;

/** The last few samples of one quantity. */
export class RecentSamples {
  #samples: readonly number[] = [];
  /** The last of them, the smallest first. */
  #recent: readonly number[] = [];

  add(sample: number): void {
    this.#samples = [...this.#samples, sample].slice(-KEPT);
    this.#recent = this.#samples.slice(-RECENT).toSorted((a, b) => a - b);
  }

  get count(): number {
    return this.#samples.length;
  }

  get least(): number | undefined {
    return this.#quantile(0);
  }

  /** The smallest of all kept samples. */
  get leastOfAll(): number | undefined {
    return this.#samples.length === 0 ? undefined : Math.min(...this.#samples);
  }

  get median(): number | undefined {
    return this.#quantile(0.5);
  }

  /** An upper bound of most samples, so that a poll aimed at it finds the whole wave. */
  get high(): number | undefined {
    return this.#quantile(0.9);
  }

  get spread(): number {
    return (this.#quantile(0.9) ?? 0) - (this.#quantile(0.1) ?? 0);
  }

  /**
   * How probable it is that a quantity known to be above `least` is at most `value`. It may well be beyond all samples,
   * the further the fewer there are.
   */
  probability(value: number, least: number): number {
    let [above, within, known] = [0, 0, least];
    for (const sample of this.#samples) {
      if (sample > least) above++;
      if (sample > least && sample <= value) within++;
      known = Math.max(known, sample);
    }
    const reach = (BEYOND * known) / (above > 0 ? Math.sqrt(this.count) : 1);
    const beyond = Math.max(0, value - known) / Math.max(1, reach);
    return (within + Math.min(1, beyond)) / (above + 1);
  }

  #quantile(q: number): number | undefined {
    return this.#recent[Math.floor(q * (this.#recent.length - 1) + 0.5)];
  }
}
