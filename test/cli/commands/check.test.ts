import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { check, runCheck } from '../../../src/cli/commands/check.ts';
import type { CommandContext } from '../../../src/cli/context/context.ts';
import { checkSkin } from '../../../src/skin/check.ts';
import { decodePng } from '../../../src/skin/png/decode.ts';
import { encodePng } from '../../../src/skin/png/encode.ts';
import { pixelHash } from '../../../src/skin/read-skin.ts';
import { enlarge } from '../../../src/skin/regions.ts';
import { describeParsing } from '../../support/cli/parsing.ts';
import { runCommand } from '../../support/cli/run-command.ts';
import { ownFolder } from '../../support/server/own-folder.ts';
import { drawFigure } from '../../support/skin/drawing.ts';

describeParsing('check', check, {
  taken: [
    [['a.png'], ['a.png'], {}],
    [['a.png', '-', 'folder'], ['a.png', '-', 'folder'], {}],
    [['a', '-r', '--ignore', 'b'], ['a'], { recursive: true, ignore: ['b'] }],
    [['a', '--fix', 'b', '--overwrite'], ['a'], { fix: 'b', overwrite: true }],
    [['a', '--fix', 'b', '--variant', 'slim'], ['a'], { fix: 'b', variant: 'slim' }],
  ],
  refused: [[['a', '--from'], /argument missing/]],
});

test('The files that a list names are checked', async () => {
  const folder = await ownFolder();
  await writeFile(join(folder, 'good.png'), encodePng(drawFigure('slim')));
  await writeFile(join(folder, 'list.txt'), 'good.png\nmissing.png\n');
  const { status, out } = await runCommand(
    (context) => runCheck([], { from: [join(folder, 'list.txt')] }, context),
    { flags: { json: true } },
  );
  expect(status).toBe(1);
  expect(JSON.parse(out)).toMatchObject([
    { valid: true, variant: 'slim' },
    { valid: false, error: { code: 'no_such_file' } },
  ]);
});

test('check --fix refuses to replace a file that only a list names', async () => {
  const options = { from: ['list.txt'], fix: 'clean', overwrite: true };
  const { told } = await runCommand((context) => runCheck([], options, context), {});
  expect(told).toMatchObject({ code: 'overwrites_sources' });
});

test('Without files or lists, there is nothing to check', async () => {
  expect((await runCommand((context) => runCheck([], {}, context), {})).told).toMatchObject({
    code: 'no_source',
  });
});

test('The error about a file without a picture names it as it was typed', async () => {
  const path = relative(process.cwd(), '/dev/null');
  const run = async (context: CommandContext) => await runCheck([path], {}, context);
  const { out } = await runCommand(run, { flags: { json: true } });
  expect(JSON.parse(out).error.message).toBe(`${path} is not a regular file.`);
});

test('The error for a mistyped folder suggests the existing one', async () => {
  const folder = await ownFolder();
  await mkdir(join(folder, 'examples'));
  const run = async (isTTY: boolean) =>
    await runCommand((context) => runCheck([join(folder, 'exampels/')], {}, context), {
      isTTY,
      flags: { json: !isTTY },
    });
  const hint = `Did you mean ${join(folder, 'examples/')}?`;
  expect(JSON.parse((await run(false)).out).error.hint).toBe(hint);
  expect((await run(true)).out).toContain(hint);
});

test('--variant without --fix is refused', async () => {
  const { told } = await runCommand((context) => runCheck(['a.png'], { variant: 'slim' }, context), {});
  expect(told).toMatchObject({ code: 'needs_fix' });
});

describe('With --fix', () => {
  async function prepare() {
    const folder = await ownFolder();
    const at = (...names: string[]) => join(folder, ...names);
    await mkdir(at('skins', 'deep'), { recursive: true });
    await copyFile('test/fixtures/skins/old-on-64x64.png', at('skins/old.png'));
    await copyFile('test/fixtures/skins/metadata-30kB.png', at('skins/fat.png'));
    await writeFile(at('skins/deep/hd.png'), encodePng(enlarge(drawFigure('slim'), 2)));
    await writeFile(at('skins/good.png'), encodePng(drawFigure('classic')));
    await writeFile(at('skins/bad.png'), 'no picture');
    const fix = async (more: object = {}, out = at('clean')) =>
      await runCommand(
        (context) => runCheck([at('skins')], { recursive: true, fix: out, ...more }, context),
        {},
      );
    return { at, fix };
  }

  test('each picture gets a clean copy at its place, and what cannot be repaired is reported', async () => {
    const { at, fix } = await prepare();
    const { out, status } = await fix();
    expect(status).toBe(1);
    const rows = out
      .trimEnd()
      .split('\n')
      .map((row) => row.split('\t'));
    expect(rows.map((row) => [row[0]?.split('/').at(-1), row[1], `${row[2]}×${row[3]}`])).toEqual([
      ['bad.png', 'invalid', '×'],
      ['fat.png', 'valid', '64×64'],
      ['good.png', 'valid', '64×64'],
      ['old.png', 'valid', '64×32'],
      ['hd.png', 'valid', '64×64'],
    ]);
    expect((await readdir(at('clean'), { recursive: true })).sort()).toEqual([
      'deep',
      'deep/hd.png',
      'fat.png',
      'good.png',
      'old.png',
    ]);
    for (const file of ['deep/hd.png', 'fat.png', 'old.png']) {
      const codes = checkSkin(await readFile(at('clean', file))).warnings.map(({ code }) => code);
      expect(codes.filter((code) => !/variant|legacy_format/.test(code))).toEqual([]);
    }
    expect(await readFile(at('clean/good.png'))).toEqual(await readFile(at('skins/good.png')));
    expect(pixelHash(decodePng(await readFile(at('clean/deep/hd.png'))))).toBe(pixelHash(drawFigure('slim')));
    expect((await fix()).status).toBe(1); // the same once more
  });

  test('and --variant, arms of the other variant are converted and reported', async () => {
    const { at, fix } = await prepare();
    const slim = await fix({ variant: 'slim' });
    const variants = async (folder: string) =>
      await Promise.all(
        ['good.png', 'old.png', 'deep/hd.png'].map(async (file) => {
          const { width, height, variant } = checkSkin(await readFile(at(folder, file)));
          return `${width}×${height} ${variant}`;
        }),
      );
    expect(await variants('clean')).toEqual(['64×64 slim', '64×64 slim', '64×64 slim']);
    expect(slim.out).toMatch(/good\.png\tvalid\t64\t64\tslim\t.*each lost its second column from the body/);
    expect(slim.out).not.toMatch(/hd\.png.*arms are slim now/);
    await fix({ variant: 'classic' }, at('wide'));
    expect(await variants('wide')).toEqual(['64×64 classic', '64×32 classic', '64×64 classic']);
  });

  test('other files are replaced only with --overwrite, and sources never', async () => {
    const { at, fix } = await prepare();
    await mkdir(at('clean'));
    await writeFile(at('clean/good.png'), 'mine');
    const refused = await fix();
    expect(refused.out).toContain('good.png exists and skinsmith did not write it.');
    expect(await readFile(at('clean/good.png'), 'utf8')).toBe('mine');
    await fix({ overwrite: true });
    expect(await readFile(at('clean/good.png'))).toEqual(await readFile(at('skins/good.png')));
    for (const out of [at('skins'), at('skins/clean')])
      expect((await fix({ overwrite: true }, out)).told).toMatchObject({ code: 'output_is_source' });
    expect(await readFile(at('skins/bad.png'), 'utf8')).toBe('no picture');
  });
});
