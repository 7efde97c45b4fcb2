/** Why somebody cannot be signed in. */
export type LoginErrorKind =
  /** The code was entered, and access was not given. */
  | 'declined'
  /** Nobody entered the code in time. */
  | 'expired'
  /** What was kept of an earlier sign-in is not accepted any more. */
  | 'refused'
  /** The application that asks: its id is unknown or set up in another way. */
  | 'client'
  /** The game does not know the application. */
  | 'not_approved'
  /** Xbox does not let this Microsoft account in. */
  | 'xbox';

/** `message` is a sentence for the operator; it holds no token and nothing that a service wrote. */
export class LoginError extends Error {
  override readonly name = 'LoginError';
  readonly kind: LoginErrorKind;

  constructor(kind: LoginErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}
