import { expect, test } from 'vitest';
import { AbandonedSubmissions } from '../../src/dispatch/abandoned-submissions.ts';

const party = (unsure: number) => ({ name: 'gone', wants: false, unsure, jobs: [], typical: undefined });

test('What a dead process had in flight counts until a list must show it', () => {
  const abandoned = new AbandonedSubmissions();
  abandoned.died([party(2), party(1)], 1_000);
  expect([abandoned.count(1_000), abandoned.settledAt(1_000)]).toEqual([3, 1_300]);
  abandoned.listed(1_299);
  expect(abandoned.count(1_299)).toBe(3);
  abandoned.listed(1_300);
  expect([abandoned.count(1_300), abandoned.settledAt(1_300)]).toEqual([0, undefined]);
});

test('It is forgotten a minute later even if no list is to be had', () => {
  const abandoned = new AbandonedSubmissions();
  abandoned.died([party(1)], 0);
  expect([abandoned.count(60_299), abandoned.count(60_300)]).toEqual([1, 0]);
});
