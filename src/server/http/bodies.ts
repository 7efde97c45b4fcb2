import { parse } from 'node:querystring';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { Busboy, type BusboyFileStream } from '@fastify/busboy';
import { z } from 'zod';
import { hasTooManyValues } from '../../base/text.ts';
import type { Note } from '../../protocol/envelope.ts';
import { ERRORS } from '../../protocol/errors.ts';
import {
  type GenerateOptions,
  generateOptionsSchema,
  idempotencyKeySchema,
} from '../../protocol/generate.ts';
import { type SkinVariant, VARIANTS, variantSchema } from '../../protocol/skin.ts';
import { Refusal, validationRefusal } from '../service/refusal.ts';
import type { Source } from '../service/sources/source.ts';
import type { GenerationRequest } from '../service/submitting/generation-request.ts';
import type { HttpRequest, Part, PartLimits } from './route.ts';
import { isAccountPath, type Route } from './route.ts';

const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';
const MULTIPART_TYPE = 'multipart/form-data';
/** Bytes of a JSON or form body: several times the longest data URL. */
export const BODY_LIMIT = 128 * 1024;
/** Values of a JSON or form body: several times as many as a set has skins. Counted before the body is parsed. */
const MAX_VALUES = 5_000;

/** What a route says about the bodies that it reads. */
export type BodyOptions = Pick<Route, 'bodies' | 'bodyLimit'> & { readonly paths?: Route['paths'] };

/**
 * Reads the body of a request, JSON or a form; other types are refused. Routes read multipart bodies themselves,
 * because they know the allowed parts. @throws Refusal
 */
export async function receiveBody(request: HttpRequest, route: BodyOptions): Promise<void> {
  const { headers, content } = request;
  const { bodyLimit: limit = BODY_LIMIT } = route;
  const encoding = encodingOf(request);
  const type = headers['content-type'];
  if (type === undefined && content === undefined) return;
  if (encoding !== undefined && (!DECODERS.has(encoding) || typeOf(type) === MULTIPART_TYPE))
    throw notDecoded();
  switch (typeOf(type)) {
    case MULTIPART_TYPE:
      request.parts = async (limits) =>
        await readParts(await bytesOf(request, limits.fileSize + MAX_TEXT_BYTES), String(type), limits);
      return;
    case FORM_TYPE:
      request.body = parseForm(await textOf(request, limit));
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

/** @throws Refusal instead of leaving fields out */
function parseForm(text: string): unknown {
  const { length } = text.split('&', MAX_VALUES + 1);
  if (length > MAX_VALUES) throw tooManyFields();
  return parse(text, undefined, undefined, { maxKeys: 0 });
}

/** An empty body counts as none, because clients and proxies send a content type even without a body. */
function parseJson(text: string, { bodies, paths }: BodyOptions): unknown {
  // No field may get lost: a key without its bindings, for instance, would be unrestricted.
  const mayBeLost = bodies !== undefined && paths !== undefined && isAccountPath(paths[0]);
  if (text === '' && !mayBeLost) return undefined;
  if (text === '') throw new Refusal('invalid_request', { message: 'The body is empty.' });
  if (hasTooManyValues(text, MAX_VALUES))
    throw new Refusal('invalid_request', { message: `The body has more than ${MAX_VALUES} values.` });
  try {
    return JSON.parse(text, text.includes('__proto__') || text.includes('\\u') ? refusePrototype : undefined);
  } catch (cause) {
    throw new Refusal('invalid_request', { message: 'The body is not valid JSON.', cause });
  }
}

function refusePrototype(key: string, value: unknown): unknown {
  if (key === '__proto__') throw new SyntaxError('__proto__ is not allowed as a field name');
  return value;
}

async function textOf(request: HttpRequest, limit: number): Promise<string> {
  const sent = await bytesOf(request, limit);
  const encoding = encodingOf(request);
  if (encoding === undefined || sent.length === 0) return new TextDecoder().decode(sent);
  // The limit applies to the compressed and the decompressed body.
  const decode = DECODERS.get(encoding)!;
  return new TextDecoder().decode(await decode(sent, { maxOutputLength: limit }).catch(refuseCompressed));
}

/** Reads up to a limit. Keeps the connection open beyond that, because the answer needs it. @throws Refusal */
async function bytesOf({ content, headers }: HttpRequest, limit: number): Promise<Buffer> {
  if (Number(headers['content-length'] ?? 0) > limit) throw bodyTooLarge();
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of content ?? []) {
      length += chunk.length;
      if (length > limit) throw bodyTooLarge();
      chunks.push(chunk);
    }
  } catch (cause) {
    if (cause instanceof Refusal) throw cause;
    throw new Refusal('invalid_request', { message: 'The body is incomplete.', cause });
  }
  return Buffer.concat(chunks, length);
}

