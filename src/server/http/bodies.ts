import { parse } from 'node:querystring';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { Busboy, type BusboyFileStream } from '@fastify/busboy';
import { Refusal } from '../service/refusal.ts';
import { BODY_LIMIT, bodyTooLarge, forbiddenField, tooManyFields, tooManyFiles } from './limits.ts';
import type { HttpRequest, Part, PartLimits, ServiceRequest } from './request.ts';
import { isAccountPath, type Route } from './route.ts';

const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';
const MULTIPART_TYPE = 'multipart/form-data';

/**
 * Reads the body of a request, which is JSON or a form; bodies of all other types are refused. A multipart body is read
 * by the route, which knows what may be in it. @throws Refusal
 */
export async function receiveBody(
  request: ServiceRequest,
  route: Pick<Route, 'bodies' | 'bodyLimit'> & { readonly paths?: Route['paths'] },
): Promise<void> {
  const { method, headers, content } = request;
  if (method === 'GET' || method === 'HEAD') return;
  const { bodyLimit: limit = BODY_LIMIT } = route;
  const encoding = encodingOf(request);
  const type = headers['content-type'];
  if (type === undefined && content === undefined) return;
  if (encoding !== undefined && (!DECODERS.has(encoding) || typeOf(type) === MULTIPART_TYPE))
    throw notDecoded();
  switch (typeOf(type)) {
    case MULTIPART_TYPE:
      request.parts = async (limits) =>
        await readParts(await bytesOf(request, MULTIPART_LIMIT), String(type), limits);
      return;
    case FORM_TYPE:
      request.body = parse(await textOf(request, limit), undefined, undefined, { maxKeys: 0 });
      return;
    case JSON_TYPE:
      request.body = parseJson(await textOf(request, limit), route);
      return;
    default:
      throw new Refusal('invalid_content_type');
  }
}

function typeOf(type: string | string[] | undefined): string {
  return String(type ?? '')
    .split(';', 1)[0]!
    .trim()
    .toLowerCase();
}

/** Clients and proxies name the type whether or not they send a body: an empty body counts as no body. */
function parseJson(text: string, { bodies, paths }: Parameters<typeof receiveBody>[1]): unknown {
  // Of a key without its bindings, for instance, nothing must get lost.
  const mayBeLost = bodies !== undefined && paths !== undefined && isAccountPath(paths[0]);
  if (text === '' && !mayBeLost) return undefined;
  if (text === '') throw new Refusal('invalid_request', { message: 'The body is empty.' });
  try {
    return JSON.parse(text, text.includes('__proto__') || text.includes('\\u') ? refusePrototype : undefined);
  } catch (cause) {
    throw new Refusal('invalid_request', { message: 'The body is not valid JSON.', cause });
  }
}

function refusePrototype(key: string, value: unknown): unknown {
  if (key === '__proto__') throw new SyntaxError('__proto__ is no name for a field');
  return value;
}

async function textOf(request: ServiceRequest, limit: number): Promise<string> {
  const sent = await bytesOf(request, limit);
  const encoding = encodingOf(request);
  if (encoding === undefined || sent.length === 0) return new TextDecoder().decode(sent);
  // The limit holds for both forms of the body.
  const decode = DECODERS.get(encoding)!;
  return new TextDecoder().decode(await decode(sent, { maxOutputLength: limit }).catch(refuseCompressed));
}

/** Does not close the connection if they are too many: it has to carry the answer. @throws Refusal */
async function bytesOf({ content, headers }: ServiceRequest, limit: number): Promise<Buffer> {
  if (Number(headers['content-length'] ?? 0) > limit) throw bodyTooLarge();
  const pieces: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const piece of content ?? []) {
      length += piece.length;
      if (length > limit) throw bodyTooLarge();
      pieces.push(piece);
    }
  } catch (cause) {
    if (cause instanceof Refusal) throw cause;
    throw new Refusal('invalid_request', { message: 'The body broke off.', cause });
  }
  return Buffer.concat(pieces, length);
}

type Decode = (bytes: Uint8Array, options: { maxOutputLength: number }) => Promise<Buffer>;

/** By the names that Content-Encoding has for them. */
const DECODERS: ReadonlyMap<string, Decode> = new Map([
  ['gzip', promisify(gunzip)],
  ['deflate', promisify(inflate)],
  ['br', promisify(brotliDecompress)],
]);
const ACCEPTED = [...DECODERS.keys()].join(', ');

/** Undefined for what is sent as it is. */
function encodingOf({ headers, content }: ServiceRequest): string | undefined {
  const encoding = String(headers['content-encoding'] ?? '')
    .trim()
    .toLowerCase();
  return content === undefined || encoding === '' || encoding === 'identity' ? undefined : encoding;
}

function notDecoded(): Refusal {
  const message = `A body may be compressed with one of ${ACCEPTED}, and multipart/form-data not at all.`;
  return new Refusal('invalid_content_type', { message, headers: { 'Accept-Encoding': ACCEPTED } });
}

function refuseCompressed(cause: Error & { code?: string }): never {
  if (cause.code === 'ERR_BUFFER_TOO_LARGE') throw bodyTooLarge(cause);
  throw new Refusal('invalid_request', { message: 'The body is not compressed as it claims.', cause });
}

