import { DATA_URL_PREFIX, idempotencyKeySchema } from '../protocol/generate.ts';
import type { Outgoing } from './requester.ts';
import type { RequestContent } from './transport.ts';
import type { CallOptions, QueueItem, SkinOptions, SkinSource } from './types.ts';

/** The request that asks for one skin. @throws TypeError when the idempotency key is not a valid header value */
export function submission(
  path: string,
  source: SkinSource,
  { options, call }: { options: SkinOptions; call: CallOptions },
): Outgoing {
  return { method: 'POST', path, content: contentOf(source, options), headers: idempotencyHeader(call) };
}

/** The request that asks for several skins. A batch is JSON, so files become `data:` URLs. @throws TypeError as above */
export function batchSubmission(items: readonly QueueItem[], call: CallOptions): Outgoing {
  const batch = items.map(({ source, options = {} }) => ({ ...fieldsOf(options), ...linked(source) }));
  const headers = idempotencyHeader(call);
  return { method: 'POST', path: '/v2/queue/batch', content: { json: { batch } }, headers };
}

/** The request that submits a failed job again. @throws TypeError as above */
export function retry(job: string, call: CallOptions): Outgoing {
  const path = `/v2/queue/${encodeURIComponent(job)}/retry`;
  return { method: 'POST', path, headers: idempotencyHeader(call) };
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

function contentOf(source: SkinSource, options: SkinOptions): RequestContent {
  const fields = fieldsOf(options);
  if (!('file' in source)) return { json: { ...fields, ...source } };
  return { fields, file: { bytes: source.file, fileName: source.fileName ?? 'skin.png' } };
}

function fieldsOf(options: SkinOptions): Record<string, string> {
  const wanted = Object.entries({ ...options }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(wanted) as Record<string, string>;
}
