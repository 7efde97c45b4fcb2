/** PostgreSQL cannot be reached, or has ended the connection: whoever asks again later may succeed. */
export class StoreUnreachableError extends Error {
  override readonly name = 'StoreUnreachableError';
  readonly code = 'store_unreachable';

  /** Says nothing of the address, which may have a password. */
  constructor(cause: unknown) {
    super(`PostgreSQL cannot be used: ${reasonOf(cause)}`, { cause });
  }
}

/** Classes of SQLSTATE: connection exception, insufficient resources, operator intervention. */
const PASSING_CLASSES: ReadonlySet<string> = new Set(['08', '53', '57']);
const QUERY_CANCELED = '57014';

/** As a StoreUnreachableError, if that is what it is; otherwise the same error. */
export function asTrouble(error: unknown): unknown {
  return isUnreachable(error) ? new StoreUnreachableError(error) : error;
}

function isUnreachable(error: unknown): boolean {
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
