import { relative, resolve, sep } from 'node:path';
import { isAboutCertificate, isPlainHttp, ProxyError, reasonOf } from '../../base/error-reasons.ts';
import { LockFileError } from '../../base/process-lock.ts';
import { isDamagedDatabase } from '../../base/sqlite.ts';
import { endSentence } from '../../base/text.ts';
import { JournalError } from '../../batch/journal.ts';
import { LockfileError } from '../../batch/lockfile/entries.ts';
import { BatchSetupError, fetchHint } from '../../batch/model.ts';
import { PlayerNameError } from '../../batch/sources/player-names.ts';
import {
  classifyFailure,
  type FailureKind,
  InsecureHttpError,
  JobFailedError,
  NetworkError,
  ServiceError,
  SkinsmithError,
} from '../../client/errors.ts';
import { ServiceLostError } from '../../dispatch/outage.ts';
import { PrivateAddressError, ProofError } from '../../dispatch/proof.ts';
import { PublicKeyError } from '../../dispatch/service-facts.ts';
import { foldersFor } from '../context/context.ts';
import { momentAt, span } from '../text/text.ts';
import {
  CliError,
  type ErrorReport,
  type ExitName,
  Interruption,
  isInterruption,
  unusableHint,
} from './exit.ts';
import {
  addressHint,
  bindingOf,
  certificateHint,
  PROXY_HINT,
  type ServiceNaming,
  serviceHint,
} from './service-hints.ts';

/** Describes an error to the user; undefined for an error that is a bug in the program. */
export function reportOf(
  error: unknown,
  naming: ServiceNaming & { readonly data?: DataFolder } = {},
): ErrorReport | undefined {
  if (error instanceof CliError) return error;
  if (isInterruption(error)) return interruptionReport(error);
  if (error instanceof ServiceLostError) return lostReport(error, naming);
  if (error instanceof ServiceError) return fromService(error, naming);
  if (
    error instanceof BatchSetupError ||
    error instanceof PublicKeyError ||
    error instanceof JournalError ||
    error instanceof LockfileError ||
    error instanceof LockFileError ||
    error instanceof ProofError
  ) {
    return { code: error.code, message: error.message, hint: error.hint, exit: 'failed' };
  }
  if (error instanceof InsecureHttpError)
    return reportWith(
      error,
      'usage',
      'Use the https address. To send the key unencrypted anyway: --insecure-http',
    );
  if (error instanceof PrivateAddressError) return reportWith(error, 'failed', error.hint);
  if (error instanceof SkinsmithError) {
    const own = error instanceof PlayerNameError ? error.hint : undefined;
    const hint = error instanceof NetworkError ? networkHint(error, naming) : own;
    return reportWith(error, error.isPassing ? 'tryLater' : 'failed', hint);
  }
  return (
    storeReport(error, naming.data) ??
    serverReport(error) ??
    (naming.data && folderReport(error, naming.data)) ??
    systemReport(error)
  );
}

function interruptionReport(error: unknown): ErrorReport {
  const { message, exit } = error instanceof Interruption ? error : new Interruption('SIGINT');
  return { code: 'interrupted', message, hint: undefined, exit };
}

/** The service was down for too long. A certificate that is not accepted is not an outage. */
function lostReport({ cause }: ServiceLostError, naming: ServiceNaming): ErrorReport | undefined {
  const report = reportOf(cause, naming);
  return report && !(cause instanceof NetworkError) ? { ...report, exit: 'tryLater' } : report;
}

function networkHint({ cause }: NetworkError, naming: ServiceNaming): string {
  if (isAboutCertificate(cause)) return certificateHint(cause, naming);
  if (cause instanceof ProxyError) return PROXY_HINT;
  if (isPlainHttp(cause)) return `The server at this address uses http, not https. ${addressHint(naming)}`;
  return `Is the service running? ${addressHint(naming)}`;
}

/** Waits of at least this many milliseconds get a sentence of their own. */
const LONG_WAIT = 60_000;

