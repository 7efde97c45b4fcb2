import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { keysCreate, keysRevoke } from '../../../src/cli/commands/keys.ts';
import { usersList } from '../../../src/cli/commands/users.ts';
import type { CommandContext } from '../../../src/cli/context/context.ts';
import { SeenNames } from '../../../src/cli/history.ts';
import { runCommand } from '../../support/cli/run-command.ts';
import { ownFolder } from '../../support/server/own-folder.ts';
import { guardAgainstLeaks, runServer } from '../../support/server/running-server.ts';

guardAgainstLeaks();

test('Names are kept newest first, each once, and no more than 200', async () => {
  const folder = await ownFolder();
  const seen = new SeenNames(folder);
  await seen.add('users', [{ value: 'bob', about: 'free' }, { value: 'zoe' }]);
  await seen.add('users', [{ value: 'zoe', about: 'pro' }]);
  expect(await new SeenNames(folder).of('users')).toEqual([
    { value: 'zoe', about: 'pro' },
    { value: 'bob', about: 'free' },
  ]);
  await seen.add(
    'users',
    Array.from({ length: 250 }, (_, i) => ({ value: `user-${i}` })),
  );
  expect(await seen.of('users')).toHaveLength(200);
  await seen.remove('users', 'user-0');
  expect((await seen.of('users'))[0]).toEqual({ value: 'user-1' });
  expect((await stat(join(folder, 'seen-names.json'))).mode & 0o777).toBe(0o600);
});

test.each(['not JSON', '[]', '{"users":7}', '{"users":[null,{"value":3}]}'])(
  'A file that contains %s counts as empty',
  async (text) => {
    const folder = await ownFolder();
    await writeFile(join(folder, 'seen-names.json'), text);
    expect(await new SeenNames(folder).of('users')).toEqual([]);
  },
);

test('Remembering names in a folder that cannot be written to is no error', async () => {
  const file = join(await ownFolder(), 'file');
  await writeFile(file, '');
  const seen = new SeenNames(join(file, 'data'));
  await expect(seen.add('keys', [{ value: 'id' }])).resolves.toBeUndefined();
  expect(await seen.of('keys')).toEqual([]);
});

test('Users and keys that commands show are remembered, without secrets; a revoked key is forgotten', async () => {
  const server = await runServer();
  const seen: unknown[] = [];
  const run = async (context: CommandContext) => {
    await usersList.run({}, context);
    const before = await context.seenNames.of('keys');
    await keysCreate.run('ci', {}, context);
    const [key] = await context.seenNames.of('keys');
    await keysRevoke.run([key?.value ?? ''], context);
    seen.push(await context.seenNames.of('users'), before, key, await context.seenNames.of('keys'));
    return 0;
  };
  expect((await runCommand(run, server)).told).toBeUndefined();
  expect(seen).toEqual([
    [{ value: 'owner', about: 'owner' }],
    [],
    { value: expect.stringMatching(/^[0-9a-f]{24}$/), about: 'ci of owner' },
    [],
  ]);
});
