import { afterAll, beforeAll, expect } from 'vitest';
import { countLent } from '../postgres/own-database.ts';

let before = 0;

beforeAll(() => {
  before = countLent();
});

// A file that runs a second time for PostgreSQL, and then has its store in a file again, would prove nothing.
// biome-ignore lint/correctness/noEmptyPattern: vitest insists on a pattern in the first place.
afterAll(({}, { tasks }) => {
  const isRun = tasks.some((task) => task.result?.state === 'pass');
  if (isRun) expect(countLent(), 'databases that these tests have used').toBeGreaterThan(before);
});
