import { isAboutCertificate, ProxyError } from '../../base/error-reasons.ts';
import { LockFileError } from '../../base/process-lock.ts';
import { endSentence } from '../../base/text.ts';
import { JournalError } from '../../batch/journal.ts';
import { LockfileError } from '../../batch/lockfile/entries.ts';
import { BatchSetupError, fetchHint } from '../../batch/model.ts';
import { PlayerNameError } from '../../batch/sources/player-names.ts';
import { ServiceLostError } from '../../dispatch/outage.ts';
import { ProofError } from '../../dispatch/proof.ts';
import { PublicKeyError } from '../../dispatch/service-facts.ts';
import {
  classifyFailure,
  type FailureKind,
  InsecureHttpError,
  JobFailedError,
  NetworkError,
  ServiceError,
  SkinsmithError,
} from '../../index.ts';
import { PrivateAddressError } from '../connection/texture-guard.ts';
import { momentAt, span } from '../text/text.ts';
import { CliError, type ErrorReport, type ExitName, isInterruption } from './exit.ts';
import {
  addressHint,
  bindingOf,
  certificateHint,
  PROXY_HINT,
  type ServiceNaming,
  serviceHint,
} from './service-hints.ts';
import { type DataFolder, folderReport, serverReport, storeReport, systemReport } from './system-report.ts';

/** Describes an error to the user; undefined for an error that is a bug in the program. */
export function reportOf(
  error: unknown,
  naming: ServiceNaming & { readonly data?: DataFolder } = {},
): ErrorReport | undefined {
  if (error instanceof CliError) return error;
  if (isInterruption(error))
    return { code: 'interrupted', message: 'Interrupted.', hint: undefined, exit: 'interrupted' };
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
  if (error instanceof PrivateAddressError)
    return reportWith(error, 'failed', 'If it is your own service, use --base-url.');
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

/** The service was down for too long. A certificate that is not accepted is not an outage. */
function lostReport({ cause }: ServiceLostError, naming: ServiceNaming): ErrorReport | undefined {
  const report = reportOf(cause, naming);
  return report && !(cause instanceof NetworkError) ? { ...report, exit: 'tryLater' } : report;
}

function networkHint({ cause }: NetworkError, naming: ServiceNaming): string {
  if (isAboutCertificate(cause)) return certificateHint(cause, naming);
  return cause instanceof ProxyError ? PROXY_HINT : `Is the service running? ${addressHint(naming)}`;
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

/** Failures that affect every other source as well. */
const CONCERNS_ALL: ReadonlySet<FailureKind> = new Set([
  'unreachable',
  'full_queue',
  'too_fast',
  'key_refused',
  'not_allowed',
  'challenged',
  'unavailable',
]);

/** Whether an error affects only this source and so becomes a result; any other error ends the command. */
export function concernsOneSource(error: unknown): boolean {
  if (error instanceof CliError) return error.exit === 'failed';
  if (error instanceof JobFailedError || error instanceof ProofError || error instanceof PlayerNameError)
    return true;
  const failure = classifyFailure(error);
  return failure !== undefined && !CONCERNS_ALL.has(failure.kind);
}
