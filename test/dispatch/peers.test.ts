import { describe, expect, test } from 'vitest';
import { type Peer, Peers } from '../../src/dispatch/peers.ts';

const TURN = 3_000;

const peer = (name: string, more: Partial<Peer> = {}): Peer => ({
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
    const peers = new Peers();
    peers.saw(
      names.filter((other) => other !== name).map((other) => peer(other)),
      [],
    );
    return peers.share(limit, name, now);
  });
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

describe('The share of a process', () => {
  test('is all slots when it is alone, or no other process wants any', () => {
    const peers = new Peers();
    expect(peers.share(5, 'me', 0)).toBe(5);
    peers.saw([peer('idle', { wants: false })], []);
    expect(peers.share(5, 'me', 0)).toBe(5);
  });

  test.each([
    [2, 5],
    [2, 1],
    [3, 5],
    [7, 5],
    [3, 20],
  ])('is, for each of %i processes with %i slots, the same in the long run', (count, limit) => {
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
  test('includes their jobs and submissions, except for jobs that this process also follows', () => {
    const peers = new Peers();
    peers.saw([peer('a', { jobs: jobs('1', '2'), unsure: 1 }), peer('b', { jobs: jobs('2') })], []);
    expect(peers.held(NONE)).toBe(3);
    expect(peers.held(new Map([['2', true]]))).toBe(2);
  });

  test('still counts as theirs after its end, because an older list may show it', () => {
    const peers = new Peers();
    peers.saw([peer('a', { jobs: jobs('1') })], []);
    peers.saw([peer('a')], []);
    expect([peers.held(NONE), peers.isLocal('1'), peers.isLocal('2')]).toEqual([0, true, false]);
  });

  test('is remembered for the last five hundred of their jobs', () => {
    const peers = new Peers();
    const ids = Array.from({ length: 501 }, (_, n) => `${n}`);
    peers.saw([peer('a', { jobs: jobs(...ids) })], []);
    peers.saw([peer('a')], []);
    expect([peers.isLocal('0'), peers.isLocal('1'), peers.isLocal('500')]).toEqual([false, true, true]);
  });

  test('is taken over, once, from a process that has gone', () => {
    const peers = new Peers();
    peers.saw([peer('a', { jobs: jobs('1', '2') })], []);
    const gone = peer('a', { jobs: jobs('2') });
    expect(peers.saw([], [gone])).toEqual([gone]);
    expect(peers.saw([], [gone])).toEqual([]);
    expect([peers.held(NONE), peers.isLocal('1'), peers.isLocal('2')]).toEqual([0, true, false]);
    expect([peers.isThere('a'), peers.wasThere('a')]).toEqual([false, true]);
  });

  test('shows how long jobs take, by the longest', () => {
    const peers = new Peers();
    expect(peers.typical).toBeUndefined();
    peers.saw([peer('a', { typical: 400 }), peer('b', { typical: 900 }), peer('c')], []);
    expect(peers.typical).toBe(900);
  });
});
