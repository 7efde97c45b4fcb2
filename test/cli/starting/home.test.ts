import { expect, test } from 'vitest';
import { settleHome } from '../../../src/cli/starting/home.ts';

test('The home of a user who has none counts as empty', () => {
  const env: NodeJS.ProcessEnv = {};
  settleHome(env, () => {
    throw new Error('uv_os_homedir returned ENOENT');
  });
  expect(env).toEqual({ HOME: '' });
});

test('The home of a user who has one stays as it is', () => {
  const env = { HOME: '/home/alice' };
  settleHome(env, () => '/home/alice');
  expect(env).toEqual({ HOME: '/home/alice' });
});
