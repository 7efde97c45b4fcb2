import type { ChildProcess } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { openBrowser } from '../../../src/cli/open/browser.ts';

const URL_TO_OPEN = 'http://127.0.0.1:7546/ui/';

/** Opens an address on a platform, with a program that starts or is not there. */
async function opened(platform: NodeJS.Platform, outcome: 'spawn' | 'error') {
  const commands: string[][] = [];
  const spawn = (command: string, args: readonly string[]) => {
    commands.push([command, ...args]);
    const child = Object.assign(new EventEmitter(), { unref: () => {} });
    queueMicrotask(() => child.emit(outcome, new Error('ENOENT')));
    return child as unknown as ChildProcess;
  };
  return { isOpen: await openBrowser(URL_TO_OPEN, spawn, platform), commands };
}

test.each([
  ['linux', ['xdg-open', URL_TO_OPEN]],
  ['darwin', ['open', URL_TO_OPEN]],
  ['win32', ['rundll32', 'url.dll,FileProtocolHandler', URL_TO_OPEN]],
] as const)('The browser of %s opens an address', async (platform, command) => {
  expect(await opened(platform, 'spawn')).toEqual({ isOpen: true, commands: [[...command]] });
});

test('Where no program opens a browser, that is told', async () => {
  expect((await opened('linux', 'error')).isOpen).toBe(false);
});
