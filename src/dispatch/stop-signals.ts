/** How work on a service is ended, in two steps. */
export interface StopSignals {
  /** No more submissions once aborted; those in flight may still finish. */
  readonly stop: AbortSignal;
  /** Also aborts requests in flight. */
  readonly hardStop: AbortSignal;
}
