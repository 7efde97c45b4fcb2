import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { Kysely, sql } from 'kysely';
import { describe, expect, onTestFinished, test } from 'vitest';
import { findKeyOwner } from '../../../src/server/store/api-keys.ts';
import { StoreTooNewError } from '../../../src/server/store/known-schema.ts';
import { NEWEST_SCHEMA } from '../../../src/server/store/migrate.ts';
import { firstSchema } from '../../../src/server/store/migrations/0001-first-schema.ts';
import type { Tables } from '../../../src/server/store/schema/tables.ts';
import { openSqliteFile } from '../../../src/server/store/sqlite.ts';
import { openStore } from '../../../src/server/store/store.ts';
import { keepTexture } from '../../../src/server/store/textures.ts';
import { TEXTURE_HASH } from '../../contract/jobs.ts';
import { childProgram } from '../../support/program/child-program.ts';
import { ownFolder } from '../../support/server/own-folder.ts';
import { openOwnStore } from '../../support/server/running-server.ts';

/** Who may use a store. */
const OWN_FACTS = ['schema', 'oldest-reader'] as const;

/** How many migrations there are. */
const NEWEST = String(NEWEST_SCHEMA);
const OPEN_IT = childProgram('open-store');

/** A job as the first schema has it. */
const OLD_JOB = `insert into jobs (uuid, owner, status, request_key, identity, texture_hash, variant, visibility,
  attempts, run_at, created_at) values ('old', 'ann', 'waiting', 'r', 'i', '${TEXTURE_HASH}', 'classic', 'public',
  0, 0, 0)`;

/** A user of it and its API key. */
const OLD_USER =
  "insert into users (id, name, plan, role, created_at) values ('u', 'ann', 'free', 'user', 0)";
const OLD_KEY = `insert into api_keys (id, user_id, name, hash, last4, created_at)
  values ('k', 'u', 'ci', 'h', 'abcd', 0)`;

describe('Opening a store', () => {
  test('An empty folder becomes a store with every table', async () => {
    const { db, close } = await openStore(await ownFolder());
    onTestFinished(async () => await close());
    const tables = (await db.introspection.getTables()).map(({ name }) => name);
    expect(tables.toSorted()).toEqual([
      'api_keys',
      'blocked_images',
      'callbacks',
      'callers',
      'capes',
      'chores',
      'first_sign_ins',
      'game_accounts',
      'idempotency_keys',
      'identities',
      'jobs',
      'meta',
      'nodes',
      'operator_log',
      'players',
      'queue_clock',
      'reports',
      'sessions',
      'sign_in_links',
      'skin_views',
      'skin_words',
      'skins',
      'texture_data',
      'textures',
      'upstream_jobs',
      'users',
    ]);
  });

  test('A second opening changes nothing and keeps what is there', async () => {
    const folder = await ownFolder();
    const first = await openStore(folder);
    await first.db.insertInto('meta').values({ key: 'kept', value: 'yes' }).execute();
    await first.close();
    const { db } = await openOwnStore(folder);
    expect(await db.selectFrom('meta').selectAll().orderBy('key').execute()).toEqual([
      { key: 'kept', value: 'yes' },
      { key: 'oldest-reader', value: '19' },
      { key: 'schema', value: NEWEST },
    ]);
  });

  test('A store of the first schema is brought up to date with everything that is in it', async () => {
    const folder = await ownFolder();
    const file = await openSqliteFile(join(folder, 'skinsmith.db'));
    const old = new Kysely<Tables>({ dialect: file.dialect });
    await old.schema
      .createTable('meta')
      .addColumn('key', 'text', (c) => c.primaryKey())
      .addColumn('value', 'text')
      .execute();
    await firstSchema(old);
    await old.insertInto('meta').values({ key: 'schema', value: '1' }).execute();
    await keepTexture(old, {
      hash: TEXTURE_HASH,
      width: 1,
      height: 1,
      png: new Uint8Array(1),
      created_at: 0,
    });
    for (const one of [OLD_JOB, OLD_USER, OLD_KEY]) await sql.raw(one).execute(old);
    await old.destroy();
    const { db } = await openOwnStore(folder);
    expect(await db.selectFrom('jobs').select('uuid').execute()).toEqual([{ uuid: 'old' }]);
    expect(await findKeyOwner(db, 'h')).toMatchObject({
      user: { name: 'ann', disabled_at: null },
      key: { allowed_ips: '[]', allowed_origins: '[]', allowed_agents: '[]', v2_compat: 0 },
    });
    expect(await db.selectFrom('idempotency_keys').selectAll().execute()).toEqual([]);
    expect(await db.selectFrom('meta').select('value').where('key', '=', 'schema').execute()).toEqual([
      { value: NEWEST },
    ]);
  });

  test('Six processes that open an empty folder at once all find the same schema', async () => {
    const folder = await ownFolder();
    const runs = await Promise.all(
      Array.from({ length: 6 }, () => execa(process.execPath, [OPEN_IT, folder], { reject: false })),
    );
    expect(runs.map(({ stdout, stderr }) => [stdout, stderr])).toEqual(runs.map(() => [NEWEST, '']));
  });

  test('A process that finds the new file locked by another waits for it', async () => {
    const folder = await ownFolder();
    const other = new DatabaseSync(join(folder, 'skinsmith.db'));
    onTestFinished(() => other.close());
    other.exec('create table other (x); begin exclusive');
    const opening = execa(process.execPath, [OPEN_IT, folder], { reject: false });
    // Long enough for it to come to the lock; without the lock it would be done by then.
    expect(await Promise.race([opening.then(() => 'done'), sleep(800, 'waiting')])).toBe('waiting');
    other.exec('commit');
    const { stdout, stderr } = await opening;
    expect([stdout, stderr]).toEqual([NEWEST, '']);
  });

  test('A store of a newer schema is refused and left as it is', async () => {
    const folder = await ownFolder();
    const now = await openStore(folder);
    await now.db.updateTable('meta').set({ value: '99' }).where('key', 'in', OWN_FACTS).execute();
    await now.close();
    await expect(openStore(folder)).rejects.toThrow(StoreTooNewError);
    await expect(openStore(folder)).rejects.toMatchObject({
      message: `The data was written by a newer skinsmith (schema 99, this one knows ${NEWEST}).`,
      hint: 'Install the newer version, or choose another folder: SKINSMITH_DATA_DIR',
    });
  });

  test('One connection hears that another has written, once', async () => {
    const folder = await ownFolder();
    const [here, there] = [await openOwnStore(folder), await openOwnStore(folder)];
    expect(here.changedByOthers()).toBe(false);
    await there.db.insertInto('meta').values({ key: 'news', value: '1' }).execute();
    expect([here.changedByOthers(), here.changedByOthers()]).toEqual([true, false]);
    await here.db.insertInto('meta').values({ key: 'own', value: '1' }).execute();
    expect(here.changedByOthers()).toBe(false);
  });
});
