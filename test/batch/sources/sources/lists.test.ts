import { readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import type { BatchSource } from '../../../../src/batch/model/source.ts';
import { openSources } from '../../../../src/batch/sources/sources.ts';
import {
  allOf,
  folderOf,
  onlyOf,
  problemOf,
  rootsIn,
  spec,
  stemsOf,
  UUID,
} from '../../../support/batch/read-sources.ts';
import { failureOf } from '../../../support/client/test-client.ts';

/** What a list on stdin names, in a folder with a few files. */
async function named(list: string | Buffer): Promise<BatchSource[]> {
  const cwd = await folderOf(['heroes/a.png', 'heroes/b, c.png', 'd "e".png', '# f.png', 'source.png']);
  return await allOf({ from: ['-'] }, rootsIn(cwd, list));
}

/** Label, kind and what was asked for, with absent values left out. */
function outlines(sources: readonly BatchSource[]): object[] {
  return sources.map(({ label, content, stem, name, variant, visibility }) => ({
    label,
    kind: content.kind,
    stem,
    ...(name && { name }),
    ...(variant && { variant }),
    ...(visibility && { visibility }),
  }));
}

/** Where and why rows are refused. */
function faults(sources: readonly BatchSource[]): [label: string, message: string | undefined][] {
  return sources.map((source) => [source.label, problemOf(source)?.message]);
}

describe('A list of lines', () => {
  test('names a source per line; blank lines and comments say nothing', async () => {
    const list =
      '\uFEFF\r\n# heroes\r\n  heroes/a.png  \r\n\r\n   # not this\r\n./# f.png\r\nheroes/b, c.png';
    expect(outlines(await named(list))).toEqual([
      { label: 'heroes/a.png', kind: 'file', stem: 'heroes/a' },
      { label: './# f.png', kind: 'file', stem: '# f' },
      { label: 'heroes/b, c.png', kind: 'file', stem: 'heroes/b, c' },
    ]);
  });

  test('takes all that an argument can be', async () => {
    const url = 'https://a.example/s.png';
    const sources = await named(
      ['heroes', url, UUID, 'data:image/png;base64,AAAA', 'nowhere.png', 'Jeb_'].join('\n'),
    );
    expect(sources.map((source) => [source.content.kind, source.stem])).toEqual([
      ['file', 'heroes/a'],
      ['file', 'heroes/b, c'],
      ['url', 's'],
      ['uuid', UUID],
      ['bytes', 'data'],
      ['problem', 'nowhere'],
      ['user', 'Jeb_'],
    ]);
    expect(problemOf(sources[5]!)).toMatchObject({ code: 'no_such_file' });
  });

  test('may begin with a file called source.png', async () => {
    expect(await named('source.png\nheroes/a.png')).toHaveLength(2);
  });

  test('may be empty', async () => {
    for (const list of ['', '\n \r\n', '\uFEFF', '# nothing\n']) expect(await named(list)).toEqual([]);
  });
});

describe('A CSV list', () => {
  const all = [
    {
      label: 'heroes/a.png',
      kind: 'file',
      stem: 'Hero A',
      name: 'Hero A',
      variant: 'slim',
      visibility: 'private',
    },
    { label: 'heroes/b, c.png', kind: 'file', stem: 'heroes/b, c', variant: 'auto' },
    { label: 'd "e".png', kind: 'file', stem: 'd "e"', visibility: 'unlisted' },
  ];
  const forms: [what: string, list: string][] = [
    [
      'commas',
      'source,name,variant,visibility\nheroes/a.png,Hero A,slim,private\n"heroes/b, c.png",,auto,\n"d ""e"".png",,,unlisted\n',
    ],
    [
      'semicolons, CRLF and a byte order mark',
      '\uFEFFSource;NAME;Variant;Visibility\r\nheroes/a.png;"Hero A";slim;private\r\nheroes/b, c.png;;auto;\r\n"d ""e"".png";;;unlisted',
    ],
    [
      'tabs',
      'source\tname\tvariant\tvisibility\nheroes/a.png\tHero A\tslim\tprivate\nheroes/b, c.png\t\tauto\n"d ""e"".png"\t\t\tunlisted\n',
    ],
    [
      'columns in any order, others among them, and spaces',
      'id, visibility ,notes,variant, source ,name\n1,private,"one\n\n""two"", three",slim, heroes/a.png , Hero A \n2,,,auto, "heroes/b, c.png" ,\n\n,,,,,\n3,unlisted,x,,"d ""e"".png"\n',
    ],
  ];
  test.each(forms)('may have %s', async (_, list) => {
    expect(outlines(await named(list))).toEqual(all);
  });

  test('may have one column', async () => {
    expect(outlines(await named('source\n"heroes/b, c.png"\n'))).toEqual([
      { label: 'heroes/b, c.png', kind: 'file', stem: 'heroes/b, c' },
    ]);
  });

  test.each([
    ['team.csv', 'file,name\na.png,A\n', 'file, name'],
    ['team.txt', 'Path;Name\na.png;A\n', 'Path, Name'],
    ['team.tsv', 'player\tcape\nNotch\tred\n', 'player, cape'],
  ])('must have a column source: %s', async (file, text, found) => {
    const cwd = await folderOf([]);
    writeFileSync(join(cwd, file), text);
    expect(await failureOf(allOf({ from: [file] }, rootsIn(cwd)))).toMatchObject({
      code: 'no_source_column',
      message: `No column "source" in ${file}; found: ${found}.`,
      hint: expect.stringContaining('"source"'),
    });
  });

  test('is none where lines are paths with commas in them', async () => {
    const sources = await named('heroes/b, c.png\nheroes/a.png\n');
    expect(sources.map(({ content }) => content.kind)).toEqual(['file', 'file']);
  });

  const bad: [what: string, row: string, fault: string][] = [
    ['no source', ',Hero', 'the column source is missing'],
    ['an unknown variant', 'heroes/a.png,,Slim', 'the column variant must be one of auto, classic, slim'],
    [
      'an unknown visibility',
      'heroes/a.png,,,secret',
      'the column visibility must be one of public, unlisted, private',
    ],
    [
      'a name with strange characters',
      'heroes/a.png,Zoë',
      'the column name may have letters, digits, spaces and _ . - only',
    ],
    ['a long name', `heroes/a.png,${'x'.repeat(49)}`, 'the column name may have at most 48 characters'],
    ['a name for a folder', 'heroes,Heroes', 'the column name must be empty, since the source is a folder'],
    ['stdin', '-', 'stdin can be named as an argument only'],
    ['more fields than the header', 'heroes/a.png,,,,x', 'it has more fields than the header'],
    ['a quote that is never closed', '"heroes/a.png,,slim', 'a quote is never closed'],
    ['a quote in the middle', 'heroes/a".png,,slim', 'a quote is in an invalid place'],
    ['text after a quote', '"heroes"/a.png,,slim', 'a quote is in an invalid place'],
  ];
  test.each(bad)('goes on after a row with %s', async (_, row, fault) => {
    const [first, wrong, ...rest] = await named(
      `source,name,variant,visibility\nheroes/a.png\n${row}\nheroes/a.png,b\n${'heroes/a.png\n'.repeat(250)}`,
    );
    expect(first?.content.kind).toBe('file');
    expect(wrong).toEqual({
      label: '-:3',
      content: {
        kind: 'problem',
        problem: { code: 'invalid_row', message: `Line 3 of the list on stdin: ${fault}.` },
      },
      stem: 'stdin-3',
    });
    expect(rest.map((source) => source.content.kind)).toEqual(Array.from({ length: 251 }, () => 'file'));
  });

  test('goes on after a quote that the next row seems to close', async () => {
    const sources = await named('source,name\n"heroes/a.png,x\n"heroes/b, c.png",y\n');
    expect(faults(sources)).toEqual([
      ['-:2', 'Line 2 of the list on stdin: a quote is in an invalid place.'],
      ['heroes/b, c.png', undefined],
    ]);
  });

  test('does not swallow the list down to a quote far below', async () => {
    const urls = Array.from({ length: 5_000 }, (_, index) => `https://a.example/${index}.png`);
    const list = ['source,name', '"heroes/a.png,x', ...urls, '",y', 'heroes/a.png'].join('\n');
    const labels = (await named(list)).map((source) => source.label);
    expect(labels).toEqual(['-:2', ...urls, '-:5003', 'heroes/a.png']);
  });

  test('counts lines, not rows', async () => {
    const sources = await named('source,notes\n\nheroes/a.png,"1\n2\n3"\n,x\n');
    expect(sources[1]?.label).toBe('-:6');
  });
});

describe('An NDJSON list', () => {
  test('has an object per line', async () => {
    const list = [
      '',
      '{"source":"heroes/a.png","name":" Hero A ","variant":"slim","visibility":"private","id":1}',
      '',
      '  {"source":"heroes/b, c.png","name":null,"variant":""}\r',
    ];
    expect(outlines(await named(list.join('\n')))).toEqual([
      {
        label: 'heroes/a.png',
        kind: 'file',
        stem: 'Hero A',
        name: 'Hero A',
        variant: 'slim',
        visibility: 'private',
      },
      { label: 'heroes/b, c.png', kind: 'file', stem: 'heroes/b, c' },
    ]);
  });

  test('goes on after lines that are none', async () => {
    const lines = ['{', 'heroes/a.png', '[]', 'null', '{}', '{"source":7}', '{"source":"x","name":true}'];
    const sources = await named(`${lines.join('\n')}\n{"source":"heroes/a.png"}`);
    expect(faults(sources)).toEqual([
      ['-:1', 'Line 1 of the list on stdin: it is not a JSON object.'],
      ['-:2', 'Line 2 of the list on stdin: it is not a JSON object.'],
      ['-:3', 'Line 3 of the list on stdin: it is not a JSON object.'],
      ['-:4', 'Line 4 of the list on stdin: it is not a JSON object.'],
      ['-:5', 'Line 5 of the list on stdin: the column source is missing.'],
      ['-:6', 'Line 6 of the list on stdin: the column source must be text.'],
      ['-:7', 'Line 7 of the list on stdin: the column name must be text.'],
      ['heroes/a.png', undefined],
    ]);
  });
});

describe('A row', () => {
  test('for a folder gives its options to each file', async () => {
    const sources = await named('source,variant,visibility\nheroes,slim,private\n');
    expect(outlines(sources)).toEqual([
      { label: 'heroes/a.png', kind: 'file', stem: 'heroes/a', variant: 'slim', visibility: 'private' },
      { label: 'heroes/b, c.png', kind: 'file', stem: 'heroes/b, c', variant: 'slim', visibility: 'private' },
    ]);
  });

  test('for a folder is walked by the same rules as an argument', async () => {
    const cwd = await folderOf(['skins/a.png', 'skins/x/b.png', 'skins/x/c.png']);
    const parts = { from: ['-'], recursive: true, ignore: ['c.png'] };
    expect(await stemsOf(parts, rootsIn(cwd, './skins/'))).toEqual(['skins/a', 'skins/x/b']);
    expect(await stemsOf(parts, rootsIn(cwd, '.'))).toEqual(['skins/a', 'skins/x/b']);
    expect(await stemsOf(parts, rootsIn(join(cwd, 'skins'), '../skins'))).toEqual(['a', 'x/b']);
    expect(await stemsOf(parts, rootsIn('/', join(cwd, 'skins')))).toEqual(['a', 'x/b']);
  });

  const mirrored: [source: string, stem: string][] = [
    ['heroes/a.png', 'heroes/a'],
    ['./heroes//./a.png', 'heroes/a'],
    ['../a.png', 'a'],
    ['heroes/../heroes/a.png', 'a'],
    ['/no/such/a.png', 'a'],
  ];
  test.each(mirrored)('%s belongs at %s', async (source, stem) => {
    expect(await named(source)).toMatchObject([{ label: source, stem }]);
  });

  test('is what the user says it is', async () => {
    const [row] = await allOf({ from: ['-'], as: 'file' }, rootsIn(await folderOf([UUID]), UUID));
    expect(row?.content.kind).toBe('file');
  });

  test('must not be longer than 64 KiB', async () => {
    const longest = 'x'.repeat(64 * 1024);
    const sources = await named(
      `${longest}\n${longest}x\nheroes/a.png\n${'y'.repeat(300_000)}\nheroes/a.png`,
    );
    expect(faults(sources).slice(1)).toEqual([
      ['-:2', 'Line 2 of the list on stdin: it is longer than 64 KiB.'],
      ['heroes/a.png', undefined],
      ['-:4', 'Line 4 of the list on stdin: it is longer than 64 KiB.'],
      ['heroes/a.png', undefined],
    ]);
    expect(problemOf(sources[0]!)?.code).toBe('no_such_file');
  });

  test('must be UTF-8', async () => {
    const latin = Buffer.from('Zo\xeb.png\n', 'latin1');
    const sources = await named(
      Buffer.concat([Buffer.from('heroes/a.png\n'), latin, Buffer.from('heroes/a.png')]),
    );
    expect(faults(sources)).toEqual([
      ['heroes/a.png', undefined],
      ['-:2', 'Line 2 of the list on stdin: it is not UTF-8.'],
      ['heroes/a.png', undefined],
    ]);
  });
});

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

  test('may be one of several', async () => {
    const cwd = await folderOf({ a: 'x.png', b: '{"source":"y.png"}' });
    expect(await stemsOf({ from: ['a', '-', 'b'] }, rootsIn(cwd, 'z.png'))).toEqual(['x', 'z', 'y']);
  });

  test('that is not there is told before anything is begun', async () => {
    const cwd = await folderOf(['a.png']);
    const sources = openSources(spec({ args: ['a.png'], from: ['list.txt'] }), rootsIn(cwd));
    expect(await failureOf(sources.next())).toMatchObject({
      name: 'BatchSetupError',
      code: 'no_such_file',
      message: 'There is no list list.txt.',
      hint: expect.any(String),
    });
  });

  test('must not be a folder', async () => {
    const cwd = await folderOf(['lists/a.txt']);
    const failure = await failureOf(allOf({ from: ['lists'] }, rootsIn(cwd)));
    expect(failure).toMatchObject({ code: 'not_a_list', message: 'lists is a folder, not a list.' });
  });

  test('that goes away before its turn is told', async () => {
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

  test('is closed when nobody reads on', async () => {
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
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
}

describe('A list of 100,000 lines', () => {
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
        for (; lines < 100_000; lines++) yield Buffer.from(`${row}\n`);
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

  test('is read to its end without being held', async () => {
    const lines = async function* () {
      for (let line = 0; line < 100_000; line++) yield Buffer.from(`https://a.example/${line}.png\n`);
    };
    const held: number[] = [];
    let count = 0;
    for await (const _ of openSources(spec({ from: ['-'] }), rootsIn('/', lines))) {
      count++;
      if (count === 20_000 || count === 80_000) held.push(heldBytes());
    }
    expect(count).toBe(100_000);
    const [early = 0, late = 0] = held;
    expect(late - early).toBeLessThan(60_000 * LEAST_OF_A_LINE);
  });
});
