/** Why a sign-in failed. */
export type LoginErrorKind =
  /** The owner entered the code but denied access. */
  | 'declined'
  /** No one entered the code in time. */
  | 'expired'
  /** The stored sign-in is no longer valid. */
  | 'refused'
  /** The client application: its id is unknown or misconfigured. */
  | 'client'
  /** The game does not know the application. */
  | 'not_approved'
  /** Xbox refuses this Microsoft account. */
  | 'xbox';

/** `message` is a sentence for the operator; it contains no token and no text from a service. */
export class LoginError extends Error {
  override readonly name = 'LoginError';
  readonly kind: LoginErrorKind;

  constructor(kind: LoginErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}
