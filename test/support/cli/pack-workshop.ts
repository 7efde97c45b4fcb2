import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { unzipSync } from 'fflate';
import { type PackOptions, runPack } from '../../../src/cli/commands/pack.ts';
import { skinPng } from '../server/drawn-skins.ts';
import { ownFolder } from '../server/own-folder.ts';
import { runCommand } from './run-command.ts';

const TEXTURE = /^assets\/[^/]+\/textures\/entity\/player\/(.+)\.png$/;

/** A folder `skins`, and a way to pack it into `pack.zip` beside. */
export async function packWorkshop() {
  const folder = await ownFolder();
  const skins = join(folder, 'skins');
  const out = join(folder, 'pack.zip');
  await mkdir(skins);
  return {
    folder,
    skins,
    out,
    /** Draws the skin with a number into a file. */
    draw: async (name: string, skin: number) => {
      const path = join(skins, name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, skinPng(skin));
    },
    remove: async (name: string) => await rm(join(skins, name)),
    pack: async (
      { sources = [skins], ...options }: Partial<PackOptions> = {},
      more: Parameters<typeof runCommand>[1] = {},
    ) =>
      await runCommand(
        async (context) => await runPack(sources, { out, recursive: true, ...options }, context),
        { ...more, flags: { quiet: false, ...more.flags } },
      ),
    index: async (name = 'pack.skins.json') => JSON.parse(await readFile(join(folder, name), 'utf8')),
    /** The pack as a program of others reads it: ids with the numbers of the skins that they show. */
    shown: async (zip = out) => shownIn(unzipSync(await readFile(zip))),
  };
}

/** Ids with the numbers of the skins that they show. */
export function shownIn(files: Readonly<Record<string, Uint8Array>>): Record<string, number> {
  const ids = Object.entries(files).flatMap(([path, bytes]) => {
    const id = TEXTURE.exec(path)?.[1];
    return id === undefined ? [] : [[id, numberOf(bytes)] as const];
  });
  return Object.fromEntries(ids);
}

const drawn: Buffer[] = [];

function numberOf(bytes: Uint8Array): number {
  for (let number = 0; number < 100; number++) {
    drawn[number] ??= skinPng(number);
    if (drawn[number]!.equals(bytes)) return number;
  }
  throw new Error('No skin of a test has this picture.');
}
