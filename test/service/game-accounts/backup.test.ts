import { join } from 'node:path';
import { expect, test } from 'vitest';
import { accountServerOptions, runAccountServer } from '../../support/server/account-server.ts';
import { backUpOf, restoreInto } from '../../support/server/backing-up.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { ownFolder } from '../../support/server/own-folder.ts';
import { guardAgainstLeaks, runServer, WITH_KEY_FILE } from '../../support/server/running-server.ts';
import { TestCaller } from '../../support/server/test-caller.ts';

guardAgainstLeaks();

test('Accounts work after a restore, because the backup contains the key of their tokens', async () => {
  const { fake, server, link } = await runAccountServer(WITH_KEY_FILE);
  const account = fake.addAccount();
  await link(account);
  const dataDir = join(await ownFolder(), 'new');
  await restoreInto(dataDir, await backUpOf(server));
  await server.close();
  fake.renewToken(account);
  const { url } = await runServer({ ...accountServerOptions(fake), dataDir });
  const { status, body } = await new TestCaller(url, { address: '127.0.0.2' }).upload(
    '/v2/generate',
    skinPng(1),
  );
  expect([status, body.skin?.generator.account]).toEqual([200, account.id]);
});
