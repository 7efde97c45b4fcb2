import { Refusal } from '../service/refusal.ts';
import type { HttpRequest, Part, PartLimits } from './request.ts';

/** Largest file that is read; above 20,000 bytes the picture's own check reports the error. */
const MAX_UPLOAD_BYTES = 256 * 1024;
const MULTIPART_LIMITS: PartLimits = {
  fileSize: MAX_UPLOAD_BYTES,
  files: 1,
  fields: 16,
  fieldSize: 32 * 1024,
  headerPairs: 32,
};

interface BodyOptions {
  /** Whether the file may be in a part of any name: older clients name the part after the file. */
  readonly anyPart?: boolean;
}

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
 * Reads a body of any accepted content type: multipart, JSON or form.
 * @throws Refusal `invalid_request`, `invalid_file`
 */
export async function readBody(
  request: HttpRequest,
  { anyPart = false }: BodyOptions = {},
): Promise<GenerationBody> {
  return request.parts ? await readMultipart(request.parts(MULTIPART_LIMITS), anyPart) : readFields(request);
}

async function readMultipart(parts: AsyncIterable<Part>, anyPart: boolean): Promise<GenerationBody> {
  const { fields, file, fileName } = await readParts(parts, anyPart).catch(refuseMalformed);
  // Some clients send the name of the file in a text of the same name before it.
  if (!file && fields['file'] !== undefined)
    throw new Refusal('invalid_file', 'The part "file" has no file name: it is not a file.');
  if (file?.length === 0) throw new Refusal('invalid_file', 'The uploaded file is empty.');
  return { fields, isMultipart: true, ...(file && { file, fileName }) };
}

async function readParts(
  parts: AsyncIterable<Part>,
  anyPart: boolean,
): Promise<Omit<GenerationBody, 'isMultipart' | 'file'> & { file: Uint8Array | undefined }> {
  const fields: Record<string, unknown> = {};
  let file: Uint8Array | undefined;
  let fileName: string | undefined;
  for await (const part of parts) {
    if (part.kind === 'field') fields[part.name] = part.value;
    else {
      if (!anyPart && part.name !== 'file')
        throw new Refusal('invalid_file', 'The file must come in a part named "file".');
      file = await part.read();
      fileName = part.fileName;
    }
  }
  return { fields, file, fileName };
}

/** The multipart parser's own errors have no status: all of them are about a body it cannot read. */
function refuseMalformed(error: unknown): never {
  if (error instanceof Refusal || !(error instanceof Error) || 'statusCode' in error) throw error;
  throw new Refusal('invalid_request', { message: 'The multipart body is malformed.', cause: error });
}

function readFields(request: HttpRequest): GenerationBody {
  const { body } = request;
  if (body === undefined || body === null) return { fields: {}, isMultipart: false };
  if (typeof body !== 'object' || Array.isArray(body)) {
    throw new Refusal('invalid_request', 'The body must be a JSON object.');
  }
  return { fields: { ...body }, isMultipart: false };
}
