import { type Kysely, sql } from 'kysely';
import type { Tables } from '../schema/tables.ts';

const IS_PUBLIC = sql<boolean>`visibility = 'public'`;
/** Words read at one time. */
const CHUNK = 2_000;

/** Names are searched inside their words, and lists are sorted by views. */
export async function insideNames(db: Kysely<Tables>): Promise<void> {
  await keepAllEnds(db);
  await db.schema
    .createIndex('skins_by_views')
    .on('skins')
    .columns(['views', 'id'])
    .where(IS_PUBLIC)
    .execute();
  await db.schema
    .createIndex('skins_of_owner_by_views')
    .on('skins')
    .columns(['owner', 'views', 'id'])
    .execute();
}

/** Each word is there already; the ends of it join it (store/skin-words.ts says what for). */
async function keepAllEnds(db: Kysely<Tables>): Promise<void> {
  for (let last = 0; ; ) {
    const skins = await db
      .selectFrom('skins')
      .select(['id', 'name'])
      .where('id', '>', last)
      .where('name', 'is not', null)
      .orderBy('id')
      .limit(CHUNK)
      .execute();
    const rows = skins.flatMap(({ id, name }) => endsIn(name ?? '').map((word) => ({ word, skin_id: id })));
    for (let first = 0; first < rows.length; first += CHUNK) {
      await db
        .insertInto('skin_words')
        .values(rows.slice(first, first + CHUNK))
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    }
    if (skins.length < CHUNK) return;
    last = skins.at(-1)?.id ?? last;
  }
}

/** As store/skin-words.ts had it then. */
function endsIn(name: string): string[] {
  const words = name.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return [...new Set(words.flatMap((word) => Array.from(word, (_, at) => word.slice(at))))];
}
