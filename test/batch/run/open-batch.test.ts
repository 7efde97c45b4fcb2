import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { PlanOptions } from '../../../src/batch/options/options.ts';
import { openBatch } from '../../../src/batch/run/open-batch.ts';
import { ownFolder } from '../../support/server/own-folder.ts';

async function optionsIn(lockfile?: string): Promise<PlanOptions> {
  const folder = await ownFolder();
  return {
    sources: [],
    service: { name: 'https://skins.example', caller: 'c' },
    stateDir: join(folder, 'state'),
    ...(lockfile !== undefined && { lockfile: join(folder, lockfile) }),
  } as unknown as PlanOptions;
}

/** Opened to submit; closed when the test ends. */
async function open(options: PlanOptions) {
  const batch = await openBatch(options, { write: true });
  let isClosed = false;
  const close = () => {
    if (isClosed) return;
    isClosed = true;
    batch.journal?.close();
    batch.close();
  };
  onTestFinished(close);
  return { batch, close };
}

const journalsOf = ({ stateDir }: PlanOptions) =>
  readdirSync(join(stateDir, 'journals')).filter((name) => name.endsWith('.ndjson'));

test('Batches without a lockfile run beside each other, each with a journal of its own', async () => {
  const options = await optionsIn();
  await open(options);
  await open(options);
  expect(journalsOf(options)).toHaveLength(2);
});

test('A lockfile is used by one batch at a time', async () => {
  const options = await optionsIn('skins.lock');
  const { close } = await open(options);
  await expect(open(options)).rejects.toMatchObject({ code: 'lockfile_in_use' });
  close();
  await expect(open(options)).resolves.toBeDefined();
});

test('A batch that only plans finds what is there and creates nothing', async () => {
  const options = await optionsIn();
  const batch = await openBatch(options, { write: false });
  expect([batch.journal, existsSync(join(options.stateDir, 'journals'))]).toEqual([undefined, false]);
  batch.close();
});
