import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CHECKS } from '../../../src/cli/doctor/checks.ts';
import { lookAtFolder } from '../../../src/cli/doctor/folders.ts';
import { makePatient } from '../../support/cli/setup.ts';

/** A config file of this content, in a set-up of its own. */
async function configured(content: string, options: Parameters<typeof makePatient>[0] = {}, mode = 0o600) {
  const made = await makePatient(options);
  const path = join(made.folder, 'config/config.json');
  await mkdir(join(made.folder, 'config'));
  await writeFile(path, content, { mode });
  await chmod(path, mode);
  return { ...made, path };
}

describe('The check of the program', () => {
  test('says which versions run', async () => {
    const { setup } = await makePatient();
    const found = await CHECKS.program.look(setup);
    expect(found.detail).toContain(`Node ${process.versions.node}`);
    expect(found.result).toBe('ok');
  });
});

describe('The check of the config file', () => {
  test('is content without one', async () => {
    const { setup, folder } = await makePatient();
    expect(await CHECKS.config.look(setup)).toEqual({
      result: 'ok',
      detail: `There is no ${folder}/config/config.json: defaults hold.`,
    });
  });

  test('is content with one that is its owner’s alone', async () => {
    const { setup, path } = await configured('{}');
    expect(await CHECKS.config.look(setup)).toEqual({
      result: 'ok',
      detail: `${path} is as it should be.`,
    });
  });

  test('warns of one that others can read', async () => {
    const { setup, path } = await configured('{}', {}, 0o640);
    expect(await CHECKS.config.look(setup)).toEqual({
      result: 'warning',
      detail: expect.stringContaining('can be read by others'),
      hint: `chmod 600 ${path}`,
    });
  });

  test('throws what is to be told of one that is not JSON', async () => {
    const { setup } = await configured('{"slots": ');
    await expect(CHECKS.config.look(setup)).rejects.toMatchObject({ code: 'invalid_config' });
  });

  test('finds a file where the folder should be', async () => {
    const { setup, folder } = await makePatient();
    await writeFile(join(folder, 'config'), '');
    expect(await CHECKS.config.look(setup)).toEqual({
      result: 'problem',
      detail: `${folder}/config cannot be used: ${folder}/config: A part of the path is not a folder.`,
      hint: expect.stringContaining('SKINSMITH_CONFIG_DIR'),
    });
  });
});

describe('The check of the settings', () => {
  test('says where each comes from', async () => {
    const { setup } = await configured('{"slots": 3}', { env: { SKINSMITH_FORMAT: 'give' } });
    expect(await CHECKS.settings.look(setup)).toEqual({
      result: 'ok',
      detail: 'slots from the config file, format from SKINSMITH_FORMAT.',
    });
  });

  test('finds all that are wrong', async () => {
    const { setup } = await configured('{"slots": 0}', { env: { SKINSMITH_FORMAT: 'doc' } });
    const found = await CHECKS.settings.look(setup);
    expect(found).toMatchObject({ result: 'problem', hint: expect.stringContaining('config set slots') });
    expect(found.detail).toMatch(
      /slots "0" \(from the config file\).*format "doc" \(from SKINSMITH_FORMAT\)/,
    );
  });

  test.each([
    ['a variable', '{}', { SKINSMITH_BASEURL: 'x' }, 'SKINSMITH_BASEURL'],
    ['a line of the file', '{"base_url": "x", "api-keys": {}}', {}, 'base_url'],
  ])('warns of %s that means nothing', async (_, content, env, name) => {
    const { setup } = await configured(content, { env: env as Record<string, string> });
    expect(await CHECKS.settings.look(setup)).toMatchObject({
      result: 'warning',
      detail: `${name}: no such setting.`,
    });
  });

  test('warns of a variable that overrides the file with something else', async () => {
    const file = '{"base-url": "https://a.example", "slots": 2}';
    const env = { SKINSMITH_BASE_URL: 'https://b.example', SKINSMITH_SLOTS: '2' };
    const { setup } = await configured(file, { env });
    expect(await CHECKS.settings.look(setup)).toMatchObject({
      result: 'warning',
      detail:
        'SKINSMITH_BASE_URL (https://b.example) overrides base-url in the config file (https://a.example).',
    });
  });
});

describe('The check of the data folder', () => {
  test('is content with one that can be written, or made', async () => {
    const { setup, folder } = await makePatient();
    expect((await CHECKS.data.look(setup)).detail).toMatch(/data is made when it is needed; [\d.]+ .iB free/);
    await mkdir(join(folder, 'data'));
    expect((await CHECKS.data.look(setup)).detail).toMatch(/data can be written; [\d.]+ .iB free/);
  });

  test('finds a file where it should be, or above it', async () => {
    const { setup, folder } = await makePatient();
    await writeFile(join(folder, 'data'), '');
    expect(await CHECKS.data.look(setup)).toMatchObject({
      result: 'problem',
      detail: expect.stringContaining('A part of the path is not a folder'),
      hint: expect.stringContaining('SKINSMITH_DATA_DIR'),
    });
    expect((await lookAtFolder(join(folder, 'data/deep/er'))).result).toBe('problem');
  });

  test('finds one that nothing can be written to', async () => {
    expect((await lookAtFolder('/proc/self')).result).toBe('problem');
  });

  test('warns of secrets that others can read, and leaves nothing behind', async () => {
    const { setup, folder } = await makePatient();
    const key = join(folder, 'data/signing-key.pem');
    await mkdir(join(folder, 'data'));
    await writeFile(key, 'secret');
    await chmod(key, 0o644);
    const hint = `chmod 600 ${key}`;
    expect(await CHECKS.data.look(setup)).toMatchObject({ result: 'warning', hint });
    await chmod(key, 0o600);
    expect((await CHECKS.data.look(setup)).result).toBe('ok');
  });
});

describe('The check of the service', () => {
  test.each([
    ['nothing is set', {}, {}, 'The embedded one (no other is set) over'],
    [
      '--local',
      { SKINSMITH_BASE_URL: 'https://a.example' },
      { local: true },
      'The embedded one (because of --local)',
    ],
    [
      'a variable',
      { SKINSMITH_BASE_URL: 'https://a.example/v2/' },
      {},
      'https://a.example (from SKINSMITH_BASE_URL).',
    ],
    [
      'a flag',
      { SKINSMITH_BASE_URL: 'https://a.example' },
      { baseUrl: 'https://b.example' },
      'https://b.example (from --base-url).',
    ],
  ])('says which it is, and why: %s', async (_, env, flags, detail) => {
    const { setup } = await makePatient({ env: env as Record<string, string>, flags });
    expect(await CHECKS.service.look(setup)).toEqual({
      result: 'ok',
      detail: expect.stringContaining(detail),
    });
  });

  test('throws what is to be told of an address that is none', async () => {
    const { setup } = await makePatient({ env: { SKINSMITH_BASE_URL: 'ftp://a.example' } });
    await expect(CHECKS.service.look(setup)).rejects.toMatchObject({ code: 'invalid_setting' });
  });
});
