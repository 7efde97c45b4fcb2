import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { foldersFor } from '../../../../src/cli/context/context.ts';
import { tempFolder } from '../../../support/textures/temp-folder.ts';

describe('foldersFor', () => {
  test('takes the folders of the environment', async () => {
    const folder = await tempFolder();
    await mkdir(join(folder, 'c'));
    expect(foldersFor({ SKINSMITH_CONFIG_DIR: join(folder, 'c'), SKINSMITH_DATA_DIR: folder })).toEqual({
      config: join(folder, 'c'),
      data: folder,
    });
  });

  test('takes the usual folders of the system where the environment says nothing', () => {
    const usual = foldersFor({});
    expect(foldersFor({ SKINSMITH_CONFIG_DIR: '', SKINSMITH_DATA_DIR: '' })).toEqual(usual);
    expect(usual.config).toMatch(/skinsmith/);
    expect(usual.data).toMatch(/skinsmith/);
    expect(usual.config).not.toBe(usual.data);
  });

  test.runIf(process.platform === 'linux')('names the variable whose value is not an absolute path', () => {
    vi.stubEnv('XDG_DATA_HOME', 'data');
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(() => foldersFor(process.env)).toThrow(/: XDG_DATA_HOME is not an absolute path\.$/);
  });
});
