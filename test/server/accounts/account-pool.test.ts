import { hostname } from 'node:os';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { GameError } from '../../../src/game/errors.ts';
import { LoginError } from '../../../src/game/login.ts';
import type { AccountPool, TakenAccount } from '../../../src/server/accounts/account-pool.ts';
import { AccountFault } from '../../../src/server/accounts/held-account.ts';
import { changeAccount, findAccount } from '../../../src/server/store/accounts.ts';
import { accountRow, makeDeskWorld } from '../../support/server/stored-accounts.ts';

const UUIDS = ['a', 'b', 'c'].map((letter) => letter.repeat(32));
const HOST = hostname().replaceAll('/', '_');
/** Above the highest process id that Linux and macOS give. */
const GONE = { host: HOST, pid: 2 ** 22 + 1, nonce: 'gone' };
const ELSEWHERE = { ...GONE, host: 'another-machine' };
const DAY = 24 * 3_600_000;
const NO_END = new AbortController().signal;

async function mustTake(pool: AccountPool): Promise<TakenAccount> {
  const choice = await pool.take('user:bob');
  if (choice.kind === 'taken') return choice;
  throw new Error(`No account: ${JSON.stringify(choice)}`);
}

describe('Accounts', () => {
  test('are in use by one process at a time, and the least recently used is taken first', async () => {
    const { open } = await makeDeskWorld(UUIDS.map((uuid, n) => ({ uuid, last_used_at: 9 - n })));
    const [here, there] = [await open(), await open(ELSEWHERE)];
    const taken = [await mustTake(here), await mustTake(there), await mustTake(here)];
    expect(taken.map(({ row }) => row.uuid)).toEqual(UUIDS.toReversed());
    expect(await there.take('user:bob')).toMatchObject({ kind: 'later' });
  });

  test('that are returned may be taken again after their delay, and not a moment before', async () => {
    const { clock, open } = await makeDeskWorld([{}]);
    const pool = await open();
    await pool.use(await mustTake(pool), { signal: NO_END, generates: true }, async () => {
      clock.forward(700);
    });
    expect(await pool.take('user:bob')).toEqual({ kind: 'later', at: clock.now() + 15_000 });
    clock.forward(14_999);
    expect((await pool.take('user:bob')).kind).toBe('later');
    clock.forward(1);
    expect(await pool.take('user:bob')).toMatchObject({ kind: 'taken', row: { generated: 1 } });
  });

  test('that another process uses during a look-up rest for their whole delay', async () => {
    const { clock, db, open } = await makeDeskWorld([{}]);
    const [uuid, now] = [accountRow().uuid, clock.now()];
    await changeAccount(db, uuid, { last_used_at: now });
    vi.spyOn(clock, 'now').mockReturnValueOnce(now - 500); // before the other process was done
    await (await open()).readyOwners();
    expect(await findAccount(db, uuid)).toMatchObject({ last_used_at: now });
  });

  test('that are returned, also after a failure, no longer have their leases renewed', async () => {
    const { open } = await makeDeskWorld(UUIDS.map((uuid) => ({ uuid })));
    const pool = await open();
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    await pool.use(await mustTake(pool), { signal: NO_END }, async () => {});
    const fails = async () => await Promise.reject(new Error('no skin'));
    await expect(pool.use(await mustTake(pool), { signal: NO_END }, fails)).rejects.toThrow('no skin');
    expect(vi.getTimerCount()).toBe(0);
  });

  test('are not waited for when none of them can be used', async () => {
    const { open } = await makeDeskWorld([{ state: 'paused' }, { uuid: UUIDS[1]!, error_streak: 10 }]);
    expect(await (await open()).take('user:bob')).toEqual({ kind: 'none', linked: 2 });
    const empty = await makeDeskWorld([]);
    expect(await (await empty.open()).take('user:bob')).toEqual({ kind: 'none', linked: 0 });
  });

  test('of a process that is gone are free after their delay, even before their lease ends', async () => {
    const { clock, open } = await makeDeskWorld([{}]);
    await mustTake(await open(GONE));
    const pool = await open();
    expect(await pool.take('user:bob')).toMatchObject({ kind: 'later' });
    clock.forward(15_000);
    expect((await pool.take('user:bob')).kind).toBe('taken');
  });

  test('of a process that does not respond are free when their lease has run out', async () => {
    const { clock, open, db } = await makeDeskWorld([{}]);
    await mustTake(await open(ELSEWHERE));
    const pool = await open();
    clock.forward(15_000);
    expect(await pool.takeThis(UUIDS[0]!)).toBeUndefined();
    clock.forward(1);
    expect(await pool.takeThis(UUIDS[0]!)).toBeDefined();
    expect((await findAccount(db, UUIDS[0]!))?.last_used_at).toBe(clock.now());
  });

  test('that rest or were used recently become free in time if the clock is set back a day', async () => {
    const world = await makeDeskWorld([{}]);
    const { clock, db, open } = world;
    const now = clock.now();
    await changeAccount(db, UUIDS[0]!, {
      last_used_at: now,
      last_error_at: now,
      cool_until: now + 60_000,
      error_streak: 1,
    });
    const pool = await open();
    clock.forward(-DAY);
    expect(await pool.opensAt()).toBe(clock.now() + 60_000);
    expect(await pool.take('user:bob')).toEqual({ kind: 'later', at: clock.now() + 60_000 });
    clock.forward(60_000);
    expect((await pool.take('user:bob')).kind).toBe('taken');
  });

  test('of a process that does not respond are free after a lease, also when the clock is set back a day', async () => {
    const { clock, open } = await makeDeskWorld([{}]);
    await mustTake(await open(ELSEWHERE));
    const pool = await open();
    clock.forward(-DAY);
    expect(await pool.takeThis(UUIDS[0]!)).toBeUndefined();
    clock.forward(15_001);
    expect(await pool.takeThis(UUIDS[0]!)).toBeDefined();
  });

  test('that were lost are no longer changed by their former holder', async () => {
    const { clock, open } = await makeDeskWorld([{}]);
    const [old, now] = [await open(ELSEWHERE), await open()];
    const outcome = old.use(await mustTake(old), { signal: NO_END }, async (account) => {
      clock.forward(15_001);
      await now.takeThis(UUIDS[0]!);
      await account.note({ altered: 1 });
    });
    await expect(outcome).rejects.toThrow('no longer held');
  });
});

