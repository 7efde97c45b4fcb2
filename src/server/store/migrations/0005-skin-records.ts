import { type Kysely, sql } from 'kysely';
import type { Tables } from '../schema/tables.ts';

/**
 * Views are counted once per viewer and hour; names are searched by their words; a deleted skin's data goes when no
 * other skin needs it; data that only private skins have answers nobody but their owner.
 */
export async function skinRecords(db: Kysely<Tables>): Promise<void> {
  await createViews(db);
  await createWords(db);
  await createIndexes(db);
  await keepAllWords(db);
  await giveAllToOwners(db);
}

async function createViews(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('skin_views')
    .addColumn('skin_id', 'integer', (c) => c.notNull().references('skins.id').onDelete('cascade'))
    .addColumn('viewer', 'text', (c) => c.notNull())
    .addColumn('hour', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('skin_views_primary', ['skin_id', 'viewer', 'hour'])
    .execute();
  await db.schema.createIndex('skin_views_by_hour').on('skin_views').column('hour').execute();
}

async function createWords(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('skin_words')
    .addColumn('word', 'text', (c) => c.notNull())
    .addColumn('skin_id', 'integer', (c) => c.notNull().references('skins.id').onDelete('cascade'))
    .addPrimaryKeyConstraint('skin_words_primary', ['word', 'skin_id'])
    .execute();
  await db.schema
    .createIndex('skin_words_of_skin')
    .on('skin_words')
    .columns(['skin_id', 'word'])
    .unique()
    .execute();
}

/** Who else has this data, and the record of it with this name; an owner's skins; who needs this picture. */
async function createIndexes(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createIndex('skins_by_identity')
    .on('skins')
    .columns(['identity', 'visibility', 'owner', 'name'])
    .execute();
  await db.schema.createIndex('skins_of_owner').on('skins').columns(['owner', 'id']).execute();
  await db.schema.createIndex('texture_data_by_texture').on('texture_data').column('texture_hash').execute();
  await db.schema.createIndex('jobs_by_texture').on('jobs').column('texture_hash').execute();
}

/** Skins read at one time. */
const CHUNK = 1_000;

async function keepAllWords(db: Kysely<Tables>): Promise<void> {
  for (let last = 0; ; ) {
    const skins = await db
      .selectFrom('skins')
      .select(['id', 'name'])
      .where('id', '>', last)
      .where('name', 'is not', null)
      .orderBy('id')
      .limit(CHUNK)
      .execute();
    const rows = skins.flatMap(({ id, name }) => wordsIn(name ?? '').map((word) => ({ word, skin_id: id })));
    for (let first = 0; first < rows.length; first += CHUNK) {
      await db
        .insertInto('skin_words')
        .values(rows.slice(first, first + CHUNK))
        .execute();
    }
    if (skins.length < CHUNK) return;
    last = skins.at(-1)?.id ?? last;
  }
}

/** As store/skin-words.ts had it then. */
function wordsIn(text: string): string[] {
  return [...new Set(text.toLowerCase().match(/[a-z0-9]+/g) ?? [])];
}

/** As service/skins/identity.ts and service/skins/data-sharing.ts had it then. */
async function giveAllToOwners(db: Kysely<Tables>): Promise<void> {
  const shares = await sql<{ identity: string; owner: string }>`
    select distinct identity, owner from skins as one where visibility = 'private'
      and not exists (select 1 from skins as other
        where other.identity = one.identity and other.visibility in ('public', 'unlisted'))`.execute(db);
  for (const { identity, owner } of shares.rows) {
    const own = `${identity}/${owner}`;
    const data = await db
      .selectFrom('texture_data')
      .selectAll()
      .where('identity', '=', identity)
      .executeTakeFirstOrThrow();
    await db
      .insertInto('texture_data')
      .values({ ...data, identity: own })
      .execute();
    await db
      .updateTable('skins')
      .set({ identity: own })
      .where('identity', '=', identity)
      .where('owner', '=', owner)
      .execute();
  }
  for (const { identity } of shares.rows) {
    await db.deleteFrom('texture_data').where('identity', '=', identity).execute();
  }
}
