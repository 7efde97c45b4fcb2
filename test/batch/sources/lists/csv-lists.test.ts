import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { faults, named, outlines } from '../../../support/batch/read-lists.ts';
import { allOf, folderOf, problemOf, rootsIn } from '../../../support/batch/read-sources.ts';
import { failureOf } from '../../../support/client/test-client.ts';

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

  test.each([
    ['steve', 'classic'],
    ['Alex', 'slim'],
    ['CLASSIC', 'classic'],
    ['Slim', 'slim'],
    ['wide', 'classic'],
    ['default', 'classic'],
  ])('may say model, or variant, %s', async (word, variant) => {
    for (const column of ['Model', 'variant']) {
      expect(await named(`source,${column}\nheroes/a.png,${word}\n`)).toMatchObject([{ variant }]);
    }
    expect(await named(`{"source":"heroes/a.png","model":"${word}"}`)).toMatchObject([{ variant }]);
  });

  test('must not say one variant and another model', async () => {
    const list = 'source,variant,model\nheroes/a.png,slim,alex\nheroes/a.png,slim,steve\n';
    const [first, second] = await named(list);
    expect(first).toMatchObject({ variant: 'slim' });
    expect(second && problemOf(second)?.message).toContain('variant and model name different variants');
  });

  test.each([
    ['sep=;\nsource;name\nheroes/a.png;A\n'],
    ['\uFEFF"sep=|"\r\nsource|name\r\nheroes/a.png|A\r\n'],
    ['sep=,\nsource\nheroes/a.png\n'],
    ['sep=;\nheroes/a.png\n'],
  ])('may name its separator as spreadsheets do: %j', async (list) => {
    expect(await named(list)).toMatchObject([{ label: 'heroes/a.png', content: { kind: 'file' } }]);
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

  test('is not recognized if lines are paths with commas', async () => {
    const sources = await named('heroes/b, c.png\nheroes/a.png\n');
    expect(sources.map(({ content }) => content.kind)).toEqual(['file', 'file']);
  });

  const bad: [what: string, row: string, fault: string][] = [
    ['no source', ',Hero', 'the column source is missing'],
    [
      'an unknown variant',
      'heroes/a.png,,thin',
      'the column variant must be one of auto, classic, slim, steve, wide, default, alex',
    ],
    [
      'an unknown visibility',
      'heroes/a.png,,,secret',
      'the column visibility must be one of public, unlisted, private',
    ],
    ['an invisible name', 'heroes/a.png,\u202e\u200b', 'the column name has no visible character'],
    ['a long name', `heroes/a.png,${'я'.repeat(49)}`, 'the column name has more than 48 characters'],
    ['a name for a folder', 'heroes,Heroes', 'the column name must be empty, since the source is a folder'],
    ['stdin', '-', 'stdin can only be given as an argument'],
    ['more fields than the header', 'heroes/a.png,,,,x', 'it has more fields than the header'],
    ['a quote that is never closed', '"heroes/a.png,,slim', 'a quote is never closed'],
    ['a quote in the middle', 'heroes/a".png,,slim', 'a quote is in an invalid place'],
    ['text after a quote', '"heroes"/a.png,,slim', 'a quote is in an invalid place'],
  ];
  test.each(bad)('continues after a row with %s', async (_, row, fault) => {
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

  test('continues after a quote that the next row seems to close', async () => {
    const sources = await named('source,name\n"heroes/a.png,x\n"heroes/b, c.png",y\n');
    expect(faults(sources)).toEqual([
      ['-:2', 'Line 2 of the list on stdin: a quote is in an invalid place.'],
      ['heroes/b, c.png', undefined],
    ]);
  });

  test('does not swallow rows up to a quote far below', async () => {
    const urls = Array.from({ length: 3_000 }, (_, index) => `https://a.example/${index}.png`);
    const list = ['source,name', '"heroes/a.png,x', ...urls, '",y', 'heroes/a.png'].join('\n');
    const labels = (await named(list)).map((source) => source.label);
    expect(labels).toEqual(['-:2', ...urls, '-:3003', 'heroes/a.png']);
  });

  test('counts lines, not rows', async () => {
    const sources = await named('source,notes\n\nheroes/a.png,"1\n2\n3"\n,x\n');
    expect(sources[1]?.label).toBe('-:6');
  });
});
