import { z } from 'zod';
import type { Note } from '../../protocol/envelope.ts';
import { ERRORS } from '../../protocol/errors.ts';
import {
  type GenerateOptions,
  generateOptionsSchema,
  idempotencyKeySchema,
} from '../../protocol/generate.ts';
import { type SkinVariant, VARIANTS, variantSchema } from '../../protocol/skin.ts';
import { Refusal, validationRefusal } from '../service/refusal.ts';
import type { GenerationRequest } from '../service/submitting/generation-request.ts';
import type { Source } from '../sources/source.ts';
import { type GenerationBody, readBody } from './bodies.ts';
import type { HttpRequest } from './request.ts';

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
  const url = textOf(fields, 'url');
  const user = textOf(fields, 'user');
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
  const { variant } = parsed.data;
  if (variant && !VARIANTS.some((known) => known === variant)) throw new Refusal('unknown_variant');
  return parsed.data;
}

function contentTypeWarnings(request: HttpRequest): Note[] {
  const type = String(request.headers['content-type'] ?? '');
  if (!type.startsWith('application/x-www-form-urlencoded')) return [];
  return [{ code: 'invalid_content_type', message: ERRORS.invalid_content_type.message }];
}
