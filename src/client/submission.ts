import { DATA_URL_PREFIX, idempotencyKeySchema } from '../protocol/generate.ts';
import { encodeMultipart } from './multipart.ts';
import { jsonBody, type Outgoing } from './requester.ts';
import type { CallOptions, QueueItem, SkinOptions, SkinSource } from './types.ts';

/** The request that asks for one skin. @throws TypeError when the idempotency key is not a valid header value */
export function submission(
  path: string,
  source: SkinSource,
  { options, call }: { options: SkinOptions; call: CallOptions },
): Outgoing {
  const { body, headers } = submissionBody(source, options);
  return { method: 'POST', path, body, headers: { ...headers, ...idempotencyHeader(call) } };
}

/** The request that asks for several skins. A batch is JSON, so files become `data:` URLs. @throws TypeError as above */
export function batchSubmission(items: readonly QueueItem[], call: CallOptions): Outgoing {
  const batch = items.map(({ source, options = {} }) => ({ ...fieldsOf(options), ...linked(source) }));
  const { body, headers } = jsonBody({ batch });
  return {
    method: 'POST',
    path: '/v2/queue/batch',
    body,
    headers: { ...headers, ...idempotencyHeader(call) },
  };
}

function linked(source: SkinSource): { url: string } | { user: string } {
  if (!('file' in source)) return source;
  return { url: DATA_URL_PREFIX + Buffer.from(source.file).toString('base64') };
}

function idempotencyHeader({ idempotencyKey }: CallOptions): Record<string, string> {
  if (idempotencyKey === undefined) return {};
  const { error } = idempotencyKeySchema.safeParse(idempotencyKey);
  if (error) throw new TypeError(`idempotencyKey: ${error.issues[0]?.message}`);
  return { 'idempotency-key': idempotencyKey };
}

function submissionBody(
  source: SkinSource,
  options: SkinOptions,
): { body: Buffer | string; headers: Record<string, string> } {
  const fields = fieldsOf(options);
  if (!('file' in source)) return jsonBody({ ...fields, ...source });
  const upload = { bytes: source.file, fileName: source.fileName ?? 'skin.png' };
  const { body, contentType } = encodeMultipart(upload, fields);
  return { body, headers: { 'content-type': contentType } };
}

function fieldsOf(options: SkinOptions): Record<string, string> {
  const wanted = Object.entries({ ...options }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(wanted) as Record<string, string>;
}
