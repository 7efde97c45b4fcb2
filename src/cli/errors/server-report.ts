import { isDamagedDatabase } from '../../base/sqlite-codes.ts';
import type { ExitName } from './exit.ts';
import { type DataFolder, unusableHint } from './folder-report.ts';
import type { ErrorReport } from './report.ts';

/**
 * Errors with which a service in this process refuses to start, by code. The error itself has the message, and the hint
 * unless one stands here. They are told apart by code, because importing their classes would load the server.
 */
const STARTING: Readonly<Record<string, { readonly exit: ExitName; readonly hint?: string }>> = {
  account_key_changed: { exit: 'failed' },
  no_store: {
    exit: 'failed',
    hint: 'Check the address in --store or SKINSMITH_STORE. A service creates its store when it first starts.',
  },
  plans_unusable: { exit: 'usage' },
  upstream_key_refused: {
    exit: 'notAllowed',
    hint: 'Give a key that is valid there: --upstream-key-file, or SKINSMITH_UPSTREAM_KEY',
  },
  signing_key_changed: { exit: 'failed' },
  signing_key_unusable: { exit: 'failed' },
  store_refused: { exit: 'failed' },
  store_replaced: { exit: 'failed' },
  store_too_new: { exit: 'failed' },
  store_too_old: { exit: 'failed' },
  store_unfinished: { exit: 'failed' },
  store_unreachable: {
    exit: 'tryLater',
    hint: 'Check that PostgreSQL runs, and that its address is the one of --store or SKINSMITH_STORE.',
  },
};

/** Describes an error of a service in this process, of a backup or of a copy; undefined for any other. */
export function serverReport(error: unknown): ErrorReport | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, message, hint } = error as Error & { code?: string; hint?: string };
  if (code === undefined) return undefined;
  if (error.name === 'BackupError' || error.name === 'StoreCopyError')
    return { code, message, hint, exit: 'failed' };
  const starting = Object.hasOwn(STARTING, code) ? STARTING[code] : undefined;
  return starting && { code, message, hint, ...starting };
}

const DAMAGED_HINT =
  'The store, skinsmith.db, is damaged: move it away or restore it from a backup, and keep signing-key.pem.';

/** Describes an error of the database in the data folder; undefined for any other. */
export function storeReport(error: unknown, data: DataFolder | undefined): ErrorReport | undefined {
  const { code, errcode, message } = (error ?? {}) as NodeJS.ErrnoException & { errcode?: number };
  if (code !== 'ERR_SQLITE_ERROR' && errcode === undefined) return undefined;
  return {
    code: 'data_unusable',
    message: `The data folder${data ? ` ${data.path}` : ''} cannot be used: ${message}.`,
    hint: isDamagedDatabase(error) ? DAMAGED_HINT : unusableHint(data?.setBy ?? 'SKINSMITH_DATA_DIR'),
    exit: 'failed',
  };
}
