import { expect, test } from 'vitest';
import { OneAtATime } from '../../../src/server/queue/one-at-a-time.ts';

test('A work begins when all before it have ended, whether they failed or not', async () => {
  const turns = new OneAtATime();
  const story: string[] = [];
  const ends = new Map(['a', 'b', 'c'].map((name) => [name, Promise.withResolvers<string>()]));
  const [a, b, c] = [...ends].map(([name, { promise }]) =>
    turns.run(async () => {
      story.push(`${name} begins`);
      return await promise.finally(() => story.push(`${name} ends`));
    }),
  );
  ends.get('c')?.resolve('c');
  ends.get('b')?.reject(new Error('b failed'));
  ends.get('a')?.resolve('a');
  expect(await a).toBe('a');
  await expect(b).rejects.toThrow('b failed');
  expect(await c).toBe('c');
  expect(story).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
});
