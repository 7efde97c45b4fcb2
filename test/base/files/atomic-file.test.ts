import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Replacement, removeLeftovers, renameOver, writeFileAtomically } from '../../../src/base/files.ts';
import { leaveTemporaryFiles } from '../../support/batch/leave-temporary-file.ts';
import { ownFolder } from '../../support/server/own-folder.ts';

/** The system gives out the lowest that is free. */
function nextDescriptor(path: string): number {
  const fd = openSync(path, 'r');
  closeSync(fd);
  return fd;
}

const HOUR = 60 * 60 * 1000;
/** Larger than any process id of a system. */
const NO_PROCESS = 2 ** 31 - 1;

describe('writeFileAtomically', () => {
  test('writes text and bytes', async () => {
    const folder = await ownFolder();
    writeFileAtomically(join(folder, 'text'), 'größer');
    writeFileAtomically(join(folder, 'bytes'), new Uint8Array([0, 255]));
    expect(readFileSync(join(folder, 'text'), 'utf8')).toBe('größer');
    expect(readFileSync(join(folder, 'bytes'))).toEqual(Buffer.from([0, 255]));
  });

  test('replaces what was there and leaves nothing else', async () => {
    const folder = await ownFolder();
    const path = join(folder, 'skin.json');
    writeFileAtomically(path, 'a longer old text');
    writeFileAtomically(path, 'new', { durable: true });
    expect(readFileSync(path, 'utf8')).toBe('new');
    expect(readdirSync(folder)).toEqual(['skin.json']);
  });

  test('makes a new file instead of writing into the old one, which a reader may have open', async () => {
    const path = join(await ownFolder(), 'skin.json');
    writeFileAtomically(path, 'old');
    const { ino } = statSync(path);
    writeFileAtomically(path, 'new');
    expect(statSync(path).ino).not.toBe(ino);
  });

  test('names the file in its errors, not the temporary one', async () => {
    const folder = await ownFolder();
    await writeFile(join(folder, 'file'), '');
    const below = join(folder, 'file', 'skin.json');
    expect(() => writeFileAtomically(below, 'x')).toThrow(
      expect.objectContaining({ code: 'ENOTDIR', path: below }),
    );
    const path = join(folder, 'closed.json');
    const closed = new Replacement(path);
    closed.close(false);
    expect(() => closed.write('x')).toThrow(expect.objectContaining({ code: 'EBADF', path }));
    closed.discard();
  });

  test('makes the folders that are missing', async () => {
    const path = join(await ownFolder(), 'a', 'b', 'c.txt');
    writeFileAtomically(path, 'deep');
    expect(readFileSync(path, 'utf8')).toBe('deep');
  });

  test('gives the file the requested mode', async () => {
    const path = join(await ownFolder(), 'secret');
    writeFileAtomically(path, '', { mode: 0o600 });
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test('takes names as long as the file system does', async () => {
    const path = join(await ownFolder(), 'n'.repeat(255));
    writeFileAtomically(path, 'long');
    expect(readFileSync(path, 'utf8')).toBe('long');
  });

  test('replaces a link, not the file that it points to', async () => {
    const folder = await ownFolder();
    writeFileSync(join(folder, 'precious'), 'kept');
    symlinkSync('precious', join(folder, 'out.json'));
    writeFileAtomically(join(folder, 'out.json'), 'new');
    expect(readFileSync(join(folder, 'precious'), 'utf8')).toBe('kept');
    expect(readFileSync(join(folder, 'out.json'), 'utf8')).toBe('new');
  });

  test('leaves nothing behind when a folder is in the way', async () => {
    const folder = await ownFolder();
    await mkdir(join(folder, 'taken', 'below'), { recursive: true });
    expect(() => writeFileAtomically(join(folder, 'taken'), 'text')).toThrow();
    expect(readdirSync(folder)).toEqual(['taken']);
  });

  test('says which folder it cannot make', async () => {
    const folder = await ownFolder();
    await writeFile(join(folder, 'file'), '');
    expect(() => writeFileAtomically(join(folder, 'file', 'below', 'x'), '')).toThrow(/ENOTDIR|EEXIST/);
  });
});

describe('Replacement', () => {
  test('fails when its folder vanishes, with nothing left to clean up', async () => {
    const folder = join(await ownFolder(), 'out');
    const file = new Replacement(join(folder, 'x'));
    file.write('text');
    file.close(false);
    await rm(folder, { recursive: true });
    expect(() => file.replace(true)).toThrow('ENOENT');
    file.discard();
  });

  test('can be abandoned at any time, and leaves no file, open or not', async () => {
    const folder = await ownFolder();
    const first = nextDescriptor(folder);
    for (let n = 0; n < 50; n++) {
      const file = new Replacement(join(folder, 'x'));
      file.write('text');
      file.discard();
    }
    expect(readdirSync(folder)).toEqual([]);
    expect(nextDescriptor(folder)).toBeLessThan(first + 10);
  });
});

describe('removeLeftovers', () => {
  /** A temporary file of `x`, as left by a process that died while writing; `age` in ms. */
  function leftover(folder: string, pid: number, age: number, name = 'x'): string {
    const path = join(folder, `.${name}.${pid}.0123abcd.tmp`);
    writeFileSync(path, 'half');
    utimesSync(path, new Date(Date.now() - age), new Date(Date.now() - age));
    return path;
  }

  test('recognizes the files that writing really leaves', async () => {
    const folder = await ownFolder();
    new Replacement(join(folder, 'x')).close(false);
    removeLeftovers(join(folder, 'x'), Date.now() + 2 * HOUR);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('removes what a dead process left an hour ago', async () => {
    const folder = await ownFolder();
    const path = leftover(folder, NO_PROCESS, HOUR + 1000);
    removeLeftovers(join(folder, 'x'), Date.now());
    expect(existsSync(path)).toBe(false);
  });

  test.runIf(process.platform === 'linux')(
    'removes at once what a process of this system left when it was killed',
    async () => {
      const path = join(await ownFolder(), 'x');
      await leaveTemporaryFiles(path);
      expect(readdirSync(dirname(path))).toHaveLength(1);
      removeLeftovers(path, Date.now());
      expect(readdirSync(dirname(path))).toEqual([]);
    },
  );

  test('leaves for an hour what a process of another container or machine may be writing', async () => {
    const path = join(await ownFolder(), 'x');
    const other = join(dirname(path), `.x.${NO_PROCESS}.ffffffff0123abcd.tmp`);
    writeFileSync(other, 'half');
    removeLeftovers(path, Date.now());
    expect(existsSync(other)).toBe(true);
    removeLeftovers(path, Date.now() + 2 * HOUR);
    expect(existsSync(other)).toBe(false);
  });

  test('leaves what this process is writing', async () => {
    const path = join(await ownFolder(), 'x');
    const file = new Replacement(path);
    removeLeftovers(path, Date.now());
    file.write('text');
    file.close(false);
    file.replace(false);
    expect(readFileSync(path, 'utf8')).toBe('text');
  });

  test('keeps newer files, files of a running process and files with another name', async () => {
    const folder = await ownFolder();
    const sleeper = execa(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { reject: false });
    onTestFinished(() => void sleeper.kill());
    const paths = [
      leftover(folder, NO_PROCESS, HOUR - 10_000),
      leftover(folder, sleeper.pid!, 2 * HOUR),
      leftover(folder, NO_PROCESS, 2 * HOUR, 'y'),
      leftover(folder, 0, 2 * HOUR),
    ];
    removeLeftovers(join(folder, 'x'), Date.now());
    expect(paths.filter((path) => !existsSync(path))).toEqual([]);
  });

  test("removes files with this process's own ID, because in a container every run has the same", async () => {
    const folder = await ownFolder();
    const path = leftover(folder, process.pid, 2 * HOUR);
    removeLeftovers(join(folder, 'x'), Date.now());
    expect(existsSync(path)).toBe(false);
  });

  test('ignores a missing folder', async () => {
    removeLeftovers(join(await ownFolder(), 'none', 'x'), Date.now());
  });
});

describe('A rename', () => {
  const failing = (code: string, times: number) => {
    let tries = 0;
    const rename = () => {
      if (++tries <= times) throw Object.assign(new Error(code), { code });
    };
    return { rename, tries: () => tries };
  };

  test.each(['EPERM', 'EACCES', 'EBUSY'])(
    'on Windows waits for a file that is open elsewhere: %s',
    (code) => {
      const { rename, tries } = failing(code, 2);
      renameOver('from', 'to', { rename, isWindows: true });
      expect(tries()).toBe(3);
    },
  );

  test('on Windows gives up after a while, and at once for other reasons', () => {
    const [open, absent] = [failing('EBUSY', 1_000), failing('ENOENT', 1_000)];
    expect(() => renameOver('from', 'to', { rename: open.rename, isWindows: true })).toThrow('EBUSY');
    expect(() => renameOver('from', 'to', { rename: absent.rename, isWindows: true })).toThrow('ENOENT');
    expect([open.tries(), absent.tries()]).toEqual([21, 1]);
  });

  test('elsewhere fails at once', () => {
    const { rename, tries } = failing('EPERM', 1);
    expect(() => renameOver('from', 'to', { rename, isWindows: false })).toThrow('EPERM');
    expect(tries()).toBe(1);
  });
});
