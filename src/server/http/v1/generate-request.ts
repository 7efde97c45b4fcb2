import { type V1Options, v1OptionsSchema, v1SourceSchema } from '../../../protocol/v1.ts';
import { Refusal, validationRefusal } from '../../service/refusal.ts';
import type { GenerationRequest } from '../../service/submitting/generation-request.ts';
import type { Source } from '../../sources/source.ts';
import { readBody } from '../bodies.ts';
import type { HttpRequest } from '../request.ts';

type Fields = Readonly<Record<string, unknown>>;

interface Given {
  /** From the query, the body and the address: later ones take precedence. */
  readonly fields: Fields;
  readonly file: Uint8Array | undefined;
  readonly fileName: string | undefined;
}

/** The source for each address. @throws Refusal */
const SOURCES = {
  upload: ({ file, fileName }) => ({
    kind: 'upload',
    fileName,
    bytes: file ?? refuse('missing_file', 'Send a PNG in a part named "file".'),
  }),
  url: (given) => ({ kind: 'url', url: sourcesOf(given).url ?? refuse('invalid_request', 'Send a url.') }),
  user: (given) => {
    const { uuid, user } = sourcesOf(given);
    return { kind: 'user', user: uuid ?? user ?? refuse('invalid_request', 'Send the uuid of a player.') };
  },
} as const satisfies Record<Source['kind'], (given: Given) => Source>;

/** Reads a request to /generate/upload, url or user, in any accepted content type. @throws Refusal */
export async function readV1Request(
  request: HttpRequest,
  kind: Source['kind'],
): Promise<Omit<GenerationRequest, 'caller' | 'via'>> {
  const { fields, file, fileName } = await readBody(request, { anyPart: true });
  const { query, params } = request as { query: Fields; params: Fields };
  const given = { fields: { ...present(query), ...present(fields), ...present(params) }, file, fileName };
  const options = optionsOf(given);
  return {
    source: SOURCES[kind](given),
    variant: options.variant ?? options.model ?? 'unknown',
    visibility: options.visibility ?? 'public',
    name: options.name || null,
    checkOnly: options.checkOnly ?? false,
  };
}

/** Clients send an empty value for an option they leave at its default. */
function present(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== ''));
}

function optionsOf({ fields }: Given): V1Options {
  const parsed = v1OptionsSchema.safeParse(fields);
  if (!parsed.success) throw validationRefusal(parsed.error);
  return parsed.data;
}

function sourcesOf({ fields }: Given) {
  const parsed = v1SourceSchema.safeParse(fields);
  if (!parsed.success) throw validationRefusal(parsed.error);
  return parsed.data;
}

function refuse(code: 'missing_file' | 'invalid_request', message: string): never {
  throw new Refusal(code, message);
}
