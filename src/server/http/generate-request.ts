import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Note } from '../../protocol/envelope.ts';
import { ERRORS } from '../../protocol/errors.ts';
import { type GenerateOptions, generateOptionsSchema } from '../../protocol/generate.ts';
import { type SkinVariant, VARIANTS } from '../../protocol/skin.ts';
import { Refusal } from '../service/refusal.ts';
import type { GenerationRequest } from '../service/submit.ts';
import { readSource, type Source } from '../sources/sources.ts';
import { validationRefusal } from './error-answers.ts';
import type { generateHeaders } from './generate-bodies.ts';

/** Largest file that is read at all; above 20,000 bytes the picture's own check says what is wrong. */
const MAX_UPLOAD_BYTES = 256 * 1024;
const MULTIPART_LIMITS = {
  fileSize: MAX_UPLOAD_BYTES,
  files: 1,
  fields: 16,
  fieldSize: 32 * 1024,
  headerPairs: 32,
};

type Fields = Record<string, unknown>;

interface Body {
  readonly fields: Fields;
  readonly file?: Uint8Array;
  readonly isMultipart: boolean;
}

type Wish = Omit<GenerationRequest, 'caller'>;

/** What is known of the request apart from its body. */
interface GenerateCall {
  readonly query: { readonly checkOnly?: boolean | undefined };
  readonly headers: z.output<typeof generateHeaders>;
}

/** Reads what POST /v2/generate and POST /v2/queue are asked for, whatever way it was sent. */
export async function readGenerateRequest(
  request: FastifyRequest,
  { query, headers }: GenerateCall,
): Promise<{ wish: Wish; warnings: Note[] }> {
  const body = request.isMultipart() ? await readMultipart(request) : readFields(request);
  const source = chooseSource(body);
  const options = parseOptions(body.fields);
  const wish: Wish = {
    image: readSource(source),
    variant: (options.variant || 'unknown') as SkinVariant,
    visibility: options.visibility ?? 'public',
    name: options.name ?? null,
    checkOnly: query.checkOnly ?? options.checkOnly ?? false,
    idempotencyKey: headers['idempotency-key'],
  };
  return { wish, warnings: contentTypeWarnings(request) };
}

async function readMultipart(request: FastifyRequest): Promise<Body> {
  const { fields, file } = await readParts(request).catch(refuseMalformed);
  if (fields['file'] !== undefined)
    throw new Refusal('invalid_file', 'The part "file" has no file name: it is not a file.');
  if (file?.length === 0) throw new Refusal('invalid_file', 'The uploaded file is empty.');
  return { fields, isMultipart: true, ...(file && { file }) };
}

async function readParts(request: FastifyRequest): Promise<{ fields: Fields; file: Uint8Array | undefined }> {
  const fields: Fields = {};
  let file: Uint8Array | undefined;
  for await (const part of request.parts({ limits: MULTIPART_LIMITS })) {
    if (part.type === 'field') fields[part.fieldname] = part.value;
    else {
      if (part.fieldname !== 'file')
        throw new Refusal('invalid_file', 'The file must come in a part named "file".');
      file = await part.toBuffer();
    }
  }
  return { fields, file };
}

/** The multipart parser's own errors carry no status: all of them are about a body it cannot read. */
function refuseMalformed(error: unknown): never {
  if (error instanceof Refusal || !(error instanceof Error) || 'statusCode' in error) throw error;
  throw new Refusal('invalid_request', { message: 'The multipart body is malformed.', cause: error });
}

function readFields(request: FastifyRequest): Body {
  const { body } = request;
  if (body === undefined || body === null) return { fields: {}, isMultipart: false };
  if (typeof body !== 'object' || Array.isArray(body)) {
    throw new Refusal('invalid_request', 'The body must be a JSON object.');
  }
  return { fields: { ...body }, isMultipart: false };
}

/** What is meant follows from what is there: exactly one of a file, a URL and a player. */
function chooseSource({ fields, file, isMultipart }: Body): Source {
  const url = textOf(fields, 'url');
  const user = textOf(fields, 'user');
  const given: Source[] = [];
  if (file) given.push({ kind: 'upload', bytes: file });
  if (url) given.push({ kind: 'url', url });
  if (user) given.push({ kind: 'user', user });
  const [source, ...more] = given;
  if (more.length > 0) throw new Refusal('invalid_request', 'Send only one of file, url and user.');
  if (source) return source;
  throw isMultipart
    ? new Refusal('missing_file')
    : new Refusal('invalid_request', 'Send a file (multipart/form-data), a url or a user.');
}

function textOf(fields: Fields, name: string): string | undefined {
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
  const { variant, cape } = parsed.data;
  if (variant && !VARIANTS.some((known) => known === variant)) throw new Refusal('unknown_variant');
  if (cape) throw new Refusal('invalid_cape', `There is no cape ${cape}.`);
  return parsed.data;
}

function contentTypeWarnings(request: FastifyRequest): Note[] {
  const type = request.headers['content-type'] ?? '';
  if (!type.startsWith('application/x-www-form-urlencoded')) return [];
  return [{ code: 'invalid_content_type', message: ERRORS.invalid_content_type.message }];
}
