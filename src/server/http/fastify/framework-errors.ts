import type { FastifyError } from 'fastify';
import { ERRORS } from '../../../protocol/errors.ts';
import { Refusal } from '../../service/refusal.ts';
import {
  bodyTooLarge,
  forbiddenField,
  malformedUrl,
  tooManyFields,
  tooManyFiles,
  urlTooLong,
} from '../limits.ts';

/** The framework's complaints about a body, in words for the caller. */
const FRAMEWORK_SENTENCES: Readonly<Record<string, string>> = {
  FST_ERR_CTP_INVALID_JSON_BODY: 'The body is not valid JSON.',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'The body is empty.',
  FST_PARTS_LIMIT: 'The form has too many parts.',
};

/** What is refused in the same words however a request comes. */
const SHARED_REFUSALS: Readonly<Record<string, (cause: unknown) => Refusal>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: (cause) => new Refusal('invalid_content_type', { cause }),
  FST_ERR_CTP_BODY_TOO_LARGE: bodyTooLarge,
  FST_REQ_FILE_TOO_LARGE: bodyTooLarge,
  FST_ERR_MAX_PARAM_LENGTH: urlTooLong,
  FST_FIELDS_LIMIT: tooManyFields,
  FST_FILES_LIMIT: tooManyFiles,
  FST_PROTO_VIOLATION: forbiddenField,
  FST_ERR_BAD_URL: malformedUrl,
};

/** What the framework itself refuses, bodies it cannot read, as refusals; all other errors as they are. */
export function withoutFrameworkErrors(error: unknown): unknown {
  if (error instanceof Refusal || !(error instanceof Error)) return error;
  return fromFramework(error) ?? error;
}

function fromFramework(error: Error): Refusal | undefined {
  const { code = '', statusCode = 500 } = error as FastifyError;
  const refuse = SHARED_REFUSALS[code];
  if (refuse) return refuse(error);
  if (statusCode >= 500) return undefined;
  const said = FRAMEWORK_SENTENCES[code];
  if (said) return new Refusal('invalid_request', { message: said, cause: error });
  return new Refusal('invalid_request', {
    message: `${ERRORS.invalid_request.message} ${error.message}`,
    cause: error,
  });
}
