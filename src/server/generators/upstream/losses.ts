import type { Clock } from '../../../base/clock.ts';
import { ServiceError } from '../../../client/errors.ts';
import type { SkinClient } from '../../../client/skin-client.ts';
import { isPending, type Job } from '../../../protocol/job.ts';
import type { SeenSkin } from '../../../protocol/seen-skin.ts';
import type { Db } from '../../store/db.ts';
import type { UpstreamJobRow } from '../../store/schema/tables.ts';
import { listUpstreamJobs } from '../../store/upstream-jobs.ts';
import type { Texture } from '../port.ts';
import { Recent } from './recent.ts';
import { settlesIn } from './sending.ts';
import type { Watcher } from './watcher.ts';

export interface LossesOptions {
  readonly client: SkinClient;
  readonly watcher: Watcher;
  readonly db: Db;
  readonly clock: Clock;
  /** Pixel hash of the texture of a skin; undefined if it has none that can be read. */
  readonly pixelsOf: (skin: SeenSkin, signal: AbortSignal) => Promise<string | undefined>;
}

/** The result of a job of unknown origin; undefined: none. */
type Finding = { readonly pixels: string | undefined; readonly variant: string } | undefined;

/** Pause between looks while such jobs are pending. */
const FIRST_PAUSE = 200;
const LONGEST_PAUSE = 2_000;
/** Maximum wait for the end of jobs that may belong to others. */
const PATIENCE = 5 * 60_000;
const KEPT = 500;

/**
 * Submissions whose answer was lost, on a service that does not recognize repeated requests. They are not resent
 * blindly: jobs in the list that no process here knows are inspected, and their pixels show whether they are ours.
 */
export class Losses {
  readonly #options: LossesOptions;
  readonly #findings = new Recent<Promise<Finding>>(KEPT);

  constructor(options: LossesOptions) {
    this.#options = options;
  }

  /** The job that the submission became; undefined if it has not arrived. @throws GenerationPostponed */
  async find(row: UpstreamJobRow, texture: Texture, signal: AbortSignal): Promise<string | undefined> {
    const { clock, watcher } = this.#options;
    const begun = clock.monotonic();
    const settled = begun + settlesIn(row, clock.now());
    for (let pause = FIRST_PAUSE; ; pause = Math.min(LONGEST_PAUSE, pause * 1.5)) {
      const { jobs, askedAt } = await watcher.nextList(signal);
      const candidates = await this.#strange(jobs, row.mark);
      for (const { id } of candidates.filter(({ status }) => !isPending(status))) {
        const made = await this.#examine(id, signal);
        if (made?.pixels === texture.hash && made.variant === texture.variant) return id;
      }
      const isSettled = askedAt >= settled && candidates.every(({ status }) => !isPending(status));
      if (isSettled || askedAt > begun + PATIENCE) return undefined;
      await clock.sleep(pause, signal);
    }
  }

  /** Unknown jobs that were created after the submission was sent. */
  async #strange(jobs: readonly Job[], mark: number): Promise<Job[]> {
    const known = new Set((await listUpstreamJobs(this.#options.db)).map(({ job_id }) => job_id));
    return jobs.filter(
      ({ id, timestamp = mark }) => timestamp >= mark && !known.has(id) && !this.#options.watcher.isOwn(id),
    );
  }

  async #examine(id: string, signal: AbortSignal): Promise<Finding> {
    const known = this.#findings.get(id);
    if (known) return await known;
    const finding = this.#read(id, signal);
    this.#findings.set(id, finding);
    return await finding.catch((error: unknown) => {
      this.#findings.delete(id); // the search was inconclusive
      throw error;
    });
  }

  async #read(id: string, signal: AbortSignal): Promise<Finding> {
    const skin = await this.#skinOf(id, signal);
    return skin && { pixels: await this.#options.pixelsOf(skin, signal), variant: skin.variant };
  }

  async #skinOf(id: string, signal: AbortSignal): Promise<SeenSkin | undefined> {
    try {
      const { skin } = await this.#options.client.job(id, { signal });
      return skin;
    } catch (error) {
      if (error instanceof ServiceError && error.status === 404) return undefined;
      throw error;
    }
  }
}
