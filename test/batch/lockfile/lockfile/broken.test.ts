import { closeSync, mkdirSync, openSync, truncateSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { LockfileError } from '../../../../src/batch/lockfile/entries.ts';
import { Lockfile } from '../../../../src/batch/lockfile/lockfile.ts';
import { type LockEntry, lineOf } from '../../../../src/protocol/lock-line.ts';
import { entriesOf, lockEntry, openText, ownPath, textOf } from '../../../support/batch/lockfile-entries.ts';
import { failureOf } from '../../../support/client/test-client.ts';

const GOOD = textOf(entriesOf('a.png'));

async function failureOfOpening(path: string): Promise<LockfileError> {
  const error = await failureOf(Lockfile.open(path));
  if (error instanceof LockfileError) return error;
  throw error;
}

async function failureOfText(text: string | Uint8Array): Promise<LockfileError> {
  return await failureOfOpening(await ownPath(text));
}

describe('A file that is no lockfile', () => {
  test.each([
    ['text', 'Dear diary,\n'],
    ['a JSON document', '{\n  "name": "skins"\n}\n'],
    ['another NDJSON file', '{"journal":1,"nonce":"x"}\n'],
    ['a list', '[1,2]\n'],
    ['zeros', '\0'.repeat(5000)],
  ])('is refused with its first line: %s', async (_, text) => {
    expect(await failureOfText(text)).toMatchObject({ code: 'lockfile_invalid', line: 1 });
  });

  test('is refused because its line is not an entry', async () => {
    expect((await failureOfText('[1,2]\n')).message).toMatch(/The line is not an entry: Invalid input/);
  });

  test('is named in an error that says what is wrong and what to do', async () => {
    const path = await ownPath(`${GOOD}${GOOD.replace('"options"', '"choices"')}`);
    const error = await failureOfOpening(path);
    expect(error.message).toMatch(`${path}, line 2: The line is not an entry: options: Invalid input`);
    expect(error.hint).toMatch('Restore the file');
  });

  test('is refused when it is a folder', async () => {
    const path = await ownPath();
    mkdirSync(path);
    expect(await failureOfOpening(path)).toMatchObject({ code: 'lockfile_invalid', line: undefined });
  });

  test('is refused when it is larger than any lockfile', async () => {
    const path = await ownPath('');
    truncateSync(path, 2 ** 32); // takes no space
    expect(await failureOfOpening(path)).toMatchObject({ code: 'lockfile_too_large', line: undefined });
  });

  test('is refused when a line is longer than any entry, however long', async () => {
    const tooLong = lineOf(lockEntry({ name: 'n'.repeat(64 * 1024) }));
    expect(await failureOfText(`${GOOD}${tooLong}\n${GOOD}`)).toMatchObject({
      code: 'lockfile_too_large',
      line: 2,
    });
    const path = await ownPath(GOOD);
    truncateSync(path, 2 ** 28);
    expect(await failureOfOpening(path)).toMatchObject({ code: 'lockfile_too_large', line: 2 });
  });
});

describe('A merge', () => {
  const [ours, theirs] = [textOf(entriesOf('b.png')), textOf(entriesOf('c.png'))];

  test.each([
    ['<<<<<<< HEAD', 2, `${GOOD}<<<<<<< HEAD\n${ours}=======\n${theirs}>>>>>>> topic\n`],
    ['||||||| base', 2, `${GOOD}||||||| base\n`],
    ['=======', 3, `${GOOD}${ours}=======\r\n${theirs}`],
    ['>>>>>>> topic', 3, `${GOOD}${theirs}>>>>>>> topic`],
  ])('that is unfinished is distinguished from other damage: %s', async (_, line, text) => {
    const error = await failureOfText(text);
    expect(error).toMatchObject({ code: 'lockfile_conflict', line });
    expect(error.hint).toMatch('both sides');
  });
});

describe('A line that was cut', () => {
  /** Bytes between the cuts in a run of base64, which is the same all along; elsewhere each byte is cut after. */
  const STRIDE = 17;
  const RUN = /[\w+/=-]{64,}/g;

  /** From the first byte up to the last but one. */
  function cutsOf(text: string, first: number): number[] {
    const runs = [...text.matchAll(RUN)].map(({ 0: run, index }) => {
      const start = Buffer.byteLength(text.slice(0, index));
      return { start: start + STRIDE, end: start + run.length - STRIDE };
    });
    const inRun = (size: number) => runs.some(({ start, end }) => size > start && size < end);
    const all = Array.from({ length: Buffer.byteLength(text) - 1 - first }, (_, index) => first + index);
    return all.filter((size) => !inRun(size) || size % STRIDE === 0);
  }

  test('is an error wherever it was cut, because a rename never leaves such a file', async () => {
    const text = GOOD + textOf([lockEntry({ source: 'ü.png', name: 'a}b', key: '{}' })]);
    const bytes = Buffer.from(text);
    const path = await ownPath();
    for (const size of cutsOf(text, Buffer.byteLength(GOOD) + 1)) {
      writeFileSync(path, bytes.subarray(0, size));
      expect(await failureOfOpening(path)).toMatchObject({ code: 'lockfile_invalid', line: 2 });
    }
  });

  test('is an error even in the middle of the file', async () => {
    const text = `${GOOD.slice(0, 400)}\n${GOOD}`;
    expect(await failureOfText(text)).toMatchObject({ code: 'lockfile_invalid', line: 1 });
  });
});

describe('An entry with a field that is wrong', () => {
  const wrong: [field: string, entry: LockEntry][] = [
    ['source', lockEntry({ source: '' })],
    ['pixels', lockEntry({ pixels: 'abc' })],
    ['pixels', lockEntry({ pixels: undefined })],
    ['value', lockEntry({ value: '"},{"' })],
    ['value', lockEntry({ value: '' })],
    ['signature', lockEntry({ signature: 'not base64!' })],
    ['variant', lockEntry({ variant: 'wide' as 'classic' })],
    ['options.variant', lockEntry({ options: { variant: 'unknown' as 'auto', visibility: 'public' } })],
  ];
  const readEarly = wrong.filter(([field]) => !['value', 'signature', 'variant'].includes(field));

  test.each(wrong)('is reported when it is read, or before: %s', async (field, entry) => {
    const path = await ownPath(GOOD + textOf([entry]));
    const read = async () => {
      const lockfile = await Lockfile.open(path);
      try {
        for (let n = 0; n < lockfile.size; n++) lockfile.read(n);
      } finally {
        lockfile.close();
      }
    };
    const error = await failureOf(read());
    expect(error).toMatchObject({ code: 'lockfile_invalid', line: 2 });
    expect((error as Error).message).toMatch(`${field}: `);
  });

  test.each(readEarly)(
    'is reported when the file is opened, if it affects look-ups: %s',
    async (_, entry) => {
      expect(await failureOfText(GOOD + textOf([entry]))).toMatchObject({
        code: 'lockfile_invalid',
        line: 2,
      });
    },
  );

  test('does not keep the others from being read', async () => {
    const lockfile = await openText(textOf([lockEntry({ value: '?' }), lockEntry({ source: 'x.png' })]));
    expect(lockfile.read(1).source).toBe('x.png');
  });
});

test('Lockfiles that cannot be opened leave no file open', async () => {
  const path = await ownPath('nonsense\n');
  const before = nextDescriptor(path);
  for (let n = 0; n < 50; n++) await failureOfOpening(path);
  expect(nextDescriptor(path)).toBeLessThan(before + 10);
});

/** The system gives out the lowest that is free. */
function nextDescriptor(path: string): number {
  const fd = openSync(path, 'r');
  closeSync(fd);
  return fd;
}
