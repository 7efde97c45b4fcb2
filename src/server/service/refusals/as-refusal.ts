import { z } from 'zod';
import { isUnreachable } from '../../store/unreachable.ts';
import { Refusal } from './refusal.ts';

/** Turns any error into a refusal. Only faults of the service itself become `internal_error`. */
export function asRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof z.ZodError) return validationRefusal(error);
  if (error instanceof Error) return fromStore(error) ?? unforeseen(error);
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
  store_too_new: "The service's store belongs to a newer version of it now; this one has to be replaced.",
};

/** Problems of the data folder that are not bugs. */
function fromStore(error: Error): Refusal | undefined {
  if (isUnreachable(error))
    return new Refusal('store_unreachable', { headers: { 'Retry-After': '2' }, cause: error });
  const { errcode, code } = error as Error & { errcode?: unknown; code?: unknown };
  const message = typeof errcode === 'number' ? STORE_TROUBLE[errcode & 0xff] : FILE_TROUBLE[String(code)];
  if (message === undefined) return undefined;
  // Another server may be up to date.
  const later = code === 'store_too_new' && { headers: { 'Retry-After': '2' } };
  return new Refusal('service_unavailable', { message, ...later, cause: error });
}
