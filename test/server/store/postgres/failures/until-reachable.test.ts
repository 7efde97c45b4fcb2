import { expect, test } from 'vitest';
import { StoreUnreachableError } from '../../../../../src/server/store/failures.ts';
import { StoreRefusedError, untilReachable } from '../../../../../src/server/store/postgres/failures.ts';
import { hastyClock } from '../../../../support/server/hasty-clock.ts';

const refused = () => new StoreUnreachableError('PostgreSQL cannot be used');

/** Fails as often as there are errors. */
function opening(errors: unknown[]): () => Promise<string> {
  return async () => {
    const error = errors.shift();
    if (error) throw error;
    return 'open';
  };
}

test('An unreachable store is opened once it is reachable, and the wait is reported once', async () => {
  const reasons: string[] = [];
  const patience = { limit: 60_000, onWaiting: (reason: string) => reasons.push(reason) };
  const open = opening([refused(), refused(), refused()]);
  expect(await untilReachable(open, patience, hastyClock)).toBe('open');
  expect(reasons).toEqual(['PostgreSQL cannot be used']);
});

test('Waiting for an unreachable store ends with its error after the time limit', async () => {
  const errors = Array.from({ length: 1_000 }, refused);
  const last = untilReachable(opening(errors), { limit: 30_000 }, hastyClock);
  await expect(last).rejects.toThrow(StoreUnreachableError);
  expect(errors.length).toBeGreaterThan(900);
});

test('A store that refuses access is not waited for', async () => {
  const errors = [new StoreRefusedError(new Error('no such database')), refused()];
  await expect(untilReachable(opening(errors), { limit: 30_000 })).rejects.toThrow(StoreRefusedError);
  expect(errors).toHaveLength(1);
});

test('Waiting for a store ends when the service is stopped', async () => {
  const stop = new AbortController();
  const waiting = untilReachable(opening([refused()]), {
    limit: 30_000,
    signal: stop.signal,
    onWaiting: () => stop.abort(new Error('stopped')),
  });
  await expect(waiting).rejects.toThrow('stopped');
});
