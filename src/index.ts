/** The public face of the package: the typed client of the service, batches, their errors and types. */

import { otherRuntime } from './base/version.ts';
import type { Fetch } from './client/transport.ts';

export { VERSION } from './base/version.ts';
export { type ConvertOptions, convert } from './batch/convert.ts';
export { LockfileError } from './batch/lockfile/entries.ts';
export type {
  BatchResult,
  BatchSource,
  FinishedSkin,
  SourceContent,
  SourceProblem,
  SuppliedSkin,
  VariantInput,
} from './batch/model.ts';
export { BatchSetupError } from './batch/model.ts';
export type { BatchEvent, BatchSummary, Progress } from './batch/options.ts';
export { DeliveryError } from './batch/options.ts';
export type {
  AccountClient,
  ModerationClient,
  SetClient,
  SetFileFormat,
  UserPage,
} from './client/account-client.ts';
export { type ReceivedWebhook, verifyWebhook } from './client/answers.ts';
export {
  classifyFailure,
  type Failure,
  type FailureKind,
  InsecureHttpError,
  JobFailedError,
  NetworkError,
  type ServiceAnswer,
  ServiceError,
  type ServiceErrorCode,
  SkinsmithError,
  UnreadableAnswerError,
  WebhookError,
} from './client/errors.ts';
export type { GameAccountClient, PlayerClient } from './client/game-client.ts';
export type { RetryPolicy } from './client/rate-limits.ts';
export { parseBaseUrl } from './client/requester.ts';
export { SkinClient } from './client/skin-client.ts';
export type { Fetch, RequestDispatcher } from './client/transport.ts';
export type {
  AnswerNotes,
  BulkEdited,
  CallOptions,
  GeneratedSkin,
  JobAnswer,
  JobEvent,
  JobList,
  JobPage,
  JobPageQuery,
  Listed,
  PageQuery,
  QueuedBatch,
  QueuedItem,
  QueueItem,
  RequestReport,
  SkinClientOptions,
  SkinExportFormat,
  SkinExportQuery,
  SkinFile,
  SkinOptions,
  SkinPage,
  SkinSource,
  SkinsEdited,
} from './client/types.ts';
export type { Grants, Identity, KeyDocument, Me } from './protocol/account.ts';
export type { ApiKey, ApiKeyChange, ApiKeyInput, ApiKeyMade, Scope } from './protocol/api-key.ts';
export type { Cape, CapeChange, CapeInput, CapeSupport } from './protocol/cape.ts';
export type {
  Note,
  ReceivedRateLimit as RateLimit,
  ReceivedRateLimitWindow as RateLimitWindow,
} from './protocol/envelope.ts';
export type {
  BegunGameLogin,
  GameAccount,
  GameAccountChange,
  GameAccountCheck,
  GameLogin,
} from './protocol/game-account.ts';
export { isPending, type Job, type JobStatus, type ReceivedJobStatus } from './protocol/job.ts';
export {
  type BlockedImage,
  type BlockInput,
  type LogEntry,
  type ModeratedSet,
  type ModeratedSkin,
  REPORT_REASONS,
  type Report,
  type ReportInput,
  type ReportReason,
} from './protocol/moderation.ts';
export type { OwnPlayerName, Player, WearInput } from './protocol/player.ts';
export type { Diagnosis, HealthFinding } from './protocol/service.ts';
export {
  MAX_SET,
  type ReservedSetName,
  type SetEdit,
  type SetInput,
  type SkinSet,
  type SkinSetSummary,
  setNameProblem,
} from './protocol/set.ts';
export type {
  ReceivedSkin as Skin,
  SimilarSkin,
  SkinEdit,
  SkinListItem,
  SkinVariant,
  SkinVisibility,
} from './protocol/skin.ts';
export { SKIN_NAME_RULE, skinNameProblem } from './protocol/skin.ts';
export type { Account, Invitation, PlanView as Plan, User, UserChange, UserInput } from './protocol/user.ts';
export { InvalidImageError } from './skin/picture.ts';
export { type RenderOptions, renderSkin } from './skin/render/render.ts';
export type { View } from './skin/render/views.ts';

export interface ServiceOptions {
  /** Folder of the store and of the key that signs; made when missing. */
  readonly dataDir: string;
  /** Skins that are made at the same time. */
  readonly workers?: number;
  /** Least milliseconds that making a skin takes: to rehearse against a slow service. */
  readonly pace?: number;
}

/** A service inside this process. */
export interface Service {
  /** Answers requests at any host: pass it to a `SkinClient`. Callers without a key are the service's owner. */
  readonly fetch: Fetch;
  /** Stops the service when what is being made is finished, or after `limit` ms. `drain`: also waits for its queue. */
  close(options?: { readonly drain?: boolean; readonly limit?: number }): Promise<void>;
}

/**
 * Starts the service that `skinsmith serve` runs, for callers in this process only. @throws Error in runtimes other than
 * Node
 */
export async function openService(options: ServiceOptions): Promise<Service> {
  const runtime = otherRuntime();
  if (runtime !== undefined)
    throw new Error(
      `openService needs Node 22.19 or newer, and this is ${runtime}. Run this program with node.`,
    );
  const { openEmbeddedService } = await import('./server/embedded.ts');
  return await openEmbeddedService(options);
}
