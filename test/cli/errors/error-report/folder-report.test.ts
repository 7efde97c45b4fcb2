import { relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { reportOf } from '../../../../src/cli/errors/error-report.ts';

const DATA = { path: '/home/ann/.local/share/skinsmith', setBy: 'HOME or SKINSMITH_DATA_DIR' };

function told(parts: object) {
  return reportOf(Object.assign(new Error('system'), parts), { data: DATA });
}

describe('An error about the data folder', () => {
  test.each([
    ['a folder above it that takes none', { code: 'EROFS', syscall: 'mkdir', path: '/home/ann/.local' }],
    ['the folder', { code: 'EROFS', syscall: 'access', path: DATA.path }],
    ['the folder as it was typed', { code: 'EROFS', syscall: 'mkdir', path: relative('.', DATA.path) }],
    ['a file in it', { code: 'EROFS', syscall: 'open', path: `${DATA.path}/batches/a.lock.holder` }],
  ])('names the folder, why, and how to choose another, for %s', (_, parts) => {
    expect(told(parts)).toEqual({
      code: 'data_unusable',
      message: `The data folder ${DATA.path} cannot be used: the file system is read-only.`,
      hint: 'Check that it is writable and has free space, or choose another with HOME or SKINSMITH_DATA_DIR.',
      exit: 'failed',
    });
  });

  test('names the file in it that belongs to someone else', () => {
    expect(told({ code: 'EACCES', syscall: 'open', path: `${DATA.path}/signing-key.pem` })).toEqual({
      code: 'data_unusable',
      message: `The data folder ${DATA.path} cannot be used: signing-key.pem: permission denied.`,
      hint: 'Make the file accessible to this user, or choose another folder with HOME or SKINSMITH_DATA_DIR.',
      exit: 'failed',
    });
  });

  test('names the folder when its database cannot be opened', () => {
    expect(
      told({ code: 'ERR_SQLITE_ERROR', errcode: 14, message: 'unable to open database file' }),
    ).toMatchObject({
      message: `The data folder ${DATA.path} cannot be used: unable to open database file.`,
      hint: expect.stringContaining('HOME or SKINSMITH_DATA_DIR'),
    });
  });

  test.each([
    ['elsewhere', { code: 'EROFS', syscall: 'open', path: '/srv/out/report.html' }],
    ['that is a folder above it', { code: 'EISDIR', syscall: 'open', path: '/home/ann' }],
    ['beside it', { code: 'EROFS', syscall: 'open', path: `${DATA.path}2/x` }],
  ])('is not one about a file %s', (_, parts) => {
    expect(told(parts)?.message).toMatch(new RegExp(`^${parts.path}: `));
  });
});
