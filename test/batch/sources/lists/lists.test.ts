import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { faults, named, outlines } from '../../../support/batch/read-lists.ts';
import { allOf, folderOf, problemOf, rootsIn, stemsOf, UUID } from '../../../support/batch/read-sources.ts';

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

  test('takes everything that can be an argument', async () => {
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

  test('continues after lines that are not objects', async () => {
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
  test.each(mirrored)('for %s has the stem %s', async (source, stem) => {
    expect(await named(source)).toMatchObject([{ label: source, stem }]);
  });

  test('is of the kind that the user gives', async () => {
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
