import { expect, test } from 'vitest';
import { newJobId } from '../../../../src/server/queue/enqueue.ts';

const NOW = Date.UTC(2026, 10, 23);

test('A job id is a UUID of version 7, which begins with the time', () => {
  const id = newJobId(NOW);
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(Number.parseInt(id.slice(0, 13).replace('-', ''), 16)).toBe(NOW);
});

test('Job ids sort by time', () => {
  const ids = [0, 1, 255, NOW, NOW + 1, NOW + 2 ** 33].map(newJobId);
  expect(ids).toEqual(ids.toSorted());
});

test('The job id differs for each job at the same moment, and cannot be guessed from others', () => {
  const ids = Array.from({ length: 1_000 }, () => newJobId(NOW));
  expect(new Set(ids.map((id) => id.slice(-16))).size).toBe(ids.length);
  expect(new Set(ids.map((id) => id.slice(15, 18))).size).toBeGreaterThan(500);
});
