import { appendFileSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Journal } from '../../../src/batch/journal/journal.ts';
import { keyOf, recordOf } from '../../support/batch/journal-records.ts';
import { ownFolder } from '../../support/server/own-folder.ts';

async function ownPath(): Promise<string> {
  return join(await ownFolder(), 'journals', 'batch.ndjson');
}

const closed = new WeakSet<Journal>();

function close(journal: Journal): void {
  if (closed.has(journal)) return;
  closed.add(journal);
  journal.close();
}

/** The journal at `path`, closed when the test ends. */
function open(path: string): Journal {
  const journal = Journal.open(path);
  onTestFinished(() => close(journal));
  return journal;
}

/** The journal as another process would find it. */
function reopened(path: string, journal: Journal): Journal {
  close(journal);
  return open(path);
}

describe('A new journal', () => {
  test('is empty, in folders that it makes, for its owner alone', async () => {
    const path = await ownPath();
    const journal = open(path);
    expect(journal.isFresh).toBe(true);
    expect(journal.stateOf(keyOf(1))).toBeUndefined();
    expect(journal.isOwnJob('j1')).toBe(false);
    expect([path, dirname(path)].map((place) => statSync(place).mode & 0o777)).toEqual([0o600, 0o700]);
  });

  test('has nothing in it when it is opened again', async () => {
    const path = await ownPath();
    expect(reopened(path, open(path)).isFresh).toBe(true);
  });

  test('passes on that its place cannot be written', async () => {
    const folder = await ownFolder();
    writeFileSync(join(folder, 'file'), '');
    expect(() => Journal.open(join(folder, 'file', 'batch.ndjson'))).toThrow(/EEXIST|ENOTDIR/);
  });
});

