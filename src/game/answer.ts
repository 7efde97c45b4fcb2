/** An answer of one of the game's services. */
export interface GameAnswer {
  readonly status: number;
  readonly bytes: Buffer;
  /** The header of that name. */
  readonly retryAfter: string | undefined;
}
