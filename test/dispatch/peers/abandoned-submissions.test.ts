import { describe, expect, test } from 'vitest';
import { AbandonedSubmissions } from '../../../src/dispatch/peers.ts';

const peer = (unsure: number, ...ids: string[]) => ({
  name: 'gone',
  wants: false,
  unsure,
  jobs: ids.map((id) => ({ id, at: 0, eta: undefined })),
  typical: undefined,
});
const jobs = (...ids: string[]) => ids.map((id) => ({ id, status: 'waiting' as const }));

/** Submissions of processes that died at 1,000 ms, when the job `old` was in the list. */
function startAbandoned({ ofProcesses = [1], hasJustDied = true } = {}) {
  const known = new Set<string>();
  const abandoned = new AbandonedSubmissions((id) => known.has(id));
  abandoned.listed(900, jobs('old'));
  abandoned.died(
    ofProcesses.map((unsure) => peer(unsure)),
    1_000,
    () => hasJustDied,
  );
  return { abandoned, known };
}

describe('A submission in flight of a process that has just died', () => {
  test('counts until a list requested five seconds later does not show it', () => {
    const { abandoned } = startAbandoned({ ofProcesses: [2, 1] });
    expect([abandoned.count(1_000), abandoned.settledAt(1_000)]).toEqual([3, 1_300]);
    abandoned.listed(1_300, jobs('old'));
    expect([abandoned.count(1_300), abandoned.settledAt(1_300)]).toEqual([3, 6_000]);
    abandoned.listed(5_999, jobs('old'));
    expect(abandoned.count(5_999)).toBe(3);
    abandoned.listed(6_000, jobs('old'));
    expect([abandoned.count(6_000), abandoned.settledAt(6_000)]).toEqual([0, undefined]);
  });

  test('no longer counts when its job is in a list, nor when that job has ended', () => {
    const { abandoned } = startAbandoned({ ofProcesses: [2] });
    abandoned.listed(1_100, jobs('old', 'first'));
    expect([abandoned.count(1_100), abandoned.settledAt(1_100)]).toEqual([1, 1_300]);
    abandoned.listed(1_200, jobs('old', 'second'));
    expect([abandoned.count(1_200), abandoned.settledAt(1_200)]).toEqual([0, undefined]);
  });

  test('is not mistaken for a job whose submission is answered after it was listed', () => {
    const { abandoned, known } = startAbandoned();
    abandoned.listed(1_100, jobs('old', 'ours'));
    expect(abandoned.count(1_100)).toBe(0);
    known.add('ours');
    expect(abandoned.count(1_150)).toBe(1);
  });

  test('is not mistaken for jobs of the very first list', () => {
    const abandoned = new AbandonedSubmissions(() => false);
    abandoned.died([peer(1)], 1_000, () => true);
    abandoned.listed(1_100, jobs('old'));
    expect(abandoned.count(1_100)).toBe(1);
    abandoned.listed(1_200, jobs('old', 'new'));
    expect(abandoned.count(1_200)).toBe(0);
  });

  test('is not mistaken for jobs that were listed before the process died', () => {
    const { abandoned } = startAbandoned({ ofProcesses: [0] });
    abandoned.listed(1_100, jobs('old', 'earlier'));
    abandoned.died([peer(1)], 1_200, () => true);
    abandoned.listed(1_300, jobs('old', 'earlier'));
    expect(abandoned.count(1_300)).toBe(1);
  });

  test('is not mistaken for jobs that the process was known to have', () => {
    const { abandoned } = startAbandoned({ ofProcesses: [0] });
    abandoned.died([peer(1, 'known')], 1_000, () => true);
    abandoned.listed(1_100, jobs('old', 'known'));
    expect(abandoned.count(1_100)).toBe(1);
    abandoned.listed(1_200, jobs('old', 'known', 'in flight'));
    expect(abandoned.count(1_200)).toBe(0);
  });

  test('is not mistaken for jobs of another dying process', () => {
    const { abandoned } = startAbandoned();
    abandoned.died([peer(0, 'of the other')], 1_050, () => true);
    abandoned.listed(1_100, jobs('old', 'of the other'));
    expect(abandoned.count(1_100)).toBe(1);
  });

  test('is not mistaken for the jobs of a process that died earlier', () => {
    const { abandoned } = startAbandoned({ hasJustDied: false });
    abandoned.listed(1_100, jobs('old', 'of the first'));
    expect(abandoned.count(1_100)).toBe(0);
    abandoned.listed(1_300, jobs('old', 'of the first'));
    abandoned.died([peer(1)], 1_400, () => true);
    expect(abandoned.count(1_400)).toBe(1);
  });

  test('is forgotten a minute later even without a list', () => {
    const { abandoned } = startAbandoned();
    expect([abandoned.count(65_999), abandoned.count(66_000)]).toEqual([1, 0]);
  });
});

test('Submissions of a process that died before this one began count for 0.3 seconds', () => {
  const { abandoned } = startAbandoned({ hasJustDied: false });
  abandoned.listed(1_299, jobs('old'));
  expect([abandoned.count(1_299), abandoned.settledAt(1_299)]).toEqual([1, 1_300]);
  abandoned.listed(1_300, jobs('old'));
  expect([abandoned.count(1_300), abandoned.settledAt(1_300)]).toEqual([0, undefined]);
});
