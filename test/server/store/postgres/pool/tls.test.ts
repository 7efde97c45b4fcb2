import { join } from 'node:path';
import { sql } from 'kysely';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Db, OpenStore } from '../../../../../src/server/store/db.ts';
import { openPostgresStore } from '../../../../../src/server/store/postgres/postgres-store.ts';
import { ownDatabase } from '../../../../support/postgres/own-database.ts';
import { pooler } from '../../../../support/postgres/pooler.ts';
import { CERTIFIED, TLS_FILES } from '../../../../support/postgres/server.ts';
import { poll } from '../../../../support/server/poll.ts';

const file = (name: string) => join(TLS_FILES, name);
const CA = { sslrootcert: file('ca.pem') };
const OTHER_CA = { sslrootcert: file('other-ca.pem') };
const CERTIFICATE = { sslcert: file('client.pem'), sslkey: file('client-key.pem') };
const BY_NAME = { hostname: 'localhost' }; // the certificate is for 127.0.0.1

type Parameters = Readonly<Record<string, string>>;
type Change = Partial<Pick<URL, 'hostname' | 'username'>>;

function address(database: string, parameters: Parameters, change: Change = {}): string {
  const url = Object.assign(new URL(database), change);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

async function opened(url: string): Promise<OpenStore> {
  const store = await openPostgresStore({ url, connections: 1 });
  onTestFinished(async () => await store.close());
  return store;
}

async function isEncrypted(db: Db): Promise<boolean | undefined> {
  const look = sql<{ ssl: boolean }>`select ssl from pg_stat_ssl where pid = pg_backend_pid()`;
  return (await look.execute(db)).rows[0]?.ssl;
}

/** The connection that listens is one of its own. */
async function untilListening(store: OpenStore): Promise<void> {
  await poll(
    async () => (await store.examine()).find(({ code }) => code === 'store_listener'),
    (finding) => finding?.result === 'ok',
  );
}

/** With all rights, for whoever has the certificate. */
async function makeCertified(database: string): Promise<void> {
  const { db } = await opened(database);
  await sql.raw(`drop role if exists ${CERTIFIED}`).execute(db);
  await sql.raw(`create role ${CERTIFIED} superuser login`).execute(db);
}

describe('TLS to PostgreSQL', () => {
  test.each<[string, Parameters, Change, boolean]>([
    ['disable', {}, {}, false],
    ['allow', {}, BY_NAME, true],
    ['prefer', OTHER_CA, BY_NAME, true],
    ['require', {}, BY_NAME, true],
    ['verify-ca', CA, BY_NAME, true],
    ['verify-full', CA, {}, true],
  ])('is as sslmode says, for the listener, too: %s', async (sslmode, files, change, expected) => {
    const store = await opened(address(await ownDatabase(), { sslmode, ...files }, change));
    expect(await isEncrypted(store.db)).toBe(expected);
    await untilListening(store);
  });

  test.each<[string, Parameters, Change, RegExp]>([
    ['require with another authority', { sslmode: 'require', ...OTHER_CA }, {}, /certificate/],
    ['verify-ca with another authority', { sslmode: 'verify-ca', ...OTHER_CA }, {}, /certificate/],
    ['verify-full with the usual authorities', { sslmode: 'verify-full' }, {}, /certificate/],
    ['verify-full at another name', { sslmode: 'verify-full', ...CA }, BY_NAME, /localhost/],
  ])('is refused at once if the server cannot be trusted: %s', async (_, parameters, change, reason) => {
    const url = address(await ownDatabase(), parameters, change);
    const patience = { limit: 600_000, onWaiting: () => expect.fail('It waits.') };
    await expect(openPostgresStore({ url, patience })).rejects.toMatchObject({
      code: 'store_refused',
      message: expect.stringMatching(reason),
      hint: expect.stringContaining('sslmode'),
    });
  });

  test('is not used if it is only preferred and the database has none', async () => {
    const url = address(await ownDatabase(), { sslmode: 'prefer' });
    const front = await pooler(url, 'session');
    const store = await opened(front);
    expect(await isEncrypted(store.db)).toBe(false);
    await untilListening(store);
    await expect(openPostgresStore({ url: address(front, { sslmode: 'require' }) })).rejects.toMatchObject({
      code: 'store_refused',
      message: expect.stringContaining('does not support SSL'),
    });
  });

  test('is suggested if the database requires it', async () => {
    const database = await ownDatabase();
    await makeCertified(database);
    const opening = openPostgresStore({ url: address(database, {}, { username: CERTIFIED }) });
    await expect(opening).rejects.toMatchObject({
      code: 'store_refused',
      hint: expect.stringContaining('sslmode=require'),
    });
  });

  test('sends a client certificate if the user needs one', async () => {
    const database = await ownDatabase();
    await makeCertified(database);
    const certified = { username: CERTIFIED };
    const without = openPostgresStore({ url: address(database, { sslmode: 'require' }, certified) });
    await expect(without).rejects.toMatchObject({ code: 'store_refused' });
    const { db } = await opened(
      address(database, { sslmode: 'verify-full', ...CA, ...CERTIFICATE }, certified),
    );
    expect(await isEncrypted(db)).toBe(true);
  });
});
