import { chmod, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findOpenSecrets } from '../../../../src/server/assembly/generators.ts';
import { foreignFile } from '../../../support/base/foreign-file.ts';
import { ownFolder } from '../../../support/server/own-folder.ts';

async function fileOf(name: string, mode: number): Promise<string> {
  const path = join(await ownFolder(), name);
  await writeFile(path, '');
  await chmod(path, mode);
  return path;
}

test('Files with keys or passwords of another owner are found if others can read them', async () => {
  const signingKeyFile = await foreignFile('key');
  const passwords = await fileOf('pgpass', 0o440);
  const url = `postgres://skins@db/skins?passfile=${encodeURIComponent(passwords)}`;
  const options = { dataDir: await ownFolder(), signingKeyFile, store: { url } };
  expect(await findOpenSecrets(options)).toEqual([signingKeyFile, passwords]);
  await chmod(passwords, 0o400);
  expect(await findOpenSecrets(options)).toEqual([signingKeyFile]);
});

test("The service's own keys are made private at once, even if they are read much later", async () => {
  const accountKeyFile = await fileOf('account-key', 0o644);
  expect(await findOpenSecrets({ dataDir: await ownFolder(), accountKeyFile })).toEqual([]);
  expect((await stat(accountKeyFile)).mode & 0o777).toBe(0o600);
});
