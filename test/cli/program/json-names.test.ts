import { expect, test } from 'vitest';
import { capesDelete } from '../../../src/cli/commands/capes.ts';
import { runJobs } from '../../../src/cli/commands/jobs.ts';
import { keysCreate, keysRevoke } from '../../../src/cli/commands/keys.ts';
import { skinsGet } from '../../../src/cli/commands/skins.ts';
import { usersGet, usersList } from '../../../src/cli/commands/users.ts';
import type { CommandContext, ExitStatus } from '../../../src/cli/context/context.ts';
import { runCommand } from '../../support/cli/run-command.ts';
import { addCape } from '../../support/server/drawn-capes.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { guardAgainstLeaks, runServer } from '../../support/server/running-server.ts';

guardAgainstLeaks();

test('The JSON of all commands has one field, with the same name, for the same thing', async () => {
  const server = await runServer();
  const json = async (run: (context: CommandContext) => ExitStatus) =>
    JSON.parse((await runCommand(run, { ...server, flags: { json: true } })).out);
  const made = (await server.owner.upload('/v2/generate', skinPng(1))).body.skin;
  await addCape(server, 'red');

  const user = await json((context) => usersGet.run('owner', context));
  expect(user.uuid).toMatch(/^[0-9a-f]{32}$/);
  expect(user).not.toHaveProperty('id');
  expect(await json((context) => usersList.run({}, context))).toEqual([user]);

  const [job] = await json((context) => runJobs({}, context));
  expect(job.createdAt).toMatch(/^\d{4}-.*Z$/);
  expect(job).not.toHaveProperty('created');

  const skin = await json((context) => skinsGet.run([String(made?.uuid)], {}, context));
  expect(skin.value).toBeTruthy();
  expect(skin).toMatchObject({ ...made?.texture.data });
  expect(skin.texture).not.toHaveProperty('data');

  const { id } = await json((context) => keysCreate.run('ci', {}, context));
  expect(await json((context) => keysRevoke.run([id], context))).toEqual([{ id, revoked: true }]);
  const uuid = expect.stringMatching(/^[0-9a-f-]{36}$/);
  expect(await json((context) => capesDelete.run(['red'], context))).toEqual([{ uuid, deleted: true }]);
});
