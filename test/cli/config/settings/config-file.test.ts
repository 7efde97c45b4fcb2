import { once } from 'node:events';
import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { ConfigFile } from '../../../../src/cli/config/settings.ts';
import { CliError } from '../../../../src/cli/errors/exit.ts';
import { failureOf } from '../../../support/client/test-client.ts';
import { childProgram } from '../../../support/program/child-program.ts';
import { tempFolder } from '../../../support/textures/temp-folder.ts';

const HERE = 'https://a.example';
const THERE = 'https://b.example';

/** A config file, with this in it when something is given. */
async function configWith(text?: string): Promise<ConfigFile> {
  const folder = await tempFolder();
  if (text !== undefined) await writeFile(join(folder, 'config.json'), text);
  return new ConfigFile(folder);
}

describe('ConfigFile', () => {
  test('is empty, and creates no file, until something is set', async () => {
    const folder = join(await tempFolder(), 'config');
    const file = new ConfigFile(folder);
    expect(await file.settings()).toEqual({});
    expect(await file.apiKey(HERE)).toBeUndefined();
    expect(await file.keyPlaces()).toEqual({});
    expect(await file.forgetKey(HERE)).toBe(false);
    await file.unset('slots');
    await expect(stat(folder)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('keeps settings for the next reader of the file', async () => {
    const file = await configWith();
    await file.set('base-url', HERE);
    await file.set('slots', 3);
    expect(await file.settings()).toEqual({ 'base-url': HERE, slots: 3 });
    expect(await new ConfigFile(join(file.path, '..')).settings()).toEqual({ 'base-url': HERE, slots: 3 });
  });

  test('loses no key when several programs keep one at the same time', async () => {
    const { path } = await configWith();
    const places = Array.from({ length: 8 }, (_, n) => `https://${n}.example`);
    const programs = places.map((place) =>
      execa(process.execPath, [childProgram('keep-key'), join(path, '..'), place]),
    );
    await Promise.all(programs.map(async ({ stdout }) => await once(stdout, 'data')));
    for (const { stdin } of programs) stdin.end('go');
    await Promise.all(programs);
    const kept = await new ConfigFile(join(path, '..')).keyPlaces();
    expect(Object.keys(kept).sort()).toEqual(places.sort());
  });

  test('removes a setting and keeps the others', async () => {
    const file = await configWith('{"slots": 3, "color": "never"}');
    await file.unset('slots');
    expect(await file.settings()).toEqual({ color: 'never' });
    expect(JSON.parse(await readFile(file.path, 'utf8'))).toEqual({ color: 'never' });
  });

  test('is for its owner alone, because it holds keys', async () => {
    const file = await configWith();
    await file.keepKey(HERE, 'key-of-a');
    expect((await stat(file.path)).mode & 0o777).toBe(0o600);
    expect(await readdir(join(file.path, '..'))).toEqual(['config.json', 'config.json.lock']);
  });

  test('closes a file that others could read as soon as it writes to it', async () => {
    const file = await configWith('{"slots": 3}');
    await chmod(file.path, 0o644);
    await file.keepKey(HERE, 'key-of-a');
    expect((await stat(file.path)).mode & 0o777).toBe(0o600);
  });

  test('keeps a key for one service and gives it to no other', async () => {
    const file = await configWith();
    await file.keepKey(HERE, 'key-of-a');
    await file.keepKey(THERE, 'key-of-b');
    expect(await file.apiKey(HERE)).toBe('key-of-a');
    expect(await file.apiKey(THERE)).toBe('key-of-b');
    for (const other of ['https://a.example:8443', 'http://a.example', 'https://a.example.evil', ''])
      expect(await file.apiKey(other)).toBeUndefined();
  });

  test('forgets a key and leaves the others and the settings', async () => {
    const file = await configWith('{"slots": 3}');
    await file.keepKey(HERE, 'key-of-a');
    await file.keepKey(THERE, 'key-of-b');
    expect(await file.forgetKey(HERE)).toBe(true);
    expect(await file.forgetKey(HERE)).toBe(false);
    expect(await file.apiKey(HERE)).toBeUndefined();
    expect(await file.apiKey(THERE)).toBe('key-of-b');
    expect(await file.settings()).toEqual({ slots: 3 });
    expect(await readFile(file.path, 'utf8')).not.toContain('key-of-a');
  });

  test('shows only the last four characters of keys, and no keys among the settings', async () => {
    const file = await configWith();
    await file.keepKey(HERE, 'abcdefgh1234');
    expect(await file.keyPlaces()).toEqual({ [HERE]: '1234' });
    expect(await file.settings()).toEqual({});
  });

  test.each(['{"api-keys": "none"}', '{"api-keys": null}', '{"api-keys": {"https://a.example": 7}}'])(
    'has no key where %s is written',
    async (text) => {
      const file = await configWith(text);
      expect(await file.apiKey(HERE)).toBeUndefined();
      expect(await file.keyPlaces()).toEqual({});
    },
  );

  test('is named in the error, with what to do, when it cannot be created or changed', async () => {
    const place = join(await tempFolder(), 'file');
    await writeFile(place, '');
    const file = new ConfigFile(join(place, 'skinsmith'));
    const failure = await failureOf(file.set('slots', 4));
    expect(failure).toMatchObject({
      code: 'config_unusable',
      message: `The config file ${file.path} cannot be changed: part of the path is not a folder.`,
      hint: expect.stringContaining('HOME or SKINSMITH_CONFIG_DIR'),
    });
  });

  test.each(['{"slots": 3', 'slots = 3'])(
    'is named in the error when it is not JSON (%s), and stays as it is',
    async (text) => {
      const file = await configWith(text);
      const failure = await failureOf(file.settings());
      expect(failure).toBeInstanceOf(CliError);
      expect(failure).toMatchObject({
        code: 'invalid_config',
        exit: 'usage',
        message: `The config file ${file.path} is not JSON.`,
        hint: expect.stringContaining(file.path),
      });
      expect(await failureOf(file.set('slots', 4))).toMatchObject({ code: 'invalid_config' });
      expect(await readFile(file.path, 'utf8')).toBe(text);
    },
  );

  test('does not treat a dot in a name as a path', async () => {
    const file = await configWith();
    await file.set('a.b', 1);
    expect(await file.settings()).toEqual({ 'a.b': 1 });
  });
});
