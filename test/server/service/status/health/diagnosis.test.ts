import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { HealthFinding } from '../../../../../src/protocol/service.ts';
import { anonymousCaller, userCaller } from '../../../../../src/server/service/callers.ts';
import { Plans } from '../../../../../src/server/service/plans.ts';
import { diagnose, Health } from '../../../../../src/server/service/status/health.ts';
import type { Db } from '../../../../../src/server/store/db.ts';
import { damageFinding, openStore } from '../../../../../src/server/store/sqlite.ts';
import { hastyClock } from '../../../../support/server/hasty-clock.ts';
import { MovableClock } from '../../../../support/server/movable-clock.ts';
import { ownFolder } from '../../../../support/server/own-folder.ts';
import { openOwnStore } from '../../../../support/server/running-server.ts';

const plans = new Plans();
const operator = userCaller(
  {
    id: 'ab',
    name: 'owner',
    plan: 'owner',
    role: 'operator',
    created_at: 0,
    disabled_at: null,
    shows_name: 0,
  },
  plans,
);

async function service(health?: (signal: AbortSignal) => Promise<readonly HealthFinding[]>) {
  const { db, examine: examineStore } = await openOwnStore(await ownFolder());
  const clock = new MovableClock();
  const options = {
    isStopping: () => false,
    isReplaced: () => false,
    isTooNew: () => false,
    warnings: () => [],
    isFull: () => false,
    isKeyChanged: async () => false,
    trouble: () => undefined,
    isReady: async () => true,
    onError: () => {},
  };
  const generator = {
    signer: async () => 'it',
    generate: () => Promise.reject(new Error('It generates nothing.')),
    ...(health && { health }),
  };
  const publicUrl = () => 'https://skins.example';
  const context = {
    db,
    clock,
    health: new Health({ db, clock, ...options }),
    generator,
    publicUrl,
    examineStore,
    openId: undefined,
  };
  return { db, context: { ...context, generatorKind: 'accounts' as const } };
}

const codes = (findings: readonly HealthFinding[]) => findings.map(({ code, result }) => [code, result]);

async function storeCodes(change: (db: Db) => Promise<unknown>) {
  const { db, context } = await service();
  await change(db);
  return codes((await diagnose(context, operator)).store.findings);
}

test('The operator gets the findings of the store and of the generator', async () => {
  const finding = { code: 'tired', result: 'warning', message: 'It is tired.' } as const;
  const { context } = await service(async () => [finding]);
  const diagnosis = await diagnose(context, operator);
  expect(diagnosis).toMatchObject({
    publicUrl: 'https://skins.example',
    generator: { kind: 'accounts', findings: [finding] },
  });
  expect(codes(diagnosis.store.findings)).toEqual([
    ['store_schema', 'ok'],
    ['store_sound', 'ok'],
  ]);
});

test('Others get no findings', async () => {
  const { context } = await service();
  const user = userCaller(
    { id: 'cd', name: 'bob', plan: 'pro', role: 'user', created_at: 0, disabled_at: null, shows_name: 0 },
    plans,
  );
  await expect(diagnose(context, user)).rejects.toMatchObject({ code: 'insufficient_grants' });
  const anyone = anonymousCaller({ address: '127.0.0.1', origin: undefined }, plans);
  await expect(diagnose(context, anyone)).rejects.toMatchObject({ code: 'unauthorized' });
});

test('A generator without findings is healthy', async () => {
  const { context } = await service();
  expect((await diagnose(context, operator)).generator.findings).toEqual([]);
});

test('A generator that does not report its health in time is aborted, which is reported', async () => {
  let stopped: AbortSignal | undefined;
  const { context } = await service((signal) => {
    stopped = signal;
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('cut off'))));
  });
  const { generator } = await diagnose({ ...context, clock: hastyClock }, operator);
  expect(codes(generator.findings)).toEqual([['generator_silent', 'problem']]);
  expect(stopped?.aborted).toBe(true);
});

test('A bug in a generator is not reported as a finding', async () => {
  const { context } = await service(() => Promise.reject(new RangeError('oops')));
  await expect(diagnose(context, operator)).rejects.toThrow('oops');
});

test('A store that cannot be written is a problem', async () => {
  expect(await storeCodes((db) => sql`pragma query_only = on`.execute(db))).toEqual([
    ['store_not_writable', 'problem'],
  ]);
});

test('A store that a newer program changed meanwhile is a problem', async () => {
  const newer = (db: Db) =>
    db.updateTable('meta').set({ value: '999' }).where('key', 'in', ['schema', 'oldest-reader']).execute();
  expect(await storeCodes(newer)).toContainEqual(['store_too_new', 'problem']);
});

test('A store with an invalid page is damaged, even if it opens', async () => {
  const folder = await ownFolder();
  const first = await openStore(folder);
  const { rows } = await sql<{ page: number; size: number }>`
    select rootpage as page, page_size as size from sqlite_schema, pragma_page_size where name = 'capes'`.execute(
    first.db,
  );
  await first.close();
  const { page = 0, size = 0 } = rows[0] ?? {};
  const file = await open(join(folder, 'skinsmith.db'), 'r+');
  await file.write(Buffer.alloc(size, 0xff), 0, size, (page - 1) * size);
  await file.close();
  const { db, examine: examineStore } = await openOwnStore(folder);
  const { context } = await service();
  const { store } = await diagnose({ ...context, db, examineStore }, operator);
  expect(codes(store.findings)).toContainEqual(['store_damaged', 'problem']);
});

test('A large store is not checked for damage, because that would block the service', async () => {
  const { db } = await service();
  expect(await damageFinding(db, 1_000)).toMatchObject({ code: 'store_large', result: 'ok' });
  expect(await damageFinding(db)).toMatchObject({ code: 'store_sound', result: 'ok' });
});
