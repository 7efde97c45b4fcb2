/** The database cannot be reached, or has ended the connection: whoever asks again later may succeed. */
export class StoreUnreachableError extends Error {
  override readonly name: string = 'StoreUnreachableError';
  readonly code: string = 'store_unreachable';
}

export function isUnreachable(error: unknown): error is StoreUnreachableError {
  return error instanceof StoreUnreachableError;
}

/**
 * The database is gone, or has lost the tables, while the service runs: it was removed, or is being replaced. Whoever puts
 * it back need not restart anything.
 */
export class StoreGoneError extends StoreUnreachableError {
  override readonly name = 'StoreGoneError';
  override readonly code = 'store_replaced';

  constructor(cause: Error) {
    super(`The database of the store was removed or replaced: ${cause.message}. Restore it.`, { cause });
  }
}
