import { sql } from 'kysely';
import { MIGRATIONS, type Migration } from '../../../src/server/store/meta.ts';

/** Adds what earlier programs need not know, as later migrations will. */
const grow: Migration = {
  expands: true,
  apply: async (db) => {
    const { text } = db.store.columnTypes;
    for (const table of ['users', 'api_keys', 'textures', 'texture_data', 'skins', 'jobs', 'callers', 'meta'])
      await sql.raw(`alter table ${table} add column of_the_future ${text} default 'new'`).execute(db);
    await sql.raw('create index jobs_of_the_future on jobs (of_the_future, owner)').execute(db);
    await sql.raw(`create table things_of_the_future (id ${text} primary key)`).execute(db);
  },
};

const growAgain: Migration = {
  expands: true,
  apply: async (db) =>
    void (await sql.raw('create index jobs_by_future on jobs (of_the_future)').execute(db)),
};

/** Removes what earlier programs still use. */
const shrink: Migration = {
  expands: false,
  apply: async (db) => void (await sql.raw('alter table jobs drop column source').execute(db)),
};

/** The migrations that programs of several versions know. */
export const VERSIONS = {
  this: MIGRATIONS,
  next: [...MIGRATIONS, grow],
  afterNext: [...MIGRATIONS, grow, growAgain],
  later: [...MIGRATIONS, grow, shrink],
} as const satisfies Record<string, readonly Migration[]>;

export type VersionName = keyof typeof VERSIONS;