describe('What was written to a journal', () => {
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
  test.each(steps)('is there at once and after it was opened again: %s', async (_, write, state) => {
    const path = await ownPath();
    const journal = open(path);
    journal.intent(key, 0, 1);
    write(journal);
    for (const found of [journal, reopened(path, journal)]) {
      if (state) expect(found.stateOf(key)).toMatchObject(state);
      else expect(found.stateOf(key)).toBeUndefined();
      expect(found.isFresh).toBe(state === undefined);
    }
  });

  test('is the result, whole, before and after it was opened again', async () => {
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

  test('is a result without what it may lack', async () => {
    const path = await ownPath();
    const journal = open(path);
    const { j: _job, key: _key, skin, ...rest } = recordOf(1);
    const { name: _name, duplicate: _duplicate, ...bare } = skin;
    journal.done({ ...rest, skin: bare });
    expect(reopened(path, journal).readDone(key)).toEqual({ s: 'done', ...rest, skin: bare });
  });

  test('is whose job is whose, however it ended', async () => {
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

  test('is the last of several steps', async () => {
    const path = await ownPath();
    const journal = open(path);
    journal.intent(key, 0, 1);
    journal.accepted(key, 0, 'j1');
    journal.intent(key, 1, 2);
    expect(reopened(path, journal).stateOf(key)).toEqual({ step: 'intent', attempt: 1, mark: 2 });
  });

  test('is no result for work that has none', async () => {
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

  test('is not the end of what fails afterwards', async () => {
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
    closed.add(journal);
    expect(existsSync(path)).toBe(false);
    expect(open(path).isFresh).toBe(true);
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

  test('is another for another attempt, other work, and another journal', async () => {
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

describe('Lines that are none of ours', () => {
  const foreign = [
    'hello',
    '{}',
    'null',
    '42',
    '{"k":"x","s":"nothing"}',
    '{"k":"x","s":"done","j":"j9","skin":{"uuid":"ab',
    '{"k":"x","s":"intent"}',
    '{"k":"x","s":"job","n":0,"j":7}',
    '{"journal":2,"nonce":"other"}',
    '{"journal":1,"nonce":"second"}',
    '\u0000\u0000\u0000',
    '',
    `"${'x'.repeat(300_000)}"`,
  ];

  test('are passed over, whatever stands around them', async () => {
    const path = await ownPath();
    const journal = open(path);
    const idempotencyKey = journal.idempotencyKey(keyOf(1), 0);
    journal.done(recordOf(1));
    close(journal);
    appendFileSync(path, foreign.map((line) => `${line}\n`).join(''));
    const again = open(path);
    again.done(recordOf(2));
    const found = reopened(path, again);
    expect([1, 2].map((number) => found.readDone(keyOf(number)).skin.name)).toEqual(['Zoë 🙂 1', 'Zoë 🙂 2']);
    expect(found.stateOf('x')).toBeUndefined();
    expect(found.idempotencyKey(keyOf(1), 0)).toBe(idempotencyKey);
  });

  test('may come first', async () => {
    const path = await ownPath();
    close(open(path));
    writeFileSync(path, 'This was never a journal.\n');
    const journal = open(path);
    const idempotencyKey = journal.idempotencyKey(keyOf(1), 0);
    journal.intent(keyOf(1), 0, 1);
    const found = reopened(path, journal);
    expect(found.stateOf(keyOf(1))?.step).toBe('intent');
    expect(found.idempotencyKey(keyOf(1), 0)).toBe(idempotencyKey);
  });
});

describe('A job without a result', () => {
  test.each([
    [true, { step: 'job', attempt: 1, job: 'j1' }],
    [false, undefined],
  ])('stays when all else is kept elsewhere, if that is wanted: %s', async (keepsJobs, state) => {
    const path = await ownPath();
    const journal = open(path);
    journal.accepted(keyOf(1), 1, 'j1');
    journal.done(recordOf(2));
    journal.retire({ keepsJobs });
    closed.add(journal);
    const next = open(path);
    expect([next.stateOf(keyOf(1)), next.stateOf(keyOf(2))]).toEqual([state, undefined]);
  });
});

describe('A skin that could not be proved', () => {
  const unproven = { ...recordOf(1), code: 'wrong_skin', message: 'Another picture.' };

  test('stays when all else is kept elsewhere, and is there for the next run', async () => {
    const path = await ownPath();
    const journal = open(path);
    journal.unproven(unproven);
    journal.done(recordOf(2));
    journal.retire({ keepsJobs: true });
    closed.add(journal);
    const next = open(path);
    expect([next.stateOf(keyOf(1))?.step, next.stateOf(keyOf(2))]).toEqual(['unproven', undefined]);
    expect(next.readUnproven(keyOf(1))).toMatchObject({ code: 'wrong_skin', skin: unproven.skin });
  });

  test('is written down once, however often it fails in the same way', async () => {
    const path = await ownPath();
    const journal = open(path);
    journal.unproven(unproven);
    const { size } = statSync(path);
    journal.unproven(unproven);
    expect(statSync(path).size).toBe(size);
  });

  test('is told of with the file, when its line is damaged', async () => {
    const path = await ownPath();
    const journal = open(path);
    journal.done(recordOf(1));
    writeFileSync(path, readFileSync(path, 'utf8').replace('"skin"', '"skim"'));
    expect(() => journal.readDone(keyOf(1))).toThrow(`${path}: A line of the journal is damaged.`);
  });
});

describe('A journal that is only read', () => {
  test('tells what was written, and is not there before', async () => {
    const path = await ownPath();
    expect(Journal.read(path)).toBeUndefined();
    expect(existsSync(path)).toBe(false);
    const journal = open(path);
    journal.done(recordOf(1));
    journal.accepted(keyOf(2), 0, 'j2');
    const found = Journal.read(path)!;
    onTestFinished(() => close(found));
    expect([1, 2].map((number) => found.stateOf(keyOf(number))?.step)).toEqual(['done', 'job']);
    expect(found.readDone(keyOf(1)).skin.name).toBe('Zoë 🙂 1');
  });
});