function fromService(error: ServiceError, naming: ServiceNaming): ErrorReport {
  const hint = waitHint(error) ?? serviceHint(error, naming) ?? fetchHint(error);
  const binding = error.code === 'invalid_api_key' ? bindingOf(error) : undefined;
  if (binding) return { ...reportWith(error, 'notAllowed', hint), message: `The key ${binding.problem}` };
  const named = namedMissing(error);
  if (named !== undefined) return { ...reportWith(error, 'failed', hint), message: named };
  return reportWith(error, exitAfter(error), hint);
}

function exitAfter(error: ServiceError): ExitName {
  const { kind, isTemporary, status } = classifyFailure(error) ?? {};
  if (kind === 'key_refused' || kind === 'not_allowed') return 'notAllowed';
  if (kind === 'no_credits') return 'refused';
  return isTemporary && status !== 500 ? 'tryLater' : 'failed';
}

/** Describes a wait longer than a command accepts. */
function waitHint({ answer: { retryAfter } }: ServiceError): string | undefined {
  if (retryAfter === undefined || retryAfter < LONG_WAIT) return undefined;
  const now = Date.now();
  return `The service asks to wait ${span(retryAfter / 1_000)}, until ${momentAt(now + retryAfter, now)}.`;
}

/** Services say "No such skin"; with several skins, the message must name the one. */
function namedMissing({ answer: { path, status }, code, message }: ServiceError): string | undefined {
  const [, id] = /\/v2\/(?:skins|queue)\/([^/?]+)/.exec(path) ?? [];
  if (status !== 404 || id === undefined || message.includes(id)) return undefined;
  const name = decodeURIComponent(id);
  if (code === 'job_not_found') return `No job ${endSentence(name)}`;
  if (code === 'skin_not_found') return `No skin ${endSentence(name)}`;
  return `${message.replace(/\.$/, '')}: ${name}`;
}

function reportWith(error: SkinsmithError, exit: ExitName, hint: string | undefined): ErrorReport {
  return { code: error.code, message: error.message, hint, exit };
}

/** The report of an error that affects only one source. @throws the error if it ends the command */
export function sourceReportOf(error: unknown, context: ServiceNaming): ErrorReport {
  const report = reportOf(error, context);
  if (!report || !concernsOneSource(error)) throw error;
  return report;
}

/** Failures that affect every other source as well. */
const CONCERNS_ALL: ReadonlySet<FailureKind> = new Set([
  'unreachable',
  'full_queue',
  'too_fast',
  'key_refused',
  'not_allowed',
  'no_credits',
  'challenged',
  'unavailable',
]);

/** Whether an error affects only this source and so becomes a result; any other error ends the command. */
function concernsOneSource(error: unknown): boolean {
  if (error instanceof CliError) return error.exit === 'failed';
  if (error instanceof JobFailedError || error instanceof ProofError || error instanceof PlayerNameError)
    return true;
  const failure = classifyFailure(error);
  return failure !== undefined && !CONCERNS_ALL.has(failure.kind);
}

const HINTS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'skinsmith may already be running there. To listen on another port: --port <number>',
};

/** Only privileged users may listen below this port. */
const FIRST_FREE_PORT = 1_024;

function listenHint(port: number): string {
  const why = port < FIRST_FREE_PORT ? 'Ports below 1024 are usually reserved for root. ' : '';
  return `${why}To listen on another port, behind a reverse proxy for example: --port <number>`;
}

