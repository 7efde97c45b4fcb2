import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../../../../src/base/clock.ts';
import { anonymousCaller, type Caller } from '../../../../../src/server/service/callers.ts';
import { Plans } from '../../../../../src/server/service/plans.ts';
import { Searches } from '../../../../../src/server/service/skins/skins.ts';
import type { Db } from '../../../../../src/server/store/db.ts';
import { ownFolder } from '../../../../support/server/own-folder.ts';
import { openOwnStore } from '../../../../support/server/running-server.ts';
import { keepData, record } from '../../../../support/server/skin-records.ts';

const plans = new Plans();
const INPUT = { scope: 'public', words: ['smith'], size: 10 } as const;

function stranger(number: number): Caller {
  return anonymousCaller({ address: `192.0.2.${number}`, origin: undefined }, plans);
}

function user(name: string): Caller {
  const plan = plans.named('free');
  return { kind: 'user', owner: `user:${name}`, plan, id: name, name, isOperator: false };
}

async function ownDb(): Promise<Db> {
  const { db } = await openOwnStore(await ownFolder());
  await keepData(db, 'face');
  await record(db, { name: 'Smith' });
  return db;
}

/** As many searches of each caller as may be under way: one is done, and four wait. */
const MAX_OF_STRANGER = 5;

describe('Searches', () => {
  test('of one address are refused beyond a few, but not the searches of other addresses', async () => {
    const db = await ownDb();
    const searches = new Searches(systemClock);
    const search = async (caller: Caller) => await searches.search(db, caller, INPUT);
    const first = Array.from({ length: MAX_OF_STRANGER }, async () => await search(stranger(1)));
    await expect(search(stranger(1))).rejects.toMatchObject({
      code: 'concurrency_limit',
      details: { rateLimit: { next: { relative: 1_000 } } },
    });
    const other = search(stranger(2));
    for (const { skins } of await Promise.all([...first, other])) expect(skins).toHaveLength(1);
    expect((await search(stranger(1))).skins).toHaveLength(1);
  });

  test('of many addresses are refused beyond a number, but not the searches of users and exports', async () => {
    const db = await ownDb();
    const searches = new Searches(systemClock);
    const ends: string[] = [];
    const search = async (caller: Caller, asked: Pick<Searches, 'search'> = searches) => {
      await asked.search(db, caller, INPUT);
      ends.push(caller.kind);
    };
    const many = Array.from({ length: 129 }, async (_, number) => await search(stranger(number % 64)));
    await expect(search(stranger(200))).rejects.toMatchObject({
      code: 'service_unavailable',
      details: { headers: { 'Retry-After': '1' } },
    });
    await search(user('alice'));
    expect(ends.filter((kind) => kind === 'anonymous').length).toBeLessThan(10);
    await Promise.all(many);
    const own = Array.from({ length: 34 }, async () => await search(user('alice')));
    await expect(search(user('alice'))).rejects.toMatchObject({ code: 'concurrency_limit' });
    await Promise.all([...own, search(user('alice'), searches.patient)]);
  });

  test('of anonymous callers look at fewer skins for one page than searches of users', async () => {
    const db = await ownDb();
    const searches = new Searches(systemClock);
    const numbers = sql`with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 6000)`;
    await sql`${numbers} insert into skins (uuid, owner, identity, name, visibility, views, created_at)
      select 'many' || n, 'ann', 'face', null, 'public', 0, 0 from numbers`.execute(db);
    const input = { scope: 'public', words: [], variant: 'slim', size: 10 } as const;
    const found = await searches.search(db, stranger(1), input);
    expect(found).toMatchObject({ skins: [], stoppedAt: { views: 0 } });
    expect(await searches.search(db, user('alice'), input)).toEqual({
      skins: [],
      stoppedAt: undefined,
      total: 0,
    });
  });
});
