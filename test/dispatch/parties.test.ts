import { describe, expect, test } from 'vitest';
import { Parties, type Party } from '../../src/dispatch/parties.ts';

const TURN = 3_000;

const party = (name: string, more: Partial<Party> = {}): Party => ({
  name,
  wants: true,
  unsure: 0,
  jobs: [],
  typical: undefined,
  ...more,
});
const jobs = (...ids: string[]) => ids.map((id) => ({ id, at: 0, eta: undefined }));
const NONE = new Map<string, unknown>();

/** What each of them has of `limit`, each by what it knows of the others. */
function shares(names: readonly string[], limit: number, now: number): number[] {
  return names.map((name) => {
    const parties = new Parties();
    parties.saw(
      names.filter((other) => other !== name).map((other) => party(other)),
      [],
    );
    return parties.share(limit, name, now);
  });
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

describe('The share of a process', () => {
  test('is everything when it is alone, or nobody else wants any', () => {
    const parties = new Parties();
    expect(parties.share(5, 'me', 0)).toBe(5);
    parties.saw([party('idle', { wants: false })], []);
    expect(parties.share(5, 'me', 0)).toBe(5);
  });

  test.each([
    [2, 5],
    [2, 1],
    [3, 5],
    [7, 5],
    [3, 20],
  ])('of %i processes: %i spots between them, in the long run as many each', (count, limit) => {
    const names = Array.from({ length: count }, (_, n) => `p${n}`);
    const totals = Array<number>(count).fill(0);
    for (let turn = 0; turn < count; turn++) {
      const each = shares(names, limit, turn * TURN);
      expect(sum(each)).toBe(limit);
      expect(Math.max(...each) - Math.min(...each)).toBeLessThanOrEqual(1);
      for (const [n, share] of each.entries()) totals[n] = (totals[n] ?? 0) + share;
    }
    expect(totals).toEqual(Array(count).fill(limit));
  });

  test('stays for a whole turn', () => {
    const names = ['a', 'b'];
    expect(shares(names, 5, TURN - 1)).toEqual(shares(names, 5, 0));
    expect(shares(names, 5, TURN)).toEqual(shares(names, 5, 0).toReversed());
  });
});

describe('What other processes hold', () => {
  test('is their jobs and submissions, except for jobs that are followed here too', () => {
    const parties = new Parties();
    parties.saw([party('a', { jobs: jobs('1', '2'), unsure: 1 }), party('b', { jobs: jobs('2') })], []);
    expect(parties.held(NONE)).toBe(3);
    expect(parties.held(new Map([['2', true]]))).toBe(2);
  });

  test('is still known as theirs when it has ended: an older list may show it', () => {
    const parties = new Parties();
    parties.saw([party('a', { jobs: jobs('1') })], []);
    parties.saw([party('a')], []);
    expect([parties.held(NONE), parties.isLocal('1'), parties.isLocal('2')]).toEqual([0, true, false]);
  });

  test('is known as theirs for the last five hundred jobs', () => {
    const parties = new Parties();
    const ids = Array.from({ length: 501 }, (_, n) => `${n}`);
    parties.saw([party('a', { jobs: jobs(...ids) })], []);
    parties.saw([party('a')], []);
    expect([parties.isLocal('0'), parties.isLocal('1'), parties.isLocal('500')]).toEqual([false, true, true]);
  });

  test('is left behind, once, by one that has gone', () => {
    const parties = new Parties();
    parties.saw([party('a', { jobs: jobs('1', '2') })], []);
    const gone = party('a', { jobs: jobs('2') });
    expect(parties.saw([], [gone])).toEqual([gone]);
    expect(parties.saw([], [gone])).toEqual([]);
    expect([parties.held(NONE), parties.isLocal('1'), parties.isLocal('2')]).toEqual([0, true, false]);
    expect([parties.isThere('a'), parties.wasThere('a')]).toEqual([false, true]);
  });

  test('tells how long jobs take, by the longest', () => {
    const parties = new Parties();
    expect(parties.typical).toBeUndefined();
    parties.saw([party('a', { typical: 400 }), party('b', { typical: 900 }), party('c')], []);
    expect(parties.typical).toBe(900);
  });
});
