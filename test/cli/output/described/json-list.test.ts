import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { JsonList } from '../../../../src/cli/output/described.ts';
import { jsonDocument } from '../../../../src/cli/text/text.ts';

const RUNS = { numRuns: 300, seed: 20_251_121 };

/** A list and what it has written so far. */
function jsonList() {
  let text = '';
  const list = new JsonList({
    write: (part) => {
      text += part;
    },
  });
  return { list, text: () => text };
}

describe('A list as JSON', () => {
  test('is an empty list when there are no items', () => {
    const { list, text } = jsonList();
    list.end();
    expect(text()).toBe('[]\n');
  });

  test('is the same text as when it is written at once', () => {
    const items = [{ source: 'a.png', warnings: [{ code: 'no_hat' }] }, 'text', ['x', []], null, 7];
    const { list, text } = jsonList();
    for (const [at, item] of items.entries()) list.add(item, at);
    list.end();
    expect(text()).toBe(jsonDocument(items));
  });

  test('is written as its items come', () => {
    const { list, text } = jsonList();
    expect(text()).toBe('');
    list.add({ n: 0 }, 0);
    expect(text()).toBe('[\n  {\n    "n": 0\n  }');
    list.add({ n: 1 }, 1);
    expect(text()).toContain('"n": 1');
  });

  test('holds items back only until their turn', () => {
    const { list, text } = jsonList();
    list.add('third', 2);
    list.add('second', 1);
    expect(text()).toBe('');
    list.add('first', 0);
    expect(text()).toBe('[\n  "first",\n  "second",\n  "third"');
    list.add('fifth', 4);
    expect(text()).not.toContain('fifth');
  });

  test('that an error ends early is complete, unless it is empty, and ends once', () => {
    const { list, text } = jsonList();
    list.endEarly();
    expect(text()).toBe('');
    list.add('second', 1);
    list.endEarly();
    list.endEarly();
    expect(JSON.parse(text())).toEqual(['second']);
  });

  test('ends with the items that waited for a missing one, in order', () => {
    const { list, text } = jsonList();
    for (const position of [12, 3, 0, 7]) list.add(position, position);
    list.end();
    expect(JSON.parse(text())).toEqual([0, 3, 7, 12]);
  });

  test('writes nothing that a terminal would act on', () => {
    const { list, text } = jsonList();
    const evil = 'a\u001b[2J\u009b1m\u202ez\u2028';
    list.add({ evil }, 0);
    list.end();
    expect(text()).toMatch(/^[\n\u0020-\u007e]*$/);
    expect(JSON.parse(text())).toEqual([{ evil }]);
  });

  const items = fc.array(fc.jsonValue(), { maxLength: 20 });
  const shuffled = items.chain((list) =>
    fc.tuple(fc.constant(list), fc.shuffledSubarray([...list.keys()], { minLength: 0 })),
  );

  test('has its items in order, in whatever order and with whatever gaps they came', () => {
    fc.assert(
      fc.property(shuffled, ([all, order]) => {
        const { list, text } = jsonList();
        for (const at of order) list.add(all[at], at);
        list.end();
        const expected = order.toSorted((a, b) => a - b).map((at) => all[at]);
        expect(text()).toBe(jsonDocument(expected));
      }),
      RUNS,
    );
  });
});
