import { expect, test } from 'vitest';
import { CompletionBatcher } from '../../../../src/server/workers/worker-pool.ts';

const always = () => true;

/** Works that end when the test says so. */
class Works {
  readonly gatherer = new CompletionBatcher();
  /** The names of those that went on, in order. */
  readonly wentOn: string[] = [];
  readonly #ends = new Map<string, PromiseWithResolvers<void>>();

  begin(...names: readonly string[]): void {
    for (const name of names) {
      const end = Promise.withResolvers<void>();
      this.#ends.set(name, end);
      const over = this.gatherer.run(async () => await end.promise, always);
      void over.then(
        () => this.wentOn.push(name),
        () => this.wentOn.push(`${name} failed`),
      );
    }
  }

  async end(name: string): Promise<void> {
    this.#ends.get(name)?.resolve();
    await new Promise(setImmediate);
  }

  async fail(name: string): Promise<void> {
    this.#ends.get(name)?.reject(new Error('It failed.'));
    await new Promise(setImmediate);
  }
}

test('A worker that is alone continues at once', async () => {
  const works = new Works();
  works.begin('a');
  await works.end('a');
  expect(works.wentOn).toEqual(['a']);
});

test('Finished workers continue together once they are as many as the busy ones', async () => {
  const works = new Works();
  works.begin('a', 'b', 'c', 'd', 'e', 'f');
  await works.end('c');
  await works.end('a');
  expect(works.wentOn).toEqual([]);
  await works.end('f');
  expect(works.wentOn).toEqual(['c', 'a', 'f']);
});

test('Workers that begin meanwhile are waited for like the others', async () => {
  const works = new Works();
  works.begin('a', 'b', 'c');
  await works.end('a');
  works.begin('d', 'e');
  await works.end('b');
  expect(works.wentOn).toEqual([]);
  await works.end('c');
  expect(works.wentOn).toEqual(['a', 'b', 'c']);
});

test('A failed worker neither waits nor is waited for', async () => {
  const works = new Works();
  works.begin('a', 'b', 'c');
  await works.end('a');
  await works.fail('b');
  expect(works.wentOn.toSorted()).toEqual(['a', 'b failed']);
  await works.end('c');
  expect(works.wentOn).toContain('c');
});

test('If waiting is not worthwhile, each worker continues by itself', async () => {
  const gatherer = new CompletionBatcher();
  const other = Promise.withResolvers<void>();
  const over = [1, 2].map(async () => await gatherer.run(async () => await other.promise, always));
  expect(
    await gatherer.run(
      async () => 'done',
      () => false,
    ),
  ).toBe('done');
  other.resolve();
  await Promise.all(over);
});