type Decode = (bytes: Uint8Array, options: { maxOutputLength: number }) => Promise<Buffer>;

/** The decoders by their names in Content-Encoding. */
const DECODERS: ReadonlyMap<string, Decode> = new Map([
  ['gzip', promisify(gunzip)],
  ['deflate', promisify(inflate)],
  ['br', promisify(brotliDecompress)],
]);
const ACCEPTED = [...DECODERS.keys()].join(', ');

/** Undefined for a body that is not compressed. */
function encodingOf({ headers, content }: HttpRequest): string | undefined {
  const encoding = String(headers['content-encoding'] ?? '')
    .trim()
    .toLowerCase();
  return content === undefined || encoding === '' || encoding === 'identity' ? undefined : encoding;
}

function notDecoded(): Refusal {
  const message = `Compress bodies with one of ${ACCEPTED}; multipart/form-data cannot be compressed.`;
  return new Refusal('invalid_content_type', { message, headers: { 'Accept-Encoding': ACCEPTED } });
}

function refuseCompressed(cause: Error & { code?: string }): never {
  if (cause.code === 'ERR_BUFFER_TOO_LARGE') throw bodyTooLarge(cause);
  throw new Refusal('invalid_request', { message: 'The body does not match its Content-Encoding.', cause });
}

/** The parts of a multipart body in order. `type`: its content type, with the boundary. @throws Refusal */
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
      // This class counts fields and files itself: the parser takes parts of type JSON for files.
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

/** Some clients declare all their parts as JSON. */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Largest file to read. Above 20,000 bytes, the picture's own check reports the error. */
const MAX_UPLOAD_BYTES = 256 * 1024;
const PART_LIMITS: Omit<PartLimits, 'fileSize'> = {
  files: 1,
  fields: 16,
  fieldSize: 32 * 1024,
  headerPairs: 32,
};
/** Largest part of a multipart body that is not its file: texts, and the headers of all parts. */
const MAX_TEXT_BYTES = 768 * 1024;

export interface GenerationBody {
  readonly fields: Readonly<Record<string, unknown>>;
  /** Bytes of the file; never empty. */
  readonly file?: Uint8Array;
  /** The sender's name for the file. */
  readonly fileName?: string | undefined;
  readonly isMultipart: boolean;
}

interface ReadOptions {
  readonly anyPart?: boolean;
  readonly fileSize?: number;
}

/**
 * Reads a body of any accepted content type: multipart, JSON or form. `anyPart`: whether the file's part may have any
 * name, because older clients name it after the file. `fileSize`: largest file, in bytes
 * @throws Refusal `invalid_request`, `invalid_file`
 */
export async function readBody(
  request: HttpRequest,
  { anyPart = false, fileSize = MAX_UPLOAD_BYTES }: ReadOptions = {},
): Promise<GenerationBody> {
  return request.parts
    ? fieldsAndFile(await request.parts({ ...PART_LIMITS, fileSize }), anyPart)
    : readFields(request);
}

