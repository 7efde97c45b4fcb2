import { readdirSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openSources } from '../../../../src/batch/sources/arguments.ts';
import { named } from '../../../support/batch/read-lists.ts';
import {
  allOf,
  folderOf,
  onlyOf,
  problemOf,
  rootsIn,
  spec,
  stemsOf,
} from '../../../support/batch/read-sources.ts';
import { failureOf } from '../../../support/client/test-client.ts';
import { collectGarbage } from '../../../support/server/collect-garbage.ts';
import { testWhole } from '../../../support/setup/extent.ts';

describe('A list file', () => {
  test('is found from the current folder, and named as typed', async () => {
    const cwd = await folderOf({ 'lists/a.csv': 'source,name\n,x\n' });
    const row = await onlyOf({ from: ['./lists/a.csv'] }, rootsIn(cwd));
    expect(row).toMatchObject({ label: './lists/a.csv:2', stem: 'a-2' });
    expect(problemOf(row)?.message).toBe('Line 2 of ./lists/a.csv: the column source is missing.');
  });

  test('names paths from the current folder, else from its own', async () => {
    const cwd = await folderOf({
      'lists/all.txt': 'both.png\nthere.png\n../here.png\nnowhere.png',
      'both.png': '',
      'lists/both.png': '',
      'lists/there.png': '',
      'here.png': '',
    });
    const sources = await allOf({ from: ['lists/all.txt'] }, rootsIn(cwd));
    expect(sources.map(({ content }) => content)).toEqual([
      { kind: 'file', path: join(cwd, 'both.png') },
      { kind: 'file', path: join(cwd, 'lists/there.png') },
      { kind: 'file', path: join(cwd, 'here.png') },
      { kind: 'problem', problem: expect.objectContaining({ code: 'no_such_file' }) },
    ]);
  });

  test('may write paths as on Windows', async () => {
    const cwd = await folderOf({
      'lists/all.txt': '.\\sub\\a.png\n..\\b.png\nc\\d.png\n',
      'lists/sub/a.png': '',
      'b.png': '',
      'c\\d.png': '',
    });
    const sources = await allOf({ from: ['lists/all.txt'] }, rootsIn(cwd));
    expect(sources.map(({ content }) => content)).toEqual([
      { kind: 'file', path: join(cwd, 'lists/sub/a.png') },
      { kind: 'file', path: join(cwd, 'b.png') },
      { kind: 'file', path: join(cwd, 'c\\d.png') },
    ]);
    expect(sources[0]).toMatchObject({ label: './sub/a.png', stem: 'sub/a' });
  });

  test('may be one of several', async () => {
    const cwd = await folderOf({ a: 'x.png', b: '{"source":"y.png"}' });
    expect(await stemsOf({ from: ['a', '-', 'b'] }, rootsIn(cwd, 'z.png'))).toEqual(['x', 'z', 'y']);
  });

  test('that does not exist is reported before anything starts', async () => {
    const cwd = await folderOf(['a.png']);
    const sources = openSources(spec({ args: ['a.png'], from: ['list.txt'] }), rootsIn(cwd));
    expect(await failureOf(sources.next())).toMatchObject({
      name: 'BatchSetupError',
      code: 'no_such_file',
      message: 'No list list.txt.',
      hint: expect.any(String),
    });
  });

  test('must not be a folder', async () => {
    const cwd = await folderOf(['lists/a.txt']);
    const failure = await failureOf(allOf({ from: ['lists'] }, rootsIn(cwd)));
    expect(failure).toMatchObject({ code: 'not_a_list', message: 'lists is a folder, not a list.' });
  });

  test('that disappears before its turn is reported', async () => {
    const cwd = await folderOf({ 'a.png': '', 'list.txt': 'a.png' });
    const sources = openSources(spec({ args: ['a.png'], from: ['list.txt'] }), rootsIn(cwd));
    await sources.next();
    rmSync(join(cwd, 'list.txt'));
    expect(await failureOf(sources.next())).toMatchObject({ name: 'BatchSetupError', code: 'no_such_file' });
  });

  test.each(['\x89PNG\r\n\x1a\n\0', 'heroes/a.png\n\0', 'source\nheroes/a.png\nh\0e'])(
    'must be text: %j',
    async (text) => {
      const failure = await failureOf(named(text));
      expect(failure).toMatchObject({
        name: 'BatchSetupError',
        code: 'not_a_list',
        message: 'Not a list: the list on stdin contains zero bytes, so it is not text.',
      });
    },
  );

  test('is closed when its reader stops', async () => {
    const cwd = await folderOf({ 'list.txt': 'a.png\n'.repeat(100_000) });
    for await (const source of openSources(spec({ from: ['list.txt'] }), rootsIn(cwd))) {
      expect(source.stem).toBe('a');
      break;
    }
    await expect.poll(() => openFiles().filter((path) => path.startsWith(cwd))).toEqual([]);
  });
});

