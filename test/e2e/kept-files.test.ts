import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import {
  embeddedWorkshop,
  hostedWorkshop,
  lines,
  NOWHERE,
  type Workshop,
} from '../support/program/batches.ts';
import { testWhole } from '../support/setup/extent.ts';

const ALL = ['generate', '-r', 'a', 'b', '--out', 'out'];
const A_ONLY = ['generate', '-r', 'a', '--out', 'out'];

/** Two folders of skins that are made, with their lockfile. */
async function twoFolders(): Promise<Workshop> {
  const shop = await embeddedWorkshop();
  await shop.draw({ 'a/one': 1, 'a/two': 2, 'b/deep/three': 3 });
  expect((await shop.run(...ALL)).exitCode).toBe(0);
  return shop;
}

async function sourcesOf(shop: Workshop): Promise<string[]> {
  return (await shop.lock()).map(({ source }) => source.replace('../', ''));
}

const EVERY = ['a/one.png', 'a/two.png', 'b/deep/three.png'];

describe('--prune', () => {
  test('drops entries whose files are gone from a folder, with their outputs, and says so before and after', async () => {
    const shop = await twoFolders();
    await rm(shop.path('a/two.png'));
    const before = await shop.versions('.');
    const plan = await shop.run(...A_ONLY, '--prune', '--dry-run');
    expect([plan.exitCode, lines(plan.stdout)]).toEqual([
      3,
      ['a/one.png\tlocked\t', 'a/two.png\tgone\tdeletes out/two.json'],
    ]);
    expect(plan.stderr).toContain('1 gone, to be dropped from the lockfile');
    const json = await shop.run(...A_ONLY, '--prune', '--dry-run', '--ndjson');
    expect(lines(json.stdout).map((line) => JSON.parse(line))).toContainEqual({
      source: 'a/two.png',
      status: 'gone',
      outputs: ['out/two.json'],
    });
    expect(await shop.versions('.')).toEqual(before);
    const { exitCode, stderr } = await shop.run(...A_ONLY, '--prune');
    expect([exitCode, stderr]).toEqual([
      0,
      expect.stringContaining('Dropped a/two.png from the lockfile; deleted out/two.json.'),
    ]);
    expect(await sourcesOf(shop)).toEqual(['a/one.png', 'b/deep/three.png']);
    expect(await shop.files('out')).toEqual(['deep/three.json', 'one.json', 'skins.lock']);
  });

  test('keeps entries of other folders, of damaged files and of subfolders', async () => {
    const shop = await twoFolders();
    await shop.write('a/two.png', 'damaged');
    expect((await shop.run(...A_ONLY, '--prune')).exitCode).toBe(1);
    expect(await sourcesOf(shop)).toEqual(EVERY);
    await rm(shop.path('b/deep/three.png'));
    await shop.draw({ 'b/four': 4 });
    expect((await shop.run('generate', 'b', '--out', 'out', '--prune')).exitCode).toBe(0);
    expect(await sourcesOf(shop)).toEqual(['a/one.png', 'a/two.png', 'b/deep/three.png', 'b/four.png']);
  });

  // Otherwise batch/run/gone-sources knows what is gone.
  testWhole('keeps everything where a folder is misspelled or a list is empty', async () => {
    const shop = await twoFolders();
    expect((await shop.run('generate', '-r', 'aa', '--out', 'out', '--prune')).exitCode).toBe(1);
    await shop.write('empty.txt', '');
    const { exitCode } = await shop.run('generate', '--from', 'empty.txt', '--out', 'out', '--prune');
    expect([exitCode, await sourcesOf(shop)]).toEqual([0, EVERY]);
    expect(await shop.files('out')).toHaveLength(4);
  });

  test('empties a folder or a lockfile only with --yes', async () => {
    const shop = await twoFolders();
    for (const file of ['a/one.png', 'a/two.png', 'b/deep/three.png']) await rm(shop.path(file));
    const plan = await shop.run(...ALL, '--prune', '--dry-run');
    expect(plan.stderr).toContain('3 gone, to be dropped from the lockfile only with --yes');
    const allowed = await shop.run(...ALL, '--prune', '--dry-run', '--yes', '--json');
    expect(JSON.parse(allowed.stdout)).toMatchObject({ gone: 3, needsYes: false });
    const refused = await shop.run(...ALL, '--prune');
    expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining('add: --yes')]);
    expect([await sourcesOf(shop), await shop.files('out')]).toEqual([EVERY, expect.any(Array)]);
    await shop.run(...ALL, '--prune', '--yes');
    expect([await sourcesOf(shop), await shop.files('out')]).toEqual([[], ['skins.lock']]);
  });

  test('keeps an output that was edited, belongs to another source now, or is elsewhere', async () => {
    const shop = await twoFolders();
    await shop.write('out/two.json', '{ "mine": true }');
    await shop.write('precious.txt', 'Do not touch.\n');
    const evil = (await shop.read('out/skins.lock')).replace('"one.json"', '"one.json","../precious.txt"');
    await shop.write('out/skins.lock', evil);
    await rm(shop.path('a/two.png'));
    await rm(shop.path('a/one.png'));
    await shop.draw({ 'a/new/one': 1 }); // the same picture in another place takes over the name
    expect((await shop.run('generate', 'a/new', 'a', '--out', 'out', '--prune', '--yes')).exitCode).toBe(1);
    expect(await sourcesOf(shop)).toEqual(['a/new/one.png', 'b/deep/three.png']);
    expect(await shop.files('out')).toEqual(['deep/three.json', 'one.json', 'skins.lock', 'two.json']);
    expect(await shop.read('precious.txt')).toBe('Do not touch.\n');
  });

  test('drops what a list no longer names, but nothing of another list or while a row fails', async () => {
    const shop = await embeddedWorkshop();
    await shop.draw({ one: 1, two: 2, three: 3 });
    await shop.write('other.txt', 'three.png\n');
    const from = async (...rows: string[]) => {
      await shop.write('list.txt', `${rows.join('\n')}\n`);
      return await shop.run('generate', '--from', 'list.txt', '--out', 'out', '--prune');
    };
    await shop.run('generate', '--from', 'other.txt', '--out', 'out');
    await from('one.png', 'two.png');
    expect((await from('one.png', 'tvo.png')).exitCode).toBe(1);
    expect(await sourcesOf(shop)).toEqual(['one.png', 'three.png', 'two.png']);
    expect((await from('one.png')).exitCode).toBe(0);
    expect(await sourcesOf(shop)).toEqual(['one.png', 'three.png']);
    expect(await shop.files('out')).toEqual(['one.json', 'skins.lock', 'three.json']);
  });
});

