import { z } from 'zod';
import { VISIBILITIES } from '../../protocol/skin.ts';
import { InvalidImageError, type Picture } from '../../skin/picture.ts';
import { decodePng } from '../../skin/png/decode.ts';
import { pixelHash } from '../../skin/read-skin.ts';
import { chooseVariant } from '../../skin/variant.ts';
import { type DoubleRequest, formIn, sentFields } from '../requests.ts';
import type { SkinInput } from './jobs.ts';
import { pictureBehind } from './pictures.ts';
import { HostedRefusal, parseOrRefuse } from './visit.ts';

/** `validation/misc.ts`: lower case only. */
const hex = (length: number) =>
  z
    .string()
    .length(length)
    .regex(/^[a-f0-9-]+$/, 'Invalid');
export const UUID = z.union([hex(32), hex(36)]);
export const UUID_OR_SHORT_ID = z.union([UUID, hex(8)]);
export const OBJECT_ID = z
  .string()
  .length(24)
  .regex(/^[a-f0-9]+$/, 'Invalid');

/** `GenerateReqNameAndVisibility` */
export const NAME_AND_VISIBILITY = z.object({
  name: z
    .string()
    .max(48)
    .regex(/^[a-zA-Z0-9_.\- ]+$/, 'Invalid')
    .optional(),
  visibility: z.enum(VISIBILITIES).optional(),
});

const OPTIONS = NAME_AND_VISIBILITY.extend({
  visibility: z.enum(VISIBILITIES).default('public'),
  variant: z.enum(['classic', 'slim', 'unknown']).default('unknown'),
  cape: UUID.optional(),
});
const DATA_URL = z.object({
  url: z
    .string()
    .max(26_668)
    .regex(/^data:image\/png;base64,[a-zA-Z0-9+/=]+$/, 'Invalid'),
});
const HTTP_URL = z.object({
  url: z
    .string()
    .max(256)
    .regex(/^https?:\/\//, 'Invalid'),
});
const USER = z.object({ user: UUID });

/** Multer's limits. The bytes are not published with the server; its documentation says 20 kB. */
const MAX_FIELDS = 5;
const MAX_FILE_BYTES = 20_000;

export type SubmissionOptions = z.output<typeof OPTIONS>;

export interface SubmittedSkin {
  readonly options: SubmissionOptions;
  /** @throws HostedRefusal: the picture is read only once the request has been counted */
  readonly picture: () => Picture;
}

/** Reads a submission. @throws HostedRefusal, InvalidRequest */
export async function readSubmission(request: DoubleRequest): Promise<SubmittedSkin> {
  const type = request.headers['content-type'] ?? '';
  if (/^multipart\/form-data\b/.test(type)) return await readUpload(request.body, type);
  if (!/^application\/json\b/.test(type)) {
    const message = `invalid content type: ${type} (expected multipart/form-data or application/json)`;
    throw new HostedRefusal(415, 'invalid_content_type', message);
  }
  const fields = JSON.parse(request.body.toString('utf8')) as Record<string, unknown>;
  const options = parseOrRefuse(OPTIONS, fields);
  return { options, picture: () => readLinked(fields) };
}

/** `rewriteV2Options`: names and values that version 2 does not know are dropped. `model` is not read. */
export async function readVersion1(request: DoubleRequest): Promise<SubmittedSkin> {
  const { fields: sent = {}, file, part } = (await sentFields(request)) ?? {};
  if (file && part !== 'file') throw invalidFile('Unexpected field');
  const { name, variant, visibility } = { ...Object.fromEntries(request.query), ...sent };
  const options = parseOrRefuse(OPTIONS, {
    name: v1Name(name),
    variant: V1_VARIANTS.get(String(variant).toLowerCase()),
    visibility: String(visibility) === '1' ? 'unlisted' : 'public',
  });
  if (request.subject === 'upload') {
    const bytes = file && new Uint8Array(await file.arrayBuffer());
    return { options, picture: () => readPicture(bytes) };
  }
  const { uuid = request.query.get('uuid') ?? undefined } = sent;
  return { options, picture: () => readLinked(request.subject === 'user' ? { user: uuid } : sent) };
}

const V1_VARIANTS: ReadonlyMap<string, string> = new Map([
  ['classic', 'classic'],
  ['default', 'classic'],
  ['steve', 'classic'],
  ['slim', 'slim'],
  ['alex', 'slim'],
]);
const MAX_V1_NAME = 24;

function v1Name(name: unknown): string | undefined {
  const known = String(name ?? '')
    .slice(0, MAX_V1_NAME)
    .trim()
    .replaceAll(/[^a-zA-Z0-9_.\- ]/g, '');
  return known || undefined;
}

async function readUpload(body: Buffer, type: string): Promise<SubmittedSkin> {
  const form = await formIn(body, type);
  if (!form) throw new HostedRefusal(500, 'upload_error', 'upload error: Unexpected end of form');
  const fields = [...form].filter(([, value]) => typeof value === 'string');
  const files = [...form].flatMap(([name, value]) =>
    typeof value === 'string' ? [] : [{ name, file: value }],
  );
  if (fields.length > MAX_FIELDS) throw invalidFile('Too many fields');
  if (files.length > 1) throw invalidFile('Too many files');
  const [upload] = files;
  if (upload && upload.name !== 'file') throw invalidFile('Unexpected field');
  const bytes = upload && new Uint8Array(await upload.file.arrayBuffer());
  if (bytes && bytes.length > MAX_FILE_BYTES) throw invalidFile('File too large');
  const options = parseOrRefuse(OPTIONS, Object.fromEntries(fields));
  return { options, picture: () => readPicture(bytes) };
}

function invalidFile(reason: string): HostedRefusal {
  return new HostedRefusal(400, 'invalid_file', `invalid file: ${reason}`);
}

/** No pictures are fetched and no players looked up: this service has no way out. */
function readLinked(fields: Record<string, unknown>): Picture {
  const { url, user } = fields;
  if (typeof url === 'string' && url.startsWith('data:image/png;base64,')) {
    const data = parseOrRefuse(DATA_URL, fields).url.split(',', 2)[1] ?? '';
    return readPicture(new Uint8Array(Buffer.from(data, 'base64')));
  }
  if (url !== undefined) return pictureBehind(parseOrRefuse(HTTP_URL, fields).url);
  if (user !== undefined) return pictureBehind(parseOrRefuse(USER, fields).user.replaceAll('-', ''));
  const message = 'invalid request properties (expected url or user)';
  throw new HostedRefusal(400, 'invalid_request', message);
}

function readPicture(file: Uint8Array | undefined): Picture {
  if (!file) throw new HostedRefusal(400, 'missing_file', 'No file uploaded');
  try {
    return decodePng(file);
  } catch (error) {
    if (error instanceof InvalidImageError) throw new HostedRefusal(400, 'invalid_image', error.message);
    throw error;
  }
}

/** The skin that a picture with these options becomes. */
export function inputOf({ variant, visibility, name }: SubmissionOptions, picture: Picture): SkinInput {
  const chosen = chooseVariant(picture, variant).variant;
  return { pixels: pixelHash(picture), variant: chosen, visibility, name: name?.trim() };
}
