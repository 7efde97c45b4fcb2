import { DatabaseError } from 'pg';
import { backOff, type Clock, systemClock } from '../../../base/clock.ts';
import { networkReason } from '../../../base/error-reasons.ts';
import { isUnreachable, StoreGoneError, StoreUnreachableError } from '../failures.ts';

/**
 * PostgreSQL responds, but the store cannot be used: a wrong password, a missing database, missing rights, or an
 * untrusted certificate. There is no point in waiting to open such a store. For its current users, it is as unreachable
 * as if it were gone.
 */
export class StoreRefusedError extends StoreUnreachableError {
  override readonly name = 'StoreRefusedError';
  override readonly code = 'store_refused';
  readonly hint: string;

  constructor(cause: Error, { what, hint }: RefusalText = REFUSED) {
    super(`${what}: ${cause.message}`, { cause });
    this.hint = hint;
  }
}

/** The text before the reason, and the hint after it. */
interface RefusalText {
  readonly what: string;
  readonly hint: string;
}

const REFUSED: RefusalText = {
  what: 'PostgreSQL denies access to the store',
  hint: 'Check the address, user and privileges of the store; the password may come from PGPASSWORD or PGPASSFILE.',
};
const DISTRUSTED: RefusalText = {
  what: 'No secure connection to PostgreSQL',
  hint: 'Check the sslmode of the store, and the certificates: sslrootcert, sslcert and sslkey.',
};
const UNENCRYPTED: RefusalText = {
  what: REFUSED.what,
  hint: 'If PostgreSQL requires TLS, add sslmode=verify-full, or at least sslmode=require, to the address of the store.',
};
const POOLED: RefusalText = {
  what: 'A pooler gives each transaction another connection to PostgreSQL',
  hint: 'Start the servers with --store-pooler, or set the pooler to session mode.',
};

/** A prepared statement is missing, or already exists: it belongs to another connection. */
const POOLED_STATES: ReadonlySet<string> = new Set(['26000', '42P05']);
const NO_TABLE = '42P01';
const NO_DATABASE = '3D000';
/** Classes of SQLSTATE: connection exception, insufficient resources, operator intervention. */
const PASSING_CLASSES: ReadonlySet<string> = new Set(['08', '53', '57']);
/** A statement took too long, a standby is about to be promoted, or a transaction was idle for too long. */
const PASSING_STATES: ReadonlySet<string> = new Set(['57014', '25006', '25P03']);
/** Permanent TLS errors. */
const TLS_CODES = /CERT|SIGNATURE|^ERR_(?:TLS|SSL|OSSL)_|^HOSTNAME_MISMATCH$|^INVALID_CA$/;
/** A rule of pg_hba.conf refuses unencrypted connections, judging by the message, which may be translated. */
const WITHOUT_TLS = /^(?:no )?pg_hba\.conf .*no encryption/;
const NO_TLS = /does not support SSL/;
/** PgBouncer has the same code (08P01) for temporary errors and for this permanent one. */
const NEVER_TAKEN = /^unsupported startup parameter|^no such (?:database|user)/;

/** Converts an error to a StoreUnreachableError if the store is unreachable; otherwise returns it unchanged. */
export function asStoreError(error: unknown): unknown {
  if (POOLED_STATES.has(codeOf(error))) return new StoreRefusedError(error as Error, POOLED);
  if (codeOf(error) === NO_TABLE) return new StoreGoneError(error as Error);
  if (!isPassing(error)) return error;
  // Leaves out the address, which may contain a password.
  return new StoreUnreachableError(`PostgreSQL cannot be used: ${reasonOf(error)}`, { cause: error });
}

/**
 * Converts an error of a connection attempt to a StoreUnreachableError; to a StoreRefusedError if another attempt is
 * pointless.
 */
export function asConnectError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof StoreUnreachableError) return error;
  if (TLS_CODES.test(codeOf(error)) || NO_TLS.test(error.message))
    return new StoreRefusedError(error, DISTRUSTED);
  if (codeOf(error) === '08P01' && NEVER_TAKEN.test(error.message)) return new StoreRefusedError(error);
  const trouble = asStoreError(error);
  return trouble === error ? asRefused(error) : trouble;
}

/** Whether a connection attempt failed because the database has no TLS at all. */
export function isWithoutTls(error: unknown): boolean {
  return error instanceof StoreRefusedError && NO_TLS.test(error.message);
}

/** The same for a store that was reachable before. */
export function asLostConnection(error: unknown): unknown {
  return codeOf(error) === NO_DATABASE ? new StoreGoneError(error as Error) : asConnectError(error);
}

/** Converts an error of the first statements to a StoreRefusedError if it comes from PostgreSQL itself; otherwise returns it unchanged. */
export function asRefused(error: unknown): unknown {
  if (!(error instanceof DatabaseError)) return error;
  return new StoreRefusedError(error, WITHOUT_TLS.test(error.message) ? UNENCRYPTED : REFUSED);
}

function isPassing(error: unknown): boolean {
  const code = codeOf(error);
  if (PASSING_STATES.has(code)) return true;
  if (/^[0-9A-Z]{5}$/.test(code) && !code.startsWith('E')) return PASSING_CLASSES.has(code.slice(0, 2));
  return code !== '' || /connection|timeout|terminated/i.test(String(error)); // from the network or the driver
}

function codeOf(error: unknown): string {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : '';
}

function reasonOf(cause: unknown): string {
  const { message } = cause as Error;
  const code = codeOf(cause);
  if (code === '') return message;
  const reason = networkReason(cause);
  if (reason === code) return `${message || 'no answer'} (${code})`;
  return message ? `${reason} (${message})` : reason;
}

/** How long to wait for an unreachable store. */
export interface StorePatience {
  /** Milliseconds; 0: do not wait. */
  readonly limit: number;
  readonly signal?: AbortSignal;
  /** Called once with the reason for waiting. */
  readonly onWaiting?: (reason: string) => void;
}

/** Between two attempts. */
const PAUSES = { first: 100, longest: 2_000 };

/** Opens a store as soon as it is reachable. @throws StoreUnreachableError after the patience has ended */
export async function untilReachable<T>(
  open: () => Promise<T>,
  { limit, signal, onWaiting }: StorePatience,
  clock: Clock = systemClock,
): Promise<T> {
  const until = clock.monotonic() + limit;
  for (let failures = 1; ; failures++) {
    try {
      return await open();
    } catch (error) {
      const pause = backOff(failures, PAUSES);
      if (!isWorthWaiting(error) || clock.monotonic() + pause > until) throw error;
      if (failures === 1) onWaiting?.(error.message);
      await clock.sleep(pause, signal);
    }
  }
}

function isWorthWaiting(error: unknown): error is StoreUnreachableError {
  return isUnreachable(error) && !(error instanceof StoreRefusedError);
}
