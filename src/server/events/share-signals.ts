import { z } from 'zod';
import { isPending } from '../../protocol/job.ts';
import { LONGEST_NOTIFICATION, type Notifier } from '../store/open-store.ts';
import type { JobName, JobSignals } from './job-signals.ts';

/** What has happened to a node's jobs, for the other nodes of the service. */
export interface JobNews {
  /** Owners of accepted jobs. */
  readonly accepted: readonly string[];
  readonly begun: readonly JobName[];
  readonly finished: readonly JobName[];
  /** Whether workers can ignore this, because the results of all accepted jobs were known. Absent: they cannot. */
  readonly withoutWork?: boolean | undefined;
}

/** Exchanges news of jobs between nodes. */
export interface NewsExchange {
  /** Tells the others what has happened here. */
  tell(news: JobNews): void;
  /** Calls back with what the others tell. */
  onNews(listener: (news: JobNews) => void): void;
}

/** Milliseconds of news per message: each NOTIFY takes a lock on the whole database. */
const GATHER = 10;

/**
 * Tells other nodes of the service about this one's jobs, and this one's listeners about theirs. Watching the store
 * finds the same changes later, so lost news only cost time.
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

/** News not sent to the others yet. */
class Outgoing {
  readonly #others: NewsExchange;
  #accepted = new Set<string>();
  #begun: JobName[] = [];
  #finished: JobName[] = [];
  /** Whether the news include work, or room for work. */
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

/** `[uuid, owner]`: short, because a notification has little room. */
const jobSchema = z.tuple([z.string(), z.string()]).transform(([uuid, owner]): JobName => ({ uuid, owner }));
const newsSchema = z.object({
  accepted: z.array(z.string()).default([]),
  begun: z.array(jobSchema).default([]),
  finished: z.array(jobSchema).default([]),
  withoutWork: z.boolean().optional(),
});

type Entry = readonly ['accepted', string] | readonly ['begun' | 'finished', readonly [string, string]];

/** Exchanges news between processes that share only a store. */
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

/** Undefined: another version of the program sent something unknown. The store has all of it. */
function newsOf(text: string): JobNews | undefined {
  try {
    return newsSchema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** Splits the news into as many notifications as they need. */
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

/** Bytes per notification, without the field names. */
const ROOM = LONGEST_NOTIFICATION - 100;
