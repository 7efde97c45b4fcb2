import type { FastifyRequest } from 'fastify';
import { type V1Options, v1OptionsSchema, v1SourceSchema } from '../../../protocol/v1.ts';
import type { GenerationRequest } from '../../service/generation-request.ts';
import { Refusal } from '../../service/refusal.ts';
import type { Source } from '../../sources/source.ts';
import { validationRefusal } from '../error-answers.ts';
import { readBody } from '../generation-body.ts';

type Fields = Readonly<Record<string, unknown>>;

interface Given {
  /** Of the query and of the body, which counts for more. */
  readonly fields: Fields;
  readonly file: Uint8Array | undefined;
}

/** What each address makes a skin of. @throws Refusal */
const SOURCES = {
  upload: ({ file }) => ({
    kind: 'upload',
    bytes: file ?? refuse('missing_file', 'Send a PNG in a part named "file".'),
  }),
  url: (given) => ({ kind: 'url', url: sourcesOf(given).url ?? refuse('invalid_request', 'Send a url.') }),
  user: (given) => {
    const { uuid, user } = sourcesOf(given);
    return { kind: 'user', user: uuid ?? user ?? refuse('invalid_request', 'Send the uuid of a player.') };
  },
} as const satisfies Record<Source['kind'], (given: Given) => Source>;

/** Reads what POST /generate/upload, url or user is asked for, whatever way it was sent. @throws Refusal */
export async function readV1Request(
  request: FastifyRequest,
  kind: Source['kind'],
): Promise<Omit<GenerationRequest, 'caller' | 'via'>> {
  const { fields, file } = await readBody(request);
  const given = { fields: { ...present(request.query as Fields), ...present(fields) }, file };
  const options = optionsOf(given);
  return {
    source: SOURCES[kind](given),
    variant: options.variant ?? options.model ?? 'unknown',
    visibility: options.visibility ?? 'public',
    name: options.name || null,
    checkOnly: options.checkOnly ?? false,
  };
}

/** Clients leave an option alone by sending nothing for it. */
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