test('--frozen reports entries and outputs whose source is gone, within what it has walked', async () => {
  const shop = await twoFolders();
  await rm(shop.path('a/two.png'));
  const frozen = async (...args: string[]) => await shop.run(...args, '--frozen', '--base-url', NOWHERE);
  expect((await frozen('generate', '-r', 'b', '--out', 'out')).exitCode).toBe(0);
  const { exitCode, stderr } = await frozen(...A_ONLY);
  expect([exitCode, stderr]).toEqual([3, expect.stringContaining('a/two.png is in the lockfile')]);
  expect(stderr).toContain('out/two.json');
  const json = await frozen(...A_ONLY, '--json');
  const summary = { end: 'complete', sources: 1, unchanged: 1, failed: 0, left: 0, gone: 1 };
  expect(JSON.parse(lines(json.stderr).at(-1) ?? '')).toMatchObject({ summary });
  expect(await shop.files('out')).toHaveLength(4);
});

describe('No output replaces', () => {
  test('a picture that a shell pattern named instead of a report', async () => {
    const shop = await embeddedWorkshop();
    await shop.draw({ a: 1, b: 2 });
    const before = await shop.versions('.');
    const { exitCode, stderr } = await shop.run('generate', '--report', 'junit', 'a.png', 'b.png');
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('junit=FILE')]);
    const named = await shop.run('generate', 'b.png', '--report', 'junit=a.png');
    expect([named.exitCode, named.stderr]).toEqual([1, expect.stringContaining('a.png is a picture')]);
    const overwritten = await shop.run('generate', 'b.png', '--report', 'junit=a.png', '--overwrite');
    expect(overwritten.exitCode).toBe(1);
    expect(await shop.versions('.')).toEqual(before);
  });

  // Otherwise cli/output/output-guard knows which files are ours.
  testWhole('a lockfile, even with --overwrite', async () => {
    const shop = await twoFolders();
    const before = await shop.read('out/skins.lock');
    const report = await shop.run(...ALL, '--report', 'junit=out/skins.lock', '--overwrite');
    const single = await shop.run('generate', 'a/one.png', '--out', 'out/skins.lock', '--overwrite');
    expect([report.exitCode, single.exitCode]).toEqual([1, 1]);
    expect(`${report.stderr}${single.stderr}`).toMatch(/skins\.lock is a lockfile(?:.|\n)*is a lockfile/);
    expect(await shop.read('out/skins.lock')).toBe(before);
    const unnamed = await shop.run('generate', 'a/one.png', '--out', '');
    expect([unnamed.exitCode, unnamed.stderr]).toEqual([2, expect.stringContaining('is empty')]);
  });

  test('a file of a resource pack, without --overwrite', async () => {
    const shop = await embeddedWorkshop();
    await shop.draw({ steve: 1 });
    const foreign = '{"format_version":"1.12.0","minecraft:geometry":[]}\n';
    await shop.write('steve.json', foreign);
    const { exitCode, stderr } = await shop.run('generate', '.', '--out', '.');
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringContaining('steve.json exists and skinsmith did not write it.'),
    ]);
    expect(stderr).toContain('--overwrite');
    expect(await shop.read('steve.json')).toBe(foreign);
    const single = await shop.run('generate', 'steve.png', '--out', 'steve.json');
    expect([single.exitCode, await shop.read('steve.json')]).toEqual([1, foreign]);
    expect((await shop.run('generate', '.', '--out', '.', '--overwrite')).exitCode).toBe(0);
    expect(await shop.readJson('steve.json')).toMatchObject({ variant: 'classic' });
  });

  // Otherwise cli/output/output-guard knows which files are ours.
  testWhole('a file that another program wrote, by a report, render or preview', async () => {
    const shop = await embeddedWorkshop();
    await shop.draw({ a: 1, b: 2, mine: 3 });
    await shop.write('notes.txt', 'mine\n');
    const mine = await shop.versions('.');
    const commands = [
      (out: string) => ['render', 'a.png', '--out', out],
      (out: string) => ['preview', 'a.png', '--out', out],
      (out: string) => ['generate', 'a.png', '--report', `html=${out}`],
      (out: string) => ['generate', 'a.png', '--report', `junit=${out}`],
    ];
    for (const command of commands)
      for (const out of ['mine.png', 'notes.txt']) {
        expect((await shop.run(...command(out))).exitCode).toBe(1);
      }
    expect(await shop.versions('.')).toEqual(mine);
    for (const [n, command] of commands.entries()) {
      const out = `own-${n}`;
      expect((await shop.run(...command(out))).exitCode).toBe(0);
      expect((await shop.run(...command(out).map((word) => word.replace(/^a\.png/, 'b.png')))).exitCode).toBe(
        0,
      );
    }
  });

  test('an earlier backup, or the store itself', async () => {
    const shop = await embeddedWorkshop();
    await shop.draw({ a: 1 });
    await shop.run('generate', 'a.png');
    expect((await shop.run('backup', '--out', 'it.backup')).exitCode).toBe(0);
    const before = await shop.versions('.');
    const again = await shop.run('backup', '--out', 'it.backup');
    expect([again.exitCode, again.stderr]).toEqual([1, expect.stringContaining('--overwrite')]);
    expect(await shop.versions('.')).toEqual(before);
    expect((await shop.run('backup', '--out', 'it.backup', '--overwrite')).exitCode).toBe(0);
  });

  test('a pipe or a device, which are written to', async () => {
    const shop = await embeddedWorkshop();
    await shop.draw({ a: 1 });
    const report = await shop.run('generate', 'a.png', '--report', 'junit=/dev/null', '--out', '/dev/null');
    expect([report.exitCode, report.stderr]).toEqual([0, expect.not.stringContaining('error')]);
  });

  test('a pipe, by an archive, which its reader gets whole, even with --overwrite', async () => {
    const shop = await embeddedWorkshop();
    await shop.draw({ a: 1 });
    await shop.run('generate', 'a.png');
    const pipe = join(shop.machine.folder, 'pipe.zip');
    await execa('mkfifo', [pipe]);
    for (const [line, start] of [
      [['skins', 'export'], 'PK'],
      [['backup'], 'SQLite format 3'],
      [['pack', 'a.png', '--out'], 'PK'],
    ] as const) {
      const reader = execa('cat', [pipe], { encoding: 'buffer' });
      expect(await shop.run(...line, pipe, '--overwrite')).toMatchObject({
        exitCode: 0,
        stderr: expect.not.stringContaining('error'),
      });
      expect(Buffer.from((await reader).stdout).toString('latin1')).toContain(start);
      expect((await stat(pipe)).isFIFO()).toBe(true);
    }
  });
});

