import { EventEmitter } from 'node:events';
import { z } from 'zod';
import { AWAKE, type Clock, sleepOrEvent } from '../base/clock.ts';
import { isPending } from '../protocol/job.ts';
import { LONGEST_NOTIFICATION, type Notifier } from './store/db.ts';
import type { JobRow } from './store/schema/tables.ts';

export interface AnsweredRequest {
  /** The address of the route (`/v2/skins/:uuid`); undefined if no route matched. */
  readonly route: string | undefined;
  readonly method: string;
  readonly status: number;
  readonly milliseconds: number;
}

export interface FailureReason {
  readonly code: string;
  readonly message: string;
}

/** Announces what the service does, for metrics and logs. Without listeners, it costs nothing. */
export type ServiceEvents = EventEmitter<{
  requestAnswered: [request: AnsweredRequest];
  /** A request was refused, or failed, with this error code. */
  refused: [code: string];
  /** A generation was answered with known skin data. */
  duplicateAnswered: [];
  /** A generator made skin data. */
  generated: [milliseconds: number];
  jobCompleted: [uuid: string];
  /** A job has permanently failed. */
  jobFailed: [uuid: string, failure: FailureReason];
  /** A webhook was delivered or abandoned. */
  webhookEnded: [isDelivered: boolean];
  /** A connection was closed because there are too many, or because it sent too much that is incomplete. */
  connectionDropped: [];
}>;

interface JobSignalEvents {
  /** There may be work for that many workers: jobs were accepted or freed, on this or another node. */
  work: [jobs: number];
  /** This process has accepted a job of this owner, or recorded one with a known result; with the job, if at hand. */
  accepted: [owner: string, job?: JobRow];
  /** A worker of this process has taken this job. */
  begun: [job: JobName];
  /** A worker of this process is done with this job; it may have been postponed instead of ended. */
  finished: [job: JobName];
  /** Anything may have changed: another node has written to the store, lost jobs were recovered. */
  storeChanged: [];
}

export interface JobName {
  readonly uuid: string;
  readonly owner: string;
}

export interface JobListener {
  accepted?(owner: string, job?: JobRow): void;
  begun?(job: JobName): void;
  finished?(job: JobName): void;
  storeChanged?(): void;
}

const ignore = () => {};

/** Wakes workers and waiting requests, so that they need not poll the store. */
export class JobSignals {
  readonly #emitter = new EventEmitter<JobSignalEvents>().setMaxListeners(0);

  /** `jobs`: their number, if known. */
  work(jobs = Number.POSITIVE_INFINITY): void {
    this.#emitter.emit('work', jobs);
  }

  /** Tells `listener` of signs of work, as long as it exists. */
  onWork(listener: (jobs: number) => void): void {
    this.#emitter.on('work', listener);
  }

  accepted(owner: string, job?: JobRow): void {
    this.#emitter.emit('accepted', owner, job);
  }

  begun(job: JobName): void {
    this.#emitter.emit('begun', job);
  }

  finished(job: JobName): void {
    this.#emitter.emit('finished', job);
  }

  /** The store has changed in ways that no other signal covers. */
  storeChanged(): void {
    this.#emitter.emit('storeChanged');
    this.work();
  }

  /**
   * Starts listening for a job. `heard` resolves when a worker may have taken it or be done with it (check the queue
   * then), after `ms` at the latest; `stop` stops listening.
   */
  listenForJob(uuid: string, ms: number, clock: Clock): { heard: Promise<void>; stop: () => void } {
    const given = new AbortController();
    const heard = sleepOrEvent(clock, ms, (wake) => {
      const ifThis = (job: JobName) => job.uuid === uuid && wake();
      this.#emitter.on('begun', ifThis).on('finished', ifThis).once('storeChanged', wake);
      given.signal.addEventListener('abort', wake);
      return () => this.#emitter.off('begun', ifThis).off('finished', ifThis).off('storeChanged', wake);
    });
    return { heard, stop: () => given.abort(AWAKE) };
  }

  /** Tells `listener` of every job until the returned function is called. */
  listen(listener: JobListener): () => void {
    const { accepted = ignore, begun = ignore, finished = ignore, storeChanged = ignore } = listener;
    const emitter = this.#emitter.on('accepted', accepted).on('begun', begun);
    emitter.on('finished', finished).on('storeChanged', storeChanged);
    return () => {
      emitter.off('accepted', accepted).off('begun', begun);
      emitter.off('finished', finished).off('storeChanged', storeChanged);
    };
  }
}

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
  tell(news: JobNews): void;
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
  signals.listen({
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
