import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { FileMemory, type FileStamp } from '../../src/base/file-memory.ts';
import { ownFolder } from '../support/server/own-folder.ts';

const NOW = Date.UTC(2026, 0, 31, 12);
const DAY = 24 * 60 * 60 * 1000;
const FILE = '/skins/steve.png';
const DIGEST = '0123456789abcdef'.repeat(4);
const OTHER = 'f'.repeat(64);

/** A stamp of a file that has not been touched for a while. */
function stamp(changes: Partial<FileStamp> = {}): FileStamp {
  return {
    size: 1234,
    mtimeMs: NOW - 30 * DAY + 0.25,
    ctimeMs: NOW - 20 * DAY + 0.75,
    ino: 987_654_321,
    ...changes,
  };
}

function openAt(path: string, time = NOW): FileMemory {
  return FileMemory.open(path, () => time);
}

/** A memory's file that has one entry. */
async function savedMemory(time = NOW): Promise<string> {
  const path = join(await ownFolder(), 'files.tsv');
  const memory = openAt(path, time);
  memory.remember(FILE, stamp(), DIGEST);
  memory.save();
  return path;
}

describe('FileMemory', () => {
  test('recalls in the same run and in the next one', async () => {
    const path = join(await ownFolder(), 'state', 'files.tsv');
    const memory = openAt(path);
    expect(memory.recall(FILE, stamp())).toBeUndefined();
    memory.remember(FILE, stamp(), DIGEST);
    expect(memory.recall(FILE, stamp())).toBe(DIGEST);
    memory.save();
    expect(openAt(path).recall(FILE, stamp())).toBe(DIGEST);
  });

  const changes: [what: string, change: Partial<FileStamp>][] = [
    ['size', { size: 1235 }],
    ['time of change, by a microsecond', { mtimeMs: NOW - 30 * DAY + 0.251 }],
    ['time of change, by years', { mtimeMs: NOW - 1000 * DAY + 0.25 }],
    ['inode change time', { ctimeMs: NOW - 20 * DAY + 1.75 }],
    ['inode', { ino: 987_654_322 }],
    ['inode, in its upper half', { ino: 987_654_321 + 2 ** 40 }],
  ];
  test.each(changes)('does not know a file with another %s', async (_, change) => {
    const memory = openAt(await savedMemory());
    expect(memory.recall(FILE, stamp(change))).toBeUndefined();
    expect(memory.recall(FILE, stamp())).toBe(DIGEST);
  });

  test('knows a file by all of its path', async () => {
    const memory = openAt(await savedMemory());
    for (const path of ['/skins/steve.pn', '/skins/steve.png2', '/Skins/steve.png', '']) {
      expect(memory.recall(path, stamp())).toBeUndefined();
    }
  });

  test('replaces what it knew', async () => {
    const path = await savedMemory();
    const memory = openAt(path);
    memory.remember(FILE, stamp({ size: 9 }), OTHER);
    memory.save();
    const next = openAt(path);
    expect(next.recall(FILE, stamp())).toBeUndefined();
    expect(next.recall(FILE, stamp({ size: 9 }))).toBe(OTHER);
    expect(readFileSync(path, 'utf8').split('\n')).toHaveLength(3);
  });

  test('takes nothing but digests', async () => {
    const memory = openAt(join(await ownFolder(), 'files.tsv'));
    expect(() => memory.remember(FILE, stamp(), 'steve')).toThrow(TypeError);
  });

  test('keeps any path and any stamp apart from any other', async () => {
    const path = join(await ownFolder(), 'files.tsv');
    const oldTime = fc.integer({ min: 0, max: NOW - 2001 });
    const stamps = fc.record({
      size: fc.maxSafeNat(),
      mtimeMs: oldTime,
      ctimeMs: oldTime,
      ino: fc.maxSafeNat(),
    });
    const digests = fc
      .uint8Array({ minLength: 32, maxLength: 32 })
      .map((bytes) => Buffer.from(bytes).toString('hex'));
    const files = fc.uniqueArray(fc.tuple(fc.string({ unit: 'binary' }), stamps, digests), {
      selector: ([file]) => file,
    });
    fc.assert(
      fc.property(files, (entries) => {
        const memory = openAt(path);
        for (const [file, its, digest] of entries) memory.remember(file, its, digest);
        memory.save();
        const next = openAt(path);
        for (const [file, its, digest] of entries) expect(next.recall(file, its)).toBe(digest);
      }),
      { numRuns: 100, seed: 20_251_121 },
    );
  });

  test('grows with what it is given', async () => {
    const path = join(await ownFolder(), 'files.tsv');
    const memory = openAt(path);
    const digestOf = (n: number) => n.toString(16).padStart(64, '0');
    for (let n = 0; n < 20_000; n++) memory.remember(`/skins/${n}.png`, stamp({ ino: n }), digestOf(n));
    memory.save();
    const next = openAt(path);
    for (let n = 0; n < 20_000; n++) {
      if (next.recall(`/skins/${n}.png`, stamp({ ino: n })) !== digestOf(n)) throw new Error(`${n} is lost`);
    }
  });

  test('loses nothing to what was in its storage before', async () => {
    const path = await savedMemory();
    const dirty = vi.spyOn(Buffer, 'allocUnsafeSlow').mockImplementation((size) => Buffer.alloc(size, 0x0a));
    onTestFinished(() => dirty.mockRestore());
    const memory = openAt(path);
    const files = Array.from({ length: 1_000 }, (_, n) => `/skins/${n}.png`);
    for (const file of files) memory.remember(file, stamp(), DIGEST);
    expect(files.filter((file) => memory.recall(file, stamp()) !== DIGEST)).toEqual([]);
  });

  test('does not remember a path that no system has', async () => {
    const memory = openAt(await savedMemory());
    const files = Array.from({ length: 500 }, (_, n) => `/skins/${n}.png`);
    for (const file of files) memory.remember(file, stamp(), DIGEST);
    const long = `/${'x'.repeat(5000)}`;
    memory.remember(long, stamp({ size: 1 }), OTHER);
    expect(memory.recall(long, stamp({ size: 1 }))).toBeUndefined();
    for (const file of files) expect(memory.recall(file, stamp())).toBe(DIGEST);
  });
});

