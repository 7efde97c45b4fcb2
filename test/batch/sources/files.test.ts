import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { BatchSource } from '../../../src/batch/model.ts';
import { openSources } from '../../../src/batch/sources/arguments.ts';
import { similarName } from '../../../src/batch/sources/files.ts';
import { ownFolder } from '../../support/server/own-folder.ts';

async function folderWith(): Promise<string> {
  const folder = await ownFolder();
  await mkdir(join(folder, 'skins/team'), { recursive: true });
  for (const name of ['Herobrine.PNG', 'ab.png', 'notes.txt', 'skins/smith.png'])
    await writeFile(join(folder, name), '');
  return folder;
}

describe('The suggestion for a path that leads nowhere', () => {
  test.each([
    ['skinz', 'skins/'],
    ['sikns', 'skins/'],
    ['SKIN', 'skins/'],
    ['./skinz/', './skins/'],
    ['skins/smoth.png', 'skins/smith.png'],
    ['skins/taem', 'skins/team/'],
    ['herobrin', 'Herobrine.PNG'],
    ['Herobrine', 'Herobrine.PNG'],
  ])('is, for %s, %s', async (typed, meant) => {
    expect(similarName(typed, [await folderWith()])).toBe(meant);
  });

  test('is missing for a path with a million slashes, in linear time', async () => {
    expect(similarName(`${'/'.repeat(1_000_000)}skinz`, [await folderWith()])).toBeUndefined();
  });

  test('never looks the same as what was typed', async () => {
    const folder = await folderWith();
    await writeFile(
      Buffer.concat([Buffer.from(folder), Buffer.from([0x2f, 0xe9, 0x2e, 0x70, 0x6e, 0x67])]),
      '',
    );
    await writeFile(join(folder, 'Zoe\u0308.png'), '');
    expect(similarName('\uFFFD.png', [folder])).toBeUndefined();
    expect(similarName('Zo\u00eb.png', [folder])).toBeUndefined();
  });

  test.each(['Notch', 'note', 'xy', 'nowhere/skins', 'skinz.json', ''])(
    'is missing for %j',
    async (typed) => {
      expect(similarName(typed, [await folderWith()])).toBeUndefined();
    },
  );
});

async function only(text: string, recursive: boolean): Promise<BatchSource> {
  const roots = { cwd: await folderWith(), stdin: () => (async function* () {})() };
  const { value } = await openSources({ args: [text], from: [], recursive, ignore: [] }, roots).next();
  return value as BatchSource;
}

describe('A word that names no file or folder', () => {
  test.each([
    ['skinz', false, 'Did you mean skins/? For the player of that name: --player skinz'],
    ['Notch', true, 'For the player of that name: --player Notch'],
    ['skinz/', false, 'Did you mean skins/?'],
    ['a.xyz', false, 'Give the path of a PNG file, a folder of them, or - for stdin.'],
  ])('is no player: %s, with -r: %s', async (text, recursive, hint) => {
    const { content } = await only(text, recursive);
    const message = `No file or folder ${text}.`;
    expect(content).toEqual({ kind: 'problem', problem: { code: 'no_such_file', message, hint } });
  });

  test('is a player if nothing suggests otherwise', async () => {
    expect((await only('Notch', false)).content).toMatchObject({ kind: 'user', isGuess: true });
  });
});

test('Names that are given as players are players, even if files or folders have the same names', async () => {
  const roots = { cwd: await folderWith(), stdin: () => (async function* () {})() };
  const spec = { args: [], players: ['skins', 'Jeb_'], from: [], recursive: true, ignore: [] };
  const found: unknown[] = [];
  for await (const { content } of openSources(spec, roots)) found.push(content);
  expect(found).toEqual([
    { kind: 'user', user: 'skins', typed: 'skins' },
    { kind: 'user', user: 'jeb_', typed: 'Jeb_' },
  ]);
});
