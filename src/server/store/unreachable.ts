/** The database cannot be reached, or has ended the connection: whoever asks again later may succeed. */
export class StoreUnreachableError extends Error {
  override readonly name = 'StoreUnreachableError';
  readonly code = 'store_unreachable';
}

export function isUnreachable(error: unknown): error is StoreUnreachableError {
  return error instanceof StoreUnreachableError;
}
