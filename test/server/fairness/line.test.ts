import { describe, expect, test } from 'vitest';
import { ConcurrencyQueue } from '../../../src/server/fairness.ts';

const LIMITS = { atOnce: 2, waitingOfOne: 2, waiting: 3 };

/** Work that ends when it is told to; it notes that it has begun. */
class Works {
  readonly begun: string[] = [];
  readonly #ends = new Map<string, PromiseWithResolvers<string>>();

  join(line: ConcurrencyQueue, name: string): Promise<string> {
    const end = Promise.withResolvers<string>();
    this.#ends.set(name, end);
    return line.during(name[0] ?? '', async () => {
      this.begun.push(name);
      return await end.promise;
    });
  }

  end(name: string): void {
    this.#ends.get(name)?.resolve(name);
  }

  fail(name: string): void {
    this.#ends.get(name)?.reject(new Error(name));
  }
}

describe('A line', () => {
  test('starts the maximum number of tasks at once, and then one of each caller in turn', async () => {
    const [line, works] = [new ConcurrencyQueue(LIMITS), new Works()];
    const names = ['a1', 'a2', 'a3', 'a4', 'b1', 'c1'];
    const ends = names.map((name) => works.join(line, name));
    expect(works.begun).toEqual(['a1', 'a2']);
    for (const [index, name] of ['a1', 'a2', 'a3', 'b1', 'c1', 'a4'].entries()) {
      works.end(name);
      await ends[names.indexOf(name)];
      expect(works.begun).toEqual(['a1', 'a2', 'a3', 'b1', 'c1', 'a4'].slice(0, index + 3));
    }
  });

  test('continues after work that fails, and is free when all has ended', async () => {
    const [line, works] = [new ConcurrencyQueue(LIMITS), new Works()];
    const ends = ['a1', 'a2', 'b1'].map((name) => works.join(line, name));
    works.fail('a1');
    await expect(ends[0]).rejects.toThrow('a1');
    expect(works.begun).toEqual(['a1', 'a2', 'b1']);
    for (const name of ['a2', 'b1']) works.end(name);
    await Promise.all(ends.slice(1));
    void works.join(line, 'c1');
    void works.join(line, 'c2');
    expect(works.begun).toEqual(['a1', 'a2', 'b1', 'c1', 'c2']);
  });

  test("is full for a caller at the caller's maximum, and for everyone at the total maximum", () => {
    const [line, works] = [new ConcurrencyQueue(LIMITS), new Works()];
    for (const name of ['a1', 'a2', 'a3']) void works.join(line, name);
    expect([line.fullFor('a'), line.fullFor('b')]).toEqual([undefined, undefined]);
    void works.join(line, 'a4');
    expect([line.fullFor('a'), line.fullFor('b')]).toEqual(['one', undefined]);
    void works.join(line, 'b1');
    expect([line.fullFor('a'), line.fullFor('b'), line.fullFor('c')]).toEqual(['one', 'all', 'all']);
  });
});
