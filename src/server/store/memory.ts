import type { ApiKeyRow, SkinViewRow, UserRow } from './schema/tables.ts';

export interface KeyOwner {
  readonly key: ApiKeyRow;
  readonly user: UserRow;
}

/**
 * Tells whether earlier reads may be out of date: SQLite notices each write, and PostgreSQL's answers are kept only
 * briefly.
 */
export interface ForeignWrites {
  /** Another value when another process has written in the meantime, or may have. */
  version(): unknown;
}

/** Maximum number of keys that are remembered; with more, all are forgotten. */
const MANY_KEYS = 10_000;

/** Keys with their owners, by hash, until this process changes one of them or another process writes anything. */
export class KeyOwnerCache {
  readonly #others: ForeignWrites;
  #owners = new Map<string, KeyOwner>();
  #version: unknown;

  constructor(others: ForeignWrites) {
    this.#others = others;
    this.#version = others.version();
  }

  async find(hash: string, read: () => Promise<KeyOwner | undefined>): Promise<KeyOwner | undefined> {
    this.#forgetIfOutdated();
    const kept = this.#owners.get(hash);
    if (kept) return kept;
    const owners = this.#owners;
    const found = await read();
    // What was changed during the read is in another map by now.
    if (found) owners.set(hash, found);
    return found;
  }

  /** Call after each change of a key or user. */
  forget(): void {
    this.#owners = new Map();
  }

  #forgetIfOutdated(): void {
    const version = this.#others.version();
    if (version === this.#version && this.#owners.size < MANY_KEYS) return;
    this.#version = version;
    this.forget();
  }
}

/** The last use of a key is for information, not a log: it is noted at most once in this many ms. */
const LAST_USED_STEP = 60_000;

/** Usage that is to be written. */
export interface Usage {
  /** When each of these keys was used last. */
  readonly used: ReadonlyMap<string, number>;
  readonly generations: ReadonlyMap<string, number>;
  readonly views: readonly SkinViewRow[];
}

/**
 * Counts whose loss does no harm: the last uses of keys, the generations asked for with them, and the views of skins.
 * They are written together (usage.ts).
 */
export class NotedUsage {
  readonly #lastUsed = new Map<string, number>();
  #used = new Map<string, number>();
  #generations = new Map<string, number>();
  #views = new Map<string, SkinViewRow>();
  /** Until the next write. */
  timer: NodeJS.Timeout | undefined;
  /** Resolves when all writes that have begun are over, whatever came of them. */
  underWay: Promise<unknown> = Promise.resolve();

  get size(): number {
    return this.#used.size + this.#generations.size + this.#views.size;
  }

  /** Returns whether the use counts: it is not so soon after the last one. */
  useKey(key: Pick<ApiKeyRow, 'id' | 'last_used_at'>, now: number): boolean {
    const last = this.#lastUsed.get(key.id) ?? key.last_used_at;
    if (last !== null && now - last < LAST_USED_STEP) return false;
    if (this.#lastUsed.size >= MANY_KEYS) this.#lastUsed.clear();
    this.#lastUsed.set(key.id, now);
    this.#used.set(key.id, now);
    return true;
  }

  countGeneration(keyId: string): void {
    this.#generations.set(keyId, (this.#generations.get(keyId) ?? 0) + 1);
  }

  /** A second view by the same viewer in the same hour does not count. */
  view(view: SkinViewRow): void {
    this.#views.set(JSON.stringify([view.skin_id, view.viewer, view.hour]), view);
  }

  /** Hands over what is noted, once. */
  take(): Usage {
    const usage = { used: this.#used, generations: this.#generations, views: [...this.#views.values()] };
    this.#used = new Map();
    this.#generations = new Map();
    this.#views = new Map();
    return usage;
  }
}
