/** A newer version wrote this store; this one cannot open it. */
export class StoreTooNewError extends Error {
  override readonly name = 'StoreTooNewError';
  readonly code = 'store_too_new';
  /** For whoever starts a program. */
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
}

/** A development version wrote the store, before 0.1.0: no release reads it. */
export class StoreTooOldError extends Error {
  override readonly name = 'StoreTooOldError';
  readonly code = 'store_too_old';
  readonly hint: string;

  /** `other`: how to name another store. */
  constructor(schema: number, other: string) {
    super(
      `The data was written by a development version of skinsmith before 0.1.0 (schema ${schema}), which no release can read.`,
    );
    this.hint = `To start anew, ${other}`;
  }
}

/** The schema that a program must know at least to use the store: an expression of SQL, for both databases. */
export const OLDEST_READER = `coalesce((select value from meta where key = 'oldest-reader'),
  (select value from meta where key = 'schema'))`;

/**
 * The schema that this program knows. A newer program may change the store at any time; once it is known that it has left
 * no room for this one, nothing is read or written any more: to others it is as if this process had been killed.
 */
export class KnownSchema {
  readonly #newest: number;
  #needed = 0;

  constructor(newest: number) {
    this.#newest = newest;
  }

  /** @param oldestReader what the store says now (`OLDEST_READER`); what it has said once stays in force */
  learn(oldestReader: unknown): void {
    this.#needed = Math.max(this.#needed, Number(oldestReader ?? 0));
  }

  /** Undefined while this program may use the store. */
  get fault(): StoreTooNewError | undefined {
    if (this.#needed <= this.#newest) return undefined;
    return new StoreTooNewError(
      `A newer skinsmith has changed the store (a program must know schema ${this.#needed}, this one knows ${this.#newest}). Restart the service with the newer version.`,
    );
  }

  /** @throws StoreTooNewError */
  verify(): void {
    if (this.#needed > this.#newest) throw this.fault;
  }
}

/** For programs that only inspect a store, whatever its version. */
export const ANY_SCHEMA = new KnownSchema(Number.POSITIVE_INFINITY);