describe('The names of outputs', () => {
  test('stay with their sources if another one comes before them, which gets its own', async () => {
    const shop = await embeddedWorkshop();
    await shop.draw({ 'b/steve': 1 });
    await shop.run('generate', 'b', '--out', 'out');
    const [first] = await shop.lock();
    await shop.draw({ 'a/steve': 2 });
    const { exitCode, stderr } = await shop.run('generate', 'a', 'b', '--out', 'out');
    expect([exitCode, stderr]).toEqual([
      0,
      expect.stringContaining('a/steve.png is written as steve-2: another source has the name steve.'),
    ]);
    expect(await shop.readJson('out/steve.json')).toMatchObject({ value: first?.value });
    expect(await shop.files('out')).toEqual(['skins.lock', 'steve-2.json', 'steve.json']);
    const before = await shop.versions('out');
    const again = await shop.run('generate', 'a', 'b', '--out', 'out');
    expect([again.stderr, await shop.versions('out')]).toEqual([
      expect.not.stringContaining('written as'),
      before,
    ]);
    const frozen = await shop.run('generate', 'a', '--out', 'out', '--frozen', '--format', 'value');
    expect([frozen.exitCode, await shop.files('out')]).toEqual([
      0,
      expect.arrayContaining(['steve-2.value']),
    ]);
  });

  test('stay when a file is renamed and pruned', async () => {
    const shop = await embeddedWorkshop();
    await shop.draw({ 'b/steve': 1 });
    await shop.run('generate', '-r', 'b', '--out', 'out');
    await rm(shop.path('b/steve.png'));
    await shop.draw({ 'b/steve/steve': 1, 'b/alex': 2 });
    await shop.run('generate', 'b/steve', 'b', '--out', 'out', '--prune', '--yes');
    expect(await shop.files('out')).toEqual(['alex.json', 'skins.lock', 'steve.json']);
  });
});

