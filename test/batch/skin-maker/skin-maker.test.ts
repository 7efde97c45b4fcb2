import { readFileSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Journal } from '../../../src/batch/journal.ts';
import { workKey } from '../../../src/batch/model.ts';
import { pixelHash } from '../../../src/skin/read-skin.ts';
import { prepareScripted } from '../../support/scripted/run-scripted.ts';
import type { Script } from '../../support/scripted/scripted-service.ts';
import { drawSkin } from '../../support/server/drawn-skins.ts';

/** The only journal in the folder of a batch. */
async function journalIn(folder: string): Promise<Journal> {
  const journal = Journal.read(await pathIn(folder))!;
  onTestFinished(() => journal.close());
  return journal;
}

async function pathIn(folder: string): Promise<string> {
  const journals = join(folder, 'state', 'journals');
  const [name = ''] = (await readdir(journals)).filter((file) => file.endsWith('.ndjson'));
  return join(journals, name);
}

const KEY = workKey({
  content: { pixels: pixelHash(drawSkin(0)) },
  variant: 'auto',
  visibility: undefined,
});

/** A batch of one that is interrupted once its job is accepted. */
async function interrupted(script: Script) {
  const world = await prepareScripted(script);
  const ending = new AbortController();
  const onEvent = ({ type }: { type: string }) => void (type === 'accepted' && ending.abort());
  const end = await world.clock.until(world.batch(1, { signal: ending.signal, onEvent }));
  expect(end).toMatchObject({ end: 'interrupted', submitted: 1, finished: 0 });
  return world;
}

test('An accepted job is in the journal by its name, so that the next run follows it', async () => {
  const { clock, service, folder, batch } = await interrupted({ serviceTime: () => 60_000 });
  const [job] = service.jobs;
  expect((await journalIn(folder)).stateOf(KEY)).toEqual({ step: 'job', attempt: 0, job: job?.id, by: 'u' });
  expect(await clock.until(batch(1))).toMatchObject({ made: 1, finished: 1 });
  expect(service.requests.submit).toHaveLength(1);
});

test("Another user's job is not followed; the skin is made again for this user", async () => {
  const { clock, service, folder, batch } = await interrupted({ serviceTime: () => 60_000 });
  const path = await pathIn(folder);
  writeFileSync(path, readFileSync(path, 'utf8').replace('"u":"u"', '"u":"someone else"'));
  expect(await clock.until(batch(1))).toMatchObject({ made: 1, finished: 1 });
  expect(service.requests.submit).toHaveLength(2);
});

test('Nothing goes on in the background once a batch has ended', async () => {
  const { clock, service } = await interrupted({ serviceTime: () => 60_000 });
  const asked = Object.values(service.requests).flat().length;
  await clock.until(clock.sleep(120_000));
  expect(Object.values(service.requests).flat()).toHaveLength(asked);
});

test('A skin that fails its check is checked again by the next run, without another job', async () => {
  const { clock, service, batch } = await prepareScripted();
  const input = { variant: 'slim' } as const; // every skin of this service is classic
  expect(await clock.until(batch(1, input))).toMatchObject({ failed: 1, made: 0 });
  expect(await clock.until(batch(1, input))).toMatchObject({ failed: 1, made: 0 });
  const accepted = await clock.until(batch(1, { ...input, acceptUnverified: true }));
  expect(accepted).toMatchObject({ failed: 0, finished: 1 });
  expect(service.requests.submit).toHaveLength(1);
});

test('A batch that stops with work left leaves all slots to the next one', async () => {
  const { clock, service, batch } = await prepareScripted();
  expect(await clock.until(batch(10, { maxNew: 1 }))).toMatchObject({ end: 'stopped', submitted: 1 });
  await clock.until(batch(10, { from: 20 }));
  expect(service.mostUnfinished).toBe(5);
});

test('The estimate in the plan follows the limits of the caller', async () => {
  const { clock, events, batch } = await prepareScripted();
  await clock.until(batch(10));
  // Two waves through five slots, 6 ms each on a service that may sign as fast as this machine.
  expect(events.find(({ type }) => type === 'planned')).toMatchObject({ seconds: 0.012 });
});
