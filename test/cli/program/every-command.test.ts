import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { expect, test, vi } from 'vitest';
import { outputOf } from '../../../src/cli/output/described.ts';
import { buildProgram } from '../../../src/cli/program.ts';
import { ENDLESS_COMMANDS } from '../../support/cli/endless-commands.ts';
import type { Ran, runCommand } from '../../support/cli/run-command.ts';
import { typeLine } from '../../support/cli/type-line.ts';
import { ownFolder } from '../../support/server/own-folder.ts';
import { giveSigningKey, guardAgainstLeaks, runServer } from '../../support/server/running-server.ts';

guardAgainstLeaks();

/** Types command lines on one machine: what one of them keeps, the next one finds. */
type Type = (words: readonly string[], place?: Parameters<typeof runCommand>[1]) => Promise<Ran>;

async function machine(): Promise<{ type: Type; folder: string }> {
  const folder = await ownFolder();
  await mkdir(join(folder, 'data'));
  await giveSigningKey(join(folder, 'data'));
  const env = {
    SKINSMITH_CONFIG_DIR: join(folder, 'config'),
    SKINSMITH_DATA_DIR: join(folder, 'data'),
  };
  const type: Type = async (words, place = {}) =>
    await typeLine(words, { flags: { quiet: false }, ...place, env });
  return { type, folder };
}

/**
 * The commands that print nothing for programs, and those that do not end by themselves. All others are run by
 * test/cli/man/formats-page/command-formats.test.ts.
 */
const RUNS: Readonly<Record<string, () => Promise<void>>> = {
  'config set': async () => {
    const { type } = await machine();
    expect(await type(['config', 'set', 'slots', '3'])).toMatchObject({ status: 0, out: '' });
    expect((await type(['config', 'get', 'slots'])).out).toBe('3\n');
  },
  'config unset': async () => {
    const { type } = await machine();
    await type(['config', 'set', 'slots', '3']);
    expect(await type(['config', 'unset', 'slots'])).toMatchObject({ status: 0, out: '' });
    expect((await type(['config', 'list'])).out).not.toContain('slots\t3');
  },
  login: async () => {
    const { type, folder } = await machine();
    const { url, key = '' } = await runServer();
    const keyFile = join(folder, 'key.txt');
    await writeFile(keyFile, key);
    const signedIn = await type(['login', '--key-file', keyFile], { flags: { baseUrl: url } });
    expect(signedIn).toMatchObject({ status: 0, told: undefined });
    expect((await type(['whoami'], { flags: { baseUrl: url } })).out).toMatch(/^name\towner$/m);
  },
  logout: async () => {
    const { type } = await machine();
    const flags = { baseUrl: 'https://skins.example.org', quiet: false };
    const { status, err } = await type(['logout'], { flags });
    expect([status, err]).toEqual([0, 'No key is stored for https://skins.example.org.\n']);
  },
  help: async () => {
    const { type } = await machine();
    const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    try {
      await type(['help', 'exit-status']);
      expect(write.mock.calls.join('')).toMatch(/^.*130 +interrupted/m);
    } finally {
      write.mockRestore();
    }
  },
  completion: async () => {
    const { type } = await machine();
    const { status, out } = await type(['completion', 'bash']);
    expect([status, out]).toEqual([0, expect.stringContaining('\ncomplete ')]);
  },
  complete: async () => {
    const { type } = await machine();
    const { status, out } = await type(['complete', '--current=a', '--', 'config', 'set', 'variant']);
    expect([status, out.split('\n').slice(0, 2)]).toEqual([0, ['none\t', 'auto\t']]);
  },
  serve: async () => {
    const { type } = await machine();
    const { status, out, err } = await type(['serve', '--port', '0', '--log-level', 'silent'], {
      signal: AbortSignal.abort(),
    });
    expect([status, err]).toEqual([0, '']);
    expect(out.replaceAll(/127\.0\.0\.1:\d+/g, 'HOST').replace(/once: \S+/, 'once: KEY')).toBe(
      "Listening on http://HOST\nOwner's API key, shown this once: KEY\n" +
        'Store it where you use it: skinsmith login --base-url http://HOST\n' +
        'Its pages: http://HOST/ui/, signed in with skinsmith open or with this key\n',
    );
  },
  open: async () => {
    const { type } = await machine();
    const { status, out } = await type(['open', '--no-browser', '--port', '0'], {
      signal: AbortSignal.abort(),
    });
    expect(status).toBe(0);
    expect(out).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/ui\/sign-in\/link\?secret=\S+\n$/);
  },
  'jobs --watch': async () => {
    const { type } = await machine();
    const { url, key } = await runServer();
    const watched = await type(['jobs', '--watch'], { url, key, signal: AbortSignal.abort() });
    expect(watched).toMatchObject({ status: 0, out: '', told: undefined });
  },
};

function leaves(command: Command, path = ''): [path: string, command: Command][] {
  if (path !== '' && command.commands.length === 0) return [[path, command]];
  return command.commands.flatMap((child) => leaves(child, `${path} ${child.name()}`.trimStart()));
}

test('Every command is run in this process by a test', async () => {
  const all = leaves(await buildProgram({ runner: () => async () => {} }));
  const silent = all.filter(([, command]) => outputOf(command).length === 0).map(([path]) => path);
  expect(Object.keys(RUNS).sort()).toEqual([...silent, ...ENDLESS_COMMANDS].sort());
});

test.each(Object.entries(RUNS))('%s runs', async (_, run) => {
  await run();
});
