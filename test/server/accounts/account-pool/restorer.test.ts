import { expect, onTestFinished, test, vi } from 'vitest';
import { Restorer } from '../../../../src/server/accounts/account-pool.ts';
import { changeAccount } from '../../../../src/server/store/accounts.ts';
import type { AccountRow } from '../../../../src/server/store/schema/tables.ts';
import { accountRow, makeDeskWorld } from '../../../support/server/stored-accounts.ts';

const IDLE = 60_000;

const TABLE: [what: string, isRestored: boolean, over: (now: number) => Partial<AccountRow>][] = [
  ['that has been idle', true, () => ({})],
  ['that is paused', true, () => ({ state: 'paused' })],
  ['whose cool-down is over', true, (now) => ({ cool_until: now })],
  ['that cools down', false, (now) => ({ cool_until: now + 1 })],
  ['that was used a moment too late', false, (now) => ({ last_used_at: now - IDLE + 1 })],
  ['that someone uses', false, () => ({ lease_owner: 'someone' })],
  ['that wears its own skin', false, () => ({ altered: 0 })],
  ['whose owner does not want it', false, () => ({ restores: 0 })],
  ['that must sign in again', false, () => ({ state: 'needs_login' })],
];

test.each(TABLE)('An account %s is given its own skin back: %s', async (_, isRestored, over) => {
  const { clock, db, open } = await makeDeskWorld([{}]);
  const { uuid } = accountRow();
  const now = clock.now();
  await changeAccount(db, uuid, { restores: 1, altered: 1, last_used_at: now - IDLE, ...over(now) });
  const pool = await open();
  const takeThis = vi.spyOn(pool, 'takeThis').mockResolvedValue(undefined);
  const restorer = new Restorer({
    ...{ pool, clock, once: async (_, look) => await look(), isAlone: async () => true },
    onError: (error) => expect.unreachable(String(error)),
  });
  await restorer.restoreIdle(IDLE, new AbortController().signal);
  expect(takeThis.mock.calls).toEqual(isRestored ? [[uuid]] : []);
});

test('A stopped restorer leaves no timer behind', async () => {
  const { clock, open } = await makeDeskWorld([]);
  const pool = await open();
  const restorer = new Restorer({
    ...{ pool, clock, once: async (_, look) => await look(), isAlone: async () => true },
    onError: (error) => expect.unreachable(String(error)),
  });
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  restorer.start();
  await restorer.stop(10_000);
  expect(vi.getTimerCount()).toBe(0);
});