/** The parts of a multipart body in the order they come. `type`: its content type, with the boundary. @throws Refusal */
export async function readParts(bytes: Uint8Array, type: string, limits: PartLimits): Promise<Part[]> {
  if (bytes.length === 0) return [];
  const reader = new PartReader(limits);
  try {
    return await reader.read(bytes, type);
  } catch (cause) {
    if (cause instanceof Refusal) throw cause;
    throw new Refusal('invalid_request', { message: 'The multipart body is malformed.', cause });
  }
}

class PartReader {
  readonly #limits: PartLimits;
  readonly #parts: Part[] = [];
  #files: number;
  #texts: number;

  constructor(limits: PartLimits) {
    this.#limits = limits;
    this.#files = limits.files;
    this.#texts = limits.fields;
  }

  async read(bytes: Uint8Array, type: string): Promise<Part[]> {
    const { files, fields, fileSize, fieldSize, headerPairs } = this.#limits;
    const parser = new Busboy({
      headers: { 'content-type': type },
      // This class says which of them are too many: what is typed as JSON is a text, but a file to the parser.
      limits: { files: files + fields + 1, fields, fileSize, fieldSize, headerPairs },
      isPartAFile: (_name, partType, fileName) =>
        fileName !== undefined || partType === 'application/octet-stream' || isJson(partType),
    });
    const reads: Promise<void>[] = [];
    await new Promise<void>((resolve, reject) => {
      parser.on('field', (name, value) => {
        if (name in Object.prototype) reject(forbiddenField());
        this.#parts.push({ kind: 'field', name, value });
      });
      parser.on('file', (name, stream, fileName: string | undefined, _encoding, partType) => {
        stream.on('limit', () => reject(bodyTooLarge()));
        const read = this.#addFile({
          name,
          stream,
          fileName,
          isText: fileName === undefined && isJson(partType),
        });
        read.catch(reject);
        reads.push(read);
      });
      parser.on('fieldsLimit', () => reject(tooManyFields()));
      parser.on('filesLimit', () => reject(tooManyFiles()));
      parser.on('error', reject);
      parser.on('finish', resolve);
      parser.end(bytes);
    });
    await Promise.all(reads);
    return this.#parts;
  }

  async #addFile({
    name,
    stream,
    fileName,
    isText,
  }: {
    name: string;
    stream: BusboyFileStream;
    fileName: string | undefined;
    isText: boolean;
  }): Promise<void> {
    const place = this.#parts.length;
    this.#parts.push({ kind: 'field', name, value: undefined }); // keeps the order
    const chunks: Uint8Array[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    if (name in Object.prototype) throw forbiddenField();
    if (isText && this.#texts-- === 0) throw tooManyFields();
    if (!isText && this.#files-- === 0) throw tooManyFiles();
    const bytes = Buffer.concat(chunks);
    this.#parts[place] = isText
      ? { kind: 'field', name, value: jsonIn(bytes.subarray(0, this.#limits.fieldSize).toString('utf8')) }
      : { kind: 'file', name, fileName, bytes };
  }
}

function isJson(type: string | undefined): boolean {
  return type?.startsWith(JSON_TYPE) === true;
}

/** Clients type all their parts as JSON, whatever is in them. */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Largest file that is read; above 20,000 bytes the picture's own check reports the error. */
const MAX_UPLOAD_BYTES = 256 * 1024;
const PART_LIMITS: PartLimits = {
  fileSize: MAX_UPLOAD_BYTES,
  files: 1,
  fields: 16,
  fieldSize: 32 * 1024,
  headerPairs: 32,
};
/** Bytes of a multipart body: its largest file and texts, with their heads. */
const MULTIPART_LIMIT = 1024 * 1024;

/** The content of a body, in any content type. */
export interface GenerationBody {
  readonly fields: Readonly<Record<string, unknown>>;
  /** Bytes of the file; never empty. */
  readonly file?: Uint8Array;
  /** As the sender calls the file. */
  readonly fileName?: string | undefined;
  readonly isMultipart: boolean;
}

/**
 * Reads a body of any accepted content type: multipart, JSON or form. `anyPart`: whether the file may be in a part of any
 * name, as older clients name the part after the file. @throws Refusal `invalid_request`, `invalid_file`
 */
export async function readBody(
  request: HttpRequest,
  { anyPart = false }: { readonly anyPart?: boolean } = {},
): Promise<GenerationBody> {
  return request.parts ? fieldsAndFile(await request.parts(PART_LIMITS), anyPart) : readFields(request);
}

function fieldsAndFile(parts: readonly Part[], anyPart: boolean): GenerationBody {
  const fields: Record<string, unknown> = {};
  let file: Extract<Part, { kind: 'file' }> | undefined;
  for (const part of parts) {
    if (part.kind === 'field') fields[part.name] = part.value;
    else if (anyPart || part.name === 'file') file = part;
    else throw new Refusal('invalid_file', 'The file must come in a part named "file".');
  }
  // Some clients send the name of the file in a text of the same name before it.
  if (!file && fields['file'] !== undefined)
    throw new Refusal('invalid_file', 'The part "file" has no file name: it is not a file.');
  if (file?.bytes.length === 0) throw new Refusal('invalid_file', 'The uploaded file is empty.');
  return { fields, isMultipart: true, ...(file && { file: file.bytes, fileName: file.fileName }) };
}

function readFields(request: HttpRequest): GenerationBody {
  const { body } = request;
  if (body === undefined || body === null) return { fields: {}, isMultipart: false };
  if (typeof body !== 'object' || Array.isArray(body)) {
    throw new Refusal('invalid_request', 'The body must be a JSON object.');
  }
  return { fields: { ...body }, isMultipart: false };
}
