import { expect, test } from 'vitest';
import { embeddedWorkshop, lines, pixelsOf, type Workshop } from '../support/program/batches.ts';
import { dataUrl, skinPng } from '../support/server/drawn-skins.ts';

const ROWS = [
  { source: 'pngs/a.png', name: 'Hero', variant: 'slim', visibility: 'unlisted' },
  { source: 'pngs/b.png', name: 'Villain' },
  { source: 'pngs/c.png', visibility: 'private' },
  { source: 'pngs/d.png' },
];

const cell = (text = '') => `"${text}"`;
const CSV = [
  'name,source,visibility,variant,remark',
  ...ROWS.map((row) => [row.name, row.source, row.visibility, row.variant, 'a, b'].map(cell).join()),
];

async function listWorkshop(): Promise<Workshop> {
  const shop = await embeddedWorkshop();
  await shop.draw({ 'pngs/a': 1, 'pngs/b': 2, 'pngs/c': 3, 'pngs/d': 4 });
  return shop;
}

test.each([
  ['CSV', 'skins.csv', CSV.join('\r\n')],
  ['NDJSON', 'skins.ndjson', ROWS.map((row) => JSON.stringify(row)).join('\n')],
])("A list in %s gives each skin's name and options", async (_, file, text) => {
  const shop = await listWorkshop();
  await shop.write(file, text);
  const { exitCode, stdout, stderr } = await shop.run('generate', '--from', file, '--out', 'out');
  expect([exitCode, stdout, stderr]).toEqual([0, '', expect.stringMatching(/^4 sources: 4 made/m)]);
  expect(await shop.files('out')).toEqual([
    'Hero.json',
    'Villain.json',
    'pngs/c.json',
    'pngs/d.json',
    'skins.lock',
  ]);
  expect((await shop.lock()).map((line) => [line.name, line.variant, line.visibility, line.pixels])).toEqual([
    ['Hero', 'slim', 'unlisted', pixelsOf(1)],
    ['Villain', 'classic', 'public', pixelsOf(2)],
    ['c', 'classic', 'private', pixelsOf(3)],
    ['d', 'classic', 'public', pixelsOf(4)],
  ]);
});

test('A list may call the variant model, and unknown columns are reported once', async () => {
  const shop = await listWorkshop();
  await shop.write('list.csv', 'source,Model,visbility\npngs/a.png,Alex,private\npngs/b.png,steve,private\n');
  const { exitCode, stderr } = await shop.run('generate', '--from', 'list.csv', '--out', 'out');
  expect([exitCode, lines(stderr).filter((line) => line.startsWith('warning: '))]).toEqual([
    0,
    ['warning: list.csv: the column visbility is unknown and ignored. Did you mean visibility?'],
  ]);
  expect((await shop.lock()).map(({ variant, visibility }) => [variant, visibility])).toEqual([
    ['slim', 'public'],
    ['classic', 'public'],
  ]);
});

test('A list may be UTF-16 with a separator of its own and paths as on Windows, as spreadsheets there save it', async () => {
  const shop = await listWorkshop();
  const text = '\uFEFFsep=;\r\nsource;name\r\n.\\pngs\\a.png;Ann\r\n';
  await shop.write('list.csv', Buffer.from(text, 'utf16le'));
  const { exitCode, stderr } = await shop.run('generate', '--from', 'list.csv', '--out', 'out');
  expect([exitCode, stderr]).toEqual([0, expect.stringMatching(/^1 source: 1 made/m)]);
  expect(await shop.files('out')).toEqual(['Ann.json', 'skins.lock']);
});

test('A list of lines may name files, folders and pictures themselves, and have remarks', async () => {
  const shop = await listWorkshop();
  await shop.write('list.txt', `# all of them\npngs\n\n${dataUrl(skinPng(9))}\n`);
  const { exitCode, stdout } = await shop.run('generate', '--from', 'list.txt', '--json');
  const results = JSON.parse(stdout) as { source: string; status: string }[];
  expect([exitCode, results.map(({ status }) => status)]).toEqual([0, Array(5).fill('completed')]);
  expect(results.slice(0, 4).map(({ source }) => source)).toEqual(ROWS.map(({ source }) => source));
});

test('A list is read from stdin', async () => {
  const shop = await listWorkshop();
  const input = 'pngs/a.png\npngs/b.png\n';
  const { exitCode, stdout } = await shop.machine.run(['generate', '--from', '-', '--ndjson'], {
    cwd: shop.folder,
    input,
  });
  expect([exitCode, lines(stdout).length]).toEqual([0, 2]);
});

test('Invalid rows of a list are reported by line, and the others are used', async () => {
  const shop = await listWorkshop();
  const bad = ['pngs/b.png,,thin,', 'pngs/c.png,,,secret', 'pngs/e.png,,,', ',nothing,,'];
  await shop.write('list.csv', ['source,name,variant,visibility', ...bad, 'pngs/d.png,,,'].join('\n'));
  const { exitCode, stderr } = await shop.run('generate', '--from', 'list.csv', '--out', 'out');
  expect([exitCode, await shop.files('out')]).toEqual([1, ['pngs/d.json', 'skins.lock']]);
  expect(stderr).toContain('5 sources: 1 made, 4 failed.');
  expect(lines(stderr).filter((line) => line.startsWith('error: '))).toEqual([
    expect.stringMatching(/Line 2 of list\.csv: .*variant.*auto, classic, slim/),
    expect.stringMatching(/Line 3 of list\.csv: .*visibility.*public, unlisted, private/),
    expect.stringContaining('pngs/e.png'),
    expect.stringMatching(/Line 5 of list\.csv: .*source is missing/),
  ]);
});

test('A list that is missing, or is not text, is reported before anything is done', async () => {
  const shop = await listWorkshop();
  const absent = await shop.run('generate', 'pngs', '--from', 'nope.csv', '--out', 'out');
  expect([absent.exitCode, absent.stderr]).toEqual([1, expect.stringContaining('No list nope.csv')]);
  const binary = await shop.run('generate', '--from', 'pngs/a.png', '--out', 'out');
  expect([binary.exitCode, binary.stderr]).toEqual([1, expect.stringContaining('Not a list: pngs/a.png')]);
});
