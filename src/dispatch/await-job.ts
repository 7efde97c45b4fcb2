import type { Clock } from '../base/clock.ts';
import type { SkinClient } from '../client/skin-client.ts';
import type { JobState } from '../client/types.ts';
import { JobTracker } from './job-tracker.ts';
import type { OtherProcesses } from './other-processes.ts';
import { Reads } from './reads.ts';
import { Session } from './session.ts';
import type { Submission } from './submission.ts';
import { ServiceLostError } from './trouble.ts';

export interface AwaitJobOptions {
  readonly client: SkinClient;
  readonly clock: Clock;
  readonly random: () => number;
  readonly signal: AbortSignal;
}

/** Longest pause between list requests, milliseconds. */
const LONGEST_POLL = 5_000;
/** Milliseconds before a service is given up that never answered, and one that stopped answering. */
const PATIENCE = { firstContact: 8_000, outage: 15 * 60_000 };

/** Waiting for one job needs no coordination with other processes. */
const NOBODY: OtherProcesses = {
  isShared: false,
  foreignJobs: 0,
  otherJobs: [],
  settledAt: undefined,
  typical: undefined,
  isElsewhere: () => false,
  takeNews: () => undefined,
  tryLook: () => 0,
  endLook: () => {},
};

/**
 * Follows a pending job to its end, whoever submitted it. The skin of a completed job is read if the answer lacks it.
 * @throws SkinsmithError: the service does not know the job (any more), or stays unreachable; the signal's reason
 */
export async function awaitJob(pending: JobState, options: AwaitJobOptions): Promise<JobState> {
  const ended = Promise.withResolvers<JobState>();
  const stop = new AbortController();
  const signal = AbortSignal.any([options.signal, stop.signal]);
  const session = openSession(options, ended.reject);
  session.trouble.passed(); // it has answered
  const tracker = makeTracker(session, { ended, signal });
  const abort = () => ended.reject(options.signal.reason);
  options.signal.addEventListener('abort', abort, { once: true });
  try {
    const { job } = pending;
    // Its eta counts from now on, whenever it was accepted.
    const known = { ...pending, job: { ...job, timestamp: options.client.serviceClock.now() } };
    tracker.accepted(workOf(job.id), known);
    session.run(tracker.run(), signal);
    return await ended.promise;
  } finally {
    options.signal.removeEventListener('abort', abort);
    stop.abort();
    await session.settled();
  }
}

function openSession({ client, clock, random }: AwaitJobOptions, fail: (error: unknown) => void): Session {
  return new Session({
    client,
    clock,
    random,
    submissions: { isOwnJob: () => false, idempotencyKey: ({ key }) => key },
    longestLookPause: LONGEST_POLL,
    patience: PATIENCE,
    onWaiting: () => {},
    onFatal: (error) => fail(error instanceof ServiceLostError ? error.cause : error),
    onTaskEnd: () => {},
  });
}

interface Wait {
  readonly ended: PromiseWithResolvers<JobState>;
  readonly signal: AbortSignal;
}

function makeTracker(session: Session, { ended, signal }: Wait): JobTracker<Submission> {
  const reads = new Reads(session, signal);
  const { client } = session;
  const readSkin = async (uuid: string) =>
    await reads.repeatedly('skin', async () => await client.skin(uuid, session.call(signal)));
  const tracker: JobTracker<Submission> = new JobTracker({
    session,
    reads,
    user: {
      attempt: async (_, __, step) => await step(),
      settle: async (_, state) => {
        const { status, result } = state.job;
        const isLacking = status === 'completed' && !state.skin && result !== undefined;
        ended.resolve(isLacking ? { ...state, skin: await readSkin(result) } : state);
      },
      // Asked once more, for the service's own words.
      settleForgotten: async (_, id) => ended.resolve(await client.job(id, session.call(signal))),
      pixelsOf: () => undefined,
      texturePixels: async () => '',
    },
    others: NOBODY,
    follows: true,
    stop: signal,
    onAccepted: () => {},
    onGone: () => {},
    onRoom: () => {},
    onLooked: () => tracker.listenIfStreamed(),
  });
  return tracker;
}

function workOf(id: string): Submission {
  return { key: id, variant: 'auto', visibility: undefined, cape: undefined, attempt: 0, losses: 0 };
}
