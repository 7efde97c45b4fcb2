import { types } from 'node:util';
import { DATA_URL_PREFIX, idempotencyKeySchema } from '../protocol/generate.ts';
import type { Outgoing } from './requester.ts';
import type { RequestContent } from './transport.ts';
import type { CallOptions, QueueItem, SkinFile, SkinOptions, SkinSource } from './types.ts';

/** The request that asks for one skin. @throws TypeError for a file that is not one, or an idempotency key that no header may contain */
export async function submission(
  path: string,
  source: SkinSource,
  { options, call }: { options: SkinOptions; call: CallOptions },
): Promise<Outgoing> {
  const headers = idempotencyHeader(call);
  return { method: 'POST', path, content: await contentOf(source, options), headers };
}

/** The request that asks for several skins. A batch is JSON, so files become `data:` URLs. @throws TypeError as above */
export async function batchSubmission(items: readonly QueueItem[], call: CallOptions): Promise<Outgoing> {
  const headers = idempotencyHeader(call);
  const bodies = items.map(async ({ source, options = {} }) => ({
    ...fieldsOf(options),
    ...(await linked(source)),
  }));
  const batch = await Promise.all(bodies);
  return { method: 'POST', path: '/v2/queue/batch', content: { json: { batch } }, headers };
}

/** The request that submits a failed job again. @throws TypeError as above */
export function retry(job: string, call: CallOptions): Outgoing {
  const path = `/v2/queue/${encodeURIComponent(job)}/retry`;
  return { method: 'POST', path, headers: idempotencyHeader(call) };
}

async function linked(source: SkinSource): Promise<{ url: string } | { user: string }> {
  if (!('file' in source)) return source;
  return { url: DATA_URL_PREFIX + Buffer.from(await bytesOf(source.file)).toString('base64') };
}

/** Buffers of another realm, as test runners have them, are bytes too, and so are the Blobs of libraries. */
async function bytesOf(file: SkinFile): Promise<Uint8Array> {
  if (types.isUint8Array(file)) return file;
  if (types.isAnyArrayBuffer(file)) return new Uint8Array(file);
  if (typeof (file as Blob | undefined)?.arrayBuffer === 'function')
    return new Uint8Array(await file.arrayBuffer());
  throw new TypeError('file: must be the bytes of a PNG file, as a Uint8Array, an ArrayBuffer or a Blob');
}

function idempotencyHeader({ idempotencyKey }: CallOptions): Record<string, string> {
  if (idempotencyKey === undefined) return {};
  const { error } = idempotencyKeySchema.safeParse(idempotencyKey);
  if (error) throw new TypeError(`idempotencyKey: ${error.issues[0]?.message}`);
  return { 'idempotency-key': idempotencyKey };
}

async function contentOf(source: SkinSource, options: SkinOptions): Promise<RequestContent> {
  const fields = fieldsOf(options);
  if (!('file' in source)) return { json: { ...fields, ...source } };
  const { file, fileName = nameOf(file) ?? 'skin.png' } = source;
  return { fields, file: { bytes: await bytesOf(file), fileName } };
}

function nameOf(file: SkinFile): string | undefined {
  return file instanceof File ? file.name : undefined;
}

/** Null, as in databases, also counts as no value: a form would turn it into text. */
function fieldsOf(options: SkinOptions): Record<string, string> {
  const entries = Object.entries({ ...options } as Record<string, string | null | undefined>);
  const wanted = entries.filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(wanted) as Record<string, string>;
}
