import type { FastifyError } from 'fastify';
import { z } from 'zod';
import { ERRORS } from '../../protocol/errors.ts';
import { Refusal } from '../service/refusals/refusal.ts';
import type { Answer } from './route.ts';
import { rateLimitHeaders } from './views.ts';

/** The answer for a refusal. Never contains a stack, a path or an SQL text. */
export function refusalAnswer(refusal: Refusal): Answer {
  const { notes = [], links = {}, rateLimit, headers } = refusal.details;
  const errors = [{ code: refusal.code, message: refusal.message }, ...notes];
  const body = { success: false, errors, warnings: [], messages: [], links, ...(rateLimit && { rateLimit }) };
  const retry = refusal.status === 429;
  return {
    status: refusal.status,
    body,
    headers: { ...headers, ...(rateLimit && rateLimitHeaders(rateLimit, { retry })) },
  };
}

/** Turns any error into a refusal. Only faults of the service itself become `internal_error`. */
export function asRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof z.ZodError) return validationRefusal(error);
  if (error instanceof Error) return fromFramework(error) ?? fromStore(error) ?? unforeseen(error);
  return unforeseen(error);
}

function unforeseen(cause: unknown): Refusal {
  return new Refusal('internal_error', { cause });
}

/** One entry for the whole request, then one per field with its path. An invalid variant has its own code. */
export function validationRefusal(error: z.ZodError): Refusal {
  const notes = error.issues.map((issue) => ({
    code: issue.code,
    message: [issue.path.join('.'), issue.message].filter(Boolean).join(': '),
    path: issue.path.map((part) => (typeof part === 'number' ? part : String(part))),
  }));
  return new Refusal('validation_error', { notes, cause: error });
}

const SQLITE_READONLY = 8;
const SQLITE_IOERR = 10;
const SQLITE_FULL = 13;
const SQLITE_BUSY = 5;
const STORE_TROUBLE: Readonly<Record<number, string>> = {
  [SQLITE_BUSY]: "The service's store is busy; try again.",
  [SQLITE_READONLY]: "The service's store cannot be written.",
  [SQLITE_IOERR]: "The service's store cannot be read or written.",
  [SQLITE_FULL]: "The service's disk is full.",
};

const FILE_TROUBLE: Readonly<Record<string, string>> = {
  ENOSPC: "The service's disk is full.",
  EDQUOT: "The service's disk is full.",
  EROFS: "The service's data folder cannot be written.",
  EACCES: "The service's data folder cannot be written.",
  store_replaced: "The service's store was removed or replaced.",
};

/** Problems of the data folder that are not bugs. */
function fromStore(error: Error): Refusal | undefined {
  const { errcode, code } = error as Error & { errcode?: unknown; code?: unknown };
  const message = typeof errcode === 'number' ? STORE_TROUBLE[errcode & 0xff] : FILE_TROUBLE[String(code)];
  return message === undefined ? undefined : new Refusal('service_unavailable', { message, cause: error });
}

/** The framework's complaints about a body, in words for the caller. */
const FRAMEWORK_SENTENCES: Readonly<Record<string, string>> = {
  FST_ERR_CTP_INVALID_JSON_BODY: 'The body is not valid JSON.',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'The body is empty.',
  FST_FILES_LIMIT: 'Send one file only.',
  FST_FIELDS_LIMIT: 'The form has too many fields.',
  FST_PARTS_LIMIT: 'The form has too many parts.',
  FST_ERR_BAD_URL: 'The address is not well-formed.',
};

/** Refusals by the framework itself: bodies it cannot read. */
function fromFramework(error: Error): Refusal | undefined {
  const { code = '', statusCode = 500 } = error as FastifyError;
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return new Refusal('invalid_content_type', { cause: error });
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE' || code === 'FST_REQ_FILE_TOO_LARGE') {
    return new Refusal('invalid_file', {
      status: 413,
      message: 'The body is too large for a skin.',
      cause: error,
    });
  }
  if (statusCode >= 500) return undefined;
  if (code === 'FST_ERR_MAX_PARAM_LENGTH') {
    return new Refusal('invalid_request', { status: 414, message: 'The address is too long.', cause: error });
  }
  const said = FRAMEWORK_SENTENCES[code];
  if (said) return new Refusal('invalid_request', { message: said, cause: error });
  return new Refusal('invalid_request', {
    message: `${ERRORS.invalid_request.message} ${error.message}`,
    cause: error,
  });
}