/** Paths of the files that this process has open. */
function openFiles(): string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/self/fd/${fd}`)];
    } catch {
      return []; // the one that the list itself was read with
    }
  });
}

/** Bytes that a line takes at least when it is kept, if only as a text. */
const LEAST_OF_A_LINE = 40;

/** Bytes on the heap that are in use, without garbage. */
function heldBytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

const LINES = 100_000;

describe('A list of many lines', () => {
  const forms: [form: string, header: string, row: string][] = [
    ['lines', '', 'heroes/a.png'],
    ['CSV', 'source,name\n', '"heroes/a.png",Hero'],
    ['NDJSON', '', '{"source":"heroes/a.png"}'],
  ];
  test.each(forms)('as %s gives its first source before the second line is read', async (_, header, row) => {
    let [lines, isClosed] = [0, false];
    const endless = async function* () {
      try {
        yield Buffer.from(header);
        for (; lines < LINES; lines++) yield Buffer.from(`${row}\n`);
      } finally {
        isClosed = true;
      }
    };
    const sources = openSources(spec({ from: ['-'] }), rootsIn('/', endless));
    expect((await sources.next()).value).toMatchObject({ label: 'heroes/a.png' });
    expect(lines).toBe(0);
    await sources.return(undefined);
    expect(isClosed).toBe(true);
  });

  // Otherwise the test above notices what reads a list ahead, and batch/run/run-batch/ahead what reads pictures ahead.
  testWhole('is read to its end without being held in memory', async () => {
    const lines = async function* () {
      for (let line = 0; line < LINES; line++) yield Buffer.from(`https://a.example/${line}.png\n`);
    };
    const held: number[] = [];
    let count = 0;
    for await (const _ of openSources(spec({ from: ['-'] }), rootsIn('/', lines))) {
      count++;
      if (count === LINES / 5 || count === (4 * LINES) / 5) held.push(heldBytes());
    }
    expect(count).toBe(LINES);
    const [early = 0, late = 0] = held;
    expect(late - early).toBeLessThan(0.6 * LINES * LEAST_OF_A_LINE);
  });
});

describe('A list as an argument', () => {
  const skin = { url: `http://textures.minecraft.net/texture/${'ab'.repeat(32)}` };
  const value = Buffer.from(JSON.stringify({ textures: { SKIN: skin } })).toString('base64');
  const rows = [{ source: 'a.png', name: 'Ann' }, { source: 'b.png' }].map((row) => JSON.stringify(row));
  const lists: [file: string, text: string, labels: string[]][] = [
    ['team.csv', 'source,name\na.png,Ann\nb.png,\n', ['a.png', 'b.png']],
    ['team.tsv', `name\tsource\nAnn\ta.png\nBob\t${value}\n`, ['a.png', 'value:abababababababab…']],
    ['team.ndjson', `${rows.join('\n')}\n`, ['a.png', 'b.png']],
    ['heads.csv', `Oak;${value};x\nIron;${value};x\n`, ['heads.csv:1', 'heads.csv:2']],
    ['heads.ndjson', `${JSON.stringify({ source: 'a.png', value })}\n`, ['a.png']],
  ];
  test.each(lists)('is known by its name, unless it has skin data itself: %s', async (file, text, labels) => {
    const roots = rootsIn(await folderOf({ [file]: text, 'a.png': '', 'b.png': '' }));
    const sources = await allOf({ args: [file] }, roots);
    expect(sources.map(({ label, content }) => [label, content.kind])).toEqual(
      labels.map((label) => [label, label.endsWith('.png') && file.startsWith('team') ? 'file' : 'data']),
    );
  });

  test('reports what is wrong with its rows, and what it lacks', async () => {
    const files = { 'a.csv': 'source,variant\na.png,fat\nteam.csv,\n', 'team.csv': 'path,name\nx,y\n' };
    const roots = rootsIn(await folderOf(files));
    const [fat, nested] = await allOf({ args: ['a.csv'] }, roots);
    expect(problemOf(fat!)?.message).toContain('Line 2 of a.csv: the column variant must be one of');
    expect(problemOf(nested!)?.message).toBe('Line 3 of a.csv: the source is another list.');
    await expect(allOf({ args: ['team.csv'] }, roots)).rejects.toMatchObject({ code: 'no_source_column' });
  });
});
