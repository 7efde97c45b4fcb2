/** The public face of the package: the typed client of the service, batches, their errors and types. */

export { type ConvertOptions, convert } from './batch/convert.ts';
export type { BatchEvent, BatchSummary, Progress } from './batch/events.ts';
export { LockfileError } from './batch/lockfile/lockfile-error.ts';
export { DeliveryError } from './batch/options.ts';
export { BatchSetupError } from './batch/setup-error.ts';
export type { BatchResult, BatchSource, FinishedSkin } from './batch/types.ts';
export { parseBaseUrl } from './client/base-url.ts';
export {
  JobFailedError,
  NetworkError,
  ServiceError,
  SkinsmithError,
  UnreadableAnswerError,
} from './client/errors.ts';
export type { RetryPolicy } from './client/retry-timing.ts';
export { SkinClient } from './client/skin-client.ts';
export { skinNameProblem } from './client/skin-name.ts';
export type {
  CallOptions,
  GeneratedSkin,
  JobEvent,
  JobState,
  PageQuery,
  RequestReport,
  SkinClientOptions,
  SkinOptions,
  SkinPage,
  SkinSource,
} from './client/types.ts';
export type { ApiKey, ApiKeyMade, KeyDocument, Me } from './protocol/account.ts';
export type { Note, RateLimit } from './protocol/envelope.ts';
export { isPending, type Job, type SeenJobStatus } from './protocol/job.ts';
export type { SeenSkin as Skin, SkinListItem, SkinVariant, SkinVisibility } from './protocol/skin.ts';
export { VERSION } from './version.ts';
