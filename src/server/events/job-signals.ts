import { EventEmitter } from 'node:events';
import { AWAKE, type Clock, sleepOrEvent } from '../../base/clock.ts';
import type { JobRow } from '../store/schema/tables.ts';

interface Events {
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

/** Which job it is, and whose. */
export interface JobName {
  readonly uuid: string;
  readonly owner: string;
}

/** Listeners to all jobs. */
export interface JobListener {
  accepted(owner: string, job?: JobRow): void;
  finished(job: JobName): void;
  storeChanged(): void;
}

/** The interface for listeners to what this process does with jobs. */
export interface JobEvents {
  accepted(owner: string, job?: JobRow): void;
  begun(job: JobName): void;
  finished(job: JobName): void;
}

/** Wakes workers and waiting requests, so that they need not poll the store. */
export class JobSignals {
  readonly #emitter = new EventEmitter<Events>().setMaxListeners(0);

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

  /** Tells `listener` of everything that the process does with jobs, as long as it exists. */
  listenToAll(listener: JobEvents): void {
    this.#emitter.on('accepted', (owner, job) => listener.accepted(owner, job));
    this.#emitter.on('begun', (job) => listener.begun(job)).on('finished', (job) => listener.finished(job));
  }

  /** Tells `listener` of every job until the returned function is called. */
  listen(listener: JobListener): () => void {
    const accepted = (owner: string, job?: JobRow) => listener.accepted(owner, job);
    const finished = (job: JobName) => listener.finished(job);
    const storeChanged = () => listener.storeChanged();
    this.#emitter.on('accepted', accepted).on('finished', finished).on('storeChanged', storeChanged);
    return () => {
      this.#emitter.off('accepted', accepted).off('finished', finished).off('storeChanged', storeChanged);
    };
  }
}
