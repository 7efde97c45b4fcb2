import { type Clock, systemClock } from '../../../src/base/clock.ts';
import {
  findKeyedJob,
  findRepeated,
  findRoom,
  recordKnown,
  submitJob,
} from '../../../src/server/queue/enqueue.ts';
import {
  countJobs,
  countWaitingBefore,
  findEnded,
  findJob,
  findJobWithSkin,
  findNewestId,
  type JobSelection,
  listAcceptedAfter,
  listJobStates,
  listJobs,
  listJobsAfter,
  pageJobs,
  readEnds,
  readPending,
} from '../../../src/server/queue/lists.ts';
import type { NewJob, SubmitLimits } from '../../../src/server/queue/port.ts';
import {
  pruneCallers,
  pruneJobs,
  StoreQueue,
  type StoreQueueOptions,
} from '../../../src/server/queue/store-queue.ts';
import type { Db } from '../../../src/server/store/db.ts';

/** All that the service does with the queue of a store, by one clock. */
export class TestQueue extends StoreQueue {
  readonly #db: Db;
  readonly #clock: Clock;

  constructor(db: Db, options: StoreQueueOptions) {
    super(db, options);
    this.#db = db;
    this.#clock = options.clock ?? systemClock;
  }

  submit = (job: NewJob, limits: SubmitLimits) =>
    submitJob(this.#db, job, { limits, now: this.#clock.now() });
  findRoom = (asked: Pick<NewJob, 'owner' | 'via'>, limits: SubmitLimits) =>
    findRoom(this.#db, asked, { limits, now: this.#clock.now() });
  recordKnown = (job: NewJob, skinUuid: string) =>
    recordKnown(this.#db, job, { skinUuid, now: this.#clock.now() });
  hasKey = async (owner: string, key: string) => (await findKeyedJob(this.#db, owner, key)) !== undefined;
  findRepeated = (job: NewJob) => findRepeated(this.#db, job);
  find = (uuid: string) => findJob(this.#db, uuid);
  findWithSkin = (uuid: string) => findJobWithSkin(this.#db, uuid);
  readEnds = (uuids: readonly string[]) => readEnds(this.#db, uuids);
  list = (owner: string, size: number) => listJobs(this.#db, owner, size);
  listStates = (owner: string, size: number) => listJobStates(this.#db, owner, size);
  page = (owner: string, page: JobSelection) => pageJobs(this.#db, owner, page);
  count = (owner: string, status?: 'failed') => countJobs(this.#db, owner, status);
  listAfter = (owner: string, id: number, size: number) => listJobsAfter(this.#db, owner, id, size);
  newestId = () => findNewestId(this.#db);
  acceptedAfter = (id: number, size: number) => listAcceptedAfter(this.#db, id, size);
  findEnded = (uuids: readonly string[]) => findEnded(this.#db, uuids);
  pending = () => readPending(this.#db);
  waitingBefore = (job: { turn: number; id: number }) => countWaitingBefore(this.#db, job);
  async prune(before: number): Promise<void> {
    await pruneJobs(this.#db, before, { clock: this.#clock });
    await pruneCallers(this.#db, this.#clock.now());
  }
}