describe('A file whose stamp says nothing', () => {
  const doubtful: [what: string, change: Partial<FileStamp>][] = [
    ['was written just now', { mtimeMs: NOW - 1000 }],
    ['was put in place just now', { ctimeMs: NOW - 1000 }],
    ['was written while the batch ran', { mtimeMs: NOW + 500 }],
    ['is from the future', { mtimeMs: NOW + 300 * DAY }],
  ];
  test.each(doubtful)('is not remembered when it %s', async (_, change) => {
    const path = join(await ownFolder(), 'files.tsv');
    const memory = openAt(path);
    memory.remember(FILE, stamp(change), DIGEST);
    memory.save();
    expect(readdirSync(join(path, '..'))).toEqual([]);
    expect(openAt(path, NOW + 1000 * DAY).recall(FILE, stamp(change))).toBeUndefined();
  });

  test('is remembered by the next run', async () => {
    const path = join(await ownFolder(), 'files.tsv');
    const fresh = stamp({ mtimeMs: NOW - 1000, ctimeMs: NOW - 1000 });
    const memory = openAt(path, NOW + 1001);
    memory.remember(FILE, fresh, DIGEST);
    expect(memory.recall(FILE, fresh)).toBe(DIGEST);
  });

  test('is not recalled when the clock has jumped back behind its times', async () => {
    const path = await savedMemory();
    expect(openAt(path, NOW - 25 * DAY).recall(FILE, stamp())).toBeUndefined();
    expect(openAt(path, NOW).recall(FILE, stamp())).toBe(DIGEST);
  });
});

describe('A damaged memory', () => {
  test('is an empty one when it is not there', async () => {
    expect(openAt(join(await ownFolder(), 'none', 'files.tsv')).recall(FILE, stamp())).toBeUndefined();
  });

  test.each([
    ['empty', Buffer.alloc(0)],
    ['somebody else’s', Buffer.from('{"what":"ever"}\n')],
    ['of another version', Buffer.from('skinsmith file memory 2\n"/a"\n')],
    ['zeros, as a power cut leaves them', Buffer.alloc(4096)],
    ['nothing but a header', Buffer.from('skinsmith file memory 1\n')],
    ['nothing but half a header', Buffer.from('skinsmith file mem')],
  ])('that is %s is empty and works', async (_, bytes) => {
    const path = join(await ownFolder(), 'files.tsv');
    writeFileSync(path, bytes);
    const memory = openAt(path);
    expect(memory.recall(FILE, stamp())).toBeUndefined();
    memory.remember(FILE, stamp(), DIGEST);
    memory.save();
    expect(openAt(path).recall(FILE, stamp())).toBe(DIGEST);
  });

  test('that is a folder is empty, and cannot be saved', async () => {
    const path = join(await ownFolder(), 'files.tsv');
    mkdirSync(join(path, 'below'), { recursive: true });
    const memory = openAt(path);
    memory.remember(FILE, stamp(), DIGEST);
    expect(() => memory.save()).toThrow();
  });

  test('is good up to the line that was torn, wherever that is', async () => {
    const path = await savedMemory();
    const whole = readFileSync(path);
    for (let size = whole.length - 1; size >= 0; size--) {
      truncateSync(path, size);
      expect(openAt(path).recall(FILE, stamp())).toBeUndefined();
    }
    writeFileSync(path, whole);
    appendFileSync(path, '"/skins/torn.png"\t0123');
    const memory = openAt(path);
    expect(memory.recall(FILE, stamp())).toBe(DIGEST);
    memory.remember('/skins/more.png', stamp(), OTHER);
    memory.save();
    expect(openAt(path).recall('/skins/more.png', stamp())).toBe(OTHER);
    expect(readFileSync(path, 'utf8')).not.toContain('torn');
  });

  test('loses its damaged lines, and no others, when it is saved', async () => {
    const path = await savedMemory();
    const [header, line] = readFileSync(path, 'utf8').split('\n');
    writeFileSync(path, `${header}\n\n"\nnonsense ${'x'.repeat(100)}\n${line}\n${line?.slice(1)}\n`);
    const memory = openAt(path);
    memory.remember('/skins/more.png', stamp(), OTHER);
    memory.save();
    expect(readFileSync(path, 'utf8').split('\n')).toEqual([
      header,
      line,
      expect.stringContaining('more'),
      '',
    ]);
  });

  test('never tells a digest that is none, whichever byte is damaged', async () => {
    const path = await savedMemory();
    const whole = readFileSync(path);
    for (let at = 0; at < whole.length; at++) {
      for (const byte of [0, 0x0a, 0x09, 0x21]) {
        const bytes = Buffer.from(whole);
        bytes[at] = byte;
        writeFileSync(path, bytes);
        expect([DIGEST, undefined]).toContain(openAt(path).recall(FILE, stamp()));
      }
    }
  });
});

