import type { ServiceContext } from '../service/context.ts';
import { readPlayer } from './player.ts';
import type { Asking, Material, Source } from './source.ts';
import { readUrl } from './url.ts';

type Reader<K extends Source['kind']> = (
  context: ServiceContext,
  source: Extract<Source, { kind: K }>,
  asking: Asking,
) => Promise<Material>;

/** The reader for each kind of source. @throws Refusal */
const READERS = {
  upload: async (_context, { bytes }, _asking) => ({ kind: 'picture', bytes }),
  url: async (context, { url }, asking) => await readUrl(context, url, asking),
  user: async (context, { user }, asking) => await readPlayer(context, user, asking),
} satisfies { [K in Source['kind']]: Reader<K> };

/** @throws Refusal */
export async function readSource(context: ServiceContext, source: Source, asking: Asking): Promise<Material> {
  switch (source.kind) {
    case 'upload':
      return await READERS.upload(context, source, asking);
    case 'url':
      return await READERS.url(context, source, asking);
    case 'user':
      return await READERS.user(context, source, asking);
  }
}
