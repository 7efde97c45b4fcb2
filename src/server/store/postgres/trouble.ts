import { DatabaseError } from 'pg';
import { StoreUnreachableError } from '../unreachable.ts';

/** PostgreSQL answers, and does not let the store be used: a wrong password, no such database, too few rights. */
export class StoreRefusedError extends Error {
  override readonly name = 'StoreRefusedError';
  readonly code = 'store_refused';

  constructor(cause: Error) {
    super(`PostgreSQL refuses the use of the store: ${cause.message}`, { cause });
  }
}

/** Classes of SQLSTATE: connection exception, insufficient resources, operator intervention. */
const PASSING_CLASSES: ReadonlySet<string> = new Set(['08', '53', '57']);
const QUERY_CANCELED = '57014';

/** As a StoreUnreachableError, if that is what it is; otherwise the same error. */
export function asTrouble(error: unknown): unknown {
  if (!isPassing(error)) return error;
  // Says nothing of the address, which may have a password.
  return new StoreUnreachableError(`PostgreSQL cannot be used: ${reasonOf(error)}`, { cause: error });
}

/** An error of the first statements as a StoreRefusedError, if PostgreSQL itself has said it; otherwise the same error. */
export function asRefused(error: unknown): unknown {
  return error instanceof DatabaseError ? new StoreRefusedError(error) : error;
}

function isPassing(error: unknown): boolean {
  const code = codeOf(error);
  if (code === QUERY_CANCELED) return true; // took longer than a statement may
  if (/^[0-9A-Z]{5}$/.test(code) && !code.startsWith('E')) return PASSING_CLASSES.has(code.slice(0, 2));
  return code !== '' || /connection|timeout|terminated/i.test(String(error)); // of the network, or of the driver
}

function codeOf(error: unknown): string {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : '';
}

function reasonOf(cause: unknown): string {
  const code = codeOf(cause);
  const { message } = cause as Error;
  return code === '' ? message : `${message || 'no answer'} (${code})`;
}
