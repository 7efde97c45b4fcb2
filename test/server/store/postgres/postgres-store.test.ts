import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Db, OpenStore } from '../../../../src/server/store/db.ts';
import { openPostgresStore } from '../../../../src/server/store/postgres/postgres-store.ts';
import { otherSession } from '../../../support/postgres/other-session.ts';
import { emptyDatabase, ownDatabase } from '../../../support/postgres/own-database.ts';
import { GUARDED } from '../../../support/postgres/server.ts';
import { ownFolder } from '../../../support/server/own-folder.ts';
import { poll } from '../../../support/server/poll.ts';

async function opened(url: string): Promise<OpenStore> {
  const store = await openPostgresStore({ url, connections: 2 });
  onTestFinished(async () => await store.close());
  return store;
}

/** The address with another user, password or name. */
function changed(
  url: string,
  change: Partial<Pick<URL, 'username' | 'password' | 'pathname' | 'port'>>,
): string {
  return Object.assign(new URL(url), change).href;
}

describe('A store in PostgreSQL', () => {
  test('has a size, and files that nobody can replace', async () => {
    const store = await opened(await ownDatabase());
    expect(store.usedBytes()).toBeGreaterThan(1_000_000);
    expect(store.isReplaced()).toBe(false);
  });

  test('has the tables of the newest schema', async () => {
    const { db } = await opened(await ownDatabase());
    expect(await db.selectFrom('sessions').selectAll().execute()).toEqual([]);
  });

  test('that another node is creating, of whatever version, is opened after that', async () => {
    const url = await emptyDatabase();
    const other = await otherSession(url);
    await other.run('select pg_advisory_xact_lock(7546018)'); // all versions must use the same number
    const opening = opened(url);
    expect(await other.holdsUp(opening)).toBe(true);
    await other.run('commit');
    const { db } = await opening;
    expect(await db.selectFrom('sessions').selectAll().execute()).toEqual([]);
  });

  test('is read again every five seconds, in case news of other nodes were lost', async () => {
    const store = await opened(await ownDatabase());
    await poll(
      () => store.connections?.().isListening,
      (isListening) => isListening === true,
    );
    const now = Math.ceil(performance.now());
    const clock = vi.spyOn(performance, 'now').mockReturnValue(now + 10_000);
    onTestFinished(() => clock.mockRestore());
    expect([store.changedByOthers(), store.changedByOthers()]).toEqual([true, false]);
    clock.mockReturnValue(now + 14_999);
    expect(store.changedByOthers()).toBe(false);
    clock.mockReturnValue(now + 15_000);
    expect([store.changedByOthers(), store.changedByOthers()]).toEqual([true, false]);
  });

  test('that does not exist is refused, with the reason and without the password', async () => {
    const url = changed(await ownDatabase(), { pathname: '/nowhere', password: 'geheim' });
    const opening = openPostgresStore({ url });
    await expect(opening).rejects.toMatchObject({
      code: 'store_refused',
      message: 'PostgreSQL denies access to the store: database "nowhere" does not exist',
    });
    expect(JSON.stringify(await opening.catch(inspected))).not.toContain('geheim');
  });

  test('takes the password from the usual variable or a file, and is refused without it', async () => {
    const url = await ownDatabase();
    const password = 'geheim & mehr';
    const { db } = await opened(url);
    await makeGuarded(db, password);
    const guarded = changed(url, { username: GUARDED });
    const file = join(await ownFolder(), 'pgpass');
    await writeFile(file, `127.0.0.1:*:*:${GUARDED}:${password}\n`, { mode: 0o600 });
    await expect(openPostgresStore({ url: guarded })).rejects.toMatchObject({
      code: 'store_refused',
      message: 'PostgreSQL denies access to the store: it requires a password, and none is given',
    });
    const warnings = processWarnings();
    await opened(`${guarded}?passfile=${encodeURIComponent(file)}`);
    expect(warnings).toEqual([]); // the driver's own search for the file is deprecated, and says so
    vi.stubEnv('PGPASSWORD', password);
    await opened(guarded);
    vi.stubEnv('PGPASSWORD', 'falsch');
    onTestFinished(() => void vi.unstubAllEnvs());
    const refused = openPostgresStore({ url: guarded });
    await expect(refused).rejects.toMatchObject({ code: 'store_refused' });
    expect(JSON.stringify(await refused.catch(inspected))).not.toContain('falsch');
  });

  test.each([
    [
      'an old release',
      "'server_version_num' then '140009' when 'server_version' then '14.9'",
      'it is version 14.9',
    ],
    ['another encoding', "'server_encoding' then 'LATIN1'", 'its encoding is LATIN1'],
  ])('is refused on %s', async (_, settings, reason) => {
    const url = await ownDatabase();
    const { db } = await opened(url);
    // Found before PostgreSQL's own.
    await sql
      .raw(`create schema pretended; create function pretended.current_setting(name text) returns text language sql
        as $$ select case name when ${settings} else pg_catalog.current_setting(name, false) end $$`)
      .execute(db);
    onTestFinished(async () => void (await sql`drop schema pretended cascade`.execute(db)));
    const options = encodeURIComponent('-c search_path=pretended,pg_catalog,public');
    await expect(openPostgresStore({ url: `${url}?options=${options}` })).rejects.toMatchObject({
      code: 'store_refused',
      message: expect.stringContaining(reason),
    });
  });

  test('that cannot be reached says so, without the password', async () => {
    const url = changed(await ownDatabase(), { port: '1', password: 'geheim' });
    const opening = openPostgresStore({ url });
    await expect(opening).rejects.toMatchObject({ code: 'store_unreachable' });
    expect(JSON.stringify(await opening.catch(inspected))).not.toContain('geheim');
  });
});

/** Warnings of Node.js, which it prints, from now on. */
function processWarnings(): Error[] {
  const warnings: Error[] = [];
  const onWarning = (warning: Error) => void warnings.push(warning);
  process.on('warning', onWarning);
  onTestFinished(() => void process.off('warning', onWarning));
  return warnings;
}

/** The user whom only this password lets in, with all rights. */
async function makeGuarded(db: Db, password: string): Promise<void> {
  await sql.raw(`drop role if exists ${GUARDED}`).execute(db);
  await sql.raw(`create role ${GUARDED} superuser login password '${password}'`).execute(db);
}

/** All that a log could show of an error. */
function inspected(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  return { ...error, message: error.message, stack: error.stack, cause: inspected(error.cause) };
}
