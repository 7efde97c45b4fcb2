/** The public face of the package: the typed client of the service, its errors and its types. */

export { parseBaseUrl } from './client/base-url.ts';
export {
  JobFailedError,
  NetworkError,
  ServiceError,
  SkinsmithError,
  UnreadableAnswerError,
} from './client/errors.ts';
export { SkinClient } from './client/skin-client.ts';
export { skinNameProblem } from './client/skin-name.ts';
export type {
  CallOptions,
  GeneratedSkin,
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
