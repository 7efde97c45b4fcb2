import { DatabaseError } from 'pg';
import { type Clock, systemClock } from '../../../base/clock.ts';
import { networkReason } from '../../../base/network-reason.ts';
import { isUnreachable, StoreGoneError, StoreUnreachableError } from '../failures.ts';

/**
 * PostgreSQL answers, but the store cannot be used: a wrong password, a missing database, too few rights; or its
 * certificate is not trusted. Opening a store need not wait for that. For those who use it already it is as unreachable
 * as if it were gone.
 */
export class StoreRefusedError extends StoreUnreachableError {
  override readonly name = 'StoreRefusedError';
  override readonly code = 'store_refused';
  readonly hint: string;

  constructor(cause: Error, { what, hint }: Refusal = REFUSED) {
    super(`${what}: ${cause.message}`, { cause });
    this.hint = hint;
  }
}

/** What to say of it before the reason, and after. */
interface Refusal {
  readonly what: string;
  readonly hint: string;
}

const REFUSED: Refusal = {
  what: 'PostgreSQL refuses the use of the store',
  hint: 'Check the address, user and rights of the store; the password may come from PGPASSWORD or PGPASSFILE.',
};
const DISTRUSTED: Refusal = {
  what: 'The connection to PostgreSQL cannot be made safe',
  hint: 'Check the sslmode of the store, and the certificates: sslrootcert, sslcert and sslkey.',
};
const UNENCRYPTED: Refusal = {
  what: REFUSED.what,
  hint: 'If PostgreSQL wants TLS, add sslmode=require, or better verify-full, to the address of the store.',
};
const POOLED: Refusal = {
  what: 'A pooler gives each transaction another connection to PostgreSQL',
  hint: 'Start the servers with --store-pooler, or set the pooler to session mode.',
};

/** A prepared statement is not there, or is there already: another connection has it. */
const POOLED_STATES: ReadonlySet<string> = new Set(['26000', '42P05']);
const NO_TABLE = '42P01';
const NO_DATABASE = '3D000';
/** Classes of SQLSTATE: connection exception, insufficient resources, operator intervention. */
const PASSING_CLASSES: ReadonlySet<string> = new Set(['08', '53', '57']);
/** A statement that took too long, a standby that is about to be promoted, a transaction that was idle for too long. */
const PASSING_STATES: ReadonlySet<string> = new Set(['57014', '25006', '25P03']);
/** Errors of TLS that a later attempt meets as well. */
const TLS_CODES = /CERT|SIGNATURE|^ERR_(?:TLS|SSL|OSSL)_|^HOSTNAME_MISMATCH$|^INVALID_CA$/;
/** A rule of pg_hba.conf refuses connections that are not encrypted, as far as the message tells: it may be translated. */
const WITHOUT_TLS = /^(?:no )?pg_hba\.conf .*no encryption/;
const NO_TLS = /does not support SSL/;
/** PgBouncer has one code (08P01) for what passes and for this, which does not. */
const NEVER_TAKEN = /^unsupported startup parameter|^no such (?:database|user)/;

/** As a StoreUnreachableError, if that is what it is; otherwise the same error. */
export function asTrouble(error: unknown): unknown {
  if (POOLED_STATES.has(codeOf(error))) return new StoreRefusedError(error as Error, POOLED);
  if (codeOf(error) === NO_TABLE) return new StoreGoneError(error as Error);
  if (!isPassing(error)) return error;
  // Says nothing of the address, which may have a password.
  return new StoreUnreachableError(`PostgreSQL cannot be used: ${reasonOf(error)}`, { cause: error });
}

/**
 * An error of an attempt to connect as a StoreUnreachableError, which is a StoreRefusedError if another attempt is
 * pointless.
 */
export function asNoConnection(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof StoreUnreachableError) return error;
  if (TLS_CODES.test(codeOf(error)) || NO_TLS.test(error.message))
    return new StoreRefusedError(error, DISTRUSTED);
  if (codeOf(error) === '08P01' && NEVER_TAKEN.test(error.message)) return new StoreRefusedError(error);
  const trouble = asTrouble(error);
  return trouble === error ? asRefused(error) : trouble;
}

/** Whether an error of an attempt to connect says that the database has no TLS at all. */
export function isWithoutTls(error: unknown): boolean {
  return error instanceof StoreRefusedError && NO_TLS.test(error.message);
}

/** The same, of a store that was there before. */
export function asLostConnection(error: unknown): unknown {
  return codeOf(error) === NO_DATABASE ? new StoreGoneError(error as Error) : asNoConnection(error);
}

/** An error of the first statements as a StoreRefusedError, if PostgreSQL itself has said it; otherwise the same error. */
export function asRefused(error: unknown): unknown {
  if (!(error instanceof DatabaseError)) return error;
  return new StoreRefusedError(error, WITHOUT_TLS.test(error.message) ? UNENCRYPTED : REFUSED);
}

function isPassing(error: unknown): boolean {
  const code = codeOf(error);
  if (PASSING_STATES.has(code)) return true;
  if (/^[0-9A-Z]{5}$/.test(code) && !code.startsWith('E')) return PASSING_CLASSES.has(code.slice(0, 2));
  return code !== '' || /connection|timeout|terminated/i.test(String(error)); // of the network, or of the driver
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

/** How long to wait for a store that cannot be reached yet. */
export interface StorePatience {
  /** Milliseconds; 0: not at all. */
  readonly limit: number;
  readonly signal?: AbortSignal;
  /** Called once, with the reason for the waiting. */
  readonly onWaiting?: (reason: string) => void;
}

/** Milliseconds between two attempts: doubled each time. */
const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 2_000;

/** Opens a store as soon as it can be reached. @throws StoreUnreachableError when it has waited for long enough */
export async function untilReachable<T>(
  open: () => Promise<T>,
  { limit, signal, onWaiting }: StorePatience,
  clock: Clock = systemClock,
): Promise<T> {
  const until = clock.monotonic() + limit;
  for (let pause = FIRST_PAUSE; ; pause = Math.min(LONGEST_PAUSE, 2 * pause)) {
    try {
      return await open();
    } catch (error) {
      if (!isWorthWaiting(error) || clock.monotonic() + pause > until) throw error;
      if (pause === FIRST_PAUSE) onWaiting?.(error.message);
      await clock.sleep(pause, signal);
    }
  }
}

function isWorthWaiting(error: unknown): error is StoreUnreachableError {
  return isUnreachable(error) && !(error instanceof StoreRefusedError);
}
