import type { KeyObject } from 'node:crypto';
import { Worker } from 'node:worker_threads';

/** The build replaces this name by that of the bundled file. */
const WORKER = new URL('./signing-worker.ts', import.meta.url);

interface Waiting {
  readonly done: (signature: string) => void;
  readonly failed: (error: Error) => void;
}

/**
 * A thread that signs with one key, one value after the other. It keeps the process alive only while there is something to
 * sign.
 */
export class SigningThread {
  readonly #worker: Worker;
  readonly #waiting: Waiting[] = [];
  #isReady = false;
  #end: Error | undefined;

  constructor(key: KeyObject) {
    this.#worker = new Worker(WORKER, { workerData: key });
    this.#worker.unref();
    this.#worker.once('online', () => {
      this.#isReady = true;
    });
    this.#worker.on('message', (signature: string) => this.#signed(signature));
    this.#worker.on('error', (error) => this.#failAll(error as Error));
    this.#worker.on('exit', () => this.#failAll(new Error('The thread that signs has ended.')));
  }

  /** Whether it has started. What is given to it before waits for that. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** Values that are not signed yet. */
  get length(): number {
    return this.#waiting.length;
  }

  /** Resolves with the signature, base64. @throws Error if the thread cannot be started, fails or is stopped */
  async sign(value: string): Promise<string> {
    if (this.#end) throw this.#end;
    return await new Promise<string>((done, failed) => {
      if (this.#waiting.push({ done, failed }) === 1) this.#worker.ref();
      this.#worker.postMessage(value);
    });
  }

  async stop(): Promise<void> {
    await this.#worker.terminate();
  }

  #signed(signature: string): void {
    this.#waiting.shift()?.done(signature);
    if (this.#waiting.length === 0) this.#worker.unref();
  }

  #failAll(error: Error): void {
    this.#end ??= error;
    for (const { failed } of this.#waiting.splice(0)) failed(this.#end);
  }
}
