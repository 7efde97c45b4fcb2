import { readPlayer } from './player.ts';
import type { SourceContext } from './reserve-slot.ts';
import type { Material, Source, SourceKind, SourceRequest } from './source.ts';
import { readUrl } from './url.ts';

type Reader<K extends SourceKind> = (
  context: SourceContext,
  source: Source<K>,
  request: SourceRequest,
) => Promise<Material>;

/** The reader for each kind of source. */
const READERS: { readonly [K in SourceKind]: Reader<K> } = {
  upload: async (_context, { bytes }) => ({ kind: 'picture', bytes }),
  url: async (context, { url }, request) => await readUrl(context, url, request),
  user: async (context, { user }, request) => await readPlayer(context, user, request),
};

/** @throws Refusal */
export async function readSource<K extends SourceKind>(
  context: SourceContext,
  source: Source<K>,
  request: SourceRequest,
): Promise<Material> {
  const read: Reader<K> = READERS[source.kind];
  return await read(context, source, request);
}
