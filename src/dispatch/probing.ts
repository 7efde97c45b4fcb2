/**
 * When to look for the end of jobs before any job has ended, if the service gave no estimate to wait for: often
 * at first, then ever more rarely, so that an end is noticed within a part of the time that the job took. Jobs
 * are polled singly, one after the other; where none may be polled yet, the list fills the gap.
 */
import { isPlausible, LONG_JOB, type LookState, pollableAt, type RunningJob } from './running-job.ts';

/** The first poll; then pauses that grow with the age of the jobs. */
export const FIRST_PAUSE = 100;
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
export function isAwaited<J extends RunningJob>(job: J): job is J & { readonly eta: number } {
  return isPlausible(job.eta) && job.eta <= AWAITED_ETA;
}
