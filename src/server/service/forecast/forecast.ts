/**
 * When a waiting job will start: simulates future claims (claim.ts). Assumes that every generation takes the
 * typical time and that no further jobs are accepted. Times in milliseconds from now.
 */
export interface Outlook {
  /** Jobs that can be processed at the same time, over all processes. */
  readonly workers: number;
  /** Duration of a generation. */
  readonly typical: number;
  /** Whether a job waits while another for the same skin data is in progress. */
  readonly onePerIdentity: boolean;
  readonly running: readonly RunningJob[];
  /** In turn order. */
  readonly waiting: readonly WaitingJob[];
}

export interface RunningJob {
  readonly owner: string;
  readonly identity: string;
  /** Time until it is done. */
  readonly rest: number;
}

export interface WaitingJob {
  readonly uuid: string;
  readonly owner: string;
  readonly identity: string;
  readonly concurrency: number;
  readonly burst: number;
  /** Time until it may start. */
  readonly notBefore: number;
}

export interface Forecast {
  readonly start: number;
  readonly end: number;
  /** Owners of the jobs that start before it, in order. */
  readonly ahead: readonly string[];
}

/** Undefined if no worker runs, or the job is not waiting. */
export function forecast(uuid: string, outlook: Outlook): Forecast | undefined {
  if (outlook.workers <= 0 || !outlook.waiting.some((job) => job.uuid === uuid)) return undefined;
  const future = new Future(outlook);
  for (const ahead: string[] = []; ; ) {
    const job = future.begin();
    if (job?.uuid === uuid) return { start: future.time, end: future.time + future.durationOf(job), ahead };
    if (job) ahead.push(job.owner);
    else if (!future.proceed()) return undefined;
  }
}

interface Line {
  running: number;
  readonly waiting: WaitingJob[];
}

class Future {
  time = 0;
  readonly #outlook: Outlook;
  readonly #lines = new Map<string, Line>();
  readonly #order = new Map<WaitingJob, number>();
  /** Skin data that exists by then. */
  readonly #made = new Set<string>();
  #running: RunningJob[];

  constructor(outlook: Outlook) {
    this.#outlook = outlook;
    this.#running = [...outlook.running];
    for (const { owner } of outlook.running) this.#lineOf(owner).running++;
    for (const [place, job] of outlook.waiting.entries()) {
      this.#lineOf(job.owner).waiting.push(job);
      this.#order.set(job, place);
    }
  }

  durationOf({ identity }: WaitingJob): number {
    return this.#made.has(identity) ? 0 : this.#outlook.typical;
  }

  /** Starts the next job; undefined if none can start now. */
  begin(): WaitingJob | undefined {
    if (this.#running.length >= this.#outlook.workers) return undefined;
    const heads = [...this.#lines.values()].flatMap((line) => this.#headOf(line) ?? []);
    const within = (most: (job: WaitingJob) => number) =>
      heads.filter((job) => this.#lineOf(job.owner).running < most(job));
    const job = this.#first(within((one) => one.concurrency)) ?? this.#first(within((one) => one.burst));
    if (!job) return undefined;
    const line = this.#lineOf(job.owner);
    line.waiting.splice(line.waiting.indexOf(job), 1);
    line.running++;
    const { owner, identity } = job;
    this.#running.push({ owner, identity, rest: this.time + this.durationOf(job) });
    return job;
  }

  /** Advances to the next change. False if there is none. */
  proceed(): boolean {
    const ends = this.#running.map(({ rest }) => rest);
    const openings = this.#outlook.waiting.map(({ notBefore }) => notBefore).filter((at) => at > this.time);
    const next = Math.min(...ends, ...openings);
    if (!Number.isFinite(next)) return false;
    this.time = Math.max(this.time, next);
    for (const { owner, identity, rest } of this.#running) {
      if (rest > this.time) continue;
      this.#lineOf(owner).running--;
      this.#made.add(identity);
    }
    this.#running = this.#running.filter(({ rest }) => rest > this.time);
    return true;
  }

  #headOf({ waiting }: Line): WaitingJob | undefined {
    return waiting.find((job) => job.notBefore <= this.time && !this.#hasTwin(job));
  }

  #hasTwin(job: WaitingJob): boolean {
    return this.#outlook.onePerIdentity && this.#running.some(({ identity }) => identity === job.identity);
  }

  #first(jobs: readonly WaitingJob[]): WaitingJob | undefined {
    const place = (job: WaitingJob) => this.#order.get(job) ?? 0;
    return jobs.reduce<WaitingJob | undefined>(
      (first, job) => (first && place(first) < place(job) ? first : job),
      undefined,
    );
  }

  #lineOf(owner: string): Line {
    const line = this.#lines.get(owner) ?? { running: 0, waiting: [] };
    this.#lines.set(owner, line);
    return line;
  }
}