describe('Saving', () => {
  test('writes nothing when nothing has changed', async () => {
    const path = await savedMemory();
    const { ino, mtimeMs } = statSync(path);
    const memory = openAt(path, NOW + DAY);
    expect(memory.recall(FILE, stamp())).toBe(DIGEST);
    memory.save();
    expect(statSync(path)).toMatchObject({ ino, mtimeMs });
  });

  test('writes once, however often it is asked', async () => {
    const path = await savedMemory();
    const memory = openAt(path);
    memory.remember(FILE, stamp(), OTHER);
    memory.save();
    const { ino } = statSync(path);
    memory.save();
    expect(statSync(path).ino).toBe(ino);
  });

  test('keeps files that this run did not see, for 90 days', async () => {
    const path = await savedMemory();
    for (const [days, expected] of [
      [89, DIGEST],
      [91, undefined],
    ] as const) {
      const memory = openAt(path, NOW + days * DAY);
      memory.remember('/skins/other.png', stamp(), OTHER);
      memory.save();
      expect(openAt(path, NOW + days * DAY).recall(FILE, stamp())).toBe(expected);
    }
  });

  test.each([
    ['here and there', (n: number) => n % 2 === 0],
    ['at the end', (n: number) => n < 150],
  ])('goes on with what is left when files were forgotten %s', async (_, isSeen) => {
    const path = join(await ownFolder(), 'files.tsv');
    const files = Array.from({ length: 300 }, (_, n) => `/skins/${n}.png`);
    const before = openAt(path);
    for (const file of files) before.remember(file, stamp(), OTHER);
    before.save();
    const memory = openAt(path, NOW + 100 * DAY);
    const [seen, unseen] = [files.filter((_, n) => isSeen(n)), files.filter((_, n) => !isSeen(n))];
    for (const file of seen) memory.remember(file, stamp(), DIGEST);
    memory.save();
    for (const file of unseen) expect(memory.recall(file, stamp())).toBeUndefined();
    for (const file of unseen) memory.remember(file, stamp(), DIGEST);
    memory.save();
    for (const open of [memory, openAt(path, NOW + 100 * DAY)]) {
      for (const file of files) expect(open.recall(file, stamp())).toBe(DIGEST);
    }
  });

  test('notes now and then that a file is still in use, so that it is never forgotten', async () => {
    const path = await savedMemory();
    for (let days = 0; days <= 400; days += 20) {
      const memory = openAt(path, NOW + days * DAY);
      expect(memory.recall(FILE, stamp())).toBe(DIGEST);
      memory.save();
    }
    const memory = openAt(path, NOW + 410 * DAY);
    memory.remember('/skins/other.png', stamp(), OTHER);
    memory.save();
    expect(openAt(path, NOW + 410 * DAY).recall(FILE, stamp())).toBe(DIGEST);
  });

  test('forgets what was not seen today when half a million files are known', async () => {
    const path = await savedMemory(NOW - 2 * DAY);
    const memory = openAt(path);
    for (let n = 0; n < 500_001; n++) memory.remember(`/${n}`, stamp(), OTHER);
    memory.save();
    const next = openAt(path);
    expect(next.recall(FILE, stamp())).toBeUndefined();
    expect(next.recall('/499999', stamp())).toBe(OTHER);
    expect(next.recall('/500000', stamp())).toBeUndefined();
  });

  test('by two processes at once leaves what one of them saved, whole', async () => {
    const path = join(await ownFolder(), 'files.tsv');
    const program = join(import.meta.dirname, '../support/batch/save-memory.ts');
    const run = (name: string) => execa(process.execPath, [program, path, name]);
    await Promise.all([run('a'), run('b')]);
    const memory = openAt(path, Date.now());
    const old = stamp({ mtimeMs: 1000, ctimeMs: 1000 });
    const known = ['a', 'b'].map((name) => memory.recall(`/${name}/99`, old) !== undefined);
    expect(known).toContain(true);
    expect(readFileSync(path, 'utf8')).toMatch(/\n$/);
    expect(readdirSync(join(path, '..'))).toEqual(['files.tsv']);
  });
});
