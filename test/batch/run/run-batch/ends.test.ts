import { expect, test } from 'vitest';
import type { BatchSource } from '../../../../src/batch/model/source.ts';
import { prepareScripted } from '../../../support/scripted/run-scripted.ts';
import { skinPng } from '../../../support/server/drawn-skins.ts';

function sourceOf(label: string, skin: number): BatchSource {
  return { label, stem: label, content: { kind: 'bytes', bytes: skinPng(skin) } };
}

test('Once all sources are read it is told what is planned', async () => {
  const { clock, events, batch } = await prepareScripted();
  const summary = await clock.until(batch(3));
  const planned = events.filter(({ type }) => type === 'planned');
  expect(planned).toMatchObject([{ progress: { sources: 3, wanted: 3, allRead: true } }]);
  expect(summary).toMatchObject({ allRead: true, made: 3, end: 'complete' });
});

test('A source that comes when the job for its picture is under way is told of that job', async () => {
  const { clock, events, batch } = await prepareScripted({ serviceTime: () => 60_000 });
  const accepted = Promise.withResolvers<void>();
  async function* sources() {
    yield sourceOf('first', 1);
    await accepted.promise;
    yield sourceOf('again', 1);
  }
  const told: string[] = [];
  const onEvent = (event: (typeof events)[number]) => {
    if (event.type !== 'accepted') return;
    told.push(event.source);
    accepted.resolve();
  };
  expect(await clock.until(batch(0, { sources: sources(), onEvent }))).toMatchObject({
    finished: 2,
    submitted: 1,
  });
  expect(told).toEqual(['first', 'again']);
});

test('A batch whose sources cannot be read on ends with the reason', async () => {
  const { clock, batch } = await prepareScripted();
  const reason = new Error('The list cannot be read.');
  async function* sources() {
    yield sourceOf('first', 1);
    throw reason;
  }
  await expect(clock.until(batch(0, { sources: sources() }))).rejects.toBe(reason);
});
