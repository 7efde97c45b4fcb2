import type { ApiKeyRow, SkinViewRow, UserRow } from './schema/tables.ts';

/** A newer version wrote this store; this one cannot open it. */
export class StoreTooNewError extends Error {
  override readonly name = 'StoreTooNewError';
  readonly code = 'store_too_new';
  /** For the person who starts the program. */
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
}

/** The lowest schema that a program must know to use the store, as an SQL expression for both databases. */
export const OLDEST_READER = `coalesce((select value from meta where key = 'oldest-reader'),
  (select value from meta where key = 'schema'))`;

/**
 * The schema that this program knows. A newer program may change the store at any time. Once this one can no longer
 * use it, it reads and writes nothing any more, as if it had been killed.
 */
export class KnownSchema {
  readonly #newest: number;
  #needed = 0;

  constructor(newest: number) {
    this.#newest = newest;
  }

  /** @param oldestReader the store's current value of `OLDEST_READER`; the highest value stays in force */
  learn(oldestReader: unknown): void {
    this.#needed = Math.max(this.#needed, Number(oldestReader ?? 0));
  }

  /** Undefined while this program may use the store. */
  get fault(): StoreTooNewError | undefined {
    if (this.#needed <= this.#newest) return undefined;
    return new StoreTooNewError(
      `A newer skinsmith has changed the store (it needs schema ${this.#needed}, and this version knows ${this.#newest}). Restart the service with the newer version.`,
    );
  }

  /** @throws StoreTooNewError */
  verify(): void {
    if (this.#needed > this.#newest) throw this.fault;
  }
}

/** For programs that only inspect a store, whatever its version. */
export const ANY_SCHEMA = new KnownSchema(Number.POSITIVE_INFINITY);

export interface KeyOwner {
  readonly key: ApiKeyRow;
  readonly user: UserRow;
}

/** Maximum number of keys to remember; beyond that, all are forgotten. */
const MANY_KEYS = 10_000;

/** Keys with their owners by hash, kept until this process changes one of them or another node writes anything. */
export class KeyOwnerCache {
  readonly #versionOfOthers: () => unknown;
  #owners = new Map<string, KeyOwner>();
  #version: unknown;

  /**
   * @param versionOfOthers changes when another node has, or may have, written: SQLite notices each write; reads from
   *   PostgreSQL are kept only briefly
   */
  constructor(versionOfOthers: () => unknown) {
    this.#versionOfOthers = versionOfOthers;
    this.#version = versionOfOthers();
  }

  async find(hash: string, read: () => Promise<KeyOwner | undefined>): Promise<KeyOwner | undefined> {
    this.#forgetIfOutdated();
    const kept = this.#owners.get(hash);
    if (kept) return kept;
    const owners = this.#owners;
    const found = await read();
    // If something changed during the read, the cache has a new map by now.
    if (found) owners.set(hash, found);
    return found;
  }

  /** Call after each change of a key or user. */
  forget(): void {
    this.#owners = new Map();
  }

  #forgetIfOutdated(): void {
    const version = this.#versionOfOthers();
    if (version === this.#version && this.#owners.size < MANY_KEYS) return;
    this.#version = version;
    this.forget();
  }
}

/** Milliseconds between updates of a key's last use, which is only for information. */
const LAST_USED_STEP = 60_000;

/** Usage to write. */
export interface Usage {
  /** The last use of each of these keys. */
  readonly used: ReadonlyMap<string, number>;
  readonly generations: ReadonlyMap<string, number>;
  readonly views: readonly SkinViewRow[];
}

/**
 * Counts whose loss does no harm: the last uses of keys, their generations, and the views of skins. They are written
 * together (usage.ts).
 */
export class NotedUsage {
  readonly #lastUsed = new Map<string, number>();
  #used = new Map<string, number>();
  #generations = new Map<string, number>();
  #views = new Map<string, SkinViewRow>();
  /** The timer of the next write. */
  timer: NodeJS.Timeout | undefined;
  /** Resolves when all writes that have begun are over, successful or not. */
  underWay: Promise<unknown> = Promise.resolve();

  get size(): number {
    return this.#used.size + this.#generations.size + this.#views.size;
  }

  /** Returns whether the use counts, because it is not too soon after the last one. */
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

  /** Returns the noted usage and clears it. */
  take(): Usage {
    const usage = { used: this.#used, generations: this.#generations, views: [...this.#views.values()] };
    this.#used = new Map();
    this.#generations = new Map();
    this.#views = new Map();
    return usage;
  }
}
