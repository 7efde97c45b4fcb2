import { expect, test } from 'vitest';
import { IdleWorkers } from '../../../../src/server/workers/worker-pool.ts';

/** Sleeps end when the test says so. */
function setScene() {
  let now = 0;
  const timers: { ms: number; end: () => void }[] = [];
  const idle = new IdleWorkers({
    now: () => now,
    monotonic: () => now,
    sleep: async (ms, signal) =>
      await new Promise((resolve, reject) => {
        timers.push({ ms, end: resolve });
        signal?.addEventListener('abort', () => reject(new Error('aborted')));
      }),
  });
  const woken: string[] = [];
  let looks = 0;
  const nextRunAt = (at?: number) => async () => {
    looks++;
    return at;
  };
  const sleep = (name: string, at?: number) =>
    void idle.sleepUntilWork(idle.signs, nextRunAt(at)).then(() => woken.push(name));
  return {
    ...{ idle, timers, woken, sleep, nextRunAt },
    looks: () => looks,
    forward: (ms: number) => {
      now += ms;
    },
    settled: async () => await new Promise(setImmediate),
  };
}

test('As many workers wake as there are new jobs, the one with the timer last', async () => {
  const { idle, timers, woken, sleep, settled } = setScene();
  for (const name of ['a', 'b', 'c', 'd']) sleep(name);
  await settled();
  expect(timers.map(({ ms }) => ms)).toEqual([5_000]);
  idle.wake(1);
  await settled();
  expect(woken).toEqual(['b']);
  idle.wake(2);
  await settled();
  expect(woken).toEqual(['b', 'c', 'd']);
  idle.wake(1);
  await settled();
  expect(woken).toEqual(['b', 'c', 'd', 'a']);
});

test('All workers wake when the number of new jobs is unknown, and when the next job becomes due', async () => {
  const { idle, timers, woken, sleep, settled } = setScene();
  for (const name of ['a', 'b']) sleep(name, 700);
  await settled();
  idle.wake();
  await settled();
  expect(woken).toEqual(['b', 'a']);
  for (const name of ['c', 'd']) sleep(name, 700);
  await settled();
  expect(timers.map(({ ms }) => ms)).toEqual([700, 700]);
  timers[1]?.end();
  await settled();
  expect(woken.toSorted()).toEqual(['a', 'b', 'c', 'd']);
});

test('A signal between the check and the sleep is not missed', async () => {
  const { idle, woken, nextRunAt, settled } = setScene();
  const since = idle.signs;
  idle.wake(1);
  void idle.sleepUntilWork(since, nextRunAt()).then(() => woken.push('a'));
  await settled();
  expect(woken).toEqual(['a']);
});

test('A worker whose job is due earlier has a timer of its own', async () => {
  const { idle, timers, sleep, settled } = setScene();
  sleep('a', 700);
  await settled();
  idle.forget();
  sleep('b', 300);
  await settled();
  expect(timers.map(({ ms }) => ms)).toEqual([700, 300]);
});

test('Idle workers share one check of when the next job is due, until that time is past or may have changed', async () => {
  const { idle, sleep, looks, forward, settled } = setScene();
  for (const name of ['a', 'b', 'c']) sleep(name, 700);
  await settled();
  expect(looks()).toBe(1);
  idle.wake(1);
  idle.taken({ since: idle.signs, isLast: false });
  sleep('a', 700);
  await settled();
  expect(looks()).toBe(1);
  idle.wake(1); // whose job another process takes
  sleep('a', 700);
  await settled();
  expect(looks()).toBe(2);
  idle.stir();
  sleep('a', 700);
  await settled();
  expect(looks()).toBe(3);
  forward(700);
  sleep('a', 900);
  await settled();
  expect(looks()).toBe(4);
});

test('A failed check is repeated', async () => {
  const { idle, sleep, looks, settled } = setScene();
  const broken = async () => await Promise.reject(new Error('disk I/O error'));
  await expect(idle.sleepUntilWork(idle.signs, broken)).rejects.toThrow('disk I/O error');
  sleep('a');
  await settled();
  expect(looks()).toBe(1);
});

test('After finding no work, workers look again at the next signal', () => {
  const { idle } = setScene();
  const seen = [idle.mayBeWork];
  const { signs: since } = idle;
  idle.taken({ since, isLast: false });
  seen.push(idle.mayBeWork);
  idle.taken({ since, isLast: true });
  seen.push(idle.mayBeWork);
  idle.wake(1);
  seen.push(idle.mayBeWork);
  idle.taken({ since, isLast: true }); // by a look that began before that sign
  seen.push(idle.mayBeWork);
  idle.taken({ since: idle.signs, isLast: true });
  idle.stir();
  seen.push(idle.mayBeWork);
  expect(seen).toEqual([true, true, false, true, true, true]);
});
