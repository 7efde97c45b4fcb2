import { z } from 'zod';
import { isPending } from '../../protocol/job.ts';
import { LONGEST_NOTIFICATION, type Notifier } from '../store/open-store.ts';
import type { JobName, JobSignals } from './job-signals.ts';

/** What has happened to a node's jobs, for the other nodes of the service. */
export interface JobNews {
  /** Owners of whom it has accepted jobs. */
  readonly accepted: readonly string[];
  readonly begun: readonly JobName[];
  readonly finished: readonly JobName[];
  /** Whether none of it concerns workers: the results of all accepted jobs were known. Absent: it may. */
  readonly withoutWork?: boolean | undefined;
}

/** Tells nodes of each other's jobs. */
export interface NewsExchange {
  /** Tells the others what has happened here. */
  tell(news: JobNews): void;
  /** Calls back with what the others tell. */
  onNews(listener: (news: JobNews) => void): void;
}

/** Milliseconds for which news are gathered into one message: each NOTIFY takes a lock of the whole database. */
const GATHER = 10;

/**
 * Tells the other nodes of the service what happens to this one's jobs, and this one's listeners what happens to
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

/** Short, because a text has little room: `[uuid, owner]`. */
const jobSchema = z.tuple([z.string(), z.string()]).transform(([uuid, owner]): JobName => ({ uuid, owner }));
const newsSchema = z.object({
  accepted: z.array(z.string()).default([]),
  begun: z.array(jobSchema).default([]),
  finished: z.array(jobSchema).default([]),
  withoutWork: z.boolean().optional(),
});

type Entry = readonly ['accepted', string] | readonly ['begun' | 'finished', readonly [string, string]];

/** Lets processes that share only a store tell each other of their jobs. */
export function newsByNotification(notifier: Notifier): NewsExchange {
  return {
    tell: (news) => {
      for (const text of textsOf(news)) notifier.notify(text);
    },
    onNews: (listener) =>
      notifier.onNotification((text) => {
        const news = newsOf(text);
        if (news) listener(news);
      }),
  };
}

/** Undefined: another version of the program says what this one does not understand. The store has it all. */
function newsOf(text: string): JobNews | undefined {
  try {
    return newsSchema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** The news in as many texts as they need. */
function* textsOf({ accepted, begun, finished, withoutWork }: JobNews): Generator<string> {
  const entries: Entry[] = [
    ...accepted.map((owner) => ['accepted', owner] as const),
    ...begun.map(({ uuid, owner }) => ['begun', [uuid, owner]] as const),
    ...finished.map(({ uuid, owner }) => ['finished', [uuid, owner]] as const),
  ];
  let part = noNews();
  let size = 0;
  for (const [kind, what] of entries) {
    const bytes = Buffer.byteLength(JSON.stringify(what)) + 1;
    if (size + bytes > ROOM) {
      yield JSON.stringify({ ...part, withoutWork });
      [part, size] = [noNews(), 0];
    }
    part[kind].push(what);
    size += bytes;
  }
  if (size > 0) yield JSON.stringify({ ...part, withoutWork });
}

function noNews(): Record<Entry[0], Entry[1][]> {
  return { accepted: [], begun: [], finished: [] };
}

/** Bytes of a text, without the names of its parts. */
const ROOM = LONGEST_NOTIFICATION - 100;
