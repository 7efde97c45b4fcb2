import type { JobName, JobSignals } from './job-signals.ts';
import type { NewsExchange } from './siblings.ts';

/** Milliseconds for which news are gathered into one message: between processes of a machine, and through a database. */
const GATHER = 2;
export const GATHER_FOR_DATABASE = 10;

/**
 * Tells the other processes of the service what happens to this one's jobs, and this one's listeners what happens to
 * theirs. Watching the store finds the same changes, only later, so news that are lost cost nothing but time.
 */
export function shareSignals(signals: JobSignals, others: NewsExchange, gather = GATHER): void {
  const outgoing = new Outgoing(others, gather);
  let isTheirs = false;
  signals.listenToAll({
    accepted: (owner) => isTheirs || outgoing.accepted(owner),
    begun: (job) => isTheirs || outgoing.begun(job),
    finished: (job) => isTheirs || outgoing.finished(job),
  });
  others.onNews(({ accepted, begun, finished }) => {
    isTheirs = true;
    try {
      for (const owner of accepted) signals.accepted(owner);
      for (const job of begun) signals.begun(job);
      for (const job of finished) signals.finished(job);
      signals.work(); // a new job, or room for one
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
  #timer: NodeJS.Timeout | undefined;

  constructor(others: NewsExchange, gather: number) {
    this.#others = others;
    this.#gather = gather;
  }

  accepted(owner: string): void {
    this.#accepted.add(owner);
    this.#schedule();
  }

  begun({ uuid, owner }: JobName): void {
    this.#begun.push({ uuid, owner });
    this.#schedule();
  }

  finished({ uuid, owner }: JobName): void {
    this.#finished.push({ uuid, owner });
    this.#schedule();
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => this.#send(), this.#gather);
  }

  #send(): void {
    this.#timer = undefined;
    this.#others.tell({ accepted: [...this.#accepted], begun: this.#begun, finished: this.#finished });
    this.#accepted = new Set();
    this.#begun = [];
    this.#finished = [];
  }
}
