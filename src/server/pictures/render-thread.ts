import { Worker } from 'node:worker_threads';
import type { Variant } from '../../skin/regions.ts';
import type { AnyView } from '../../skin/render/views.ts';

/** `card`, `group`: what a link to the skin, or to a set of skins, unfolds to; `lineup`: the skins of a set side by side. */
export type RenderedView = AnyView | 'card' | 'group' | 'lineup';

/** A skin in a group. */
interface Figure {
  readonly skin: Uint8Array;
  readonly variant: Variant | 'auto';
}

/** A picture of a texture to draw. It crosses threads, so it is plain data. */
export interface RenderJob {
  /** The skin's texture, a PNG. */
  readonly skin: Uint8Array;
  /** The cape's texture, a PNG; it shows in the views `back` and `card`. */
  readonly cape?: Uint8Array | undefined;
  readonly view: RenderedView;
  /** For the views `group` and `lineup`: the figures beside this one. */
  readonly beside?: readonly Figure[] | undefined;
  readonly variant: Variant | 'auto';
  readonly overlay: boolean;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
}

/** The thread's answer, by the number of the job. */
export type RenderResult =
  | { readonly number: number; readonly bytes: Uint8Array }
  | { readonly number: number; readonly problem: string };

/** The build replaces this address by one that holds the code. */
const WORKER = new URL('./render-worker.ts', import.meta.url);

/** Draws a picture: a PNG. @throws Error for a bug */
export type Draw = (job: RenderJob) => Promise<Uint8Array>;

interface Waiting {
  readonly done: (bytes: Uint8Array) => void;
  readonly failed: (error: Error) => void;
}

/**
 * Draws pictures in a separate thread, one after the other, because large ones would delay other requests too long.
 * The thread starts with the first picture and does not keep the process alive.
 */
export class RenderThread {
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #number = 0;

  /** Pictures to draw. */
  get length(): number {
    return this.#waiting.size;
  }

  /** Resolves with a PNG. @throws Error for a bug, or if the thread has stopped */
  async draw(job: RenderJob): Promise<Uint8Array> {
    this.#worker ??= this.#start();
    const number = this.#number++;
    const bytes = new Promise<Uint8Array>((done, failed) => this.#waiting.set(number, { done, failed }));
    this.#worker.postMessage({ number, job });
    return await bytes;
  }

  async stop(): Promise<void> {
    await this.#worker?.terminate();
  }

  #start(): Worker {
    const worker = new Worker(WORKER);
    worker.unref();
    worker.on('message', (result: RenderResult) => this.#settle(result));
    worker.on('error', (error) => this.#fail(error as Error));
    worker.on('exit', () => {
      this.#worker = undefined; // the next picture starts another
      this.#fail(new Error('The render thread has ended.'));
    });
    return worker;
  }

  #settle(result: RenderResult): void {
    const waiting = this.#waiting.get(result.number);
    this.#waiting.delete(result.number);
    if ('bytes' in result) waiting?.done(result.bytes);
    else waiting?.failed(new Error(result.problem));
  }

  #fail(error: Error): void {
    const all = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { failed } of all) failed(error);
  }
}
