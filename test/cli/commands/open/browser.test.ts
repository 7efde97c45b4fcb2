import type { ChildProcess, SpawnOptions } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { openBrowser } from '../../../../src/cli/commands/open.ts';

const PATH = '/home/ann/skinsmith-open-abc123/open.html';

/** How a program ends, by its name; one that is not named is not there. */
type Programs = Readonly<Record<string, number>>;

/** Opens a file on a platform that has these programs. */
async function opened(programs: Programs, platform: NodeJS.Platform, env: NodeJS.ProcessEnv = {}) {
  const commands: string[][] = [];
  const environments: (NodeJS.ProcessEnv | undefined)[] = [];
  const spawn = (command: string, args: readonly string[], options: SpawnOptions) => {
    commands.push([command, ...args]);
    environments.push(options.env);
    const child = Object.assign(new EventEmitter(), { unref: () => {} });
    const status = programs[command];
    queueMicrotask(() =>
      status === undefined ? child.emit('error', new Error('ENOENT')) : child.emit('exit', status),
    );
    return child as unknown as ChildProcess;
  };
  return { isOpen: await openBrowser(PATH, { env, platform, spawn }), commands, environments };
}

test.each([
  ['linux', {}, ['xdg-open', PATH]],
  ['darwin', {}, ['open', PATH]],
  ['win32', {}, ['rundll32', 'url.dll,FileProtocolHandler', `file://${PATH}`]],
  ['linux', { WSL_DISTRO_NAME: 'Ubuntu' }, ['wslview', PATH]],
] as const)('On %s with %j, the browser opens a file', async (platform, env, command) => {
  const { isOpen, commands } = await opened({ [command[0]]: 0 }, platform, env);
  expect([isOpen, commands]).toEqual([true, [[...command]]]);
});

test('In WSL without wslview, a Linux browser opens a file', async () => {
  const { isOpen, commands } = await opened({ 'xdg-open': 0 }, 'linux', { WSL_DISTRO_NAME: 'Ubuntu' });
  expect([isOpen, commands]).toEqual([
    true,
    [
      ['wslview', PATH],
      ['xdg-open', PATH],
    ],
  ]);
});

test('If no program opens a browser, or it fails, the command says so', async () => {
  expect((await opened({}, 'linux')).isOpen).toBe(false);
  expect((await opened({ 'xdg-open': 3 }, 'linux')).isOpen).toBe(false);
});

test('The browser gets no key and no password', async () => {
  const secrets = { SKINSMITH_API_KEY: 'k', SKINSMITH_STORE: 'postgres://a:b@c/d', PGPASSWORD: 'p' };
  const { environments } = await opened({ 'xdg-open': 0 }, 'linux', {
    ...secrets,
    DISPLAY: ':0',
    PATH: '/bin',
  });
  expect(environments).toEqual([{ DISPLAY: ':0', PATH: '/bin' }]);
});
