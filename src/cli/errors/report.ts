import type { ExitName } from './exit.ts';

/** The message for an error. */
export interface ErrorReport {
  readonly code: string;
  readonly message: string;
  readonly hint: string | undefined;
  readonly exit: ExitName;
}
