import { expect, test } from 'vitest';
import { UnderWay } from '../../../src/server/queue/under-way.ts';

test('What is under way is waited for, whether it fails or not; what begins later is not', async () => {
  const works = new UnderWay();
  const [one, two, later] = [1, 2, 3].map(() => Promise.withResolvers<string>());
  const results = [works.during(one!.promise), works.during(two!.promise)];
  let isSettled = false;
  const settled = works.settled().then(() => {
    isSettled = true;
  });
  void works.during(later!.promise);
  one!.resolve('done');
  await expect(results[0]).resolves.toBe('done');
  expect(isSettled).toBe(false);
  two!.reject(new Error('failed'));
  await expect(results[1]).rejects.toThrow('failed');
  await settled;
});

test('Nothing under way is not waited for', async () => {
  await new UnderWay().settled();
});
