import { expect, test } from 'vitest';
import { forecast, type QueueForecast, type WaitingJob } from '../../../../src/server/service/forecast.ts';

const TYPICAL = 3_000;

/** `ann1` is the first job of ann. */
function waits(uuid: string, more: Partial<WaitingJob> = {}): WaitingJob {
  const owner = uuid.replace(/\d+$/, '');
  return { uuid, owner, identity: uuid, concurrency: 1, burst: 0, notBefore: 0, ...more };
}

function runs(uuid: string, rest = TYPICAL) {
  return { owner: uuid.replace(/\d+$/, ''), identity: uuid, rest };
}

function queue(over: Partial<QueueForecast>): QueueForecast {
  return { workers: 3, typical: TYPICAL, onePerIdentity: false, running: [], waiting: [], ...over };
}

function endsOf(look: QueueForecast): (number | undefined)[] {
  return look.waiting.map(({ uuid }) => forecast(uuid, look)?.end);
}

const FIVE = ['ann1', 'ann2', 'ann3', 'ann4', 'ann5'];

test.each([
  ['one at a time', { concurrency: 1 }, [3, 6, 9, 12, 15]],
  ['two at a time', { concurrency: 2 }, [3, 3, 6, 6, 9]],
  ['as many as there are workers', { concurrency: 64 }, [3, 3, 3, 6, 6]],
  ['one, and a second that is idle', { concurrency: 1, burst: 2 }, [3, 3, 6, 6, 9]],
])('Five jobs of an owner with %s at a time are forecast', (_, limits, seconds) => {
  const look = queue({ waiting: FIVE.map((uuid) => waits(uuid, limits)) });
  expect(endsOf(look)).toEqual(seconds.map((second) => second * 1000));
});

test('Other waiting owners take turns', () => {
  const waiting = ['ann1', 'bob1', 'ann2', 'bob2'].map((uuid) => waits(uuid));
  expect(endsOf(queue({ workers: 1, waiting }))).toEqual([3_000, 6_000, 9_000, 12_000]);
  expect(endsOf(queue({ workers: 2, waiting }))).toEqual([3_000, 3_000, 6_000, 6_000]);
});

test('Owners below their concurrency come before owners who borrow', () => {
  const waiting = [waits('ann2', { burst: 5 }), waits('ann3', { burst: 5 }), waits('bob1')];
  const look = queue({ running: [runs('ann1', 1_000)], workers: 2, waiting });
  expect(endsOf(look)).toEqual([4_000, 6_000, 3_000]);
});

test('Jobs under way need the rest of their time, and hold their workers until then', () => {
  const running = [runs('bob1', 500), runs('cid1', 2_000)];
  const look = queue({ workers: 2, running, waiting: [waits('ann1'), waits('ann2')] });
  expect(endsOf(look)).toEqual([3_500, 6_500]);
  expect(forecast('ann2', look)).toEqual({ start: 3_500, end: 6_500, ahead: ['ann'] });
});

test('A postponed job does not begin earlier, and the others pass it', () => {
  const waiting = [waits('ann1', { notBefore: 10_000 }), waits('ann2')];
  expect(endsOf(queue({ waiting }))).toEqual([13_000, 3_000]);
});

test('If the same data is not made twice at a time, the second job needs no work', () => {
  const waiting = [waits('ann1', { identity: 'x' }), waits('bob1', { identity: 'x' }), waits('bob2')];
  const look = queue({ waiting, onePerIdentity: true });
  expect(endsOf(look)).toEqual([3_000, 3_000, 3_000]);
  expect(forecast('bob1', look)?.start).toBe(3_000);
});

test('There is no forecast without workers, or for a job that does not wait', () => {
  expect(forecast('ann1', queue({ workers: 0, waiting: [waits('ann1')] }))).toBeUndefined();
  expect(forecast('ann9', queue({ waiting: [waits('ann1')] }))).toBeUndefined();
  expect(forecast('ann1', queue({ waiting: [waits('ann1', { concurrency: 0 })] }))).toBeUndefined();
});
