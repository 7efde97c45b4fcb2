import { expect, test } from 'vitest';
import { inSteps } from '../../../src/cli/starting/in-steps.ts';

test('What waits when one item has been made is done before the next', async () => {
  const done: string[] = [];
  function* items() {
    for (const item of ['a', 'b', 'c']) {
      done.push(item);
      setImmediate(() => done.push(`after ${item}`));
      yield item;
    }
  }
  expect(await inSteps(items())).toEqual(['a', 'b', 'c']);
  expect(done).toEqual(['a', 'after a', 'b', 'after b', 'c', 'after c']);
});
