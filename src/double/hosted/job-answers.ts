import type { Note } from '../../protocol/envelope.ts';
import { ERRORS, type ErrorCode } from '../../protocol/errors.ts';
import type { Skin } from '../../protocol/skin.ts';
import { jsonReply, pageReply, type Reply, refusalReply } from '../replies.ts';
import { isVersion1 } from '../requests.ts';
import type { Duplicate } from './intake.ts';
import { type HostedJob, statusOf } from './jobs.ts';
import { skinToJson } from './skins.ts';
import { v1ErrorAnswer } from './version-1.ts';
import { HostedRefusal, InvalidRequest, makeRateLimitInfo, note, success, type Visit } from './visit.ts';

/** `v2ErrorHandler`: a body with only `success`, `errors` and, where limits are known, `rateLimit`. */
export function errorAnswer(error: unknown, visit: Visit): Reply {
  const isKnown = error instanceof HostedRefusal || error instanceof InvalidRequest;
  if (isKnown && isVersion1(visit.request)) return v1ErrorAnswer(error, visit);
  if (error instanceof HostedRefusal) {
    const { status, errors } = error;
    const rateLimit = makeRateLimitInfo(visit, status);
    return jsonReply(status, { success: false, rateLimit, errors }, visit.headers);
  }
  if (error instanceof InvalidRequest) {
    const errors = [note('validation_error', 'Validation error'), ...error.issues];
    return jsonReply(400, { success: false, errors }, visit.headers);
  }
  throw error;
}

export function internalError(): Reply {
  return refusalReply(500, note('internal_error', 'An internal error occurred'));
}

/** `v2NotFoundHandler` for GET; for other methods and paths, Express's own answer. */
export function notFoundAnswer({ request: { method, address } }: Visit): Reply {
  if (method !== 'GET' || !address.startsWith('/v2/')) return pageReply(404, `Cannot ${method} ${address}`);
  return refusalReply(404, note('not_found', `Not found (${address})`));
}

/** `v2GenerateEnqueue` of a new job; only this answer has an `eta`. */
export function acceptedAnswer(visit: Visit, job: HostedJob): Reply {
  const { id, acceptedAt: timestamp, eta } = job;
  linkJob(visit, id);
  visit.links['image'] = imageLink(job);
  const rateLimit = makeRateLimitInfo(visit, 202);
  const content = { job: { id, status: 'waiting', timestamp, eta }, rateLimit };
  return success(visit, content, { status: 202, messages: [note('job_queued', 'Job queued')] });
}

/** `v2GenerateEnqueue` of an existing skin: the answer names a job that never existed. */
export function duplicateAnswer(visit: Visit, { id, timestamp, skin }: Duplicate): Reply {
  visit.links['skin'] = `/v2/skins/${skin.uuid}`;
  const job = { id, status: 'completed', timestamp, result: skin.uuid };
  const content = { job, skin: skinToJson(skin, true), rateLimit: makeRateLimitInfo(visit, 200) };
  return success(visit, content, { messages: [note('skin_found', 'Found existing skin')] });
}

/** `v2GetJob` of such a job. */
export function fakeJobAnswer(visit: Visit, { id, timestamp, skin }: Duplicate): Reply {
  linkLookedAt(visit, id);
  const job = { id, status: 'completed', timestamp, result: skin.uuid };
  return completedAnswer(visit, job, skin);
}

/** `v2GetJob`: HTTP 200 and `success` even for a job that failed, because the request did not. */
export async function jobAnswer(visit: Visit, job: HostedJob): Promise<Reply> {
  const status = statusOf(job, visit.now);
  const { id, acceptedAt: timestamp } = job;
  linkLookedAt(visit, id);
  visit.links['image'] = imageLink(job);
  if (status === 'completed')
    return completedAnswer(visit, { id, status, timestamp, result: job.skinUuid }, await job.skin, {});
  const view = { id, status, timestamp };
  if (status !== 'failed')
    return success(visit, { job: view }, { messages: [note('job_pending', 'Job pending')] });
  const messages = [note('job_failed', 'Job failed')];
  return success(visit, { job: view, errors: [failureOf(job)] }, { messages });
}

/** `v2ListJobs` */
export function listAnswer(visit: Visit, jobs: readonly HostedJob[]): Reply {
  visit.headers['cache-control'] = 'private, no-store, max-age=1';
  const rows = jobs.map((job) => {
    const status = statusOf(job, visit.now);
    const { id, acceptedAt: timestamp, skinUuid } = job;
    return { id, status, timestamp, ...(status === 'completed' && { result: skinUuid }) };
  });
  return success(visit, { jobs: rows });
}

export function failureOf({ fate }: HostedJob): Note & { code: ErrorCode } {
  const code = fate?.kind === 'fails' ? fate.code : 'job_failed';
  return { code, message: ERRORS[code].message };
}

export function linkJob({ links }: Visit, id: string): void {
  links['job'] = `/v2/queue/${id}`;
}

function linkLookedAt(visit: Visit, id: string): void {
  linkJob(visit, id);
  visit.links['self'] = `/v2/queue/${id}`;
  visit.headers['cache-control'] = 'max-age=1';
}

function imageLink({ input }: HostedJob): string {
  return `/v2/images/${input.pixels}`;
}

function completedAnswer(visit: Visit, job: object, skin: Skin, usage?: object): Reply {
  const { uuid } = skin;
  visit.links['skin'] = `/v2/skins/${uuid}`;
  const content = { job, skin: skinToJson(skin), ...(usage && { usage }) };
  return success(visit, content, { messages: [note('job_completed', 'Job completed')] });
}
