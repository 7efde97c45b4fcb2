import { statSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { heldWorld } from '../../../../src/cli/plugins/into-plugin.ts';
import { ownFolder } from '../../../support/server/own-folder.ts';

test('A server that runs is known by the lock on one of its worlds, not by the file alone', async () => {
  const server = await ownFolder();
  for (const folder of ['world', 'world_nether', 'logs', 'plugins/FancyNpcs'])
    await mkdir(join(server, folder), { recursive: true });
  for (const world of ['world', 'world_nether']) await writeFile(join(server, world, 'session.lock'), '☃');
  const plugin = join(server, 'plugins/FancyNpcs');
  const held = join(server, 'world_nether/session.lock');
  const locks = join(server, 'locks');
  await writeFile(locks, '1: POSIX  ADVISORY  WRITE 42 08:01:1 0 EOF\n');
  expect(heldWorld(plugin, locks)).toBeUndefined();
  await writeFile(locks, `1: POSIX  ADVISORY  WRITE 42 08:01:${statSync(held).ino} 0 EOF\n`);
  expect(heldWorld(plugin, locks)).toBe(held);
  expect(heldWorld(plugin, join(server, 'no-such-list'))).toBeUndefined();
  expect(heldWorld(join(server, 'nowhere/plugins/FancyNpcs'), locks)).toBeUndefined();
});
