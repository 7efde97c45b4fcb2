/** The database cannot be reached, or has ended the connection: whoever asks again later may succeed. */
export class StoreUnreachableError extends Error {
  override readonly name: string = 'StoreUnreachableError';
  readonly code: string = 'store_unreachable';
}

export function isUnreachable(error: unknown): error is StoreUnreachableError {
  return error instanceof StoreUnreachableError;
}
