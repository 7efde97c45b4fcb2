import { expect, test } from 'vitest';
import { listAccounts } from '../../src/server/store/accounts.ts';
import { hurriedIn } from '../support/fake-game/call-log.ts';
import { runGame } from '../support/fake-game/run-game.ts';
import { accountServerOptions, CLIENT_ID, runAccountServer } from '../support/server/account-server.ts';
import { skinPng } from '../support/server/drawn-skins.ts';
import { ownFolder } from '../support/server/own-folder.ts';
import { poll } from '../support/server/poll.ts';
import {
  giveSigningKey,
  guardAgainstLeaks,
  openOwnStore,
  runServer,
} from '../support/server/running-server.ts';
import { runSecondProcess } from '../support/server/second-process.ts';
import { TestCaller } from '../support/server/test-caller.ts';

guardAgainstLeaks();

test('A picture that many callers request from two processes at once is made once', async () => {
  const { fake, server, link } = await runAccountServer({}, { changeTime: 100 });
  for (let n = 0; n < 4; n++) await link(fake.addAccount());
  const { url } = await runSecondProcess(fake, { dataDir: server.dataDir });
  const addresses = ['127.0.0.2', '127.0.0.3', '127.0.0.4', '127.0.0.5'];
  const callers = addresses.flatMap((address) => [
    server.anonymous(address),
    new TestCaller(url, { address }),
  ]);
  const heard = await Promise.all(callers.map((caller) => caller.upload('/v2/generate', skinPng(1))));
  expect(heard.map(({ status }) => status)).toEqual(callers.map(() => 200));
  expect(new Set(heard.map(({ body }) => body.skin?.texture.data.value)).size).toBe(1);
  expect(fake.changes()).toHaveLength(1);
});

test('An account that a killed process was using is used again after its delay', async () => {
  const fake = await runGame({ signingKeyPath: undefined });
  const account = fake.addAccount();
  const dataDir = await ownFolder();
  await giveSigningKey(dataDir);
  const options = { dataDir, accountRules: { delay: 300 } };
  const before = await runServer({ ...accountServerOptions(fake, options), workers: 0 });
  const token = fake.microsoft.refreshToken(account.id, CLIENT_ID);
  await before.owner.json('/v2/account/accounts', { token });
  await before.close();
  const doomed = await runSecondProcess(fake, options);
  fake.order({ fault: { kind: 'hangs', isDone: true } });
  await new TestCaller(doomed.url, { key: before.key, dataDir }).upload('/v2/queue', skinPng(1));
  await poll(
    () => fake.changes(),
    (changes) => changes.length === 1,
  );
  doomed.process.kill('SIGKILL');
  await doomed.process;

  await runServer(accountServerOptions(fake, options));
  const { db } = await openOwnStore(dataDir);
  const jobs = db.selectFrom('jobs').selectAll();
  const job = await poll(
    () => jobs.executeTakeFirstOrThrow(),
    ({ status }) => status === 'completed',
  );
  expect(job.attempts).toBeGreaterThan(1); // more where the machine is too slow to renew its lease
  expect(fake.changes()).toHaveLength(2);
  expect(hurriedIn(fake.calls, 300)).toEqual([]);
  expect(await listAccounts(db)).toMatchObject([{ lease_owner: null, generated: 1, failed: 0 }]);
});
