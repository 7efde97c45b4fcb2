import { isPending } from '../../protocol/job.ts';
import type { JobName, JobSignals } from './job-signals.ts';
import type { NewsExchange } from './siblings.ts';

/** Milliseconds for which news are gathered into one message: between processes of a machine, and through a database. */
const GATHER = 2;
export const GATHER_FOR_DATABASE = 10;
/** The same while there is no work among them: each message takes as long as a request. */
const GATHER_WITHOUT_WORK = 10;

/**
 * Tells the other processes of the service what happens to this one's jobs, and this one's listeners what happens to
 * theirs. Watching the store finds the same changes, only later, so news that are lost cost nothing but time.
 */
export function shareSignals(signals: JobSignals, others: NewsExchange, gather = GATHER): void {
  const outgoing = new Outgoing(others, gather);
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
  readonly #gather: number;
  #accepted = new Set<string>();
  #begun: JobName[] = [];
  #finished: JobName[] = [];
  /** Whether there is work among them, or room for some. */
  #isWork = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(others: NewsExchange, gather: number) {
    this.#others = others;
    this.#gather = gather;
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

  /** Work does not wait for as long as other news. */
  #schedule(isWork: boolean): void {
    if (this.#timer && (this.#isWork || !isWork)) return;
    clearTimeout(this.#timer);
    this.#isWork = isWork;
    const wait = isWork ? this.#gather : Math.max(this.#gather, GATHER_WITHOUT_WORK);
    this.#timer = setTimeout(() => this.#send(), wait);
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
