import { sql } from 'kysely';
import { MIGRATIONS, type Migration } from '../../../src/server/store/migrate.ts';

/** Adds what programs before it need not know: as migrations do that are to come. */
const grow: Migration = {
  expands: true,
  apply: async (db, isPostgres) => {
    const type = isPostgres ? 'text collate "C"' : 'text';
    for (const table of ['users', 'api_keys', 'textures', 'texture_data', 'skins', 'jobs', 'callers', 'meta'])
      await sql.raw(`alter table ${table} add column of_the_future ${type} default 'new'`).execute(db);
    await sql.raw('create index jobs_of_the_future on jobs (of_the_future, owner)').execute(db);
    await sql.raw(`create table things_of_the_future (id ${type} primary key)`).execute(db);
  },
};

/** Takes away what programs before it still use. */
const shrink: Migration = {
  expands: false,
  apply: async (db) => void (await sql.raw('alter table jobs drop column source').execute(db)),
};

/** The migrations that programs of several versions know. */
export const VERSIONS = {
  /** Before the one before this one. */
  older: MIGRATIONS.slice(0, -2),
  previous: MIGRATIONS.slice(0, -1),
  this: MIGRATIONS,
  next: [...MIGRATIONS, grow],
  later: [...MIGRATIONS, grow, shrink],
} as const satisfies Record<string, readonly Migration[]>;

export type VersionName = keyof typeof VERSIONS;
