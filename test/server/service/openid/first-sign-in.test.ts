import { describe, expect, onTestFinished, test } from 'vitest';
import { ProviderError } from '../../../../src/server/openid/claims.ts';
import { hashSecret, makeSecret } from '../../../../src/server/service/authentication.ts';
import { becomeNewUser } from '../../../../src/server/service/openid.ts';
import { Plans } from '../../../../src/server/service/plans.ts';
import type { Db } from '../../../../src/server/store/db.ts';
import { openPostgresDb } from '../../../../src/server/store/postgres/postgres-store.ts';
import { findLinkedUser, insertFirstSignIn, pruneSessions } from '../../../../src/server/store/sessions.ts';
import { openStore } from '../../../../src/server/store/sqlite.ts';
import { ownDatabase } from '../../../support/postgres/own-database.ts';
import { MovableClock } from '../../../support/server/movable-clock.ts';
import { ownFolder } from '../../../support/server/own-folder.ts';

const PERSON = { issuer: 'https://id.example.org', subject: 'person-1' };
const ORIGINS = { address: '127.0.0.1', origin: undefined, agents: [] };
const clock = new MovableClock();

/** Opens one store for two that decide at the same time. */
type OpenTwice = () => Promise<readonly [Db, Db]>;

const STORES: readonly [name: string, open: OpenTwice][] = [
  [
    'SQLite',
    async () => {
      // Two connections of one process would keep each other waiting for ever: SQLite blocks the process.
      const { db, close } = await openStore(await ownFolder());
      onTestFinished(async () => await close());
      return [db, db];
    },
  ],
  [
    'PostgreSQL',
    async () => {
      const url = await ownDatabase();
      const dbs = [await openPostgresDb(url), await openPostgresDb(url)] as const;
      onTestFinished(async () => void (await Promise.all(dbs.map(async (db) => await db.destroy()))));
      return dbs;
    },
  ],
];

function contextOf(db: Db) {
  const ceiling = { verifyRoom: () => {} };
  return { db, clock, plans: new Plans(), openId: undefined, ceiling } satisfies Parameters<
    typeof becomeNewUser
  >[0];
}

async function beginFirst(db: Db, person = PERSON): Promise<string> {
  const secret = makeSecret();
  const expires_at = clock.now() + 1_000;
  await insertFirstSignIn(db, {
    ...person,
    hash: hashSecret(secret),
    name: 'anna',
    rights: '{}',
    expires_at,
  });
  return secret;
}

for (const [name, open] of STORES) {
  describe(`With ${name}`, () => {
    test('A person who signs up on two nodes at once becomes one user', async () => {
      const [here, there] = await open();
      const secret = await beginFirst(here);
      const ends = await Promise.allSettled(
        [here, there].map(async (db) => await becomeNewUser(contextOf(db), secret, ORIGINS)),
      );
      expect(ends.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
      const failed = ends.find((end) => end.status === 'rejected');
      expect(failed?.reason).toBeInstanceOf(ProviderError);
      expect(await findLinkedUser(there, PERSON)).toMatchObject({ name: 'anna' });
      expect(await here.selectFrom('users').select('name').execute()).toEqual([{ name: 'anna' }]);
    });

    test('People with the same name get different user names', async () => {
      const [db] = await open();
      for (let number = 1; number <= 25; number++) {
        const person = { ...PERSON, subject: `person-${number}` };
        await becomeNewUser(contextOf(db), await beginFirst(db, person), ORIGINS);
      }
      const users = await db.selectFrom('users').select('name').orderBy('created_at').execute();
      expect(new Set(users.map((user) => user.name)).size).toBe(25);
      expect(users.map((user) => user.name)).toContain('anna-20');
      expect(users.filter((user) => /^anna-[0-9a-f]{8}$/.test(user.name))).toHaveLength(5);
    });

    test('A new sign-in replaces the one before, and none is kept for long', async () => {
      const [db] = await open();
      const [before, after] = [await beginFirst(db), await beginFirst(db)];
      await expect(becomeNewUser(contextOf(db), before, ORIGINS)).rejects.toThrow(ProviderError);
      await pruneSessions(db, clock.now() + 1_000);
      await expect(becomeNewUser(contextOf(db), after, ORIGINS)).rejects.toThrow(ProviderError);
    });
  });
}
