import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runGenerate } from '../../../src/cli/commands/generate.ts';
import { runVerify } from '../../../src/cli/commands/verify.ts';
import { runCommand } from '../../support/cli/run-command.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { ownFolder } from '../../support/server/own-folder.ts';
import { runServer } from '../../support/server/running-server.ts';

/** Three pictures, the lockfile of two of them, and what can be done with them and a key that is none. */
async function shop() {
  const { url, key } = await runServer();
  const folder = await ownFolder();
  const lock = join(folder, 'skins.lock');
  const [first = '', second = '', third = ''] = ['1.png', '2.png', '3.png'].map((name) => join(folder, name));
  for (const [number, path] of [first, second, third].entries()) await writeFile(path, skinPng(number));
  const generate = async (sources: string[], its = 'k'.repeat(64)) =>
    await runCommand(async (context) => await runGenerate(sources, { lock }, context), {
      ...{ url, key: its, flags: { json: true } },
    });
  expect(await generate([first, second], key)).toMatchObject({ status: 0 });
  return { folder, lock, third, known: [first, second], generate };
}

test('An error that ends a batch leaves the results so far as a complete JSON document', async () => {
  const { third, known, generate } = await shop();
  const ran = await generate([...known, third]);
  expect(ran.told).toMatchObject({ code: 'invalid_api_key' });
  expect(JSON.parse(ran.out)).toMatchObject(known.map((source) => ({ source, status: 'completed' })));
  expect(await generate([third, ...known])).toMatchObject({ out: '' });
});

test('An error that ends a verification also leaves a complete JSON document', async () => {
  const { folder, lock } = await shop();
  const files = [lock, join(folder, 'missing')];
  const verify = async (...only: string[]) =>
    await runCommand(async (context) => await runVerify(only, { offline: true }, context), {
      flags: { json: true },
    });
  const ran = await verify(...files);
  expect(ran.told).toMatchObject({ code: 'enoent' });
  expect(JSON.parse(ran.out)).toHaveLength(2);
  expect(await verify(...files.toReversed())).toMatchObject({ out: '' });
});
