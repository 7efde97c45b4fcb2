import { type Db, inTransaction } from '../../store/db.ts';
import { lockQueue } from '../../store/locks.ts';
import { readMeta, writeMeta } from '../../store/meta.ts';
import { Refusal } from '../refusal.ts';

/** Milliseconds between checks for revocations: a revocation in any process takes effect within a second. */
const LOOK = 250;

/** A long request, or a stream. */
interface Held {
  /** Authenticates it again. @throws Refusal if it would no longer be admitted */
  readonly verify: () => Promise<void>;
  readonly onRevoked: (refusal: Refusal) => void;
  /** Whether it was checked after it began: its key may have been revoked just before. */
  isSeen: boolean;
}

export interface OpenRequestsOptions {
  readonly db: Db;
  readonly onError: (error: unknown) => void;
}

/** Call after every change that removes rights, so that all nodes check their open requests. */
export async function noteRevocation(db: Db): Promise<void> {
  await inTransaction(db, async (tx) => {
    await lockQueue(tx);
    const count = Number((await readMeta(tx, 'revocations')) ?? 0);
    await writeMeta(tx, 'revocations', String(count + 1));
  });
}

/** The open requests. Each ends when its key is revoked or bound elsewhere, or its user is disabled. */
export class OpenRequests {
  readonly #options: OpenRequestsOptions;
  readonly #held = new Set<Held>();
  #timer: NodeJS.Timeout | undefined;
  #isLooking = false;
  #revocations: string | undefined;

  constructor(options: OpenRequestsOptions) {
    this.#options = options;
  }

  /** Calls back once if the request would no longer be admitted, until the returned function is called. */
  hold(verify: Held['verify'], onRevoked: Held['onRevoked']): () => void {
    const held: Held = { verify, onRevoked, isSeen: false };
    this.#held.add(held);
    this.#timer ??= setInterval(() => void this.#look(), LOOK).unref();
    return () => this.#release(held);
  }

  /** Runs `work`, and throws the refusal if the request would no longer be admitted. */
  async during<T>(verify: Held['verify'], work: () => Promise<T>): Promise<T> {
    let release: (() => void) | undefined;
    const revoked = new Promise<never>((_, reject) => {
      release = this.hold(verify, reject);
    });
    try {
      return await Promise.race([work(), revoked]);
    } finally {
      release?.();
    }
  }

  #release(held: Held): void {
    this.#held.delete(held); // the timer stays until its next check, because most requests are over before it
  }

  async #look(): Promise<void> {
    if (this.#held.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      return;
    }
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      const revocations = await readMeta(this.#options.db, 'revocations');
      const isNews = revocations !== this.#revocations;
      if (isNews) this.#options.db.store.keyOwners.forget(); // the cached keys may have been revoked
      for (const held of [...this.#held]) if (isNews || !held.isSeen) await this.#verify(held);
      this.#revocations = revocations;
    } catch (error) {
      this.#options.onError(error); // the store is unreadable, and the next check is soon
    } finally {
      this.#isLooking = false;
    }
  }

  async #verify(held: Held): Promise<void> {
    try {
      await held.verify();
      held.isSeen = true;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (!this.#held.has(held)) return; // it has ended since
      this.#release(held);
      held.onRevoked(error);
    }
  }
}
