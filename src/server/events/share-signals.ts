import { isPending } from '../../protocol/job.ts';
import type { JobName, JobSignals } from './job-signals.ts';

/** What has happened to a process's jobs, for the other processes of the service. */
export interface JobNews {
  /** Owners of whom it has accepted jobs. */
  readonly accepted: readonly string[];
  readonly begun: readonly JobName[];
  readonly finished: readonly JobName[];
  /** Whether none of it concerns workers: the results of all accepted jobs were known. Absent: it may. */
  readonly withoutWork?: boolean | undefined;
}

/** Tells processes of each other's jobs. */
export interface NewsExchange {
  /** Tells the others what has happened here. */
  tell(news: JobNews): void;
  /** Calls back with what the others tell. */
  onNews(listener: (news: JobNews) => void): void;
}

/** Milliseconds for which news are gathered into one message: each NOTIFY takes a lock of the whole database. */
const GATHER = 10;

/**
 * Tells the other processes of the service what happens to this one's jobs, and this one's listeners what happens to
 * theirs. Watching the store finds the same changes, only later, so news that are lost cost nothing but time.
 */
export function shareSignals(signals: JobSignals, others: NewsExchange): void {
  const outgoing = new Outgoing(others);
  let isTheirs = false;
  signals.listenToAll({
    accepted: (owner, job) => isTheirs || outgoing.accepted(owner, !job || isPending(job.status)),
    begun: (job) => isTheirs || outgoing.begun(job),
    finished: (job) => isTheirs || outgoing.finished(job),
  });
  others.onNews(({ accepted, begun, finished, withoutWork }) => {
    isTheirs = true;
    try {
      for (const owner of accepted) signals.accepted(owner);
      for (const job of begun) signals.begun(job);
      for (const job of finished) signals.finished(job);
      if (!withoutWork) signals.work(); // a new job, or room for one
    } finally {
      isTheirs = false;
    }
  });
}

/** What the others have not been told yet. */
class Outgoing {
  readonly #others: NewsExchange;
  #accepted = new Set<string>();
  #begun: JobName[] = [];
  #finished: JobName[] = [];
  /** Whether there is work among them, or room for some. */
  #isWork = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(others: NewsExchange) {
    this.#others = others;
  }

  accepted(owner: string, isWork: boolean): void {
    this.#accepted.add(owner);
    this.#schedule(isWork);
  }

  begun({ uuid, owner }: JobName): void {
    this.#begun.push({ uuid, owner });
    this.#schedule(true);
  }

  finished({ uuid, owner }: JobName): void {
    this.#finished.push({ uuid, owner });
    this.#schedule(true);
  }

  #schedule(isWork: boolean): void {
    this.#isWork ||= isWork;
    this.#timer ??= setTimeout(() => this.#send(), GATHER);
  }

  #send(): void {
    this.#timer = undefined;
    const news = { accepted: [...this.#accepted], begun: this.#begun, finished: this.#finished };
    this.#others.tell(this.#isWork ? news : { ...news, withoutWork: true });
    this.#accepted = new Set();
    this.#begun = [];
    this.#finished = [];
    this.#isWork = false;
  }
}