test('Two rows with equal pixels share the skin data, and each has its own name', async () => {
  const { shop, service } = await hostedWorkshop();
  await shop.draw({ classic: 1, 'classic-2': 1, third: 1 });
  const list = ['source,name', 'classic.png,Captain', 'classic-2.png,Sergeant', 'third.png,'];
  await shop.write('names.csv', `${list.join('\n')}\n`);
  const args = ['generate', '--from', 'names.csv', '--out', 'out', '--format', 'json,give'];
  const names = ['Captain', 'Sergeant', 'third'];
  for (const _ of ['made', 'known']) {
    expect((await shop.run(...args)).exitCode).toBe(0);
    expect((await shop.lock()).map(({ name }) => name)).toEqual(['Sergeant', 'Captain', 'third']);
    for (const name of names) {
      expect(await shop.readJson(`out/${name}.json`)).toMatchObject({ name });
      expect(await shop.read(`out/${name.toLowerCase()}.mcfunction`)).toContain(`{text:"${name}",`);
    }
  }
  expect(service.records.accepted).toHaveLength(1);
  const printed = await shop.run('generate', '--from', 'names.csv', '--json');
  expect(JSON.parse(printed.stdout).map(({ name }: { name: string }) => name)).toEqual(names);
});

describe('--out', () => {
  test('is a folder without an extension, however many sources there are', async () => {
    const shop = await embeddedWorkshop();
    await shop.draw({ a: 1 });
    expect((await shop.run('generate', 'a.png', '--out', 'signed')).exitCode).toBe(0);
    expect(await shop.files('signed')).toEqual(['a.json', 'skins.lock']);
  });

  test('is a file with the extension of a format, or where one exists', async () => {
    const shop = await embeddedWorkshop();
    await shop.draw({ a: 1, b: 2 });
    await shop.write('there', '');
    for (const out of ['a.json', 'there'])
      expect((await shop.run('generate', 'a.png', '--out', out)).exitCode).toBe(0);
    expect(await shop.files('.')).toEqual(['a.json', 'a.png', 'b.png', 'there']);
    const several = await shop.run('generate', 'a.png', 'b.png', '--out', 'x.json');
    expect([several.exitCode, several.stderr]).toEqual([2, expect.stringContaining('several sources')]);
  });

  test('that could be either is refused', async () => {
    const shop = await embeddedWorkshop();
    await shop.draw({ a: 1, b: 2 });
    for (const sources of [['a.png'], ['a.png', 'b.png']]) {
      const { exitCode, stderr } = await shop.run('generate', ...sources, '--out', 'signed.d');
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining('write signed.d/')]);
    }
  });
});
