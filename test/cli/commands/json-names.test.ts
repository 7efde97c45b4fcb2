import { expect, test } from 'vitest';
import { runCapesDelete } from '../../../src/cli/commands/capes/delete.ts';
import { runJobs } from '../../../src/cli/commands/jobs.ts';
import { runKeysCreate } from '../../../src/cli/commands/keys/create.ts';
import { runKeysRevoke } from '../../../src/cli/commands/keys/revoke.ts';
import { runSkinsGet } from '../../../src/cli/commands/skins/get.ts';
import { runUsersGet } from '../../../src/cli/commands/users/get.ts';
import { runUsersList } from '../../../src/cli/commands/users/list.ts';
import type { Deps } from '../../../src/cli/context/context.ts';
import { runCommand } from '../../support/cli/desk.ts';
import { addCape } from '../../support/server/drawn-capes.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { guardAgainstLeaks, runServer } from '../../support/server/running-server.ts';

guardAgainstLeaks();

test('JSON has the same field for the same thing, and earlier names beside', async () => {
  const server = await runServer();
  const json = async (run: (deps: Deps) => Promise<number>) =>
    JSON.parse((await runCommand(run, { ...server, flags: { json: true } })).out);
  const made = (await server.owner.upload('/v2/generate', skinPng(1))).body.skin;
  await addCape(server, 'red');

  const user = await json((deps) => runUsersGet('owner', deps));
  expect(user.uuid).toBe(user.id);
  expect(await json((deps) => runUsersList({}, deps))).toEqual([user]);

  const [job] = await json((deps) => runJobs({}, deps));
  expect(job.createdAt).toMatch(/^\d{4}-.*Z$/);
  expect(job.created).toBe(job.createdAt);

  const skin = await json((deps) => runSkinsGet({ uuids: [String(made?.uuid)] }, deps));
  expect(skin.value).toBeTruthy();
  expect(skin).toMatchObject({ texture: { data: { value: skin.value, signature: skin.signature } } });

  const { id } = await json((deps) => runKeysCreate({ called: 'ci' }, deps));
  expect(await json((deps) => runKeysRevoke([id], deps))).toEqual([{ id, revoked: true }]);
  const uuid = expect.stringMatching(/^[0-9a-f-]{36}$/);
  expect(await json((deps) => runCapesDelete(['red'], deps))).toEqual([{ uuid, deleted: true }]);
});
