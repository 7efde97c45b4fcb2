import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CHECKS } from '../../../../src/cli/doctor/checks.ts';
import { lookAtFolder } from '../../../../src/cli/doctor/machine-checks.ts';
import { makeSetup } from '../../../support/cli/setup.ts';

describe('The check of the data folder', () => {
  test('passes if it can be written or created', async () => {
    const { setup, folder } = await makeSetup();
    expect((await CHECKS.data.look(setup)).detail).toMatch(/data is created when needed; [\d.]+ .iB free/);
    await mkdir(join(folder, 'data'));
    expect((await CHECKS.data.look(setup)).detail).toMatch(/data can be written; [\d.]+ .iB free/);
  });

  test('finds a file where it should be, or above it', async () => {
    const { setup, folder } = await makeSetup();
    await writeFile(join(folder, 'data'), '');
    expect(await CHECKS.data.look(setup)).toMatchObject({
      result: 'problem',
      detail: `${folder}/data cannot be used: part of the path is not a folder.`,
      hint: expect.stringContaining('SKINSMITH_DATA_DIR'),
    });
    expect((await lookAtFolder(join(folder, 'data/deep/er'))).result).toBe('problem');
  });

  test('finds a folder that cannot be written to', async () => {
    expect((await lookAtFolder('/proc/self')).result).toBe('problem');
  });

  test('warns of secrets that others can read, and leaves nothing behind', async () => {
    const { setup, folder } = await makeSetup();
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
