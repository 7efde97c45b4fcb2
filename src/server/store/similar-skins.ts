import type { Db } from './db.ts';
import type { SkinWithData } from './skins.ts';

/** Signed data with the pixels of a skin that are looked at: there is some for each variant, cape and signer. */
const MOST = 50;

/** A public skin with the same pixels, but other arms or another cape. */
export type SimilarSkin = Pick<SkinWithData, 'uuid' | 'variant' | 'cape_hash'>;

/** At most one for each variant and cape. */
export async function similarSkins(
  db: Db,
  { texture_hash, identity, variant, cape_hash }: Omit<SkinWithData, 'uuid'>,
): Promise<SimilarSkin[]> {
  const rows = await db
    .selectFrom('texture_data')
    .select(['variant', 'cape_hash'])
    .select((eb) =>
      eb
        .selectFrom('skins')
        .select('uuid')
        .whereRef('skins.identity', '=', 'texture_data.identity')
        .where('visibility', '=', 'public')
        .limit(1)
        .as('uuid'),
    )
    .where('texture_hash', '=', texture_hash)
    .where('identity', '!=', identity)
    .limit(MOST)
    .execute();
  const found = new Map<string, SimilarSkin>();
  for (const { uuid, ...look } of rows) if (uuid !== null) found.set(lookOf(look), { uuid, ...look });
  found.delete(lookOf({ variant, cape_hash }));
  return [...found.values()];
}

function lookOf({ variant, cape_hash }: Pick<SimilarSkin, 'variant' | 'cape_hash'>): string {
  return `${variant} ${cape_hash ?? ''}`;
}
