import type { FastifyError } from 'fastify';
import { ERRORS } from '../../../protocol/errors.ts';
import { Refusal } from '../../service/refusals/refusal.ts';

/** The framework's complaints about a body, in words for the caller. */
const FRAMEWORK_SENTENCES: Readonly<Record<string, string>> = {
  FST_ERR_CTP_INVALID_JSON_BODY: 'The body is not valid JSON.',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'The body is empty.',
  FST_FILES_LIMIT: 'Send one file only.',
  FST_FIELDS_LIMIT: 'The form has too many fields.',
  FST_PARTS_LIMIT: 'The form has too many parts.',
  FST_ERR_BAD_URL: 'The address is not well-formed.',
};

/** What the framework itself refuses, bodies it cannot read, as refusals; all other errors as they are. */
export function withoutFrameworkErrors(error: unknown): unknown {
  if (error instanceof Refusal || !(error instanceof Error)) return error;
  return fromFramework(error) ?? error;
}

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
