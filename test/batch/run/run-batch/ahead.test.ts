/** How far a batch reads its sources ahead of what it submits. */
import { expect, test } from 'vitest';
import type { BatchSource } from '../../../../src/batch/model.ts';
import { prepareScripted } from '../../../support/scripted/run-scripted.ts';
import { skinPng } from '../../../support/server/drawn-skins.ts';

/** Pictures held in memory that may wait for submission. */
const HELD = 500;

function held(number: number): BatchSource {
  return { label: `${number}`, stem: `${number}`, content: { kind: 'bytes', bytes: skinPng(number) } };
}

function link(number: number): BatchSource {
  const url = `https://skins.example/${number}.png`;
  return { label: url, stem: `${number}`, content: { kind: 'url', url } };
}

test('A batch counts the sources that are left, and ends, when its budget is used up while it waits to read more', async () => {
  const { clock, service, events, batch } = await prepareScripted();
  async function* sources() {
    for (let number = 0; number < HELD + 100; number++) yield link(number);
    yield held(1);
    yield held(2);
  }
  const summary = await clock.until(batch(0, { sources: sources(), maxNew: 20 }));
  expect(summary).toMatchObject({ end: 'stopped', submitted: 20, made: 20, left: HELD + 82 });
  expect(service.requests.submit).toHaveLength(20);
  const left = events.flatMap((event) => (event.type === 'left' ? [event.index] : []));
  expect(left.toSorted((a, b) => a - b)).toEqual(Array.from({ length: HELD + 82 }, (_, n) => n + 20));
});

test('Reading pauses while many pictures are held in memory', async () => {
  const ending = new AbortController();
  let read = 0;
  async function* sources() {
    for (; read < HELD + 100; read++) yield held(read);
  }
  // Its jobs never end, and after a few looks all that is ready to be read has been.
  const { clock, service, batch } = await prepareScripted({
    serviceTime: () => 3_600_000,
    alter: (asked) => asked === 'list' && service.requests.list.length > 3 && ending.abort(),
  });
  await clock.until(batch(0, { sources: sources(), signal: ending.signal }));
  expect(read).toBeGreaterThanOrEqual(HELD);
  expect(read).toBeLessThan(HELD + 20);
});
