import { JournalError } from '../../batch/journal/journal-error.ts';
import { LockfileError } from '../../batch/lockfile/lockfile-error.ts';
import { BatchSetupError } from '../../batch/model/setup-error.ts';
import { fetchHint } from '../../batch/sources/fetch-hint.ts';
import { ProofError } from '../../dispatch/proof.ts';
import {
  classifyFailure,
  InsecureHttpError,
  NetworkError,
  ServiceError,
  SkinsmithError,
} from '../../index.ts';
import { momentAt, span } from '../text/quantities.ts';
import { CliError, type ExitName, isInterruption } from './exit.ts';

/** The message for an error. */
export interface ErrorReport {
  readonly code: string;
  readonly message: string;
  readonly hint: string | undefined;
  readonly exit: ExitName;
}

/** Describes an error to the user; undefined for an error that is a bug in the program. */
export function reportOf(error: unknown): ErrorReport | undefined {
  if (error instanceof CliError) return error;
  if (isInterruption(error))
    return { code: 'interrupted', message: 'Interrupted.', hint: undefined, exit: 'interrupted' };
  if (error instanceof ServiceError) return fromService(error);
  if (
    error instanceof BatchSetupError ||
    error instanceof JournalError ||
    error instanceof LockfileError ||
    error instanceof ProofError
  ) {
    return { code: error.code, message: error.message, hint: error.hint, exit: 'failed' };
  }
  if (error instanceof NetworkError)
    return told(
      error,
      'tryLater',
      'See whether the address is right (skinsmith config get base-url) and the service is up.',
    );
  if (error instanceof InsecureHttpError)
    return told(
      error,
      'usage',
      'Use the https address. To send the key in clear text all the same: --insecure-http',
    );
  if (error instanceof SkinsmithError) return told(error, error.isPassing ? 'tryLater' : 'failed', undefined);
  return fromFileSystem(error);
}

/** Waits of at least this many milliseconds get a sentence of their own. */
const LONG_WAIT = 60_000;

const HINTS: Readonly<Record<string, string>> = {
  invalid_api_key: 'Store a key that is valid for this service: skinsmith login',
  unauthorized: 'Sign in first: skinsmith login',
  job_limit: 'Your spots in the queue are all taken; see them with: skinsmith jobs',
  rate_limit: 'Wait a minute and try again.',
  job_not_found: 'List the jobs that the service still knows: skinsmith jobs',
  insufficient_grants: 'See what you may do: skinsmith whoami',
  invalid_cape: 'See what there is: skinsmith capes list',
};

function fromService(error: ServiceError): ErrorReport {
  const hint = waitHint(error) ?? HINTS[error.code] ?? fetchHint(error);
  const named = namedMissing(error);
  if (named !== undefined) return { ...told(error, 'failed', hint), message: named };
  return told(error, exitAfter(error), hint);
}

function exitAfter(error: ServiceError): ExitName {
  const { kind, isTemporary, status } = classifyFailure(error) ?? {};
  if (kind === 'key_refused' || kind === 'not_allowed') return 'notAllowed';
  return isTemporary && status !== 500 ? 'tryLater' : 'failed';
}

/** Describes a wait longer than a command accepts. */
function waitHint({ answer: { retryAfter } }: ServiceError): string | undefined {
  if (retryAfter === undefined || retryAfter < LONG_WAIT) return undefined;
  const now = Date.now();
  return `The service asks for a pause of ${span(retryAfter / 1_000)}, until ${momentAt(now + retryAfter, now)}.`;
}

/** Services say "There is no such skin"; with several skins, the message must name the one. */
function namedMissing({ answer: { path, status }, message }: ServiceError): string | undefined {
  const [, id] = /\/v2\/(?:skins|queue)\/([^/?]+)/.exec(path) ?? [];
  if (status !== 404 || id === undefined || message.includes(id)) return undefined;
  return `${message.replace(/\.$/, '')}: ${decodeURIComponent(id)}`;
}

function told(error: SkinsmithError, exit: ExitName, hint: string | undefined): ErrorReport {
  return { code: error.code, message: error.message, hint, exit };
}

const FILE_TROUBLE: Readonly<Record<string, string>> = {
  ENOSPC: 'The disk is full.',
  EFBIG: 'The file would be larger than is allowed.',
  EACCES: 'Permission denied.',
  EPERM: 'Not permitted.',
  EROFS: 'The file system is read-only.',
  ENOTDIR: 'A part of the path is not a folder.',
  EEXIST: 'Something else is in the way.',
  ENOENT: 'There is no such file or folder.',
  EISDIR: 'It is a folder.',
  ELOOP: 'It is a symbolic link loop.',
  EMFILE: 'Too many files are open.',
  ENAMETOOLONG: 'The name is too long.',
  EDQUOT: 'The disk quota is used up.',
  ENOTFOUND: 'There is no such host.',
  EAI_AGAIN: 'The host name cannot be looked up now.',
  EADDRINUSE: 'Another program listens there already.',
  EADDRNOTAVAIL: 'This machine has no such address.',
};

const UNUSABLE_HINT = 'See that it is writable and has space, or choose another: SKINSMITH_DATA_DIR';
const DAMAGED_HINT =
  'The store, skinsmith.db, is damaged: move it away or restore it from a backup, and keep signing-key.pem.';
const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;

function isDamaged(errcode: number | undefined): boolean {
  return errcode === SQLITE_CORRUPT || errcode === SQLITE_NOTADB;
}

function fromFileSystem(error: unknown): ErrorReport | undefined {
  const { code, path, hostname, address, port, errcode, message } = (error ?? {}) as NodeJS.ErrnoException & {
    hostname?: string;
    address?: string;
    port?: number;
    errcode?: number;
  };
  if (code === 'ERR_SQLITE_ERROR' || errcode !== undefined) {
    return {
      code: 'data_unusable',
      message: `The data folder cannot be used: ${message}.`,
      hint: isDamaged(errcode) ? DAMAGED_HINT : UNUSABLE_HINT,
      exit: 'failed',
    };
  }
  if (error instanceof Error && error.name === 'BackupError' && code !== undefined) {
    return { code, message, hint: (error as { hint?: string }).hint, exit: 'failed' };
  }
  if (code === 'plans_unusable') return { code, message, hint: undefined, exit: 'usage' };
  if (code === 'upstream_key_refused') {
    const hint = 'Give the key that is valid there: --upstream-key-file, or SKINSMITH_UPSTREAM_KEY';
    return { code, message, hint, exit: 'notAllowed' };
  }
  if (code === 'signing_key_changed') {
    return { code, message, hint: (error as { hint?: string }).hint, exit: 'failed' };
  }
  if (code === 'store_replaced') return { code, message, hint: undefined, exit: 'failed' };
  if (code === 'signing_key_unusable') return { code, message, hint: undefined, exit: 'failed' };
  if (code === 'store_too_new') {
    const hint = 'Install the newer version, or choose another folder: SKINSMITH_DATA_DIR';
    return { code, message: message, hint, exit: 'failed' };
  }
  const trouble = code === undefined ? undefined : FILE_TROUBLE[code];
  if (trouble === undefined || code === undefined) return undefined;
  const place = path ?? hostname ?? (address === undefined ? undefined : `${address}:${port}`);
  return {
    code: code.toLowerCase(),
    message: place ? `${place}: ${trouble}` : trouble,
    hint: undefined,
    exit: 'failed',
  };
}
