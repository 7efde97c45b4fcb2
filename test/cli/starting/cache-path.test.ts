import { basename, dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';
import { cachePath } from '../../../src/cli/starting/cache-path.ts';

const folder = '/program';
const env = { NODE_COMPILE_CACHE: '/caches' };
const pathOf = (...argv: string[]) => cachePath({ argv, env, folder });

test('Each command of each installation has a file of its own among the user’s', () => {
  const path = pathOf('--json', 'generate', 'one.png') ?? '';
  const user = process.getuid?.() ?? 'user';
  expect(join(path, '..')).toBe(join('/caches', `skinsmith-${user}`));
  expect(basename(path)).toMatch(/^generate-[0-9a-f]{8}$/);
  expect(pathOf('generate', 'two.png')).toBe(path);
  expect(pathOf('serve')).not.toBe(path);
  expect(cachePath({ argv: ['generate'], env, folder: '/other' })).not.toBe(path);
  expect(cachePath({ argv: ['generate'], env: { ...env, NODE_OPTIONS: '--jitless' }, folder })).not.toBe(
    path,
  );
});

test.each([
  ['linux', { HOME: '/home/ann' }, '/home/ann/.cache/skinsmith/compiled'],
  ['linux', { HOME: '/home/ann', XDG_CACHE_HOME: '/fast' }, '/fast/skinsmith/compiled'],
  ['linux', { HOME: '/home/ann', XDG_CACHE_HOME: 'not/absolute' }, '/home/ann/.cache/skinsmith/compiled'],
  ['darwin', { HOME: '/Users/ann' }, '/Users/ann/Library/Caches/skinsmith/compiled'],
  ['win32', { LOCALAPPDATA: '/local' }, '/local/skinsmith/compiled'],
] as const)('On %s with %j it is among the user’s caches: %s', (platform, some, expected) => {
  const path = cachePath({ argv: ['generate'], env: some, folder, platform });
  expect(dirname(path ?? '')).toBe(normalize(expected));
});

test('Where the user has no place for caches there is none', () => {
  expect(cachePath({ argv: ['generate'], env: { HOME: 'not/absolute' }, folder, platform: 'linux' })).toBe(
    undefined,
  );
  expect(cachePath({ argv: ['generate'], env: {}, folder, platform: 'win32' })).toBeUndefined();
});

test.each([[], ['--version'], ['--help'], ['-h'], ['../../etc/passwd'], ['a'.repeat(300)], ['\u0000x']])(
  'A line without a command has none: %s',
  (...argv) => expect(pathOf(...argv)).toBeUndefined(),
);

test.each(['NODE_DISABLE_COMPILE_CACHE', 'NODE_V8_COVERAGE'])('%s turns it off', (name) => {
  expect(cachePath({ argv: ['generate'], env: { ...env, [name]: '1' }, folder })).toBeUndefined();
});
