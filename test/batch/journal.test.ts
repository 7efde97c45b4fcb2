import { execFileSync } from 'node:child_process';
import fs, {
  appendFileSync,
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Journal } from '../../src/batch/journal.ts';
import { keyOf, recordOf } from '../support/batch/journal-records.ts';
import { open, ownPath, reopened } from '../support/batch/open-journal.ts';
import { ownFolder } from '../support/server/own-folder.ts';

describe('A new journal', () => {
  test('is empty, in folders that it makes, for its owner alone', async () => {
    const path = await ownPath();
    const journal = open(path);
    expect(journal.stateOf(keyOf(1))).toBeUndefined();
    expect(journal.isOwnJob('j1')).toBe(false);
    journal.idempotencyKey(keyOf(1), 0);
    expect([path, dirname(path)].map((place) => statSync(place).mode & 0o777)).toEqual([0o600, 0o700]);
  });

  test.each<[what: string, end: (journal: Journal) => void]>([
    ['closed', (journal) => journal.close()],
    ['ended', (journal) => journal.end()],
    ['retired', (journal) => journal.retire({ keepsJobs: true })],
  ])('leaves no file where it is %s before anything is written', async (_, end) => {
    const path = await ownPath();
    const journal = open(path);
    journal.verifyIntact();
    await journal.flushed();
    end(journal);
    expect(existsSync(path)).toBe(false);
  });

  test('reports that its place cannot be written', async () => {
    const folder = await ownFolder();
    writeFileSync(join(folder, 'file'), '');
    expect(() => Journal.open(join(folder, 'file', 'batch.ndjson'))).toThrow(/EEXIST|ENOTDIR/);
  });

  test('is closed if it cannot be read back', async () => {
    const path = await ownPath();
    mkdirSync(dirname(path));
    execFileSync('mkfifo', [path]); // opens, but nothing can be read at a position of it
    expect(() => Journal.open(path)).toThrow('ESPIPE');
    expect(openFiles()).not.toContain(path);
  });
});

describe('A journal that was written to', () => {
  const key = keyOf(1);
  const steps: [what: string, write: (journal: Journal) => void, state: object | undefined][] = [
    [
      'that work is about to be sent',
      (journal) => journal.intent(key, 2, 1_234),
      { step: 'intent', attempt: 2, mark: 1_234 },
    ],
    [
      'that it became a job',
      (journal) => journal.accepted(key, 1, 'j1'),
      { step: 'job', attempt: 1, job: 'j1' },
    ],
    [
      'that the service does not show it any more',
      (journal) => {
        journal.accepted(key, 1, 'j1');
        journal.lost(key, 1_234, 'me');
      },
      { step: 'intent', attempt: 1, mark: 1_234, by: 'me', isLost: true },
    ],
    ['that it was refused', (journal) => journal.refused(key), undefined],
    [
      'that it failed',
      (journal) => journal.failed({ k: key, j: 'j1', code: 'invalid_image', message: 'No.', hint: 'Draw.' }),
      {
        step: 'failed',
        record: { s: 'failed', k: key, j: 'j1', code: 'invalid_image', message: 'No.', hint: 'Draw.' },
      },
    ],
    [
      'that it failed before it was a job',
      (journal) => journal.failed({ k: key, code: 'source_changed', message: 'Zoë’s file changed.' }),
      {
        step: 'failed',
        record: { s: 'failed', k: key, code: 'source_changed', message: 'Zoë’s file changed.' },
      },
    ],
  ];
  test.each(steps)('shows a step at once and after it was opened again: %s', async (_, write, state) => {
    const path = await ownPath();
    const journal = open(path);
    journal.intent(key, 0, 1);
    write(journal);
    for (const found of [journal, reopened(path, journal)]) {
      if (state) expect(found.stateOf(key)).toMatchObject(state);
      else expect(found.stateOf(key)).toBeUndefined();
    }
  });

  test('returns a result whole, before and after it was opened again', async () => {
    const path = await ownPath();
    const journal = open(path);
    for (const number of [1, 2, 3]) journal.done(recordOf(number));
    for (const found of [journal, reopened(path, journal)]) {
      for (const number of [3, 1, 2]) {
        expect(found.stateOf(keyOf(number))?.step).toBe('done');
        expect(found.readDone(keyOf(number))).toEqual({ s: 'done', ...recordOf(number) });
      }
    }
  });

  test('returns a result without its optional fields', async () => {
    const path = await ownPath();
    const journal = open(path);
    const { j: _job, key: _key, skin, ...rest } = recordOf(1);
    const { name: _name, duplicate: _duplicate, ...bare } = skin;
    journal.done({ ...rest, skin: bare });
    expect(reopened(path, journal).readDone(key)).toEqual({ s: 'done', ...rest, skin: bare });
  });

  test('says which user a job belongs to, however it ended', async () => {
    const path = await ownPath();
    const journal = open(path);
    journal.accepted(keyOf(1), 0, 'j1');
    journal.accepted(keyOf(1), 1, 'j2');
    journal.done({ ...recordOf(2), j: 'f4c3000000000000000000aa' });
    journal.failed({ k: keyOf(3), j: 'j3', code: 'a_code', message: 'No.' });
    const own = ['j1', 'j2', 'j3', 'f4c3000000000000000000aa'];
    for (const found of [journal, reopened(path, journal)]) {
      expect(own.map((id) => found.isOwnJob(id))).toEqual(own.map(() => true));
      expect(found.isOwnJob('j4')).toBe(false);
    }
  });

  test('returns the last of several steps', async () => {
    const path = await ownPath();
    const journal = open(path);
    journal.intent(key, 0, 1);
    journal.accepted(key, 0, 'j1');
    journal.intent(key, 1, 2);
    expect(reopened(path, journal).stateOf(key)).toEqual({ step: 'intent', attempt: 1, mark: 2 });
  });

  test('has no result for work without one', async () => {
    const journal = open(await ownPath());
    journal.accepted(key, 0, 'j1');
    expect(() => journal.readDone(key)).toThrow(`The journal has no result for ${key}.`);
    expect(() => journal.readDone(keyOf(2))).toThrow('no result');
  });
});

