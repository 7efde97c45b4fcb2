import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { buildProgram } from '../../src/cli/program.ts';
import { typeLine } from '../support/cli/type-line.ts';
import { capePng } from '../support/server/drawn-capes.ts';
import { ownFolder } from '../support/server/own-folder.ts';
import { guardAgainstLeaks, runServer } from '../support/server/running-server.ts';

guardAgainstLeaks();

const FORMER_NAMES = [
  ['keys change', 'keys edit'],
  ['capes add', 'capes create'],
  ['capes change', 'capes edit'],
  ['capes remove', 'capes delete'],
  ['users show', 'users get'],
  ['users set', 'users edit'],
  ['accounts set', 'accounts edit'],
] as const;

test.each(FORMER_NAMES)('%s is understood as %s', async (former, current) => {
  let help = '';
  const program = await buildProgram({
    runner: () => async () => {},
    configure: (command) => {
      command.exitOverride().configureOutput({ writeOut: (text) => (help += text) });
    },
  });
  const words = [...former.split(' '), '--help'];
  await expect(program.parseAsync(words, { from: 'user' })).rejects.toMatchObject({ exitCode: 0 });
  expect(help).toMatch(new RegExp(`^Usage: skinsmith ${current} `, 'm'));
});

test('Former names do what they did', async () => {
  const server = await runServer();
  const place = { ...server, flags: { json: true } };
  const told = async (...words: string[]) => JSON.parse((await typeLine(words, place)).out) as { id: string };
  const file = join(await ownFolder(), 'Red.png');
  await writeFile(file, capePng(1));

  await told('users', 'create', 'bob');
  expect(await told('users', 'set', 'bob', '--plan', 'pro')).toMatchObject({ plan: 'pro' });
  expect(await told('users', 'show', 'bob')).toMatchObject({ name: 'bob', plan: 'pro' });
  const { id } = await told('keys', 'create', 'ci', '--user', 'bob');
  expect(await told('keys', 'change', id, '--name', 'laptop')).toMatchObject({ id, name: 'laptop' });
  expect(await told('capes', 'add', file)).toMatchObject({ alias: 'Red', support: 'public' });
  expect(await told('capes', 'change', 'red', '--hide')).toMatchObject({ support: 'none' });
  await typeLine(['capes', 'remove', 'red'], place);
  expect(await told('capes', 'list', '--all')).toEqual([]);
  const missing = await typeLine(['accounts', 'set', 'Steve', '--restore'], place);
  expect(missing.told?.code).toBe('no_such_account');
});

test('Help shows current names only', async () => {
  const program = await buildProgram({ runner: () => async () => {} });
  const commands = (command: Command): Command[] => [command, ...command.commands.flatMap(commands)];
  for (const command of commands(program)) {
    expect(command.helpInformation().match(/^.*[a-z]\|[a-z].*$/m)?.[0]).toBeUndefined();
  }
});
