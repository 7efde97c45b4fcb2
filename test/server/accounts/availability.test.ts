import { describe, expect, test } from 'vitest';
import {
  freeAt,
  leastRecentlyUsed,
  nextAccount,
  nextStart,
  readyOwners,
} from '../../../src/server/accounts/availability.ts';
import type { AccountRow } from '../../../src/server/store/schema/tables.ts';
import { accountRow } from '../../support/server/stored-accounts.ts';

const RULES = { delay: 15_000, maxStreak: 10 };
const NOW = 1_000_000;

describe('An account', () => {
  test.each<[string, Partial<AccountRow>, number | undefined]>([
    ['never used: long since', {}, 15_000],
    ['used a moment ago: after its delay', { last_used_at: NOW - 1 }, NOW + 14_999],
    ['resting: when it has rested', { cool_until: NOW + 9, last_used_at: NOW - 99_999 }, NOW + 9],
    ['resting and just used: after both', { cool_until: NOW + 9, last_used_at: NOW }, NOW + 15_000],
    ['in use: a delay from now at the earliest', { lease_owner: 'x' }, NOW + 15_000],
    ['that failed nine times', { error_streak: 9 }, 15_000],
    ['that failed ten times: never', { error_streak: 10 }, undefined],
    ['paused: never', { state: 'paused' }, undefined],
    ['suspended: never', { state: 'suspended' }, undefined],
    ['that must sign in: never', { state: 'needs_login' }, undefined],
  ])('is free, %s', (_, account, expected) => {
    expect(freeAt(accountRow(account), RULES, NOW)).toBe(expected);
  });

  test('in use is looked up at most every tenth of a second, however short its delay', () => {
    expect(freeAt(accountRow({ lease_owner: 'x' }), { ...RULES, delay: 0 }, NOW)).toBe(NOW + 100);
  });
});

describe('The next account', () => {
  const used = (uuid: string, ago: number, more: Partial<AccountRow> = {}) =>
    accountRow({ uuid, last_used_at: NOW - ago, ...more });

  test('is the least recently used one of the free accounts', () => {
    const accounts = [
      used('a', 20_000),
      used('b', 30_000),
      used('c', 99_000, { state: 'paused' }),
      used('d', 98_000, { lease_owner: 'x' }),
      used('e', 97_000, { cool_until: NOW + 1 }),
    ];
    expect(leastRecentlyUsed(accounts, RULES, NOW)?.uuid).toBe('b');
  });

  test('does not exist while all accounts rest', () => {
    expect(leastRecentlyUsed([used('a', 14_999)], RULES, NOW)).toBeUndefined();
    expect(leastRecentlyUsed([used('a', 15_000)], RULES, NOW)?.uuid).toBe('a');
  });
});

describe('A generation', () => {
  const accounts = [
    accountRow({ last_used_at: NOW - 20_000 }),
    accountRow({ last_used_at: NOW - 5_000 }),
    accountRow({ state: 'suspended' }),
  ];

  test.each([
    [0, NOW],
    [1, NOW + 10_000],
    [2, NOW + 15_000],
    [5, NOW + 40_000],
  ])('waits for %i others before it, which take turns with the healthy accounts', (ahead, start) => {
    expect(nextStart(accounts, RULES, { now: NOW, owner: 'user:bob', ahead })).toBe(start);
  });

  test('can never begin without an account', () => {
    expect(nextStart([], RULES, { now: NOW, owner: 'user:bob', ahead: 0 })).toBeUndefined();
    expect(nextStart([accounts[2]!], RULES, { now: NOW, owner: 'user:bob', ahead: 3 })).toBeUndefined();
  });
});

describe('Of accounts that belong to users', () => {
  const [ann, bob, cid] = ['user:ann', 'user:bob', 'user:cid'] as const;
  const FREE = { last_used_at: 0 };
  const own = (owner: string, more: Partial<AccountRow> = {}) =>
    accountRow({ uuid: owner, owner, shared: 0, ...FREE, ...more });
  const later = (seconds: number) => ({ cool_until: NOW + seconds * 1_000 });
  const start = (accounts: AccountRow[], owner: string, ahead: string[]) =>
    nextStart(accounts, RULES, { now: NOW, owner, ahead });

  test("the user's own comes first, then shared ones, and never an unshared one of another user", () => {
    const shared = own(cid, { shared: 1, last_used_at: -9 });
    const next = (mine: Partial<AccountRow>) =>
      nextAccount([own(ann, mine), own(bob), shared], RULES, { now: NOW, owner: ann })?.uuid;
    expect(next({})).toBe(ann);
    expect(next(later(9))).toBe(cid);
    expect(nextAccount([own(ann), own(bob)], RULES, { now: NOW, owner: cid })).toBeUndefined();
  });

  test('a generation does not wait for users who have accounts of their own', () => {
    const accounts = [own(ann), own(bob)];
    expect(start(accounts, ann, [bob, bob, bob])).toBe(NOW);
    expect(start(accounts, ann, [bob, ann, bob])).toBe(NOW + 15_000);
    expect(start(accounts, cid, [])).toBeUndefined();
  });

  test('owners of accounts take turns at a shared one with users who have none', () => {
    const accounts = [own(ann), own(cid, { shared: 1 })];
    expect(start(accounts, bob, [ann])).toBe(NOW);
    expect(start(accounts, bob, [ann, ann])).toBe(NOW + 15_000);
  });

  test.each<[string, AccountRow[], object]>([
    ['none is linked: all, and they fail', [], {}],
    ['a shared one is free', [own(ann, later(9)), own(cid, { shared: 1 })], {}],
    ['only its own is free', [own(ann)], {}],
    [
      'the shared one rests: who has its own',
      [own(ann), own(bob, later(5)), own(cid, { shared: 1, ...later(7) })],
      { owners: { only: [ann] }, until: NOW + 5_000 },
    ],
    [
      'none is shared: all but who waits for its own',
      [own(ann), own(ann, later(3)), own(bob, later(5))],
      { owners: { except: [bob] }, until: NOW + 3_000 },
    ],
    [
      'the shared one needs care: who waits for it fails',
      [own(bob, later(5)), own(cid, { shared: 1, state: 'paused' })],
      { owners: { except: [bob] }, until: NOW + 5_000 },
    ],
  ])('jobs can be begun when %s', (_, accounts, expected) => {
    expect(readyOwners(accounts, RULES, NOW)).toEqual(expected);
  });
});