describe('The end of a batch', () => {
  test('forgets what failed and keeps the rest', async () => {
    const path = await ownPath();
    const journal = open(path);
    journal.failed({ k: keyOf(1), code: 'a_code', message: 'No.' });
    journal.done(recordOf(2));
    journal.accepted(keyOf(3), 0, 'j3');
    journal.end();
    for (const found of [journal, reopened(path, journal)]) {
      expect([1, 2, 3].map((number) => found.stateOf(keyOf(number))?.step)).toEqual([
        undefined,
        'done',
        'job',
      ]);
    }
  });

  test('does not forget what fails afterwards', async () => {
    const path = await ownPath();
    const journal = open(path);
    journal.end();
    journal.failed({ k: keyOf(1), code: 'a_code', message: 'No.' });
    expect(reopened(path, journal).stateOf(keyOf(1))?.step).toBe('failed');
  });

  test('may remove the journal', async () => {
    const path = await ownPath();
    const journal = open(path);
    journal.done(recordOf(1));
    journal.retire({ keepsJobs: true });
    expect(existsSync(path)).toBe(false);
    expect(open(path).stateOf(recordOf(1).k)).toBeUndefined();
  });
});

describe('The idempotency key', () => {
  test('is the same for one attempt, also after the journal was opened again', async () => {
    const path = await ownPath();
    const journal = open(path);
    const before = journal.idempotencyKey(keyOf(1), 0);
    expect(before).toMatch(/^[0-9a-f]{40}$/);
    expect(journal.idempotencyKey(keyOf(1), 0)).toBe(before);
    journal.intent(keyOf(1), 0, 1);
    expect(reopened(path, journal).idempotencyKey(keyOf(1), 0)).toBe(before);
  });

  test('differs for another attempt, other work, and another journal', async () => {
    const [journal, other] = [open(await ownPath()), open(await ownPath())];
    const keys = [
      journal.idempotencyKey(keyOf(1), 0),
      journal.idempotencyKey(keyOf(1), 1),
      journal.idempotencyKey(keyOf(2), 0),
      other.idempotencyKey(keyOf(1), 0),
    ];
    expect(new Set(keys).size).toBe(keys.length);
  });
});

test.each(['a job', 'a skin that could not be proved'])(
  'A journal that is retired with %s in it repeats no idempotency key: the service would answer with the old job',
  async (what) => {
    const path = await ownPath();
    const journal = open(path);
    const used = journal.idempotencyKey(keyOf(1), 0);
    if (what === 'a job') journal.accepted(keyOf(2), 0, 'j2');
    else journal.unverified({ ...recordOf(2), code: 'wrong_skin', message: 'Another picture.' });
    journal.retire({ keepsJobs: true });
    const next = open(path);
    expect(next.stateOf(keyOf(2))).toBeDefined();
    expect(next.idempotencyKey(keyOf(1), 0)).not.toBe(used);
  },
);

describe('A job without a result', () => {
  test.each([
    [true, { step: 'job', attempt: 1, job: 'j1' }],
    [false, undefined],
  ])('is kept after everything else has moved elsewhere, if requested: %s', async (keepsJobs, state) => {
    const path = await ownPath();
    const journal = open(path);
    journal.accepted(keyOf(1), 1, 'j1');
    journal.done(recordOf(2));
    journal.retire({ keepsJobs });
    const next = open(path);
    expect([next.stateOf(keyOf(1)), next.stateOf(keyOf(2))]).toEqual([state, undefined]);
  });
});

