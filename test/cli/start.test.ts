import { normalize } from 'node:path';
import { expect, test } from 'vitest';
import { compileCacheFolder, settleHome } from '../../src/cli/start.ts';

test('HOME is set to nothing for a user without a home folder', () => {
  const env: NodeJS.ProcessEnv = {};
  settleHome(env, () => {
    throw new Error('uv_os_homedir returned ENOENT');
  });
  expect(env).toEqual({ HOME: '' });
});

test('HOME stays as it is for a user with a home folder', () => {
  const env = { HOME: '/home/alice' };
  settleHome(env, () => '/home/alice');
  expect(env).toEqual({ HOME: '/home/alice' });
});

test.each([
  ['linux', { HOME: '/home/ann' }, '/home/ann/.cache/skinsmith/compiled'],
  ['linux', { HOME: '/home/ann', XDG_CACHE_HOME: '/fast' }, '/fast/skinsmith/compiled'],
  ['linux', { HOME: '/home/ann', XDG_CACHE_HOME: 'not/absolute' }, '/home/ann/.cache/skinsmith/compiled'],
  ['darwin', { HOME: '/Users/ann' }, '/Users/ann/Library/Caches/skinsmith/compiled'],
  ['win32', { LOCALAPPDATA: '/local' }, '/local/skinsmith/compiled'],
] as const)('On %s with %j compiled code is kept among the user’s caches: %s', (platform, env, expected) => {
  expect(compileCacheFolder(env, platform, () => true)).toBe(normalize(expected));
});

test('A user without a place for caches keeps no compiled code', () => {
  expect(compileCacheFolder({ HOME: 'not/absolute' }, 'linux', () => true)).toBeUndefined();
  expect(compileCacheFolder({ HOME: '' }, 'linux', () => true)).toBeUndefined();
  expect(compileCacheFolder({}, 'win32', () => true)).toBeUndefined();
});

test('Compiled code in the home of another user is neither read nor written', () => {
  const asked: string[] = [];
  const isOwn = (folder: string) => {
    asked.push(folder);
    return false;
  };
  expect(compileCacheFolder({ HOME: '/home/ann' }, 'linux', isOwn)).toBeUndefined();
  expect(asked).toEqual(['/home/ann']);
});
