import type { BatchResult, FinishedSkin } from '../../batch/types.ts';
import type { Job, Note } from '../../index.ts';

/** What JSON output promises about one source's outcome. Absent values are left out. */
export interface ResultView {
  readonly source?: string;
  readonly status: string;
  readonly job?: string;
  readonly uuid?: string;
  readonly name?: string;
  readonly variant?: string;
  readonly visibility?: string;
  readonly value?: string;
  readonly signature?: string;
  readonly texture?: { readonly url: string; readonly hash: string };
  readonly duplicate?: boolean;
  readonly warnings: readonly Note[];
  readonly error?: { readonly code: string; readonly message: string };
}

/** One job, as `queue` and `jobs` print it. Times are ISO 8601. */
export interface JobView {
  readonly job: string;
  readonly status: string;
  readonly created?: string;
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
    ...(skin?.duplicate !== undefined && { duplicate: skin.duplicate }),
    warnings,
    ...(error && { error: { code: error.code, message: error.message } }),
  };
}

/** A batch's result. */
export function batchResultView(result: BatchResult): ResultView {
  const { source, job, skin, warnings, error } = result;
  return resultView({ source, job, skin, warnings, error });
}

/** What is said of a skin wherever it comes from: the same for a new one and one from the lockfile. */
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
    ...(job.timestamp !== undefined && { created: isoTime(job.timestamp) }),
    ...(job.eta !== undefined && { eta: isoTime(job.eta) }),
    ...(source !== undefined && { source }),
    ...(job.result !== undefined && { uuid: job.result }),
  };
}

/** A time from outside; what no date can be is left as the number it is. */
function isoTime(milliseconds: number): string {
  const date = new Date(milliseconds);
  return Number.isNaN(date.getTime()) ? String(milliseconds) : date.toISOString();
}