describe('A skin that could not be proved', () => {
  const unverified = { ...recordOf(1), code: 'wrong_skin', message: 'Another picture.' };

  test('is kept after everything else has moved elsewhere, for the next run', async () => {
    const path = await ownPath();
    const journal = open(path);
    journal.unverified(unverified);
    journal.done(recordOf(2));
    journal.retire({ keepsJobs: true });
    const next = open(path);
    expect([next.stateOf(keyOf(1))?.step, next.stateOf(keyOf(2))]).toEqual(['unverified', undefined]);
    expect(next.readUnverified(keyOf(1))).toMatchObject({ code: 'wrong_skin', skin: unverified.skin });
  });

  test('is found in a journal that names its step "unproven"', async () => {
    const path = await ownPath();
    open(path).close();
    appendFileSync(path, `${JSON.stringify({ ...unverified, s: 'unproven' })}\n`);
    expect(open(path).readUnverified(keyOf(1))).toMatchObject({ code: 'wrong_skin', skin: unverified.skin });
  });

  test('is recorded once, however often it fails in the same way', async () => {
    const path = await ownPath();
    const journal = open(path);
    journal.unverified(unverified);
    const { size } = statSync(path);
    journal.unverified(unverified);
    expect(statSync(path).size).toBe(size);
  });

  test('is reported with the file if its line is damaged', async () => {
    const path = await ownPath();
    const journal = open(path);
    journal.done(recordOf(1));
    writeFileSync(path, readFileSync(path, 'utf8').replace('"skin"', '"skim"'));
    expect(() => journal.readDone(keyOf(1))).toThrow(`${path}: A line of the journal is damaged.`);
  });
});

describe('A journal that could not be retired', () => {
  test('is closed once, and does not touch another file with the same descriptor', async () => {
    const path = await ownPath();
    const journal = open(path);
    journal.accepted(keyOf(1), 0, 'j1');
    rmSync(dirname(path), { recursive: true });
    writeFileSync(dirname(path), 'in the way');
    expect(() => journal.retire({ keepsJobs: true })).toThrow();
    const files = Array.from({ length: 8 }, () => openSync(import.meta.filename, 'r'));
    onTestFinished(() => files.forEach(closeSync));
    journal.close();
    for (const file of files) expect(fstatSync(file).size).toBeGreaterThan(0);
  });
});

describe('A journal that is only read', () => {
  test('returns what was written, and does not exist before', async () => {
    const path = await ownPath();
    expect(Journal.read(path)).toBeUndefined();
    expect(existsSync(path)).toBe(false);
    const journal = open(path);
    journal.done(recordOf(1));
    journal.accepted(keyOf(2), 0, 'j2');
    const found = Journal.read(path)!;
    onTestFinished(() => found?.close());
    expect([1, 2].map((number) => found.stateOf(keyOf(number))?.step)).toEqual(['done', 'job']);
    expect(found.readDone(keyOf(1)).skin.name).toBe('Zoë 🙂 1');
  });
});

/** Paths of the files that this process has open. */
function openFiles(): string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      return [readlinkSync(join('/proc/self/fd', fd))];
    } catch {
      return []; // closed meanwhile
    }
  });
}

/** The disk takes five more bytes, until the function that is returned is called. */
function fillDisk(): () => void {
  const { writeSync } = fs;
  let left = 5;
  const restore = () => {
    fs.writeSync = writeSync;
    syncBuiltinESMExports();
  };
  onTestFinished(restore);
  fs.writeSync = ((fd: number, bytes: Buffer, offset: number) => {
    if (left === 0)
      throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    const written = writeSync(fd, bytes, offset, left);
    left -= written;
    return written;
  }) as typeof writeSync;
  syncBuiltinESMExports();
  return restore;
}

test('If the disk is full, a journal keeps no part of a line, so that the next line can be read', async () => {
  const path = await ownPath();
  const journal = open(path);
  journal.accepted(keyOf(1), 0, 'j1');
  const hasRoom = fillDisk();
  expect(() => journal.accepted(keyOf(2), 0, 'j2')).toThrow('ENOSPC');
  hasRoom();
  journal.accepted(keyOf(3), 0, 'j3');
  const again = reopened(path, journal);
  const jobs = [1, 2, 3].map((n) => again.stateOf(keyOf(n)));
  expect(jobs).toMatchObject([{ job: 'j1' }, undefined, { job: 'j3' }]);
});