describe('A failure of an account', () => {
  const refusal = (kind: GameError['kind'], facts = {}) =>
    new GameError(kind, `It was ${kind}.`, { status: 400, ...facts });
  const limited = { status: 429 };
  test.each<[string, Error, object]>([
    ['a limit', refusal('rate_limited', limited), { state: 'active', rest: 650_000, error_streak: 1 }],
    [
      'a limit for a while',
      refusal('rate_limited', { ...limited, retryAfter: 7_000 }),
      { state: 'active', rest: 7_000, error_streak: 1 },
    ],
    ['no access', refusal('forbidden'), { state: 'active', rest: 650_000, error_streak: 1 }],
    [
      'its end',
      refusal('forbidden', { isSuspended: true }),
      { state: 'suspended', rest: 0, error_streak: 1 },
    ],
    ['an old token', refusal('unauthorized'), { state: 'needs_login', rest: 0, error_streak: 1 }],
    ['its login', new LoginError('refused', 'No.'), { state: 'needs_login', rest: 0, error_streak: 1 }],
    ['no profile', refusal('no_profile'), { state: 'needs_login', rest: 0, error_streak: 1 }],
    [
      'another skin',
      new AccountFault('mismatch', 'Not that.'),
      { state: 'active', rest: 650_000, error_streak: 1 },
    ],
  ])('counts against it: %s', async (_, error, expected) => {
    const { clock, db, faults, open } = await makeDeskWorld([{ cool_until: 0 }]);
    const pool = await open();
    const use = pool.use(await mustTake(pool), { signal: NO_END, generates: true }, () =>
      Promise.reject(error),
    );
    await expect(use).rejects.toThrow(AccountFault);
    const row = (await findAccount(db, UUIDS[0]!))!;
    const rest = Math.max(0, row.cool_until - clock.now());
    expect({ state: row.state, rest, error_streak: row.error_streak }).toEqual(expected);
    expect(row).toMatchObject({ lease_owner: null, failed: 1, last_error_message: error.message });
    expect(faults).toHaveLength(1);
  });

  test.each<[string, Error]>([
    ['services that are away', refusal('unreachable')],
    ['services that talk nonsense', refusal('unexpected')],
    ['a bad picture', refusal('bad_image')],
    ['our own pacing', new GameError('rate_limited', 'Wait.', { retryAfter: 5 })],
    ['a bug of ours', new TypeError('x is not a function')],
  ])('does not count: %s', async (_, error) => {
    const { clock, db, faults, open } = await makeDeskWorld([{ error_streak: 3 }]);
    const pool = await open();
    const use = pool.use(await mustTake(pool), { signal: NO_END, generates: true }, () =>
      Promise.reject(error),
    );
    await expect(use).rejects.toThrow(error);
    const kept = { state: 'active', cool_until: 0, error_streak: 3, failed: 0, last_used_at: clock.now() };
    expect(await findAccount(db, UUIDS[0]!)).toMatchObject(kept);
    expect(faults).toEqual([]);
  });

  test('no longer counts after the next success', async () => {
    const { db, open } = await makeDeskWorld([{ error_streak: 9 }]);
    const pool = await open();
    await pool.use(await mustTake(pool), { signal: NO_END, generates: true }, async () => {});
    expect(await findAccount(db, UUIDS[0]!)).toMatchObject({ error_streak: 0, generated: 1 });
  });
});
