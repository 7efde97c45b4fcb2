import type { BatchResult, FinishedSkin } from '../../batch/model/result.ts';
import type { Job, Note } from '../../index.ts';

/** The documented JSON fields of a skin. */
interface SkinView {
  readonly uuid: string;
  readonly name?: string;
  readonly variant: string;
  readonly visibility: string;
  readonly value: string;
  readonly signature: string;
  readonly texture: { readonly url: string; readonly hash: string };
}

/** The documented JSON output for one source's outcome. Absent values are omitted. */
export interface ResultView extends Partial<SkinView> {
  readonly source?: string;
  readonly status: string;
  readonly job?: string;
  /** `game`, `embedded`, a service's address, or `unproved`. */
  readonly signer?: string;
  readonly duplicate?: boolean;
  readonly warnings: readonly Note[];
  readonly error?: { readonly code: string; readonly message: string };
}

/** One job, as `queue` and `jobs` print it. Times are ISO 8601. */
export interface JobView {
  readonly job: string;
  readonly status: string;
  readonly createdAt?: string;
  readonly eta?: string;
  readonly source?: string;
  readonly uuid?: string;
}

interface ResultParts {
  readonly source: string | undefined;
  readonly job?: string | undefined;
  readonly skin?: FinishedSkin | undefined;
  readonly status?: string;
  readonly warnings?: readonly Note[];
  readonly error?: { readonly code: string; readonly message: string } | undefined;
}

export function resultView({ source, job, skin, status, warnings = [], error }: ResultParts): ResultView {
  return {
    ...(source !== undefined && { source }),
    status: status ?? (error ? 'failed' : 'completed'),
    ...(job !== undefined && { job }),
    ...(skin && skinFields(skin)),
    ...(skin?.signedBy && { signer: skin.signedBy.signer }),
    ...(skin?.duplicate !== undefined && { duplicate: skin.duplicate }),
    warnings,
    ...(error && { error: { code: error.code, message: error.message } }),
  };
}

export function isFinished(
  result: ResultView,
): result is ResultView & Required<Pick<ResultView, 'value' | 'signature'>> {
  return result.value !== undefined && result.signature !== undefined;
}

/** One result of a batch. */
export function batchResultView(result: BatchResult): ResultView {
  const { source, job, skin, warnings, error } = result;
  return resultView({ source, job, skin, warnings, error });
}

/** The fields of a skin from any origin: the same for a new skin and one from the lockfile. */
export function skinFields({ uuid, name, variant, visibility, value, signature, texture }: FinishedSkin) {
  return {
    uuid,
    ...(name !== undefined && { name }),
    variant,
    visibility,
    value,
    signature,
    texture: { url: texture.url, hash: texture.hash },
  };
}

export function jobView(job: Job, source?: string): JobView {
  return {
    job: job.id,
    status: job.status,
    ...(job.timestamp !== undefined && { createdAt: isoTime(job.timestamp) }),
    ...(job.eta !== undefined && { eta: isoTime(job.eta) }),
    ...(source !== undefined && { source }),
    ...(job.result !== undefined && { uuid: job.result }),
  };
}

/** Converts a time from outside; a number outside the range of dates is left unchanged. */
function isoTime(milliseconds: number): string {
  const date = new Date(milliseconds);
  return Number.isNaN(date.getTime()) ? String(milliseconds) : date.toISOString();
}