/** Describes an error of the operating system; undefined for any other. */
function systemReport(error: unknown): ErrorReport | undefined {
  const { code, syscall, path, hostname, address, port } = (error ?? {}) as NodeJS.ErrnoException & {
    hostname?: string;
    address?: string;
    port?: number;
  };
  const words = reasonOf(code) ?? ownWords(error);
  const meaning = words && `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
  if (meaning === undefined || code === undefined) return undefined;
  const listening = address === undefined || port === undefined ? address : `${address}:${port}`;
  const place = path ?? hostname ?? listening;
  const message = place ? `${place}: ${meaning}` : meaning;
  const isRefused = code === 'EACCES' && syscall === 'listen' && port !== undefined;
  const hint = isRefused ? listenHint(port) : HINTS[code];
  return { code: code.toLowerCase(), message, hint, exit: 'failed' };
}

/** What the system itself says of a rare error: `broken pipe` for Node's `EPIPE: broken pipe, write`. */
function ownWords(error: unknown): string | undefined {
  const { errno, syscall, message } = (error ?? {}) as NodeJS.ErrnoException;
  if (errno === undefined || syscall === undefined) return undefined;
  const [, words = ''] = /^[A-Z][A-Z0-9]*: ([^,]+),/.exec(message) ?? [];
  return words || undefined;
}

/** The data folder, and what the user sets to use another. */
export interface DataFolder {
  readonly path: string;
  /** An option or variables. */
  readonly setBy: string;
}

/** The data folder of this run; none if there is no home to have it in, which is the error then. */
export function usedFolder(typed: string | undefined): { data?: DataFolder } {
  if (typed !== undefined) return { data: { path: resolve(typed), setBy: '--data' } };
  try {
    const path = resolve(foldersFor(process.env).data);
    const isSet = Boolean(process.env['SKINSMITH_DATA_DIR']);
    return { data: { path, setBy: isSet ? 'SKINSMITH_DATA_DIR' : 'HOME or SKINSMITH_DATA_DIR' } };
  } catch (error) {
    if (error instanceof CliError) return {};
    throw error;
  }
}

/** Describes an error of the file system about the data folder; undefined for any other. */
function folderReport(error: unknown, { path: folder, setBy }: DataFolder): ErrorReport | undefined {
  const { code, path: told, syscall } = (error ?? {}) as NodeJS.ErrnoException;
  const meaning = reasonOf(code);
  if (meaning === undefined || told === undefined) return undefined;
  const path = resolve(told); // relative if the folder was typed so
  const isInside = path === folder || path.startsWith(folder + sep);
  const isAbove = syscall === 'mkdir' && folder.startsWith(path + sep); // no folder can be made in it
  if (!isInside && !isAbove) return undefined;
  const isOthers = isInside && path !== folder && isForbidden(code);
  const message = `The data folder ${folder} cannot be used: ${isOthers ? `${relative(folder, path)}: ` : ''}${meaning}.`;
  const hint = isOthers
    ? `Make the file accessible to this user, or choose another folder with ${setBy}.`
    : unusableHint(setBy);
  return { code: 'data_unusable', message, hint, exit: 'failed' };
}

/** If the file belongs to another user, the message must name it. */
function isForbidden(code: string | undefined): boolean {
  return code === 'EACCES' || code === 'EPERM';
}

/**
 * Errors with which a service in this process refuses to start, by code. The error itself has the message, and the hint
 * unless one stands here. They are distinguished by code, because importing their classes would load the server.
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
  store_unfinished: { exit: 'failed' },
  store_unreachable: {
    exit: 'tryLater',
    hint: 'Check that PostgreSQL is running, and its address in --store or SKINSMITH_STORE.',
  },
};

/** Describes an error of a service in this process, of a backup or of a copy; undefined for any other. */
function serverReport(error: unknown): ErrorReport | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, message, hint } = error as Error & { code?: string; hint?: string };
  if (code === undefined) return undefined;
  if (error.name === 'BackupError' || error.name === 'StoreCopyError')
    return { code, message, hint, exit: 'failed' };
  if (error.name === 'ScenarioError' || error.name === 'DoubleError')
    return { code, message, hint, exit: 'usage' };
  const starting = Object.hasOwn(STARTING, code) ? STARTING[code] : undefined;
  return starting && { code, message, hint, ...starting };
}

const DAMAGED_HINT =
  'The store, skinsmith.db, is damaged: move it away or restore it from a backup, and keep signing-key.pem.';

/** Describes an error of the database in the data folder; undefined for any other. */
function storeReport(error: unknown, data: DataFolder | undefined): ErrorReport | undefined {
  const { code, errcode, message } = (error ?? {}) as NodeJS.ErrnoException & { errcode?: number };
  if (code !== 'ERR_SQLITE_ERROR' && errcode === undefined) return undefined;
  return {
    code: 'data_unusable',
    message: `The data folder${data ? ` ${data.path}` : ''} cannot be used: ${message}.`,
    hint: isDamagedDatabase(error) ? DAMAGED_HINT : unusableHint(data?.setBy ?? 'SKINSMITH_DATA_DIR'),
    exit: 'failed',
  };
}
