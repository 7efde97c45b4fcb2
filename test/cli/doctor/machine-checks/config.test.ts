import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CHECKS } from '../../../../src/cli/doctor/checks.ts';
import { configuredSetup, makeSetup } from '../../../support/cli/setup.ts';

describe('The check of the config file', () => {
  test('passes without one', async () => {
    const { setup, folder } = await makeSetup();
    expect(await CHECKS.config.look(setup)).toEqual({
      result: 'ok',
      detail: `${folder}/config/config.json does not exist: the defaults apply.`,
    });
  });

  test('passes if only the owner can read it', async () => {
    const { setup, path } = await configuredSetup('{}');
    expect(await CHECKS.config.look(setup)).toEqual({
      result: 'ok',
      detail: `${path} is fine.`,
    });
  });

  test('warns of one that others can read', async () => {
    const { setup, path } = await configuredSetup('{}', {}, 0o640);
    expect(await CHECKS.config.look(setup)).toEqual({
      result: 'warning',
      detail: expect.stringContaining('can be read by others'),
      hint: `chmod 600 ${path}`,
    });
  });

  test('throws the error for one that is not JSON', async () => {
    const { setup } = await configuredSetup('{"slots": ');
    await expect(CHECKS.config.look(setup)).rejects.toMatchObject({ code: 'invalid_config' });
  });

  test('finds a file where the folder should be', async () => {
    const { setup, folder } = await makeSetup();
    await writeFile(join(folder, 'config'), '');
    expect(await CHECKS.config.look(setup)).toEqual({
      result: 'warning',
      detail: `${folder}/config cannot be used: part of the path is not a folder. Settings and API keys cannot be stored.`,
      hint: expect.stringContaining('SKINSMITH_CONFIG_DIR'),
    });
  });
});
