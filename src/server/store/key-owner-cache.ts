import type { ApiKeyRow, UserRow } from './schema/user-tables.ts';

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

/** Maximum number of keys; with more, all are read again. */
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
