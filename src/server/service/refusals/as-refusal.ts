import { z } from 'zod';
import { storeTrouble } from '../../store/trouble.ts';
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

const FILE_TROUBLE: Readonly<Record<string, string>> = {
  ENOSPC: "The service's disk is full.",
  EDQUOT: "The service's disk is full.",
  EROFS: "The service's data folder cannot be written.",
  EACCES: "The service's data folder cannot be written.",
};

/** Problems of the data folder that are not bugs. */
function fromStore(error: Error): Refusal | undefined {
  if (isUnreachable(error))
    return new Refusal('store_unreachable', { headers: { 'Retry-After': '2' }, cause: error });
  const { code } = error as Error & { code?: unknown };
  const message = storeTrouble(error) ?? FILE_TROUBLE[String(code)];
  if (message === undefined) return undefined;
  // Another server may be up to date.
  const later = code === 'store_too_new' && { headers: { 'Retry-After': '2' } };
  return new Refusal('service_unavailable', { message, ...later, cause: error });
}