function fieldsAndFile(parts: readonly Part[], anyPart: boolean): GenerationBody {
  const fields: Record<string, unknown> = {};
  let file: Extract<Part, { kind: 'file' }> | undefined;
  for (const part of parts) {
    if (part.kind === 'field') fields[part.name] = part.value;
    else if (anyPart || part.name === 'file') file = part;
    else throw new Refusal('invalid_file', 'The file must come in a part named "file".');
  }
  // Some clients send the file's name in a text part of the same name before it.
  if (!file && fields['file'] !== undefined)
    throw new Refusal('invalid_file', 'The part "file" has no file name, so it is not a file.');
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

const options = generateOptionsSchema.extend({ variant: variantSchema.optional() });
export const pngFile = z
  .string()
  .meta({ format: 'binary', description: 'PNG of 64×64 or 64×32 pixels, at most 20,000 bytes' });

/** Names in lower case, as in Node. */
export const generateHeaders = z.object({
  'idempotency-key': idempotencyKeySchema
    .optional()
    .meta({ description: 'A repeated request with the same key gets the job of the first one' }),
});

/** The accepted bodies of a generation, for /openapi.json. */
export const generateBodies = {
  'multipart/form-data': z.union([options.extend({ file: pngFile }), options.extend({ url: z.string() })]),
  'application/json': z.union([options.extend({ url: z.string() }), options.extend({ user: z.string() })]),
};

type Fields = GenerationBody['fields'];
type GenerateInput = Omit<GenerationRequest, 'caller' | 'via'>;

/** The request without its body. */
interface GenerateCall {
  readonly query: { readonly checkOnly?: boolean | undefined };
  readonly headers: z.output<typeof generateHeaders>;
}

/** Reads a request to POST /v2/generate or POST /v2/queue, in any accepted content type. */
export async function readGenerateRequest(
  request: HttpRequest,
  { query, headers }: GenerateCall,
): Promise<{ input: GenerateInput; warnings: Note[] }> {
  const input = readInput(await readBody(request), query);
  const idempotencyKey = headers['idempotency-key'];
  return { input: { ...input, idempotencyKey }, warnings: contentTypeWarnings(request) };
}

/** The generation that a body requests. @throws Refusal */
export function readInput(body: GenerationBody, query: GenerateCall['query']): GenerateInput {
  const source = chooseSource(body);
  const options = parseOptions(body.fields);
  return {
    source,
    variant: (options.variant || 'unknown') as SkinVariant,
    visibility: options.visibility ?? 'public',
    name: options.name ?? null,
    cape: options.cape,
    checkOnly: query.checkOnly ?? options.checkOnly ?? false,
    callback: options.callback,
  };
}

/** The source, from exactly one of the fields for a file, a URL and a player. */
function chooseSource({ fields, file, fileName, isMultipart }: GenerationBody): Source {
  const url = fieldText(fields, 'url');
  const user = fieldText(fields, 'user');
  const given: Source[] = [];
  if (file) given.push({ kind: 'upload', bytes: file, fileName });
  if (url) given.push({ kind: 'url', url });
  if (user) given.push({ kind: 'user', user });
  const [source, ...more] = given;
  if (more.length > 0) throw new Refusal('invalid_request', 'Send only one of file, url and user.');
  if (source) return source;
  throw isMultipart
    ? new Refusal('missing_file')
    : new Refusal('invalid_request', 'Send a file (multipart/form-data), a url or a user.');
}

function fieldText(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value === 'string') return value;
  throw validationRefusal(
    new z.ZodError([
      { code: 'invalid_type', expected: 'string', path: [name], message: 'must be a text', input: value },
    ]),
  );
}

function parseOptions(fields: Fields): GenerateOptions {
  const present = Object.entries(fields).filter(([, value]) => value !== null);
  const parsed = generateOptionsSchema.safeParse(Object.fromEntries(present));
  if (!parsed.success) throw validationRefusal(parsed.error);
  const { variant } = parsed.data;
  if (variant && !VARIANTS.some((known) => known === variant)) throw new Refusal('unknown_variant');
  return parsed.data;
}

function contentTypeWarnings(request: HttpRequest): Note[] {
  const type = String(request.headers['content-type'] ?? '');
  if (!type.startsWith(FORM_TYPE)) return [];
  return [{ code: 'invalid_content_type', message: ERRORS.invalid_content_type.message }];
}

function bodyTooLarge(cause?: unknown): Refusal {
  return new Refusal('invalid_file', { status: 413, message: 'The body is too large.', cause });
}

function tooManyFields(): Refusal {
  return new Refusal('invalid_request', { message: 'The form has too many fields.' });
}

function tooManyFiles(): Refusal {
  return new Refusal('invalid_request', { message: 'Send one file only.' });
}

function forbiddenField(): Refusal {
  return new Refusal('invalid_request', { message: 'The form has a field of a forbidden name.' });
}
