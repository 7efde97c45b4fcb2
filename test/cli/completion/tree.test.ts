import { expect, test } from 'vitest';
import { completedCommands } from '../../../src/cli/completion/tree.ts';
import { buildProgram } from '../../../src/cli/program.ts';

const program = await buildProgram({ runner: () => async () => {} });
const commands = completedCommands(program);
const at = (path: string) => commands.find((command) => command.path === path);

/** What the value of an option can be. */
const valuesOf = (path: string, name: string) =>
  at(path)?.options.find(({ names }) => names.includes(name))?.values;

test('Every command of the tree is there, and none that is hidden', () => {
  const paths = commands.map(({ path }) => path);
  expect(paths).toEqual(expect.arrayContaining(['', 'generate', 'keys', 'keys edit', 'capes delete']));
  expect(paths).not.toContain('complete');
  expect(new Set(paths).size).toBe(paths.length);
});

test('Arguments are completed by what they are', () => {
  const specs = (path: string) => at(path)?.arguments;
  expect(specs('generate')).toEqual(['files']);
  expect(specs('status')).toEqual(['ask jobs']);
  expect(specs('skins get')).toEqual(['ask skins']);
  expect(specs('config set')).toEqual(['ask settings', 'ask setting-values']);
  expect(specs('keys revoke')).toEqual(['ask keys']);
  expect(specs('users disable')).toEqual(['ask users']);
  expect(specs('users create')).toEqual(['none']);
  expect(specs('completion')).toEqual(['words bash zsh fish powershell']);
  expect([at('skins edit')?.isVariadic, at('users edit')?.isVariadic]).toEqual([true, false]);
  expect(specs('retry')).toEqual(['ask jobs']);
});

test('Values of options are completed by what they are; an option without one has none', () => {
  expect(valuesOf('generate', '--visibility')).toBe('words public unlisted private');
  expect(valuesOf('generate', '--format')).toMatch(/^list json value signature /);
  expect(valuesOf('generate', '--report')).toBe('words junit= html=');
  expect(valuesOf('generate', '--name')).toBe('none');
  expect(valuesOf('keys create', '--user')).toBe('ask users');
  expect(valuesOf('serve', '--oidc-scopes')).toBe('none');
  expect(valuesOf('serve', '--login-client-id')).toBe('none');
  expect(valuesOf('backup', '--data')).toBe('folders');
  expect(valuesOf('', '--base-url')).toBe('ask services');
  expect(valuesOf('', '--json')).toBeUndefined();
});
