import { span } from '../text/text.ts';

/** Every exit status of the program. Help and man pages are generated from this table. */
export const EXIT_STATUSES = {
  done: { status: 0, meaning: 'success' },
  failed: { status: 1, meaning: 'a job, a source or a request failed' },
  usage: { status: 2, meaning: 'the command line or a setting is invalid' },
  toDo: {
    status: 3,
    meaning: 'there is work left, according to --dry-run, --frozen or --fail-if-left',
  },
  notAllowed: { status: 4, meaning: 'not signed in or not allowed' },
  refused: {
    status: 5,
    meaning: 'the service accepts no more skins: the credits are used up, or it refuses all of them',
  },
  pending: { status: 8, meaning: 'jobs are not finished yet' },
  tryLater: {
    status: 75,
    meaning:
      'the service is busy or unreachable, does not show what it accepted (see --resubmit-lost), or the time of --timeout is over; try again later',
  },
  hungUp: { status: 129, meaning: 'stopped by SIGHUP, as when a terminal is closed' },
  interrupted: { status: 130, meaning: 'interrupted' },
  closedPipe: { status: 141, meaning: 'the output was closed before everything was written' },
  terminated: { status: 143, meaning: 'stopped by SIGTERM, as when a machine shuts down' },
} as const satisfies Record<string, { status: number; meaning: string }>;

export type ExitName = keyof typeof EXIT_STATUSES;

export function exitStatus(name: ExitName): number {
  return EXIT_STATUSES[name].status;
}

/** An error to report to the user: what went wrong, what to do next, and the exit status. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly code: string;
  readonly hint: string | undefined;
  readonly exit: ExitName;

  constructor(
    code: string,
    message: string,
    rest: { hint?: string | undefined; exit?: ExitName; cause?: unknown } = {},
  ) {
    super(message, { cause: rest.cause });
    this.code = code;
    this.hint = rest.hint;
    this.exit = rest.exit ?? 'failed';
  }
}

/** An error for options that contradict each other or a setting. */
export function usageError(code: string, message: string, hint?: string): CliError {
  return new CliError(code, message, { exit: 'usage', hint });
}

const SIGNAL_EXITS = {
  SIGINT: 'interrupted',
  SIGHUP: 'hungUp',
  SIGTERM: 'terminated',
} as const satisfies Record<string, ExitName>;

export type StopSignal = keyof typeof SIGNAL_EXITS;
export const STOP_SIGNALS = Object.keys(SIGNAL_EXITS) as StopSignal[];

/** Abort reason for a run that a signal stops. */
export class Interruption extends DOMException {
  readonly exit: ExitName;

  constructor(signal: StopSignal) {
    super(signal === 'SIGINT' ? 'Interrupted.' : `Stopped by ${signal}.`, 'AbortError');
    this.exit = SIGNAL_EXITS[signal];
  }
}

/** Abort reason for a run whose output has no reader left. */
export const CLOSED_PIPE = new DOMException('The reader closed the output.', 'AbortError');

/** Abort reason for a run that has taken the time of `--timeout`. */
export function timedOut(ms: number): CliError {
  return new CliError('timed_out', `Stopped by --timeout after ${span(ms / 1_000)}.`, { exit: 'tryLater' });
}

export function isInterruption(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}

export interface ErrorReport {
  readonly code: string;
  readonly message: string;
  readonly hint: string | undefined;
  readonly exit: ExitName;
}

/** What to do about a folder that cannot be used. */
export function unusableHint(setBy: string): string {
  return `Check that it is writable and has free space, or choose another with ${setBy}.`;
}

const MISSING_PART = {
  code: 'program_incomplete',
  message: 'A file of skinsmith is missing: the program was replaced or removed while it was running.',
  hint: 'Run the same command again. If that does not help, install skinsmith again.',
};

/** Whether a file of the program could not be loaded. */
export function isMissingPart(error: unknown): boolean {
  return ((error ?? {}) as { code?: unknown }).code === 'MODULE_NOT_FOUND';
}

/** The lines for stderr, as for other errors: the files that write those may be missing as well. */
export function missingPartLines(json: boolean): string {
  if (json) return `${JSON.stringify({ error: MISSING_PART })}\n`;
  return `error: ${MISSING_PART.message}\nhint: ${MISSING_PART.hint}\n`;
}
