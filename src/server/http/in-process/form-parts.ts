import type { RequestContent } from '../../../client/transport.ts';
import { bodyTooLarge, forbiddenField, tooManyFields } from '../limits.ts';
import type { Part, PartLimits } from '../request.ts';

/** A form with one file. */
export type Form = Exclude<RequestContent, { readonly json: unknown }>;

/**
 * The parts of a form as a multipart parser has them: first the fields, of which it cuts those that are too long, then
 * the file. @throws Refusal
 */
export async function* partsOf({ fields, file }: Form, limits: PartLimits): AsyncIterable<Part> {
  for (const [index, [name, value]] of Object.entries(fields).entries()) {
    if (index === limits.fields) throw tooManyFields();
    if (name in Object.prototype) throw forbiddenField();
    yield { kind: 'field', name, value: cut(String(value), limits.fieldSize) };
  }
  const read = async () => bounded(file.bytes, limits.fileSize);
  yield { kind: 'file', name: 'file', fileName: file.fileName, read };
}

function cut(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  return Buffer.from(text).subarray(0, maxBytes).toString('utf8');
}

/** @throws Refusal with status 413 */
function bounded(bytes: Uint8Array, maxBytes: number): Uint8Array {
  if (bytes.length > maxBytes) throw bodyTooLarge();
  return bytes;
}
