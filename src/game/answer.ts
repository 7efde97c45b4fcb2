/** An answer of one of the game's services. */
export interface GameAnswer {
  readonly status: number;
  readonly bytes: Buffer;
  /** The header of that name. */
  readonly retryAfter: string | undefined;
}

/** undefined if it is not JSON. */
export function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}
