import type { KeyObject } from 'node:crypto';
import { signValue } from '../../../textures/signature.ts';
import { SigningThread } from './signing-thread.ts';

/** Signatures asked for before a thread is worth its start, which takes as long as two dozen of them. */
const MANY = 24;
/** Signatures of the pool under way at once, from which on a thread is started. */
const FEW = 4;
/** Values that wait for each thread before another is started. */
const BACKLOG = 8;

type Thread = Pick<SigningThread, 'isReady' | 'length' | 'sign' | 'stop'>;

export interface SigningThreadsOptions {
  /** How many threads there may be. */
  readonly most: number;
  readonly start?: (key: KeyObject) => Thread;
}

const startThread = (key: KeyObject): Thread => new SigningThread(key);

/**
 * Signs the values of a batch beside a busy main thread. Node's thread pool would sign four at once, and take the cores away
 * from the main thread, which a batch keeps busy; and what else needs the pool (files, names of hosts) would wait
 * behind all of them. A few signatures are left to the pool.
 */
export class SigningThreads {
  readonly #key: KeyObject;
  readonly #most: number;
  readonly #startThread: (key: KeyObject) => Thread;
  readonly #threads: Thread[] = [];
  #asked = 0;
  #inPool = 0;
  #canStart = true;

  constructor(key: KeyObject, { most, start = startThread }: SigningThreadsOptions) {
    this.#key = key;
    this.#most = most;
    this.#startThread = start;
  }

  /** Resolves with the signature, base64. */
  async sign(value: string): Promise<string> {
    this.#asked++;
    const thread = this.#choose();
    if (!thread) return await this.#signInPool(value);
    try {
      return await thread.sign(value);
    } catch {
      this.#lose(thread);
      return await this.#signInPool(value); // which tells what is wrong, if it is the key
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.#threads.splice(0).map((thread) => thread.stop()));
  }

  /** The thread with the least to do. None before one has started. */
  #choose(): Thread | undefined {
    const ready = this.#threads.filter(({ isReady }) => isReady);
    const idlest = ready.reduce<Thread | undefined>(
      (best, thread) => (best && best.length <= thread.length ? best : thread),
      undefined,
    );
    const isBusy = idlest ? idlest.length >= BACKLOG : this.#asked > MANY && this.#inPool >= FEW;
    if (isBusy && ready.length === this.#threads.length) this.#start();
    return idlest;
  }

  #start(): void {
    if (this.#canStart && this.#threads.length < this.#most) this.#threads.push(this.#startThread(this.#key));
  }

  /** Where threads cannot run, for want of memory say, the pool signs everything. */
  #lose(thread: Thread): void {
    this.#canStart = false;
    const index = this.#threads.indexOf(thread);
    if (index >= 0) this.#threads.splice(index, 1);
  }

  async #signInPool(value: string): Promise<string> {
    this.#inPool++;
    try {
      return await signValue(value, this.#key);
    } finally {
      this.#inPool--;
    }
  }
}
