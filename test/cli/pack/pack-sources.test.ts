import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FetchedTextures } from '../../../src/cli/pack/pack-sources.ts';
import { watchSteps } from '../../support/base/file-steps.ts';
import { packWorkshop } from '../../support/cli/pack-workshop.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { ownFolder } from '../../support/server/own-folder.ts';

const HOUR = 60 * 60 * 1000;
const PLAYER = { kind: 'user', user: 'jeb_' } as const;

/** Takes the texture of a player in a run that begins some hours from now. */
async function taken(root: string, hours: number, variant: 'classic' | 'slim' = 'slim') {
  let fetched = 0;
  const find = async () => {
    fetched++;
    return { bytes: skinPng(1), variant };
  };
  const run = new FetchedTextures(root, 'pack', () => Date.now() + hours * HOUR);
  const found = await run.take(PLAYER, find, (texture) => texture);
  return { fetched, variant: found.variant, bytes: Buffer.from(found.bytes), run };
}

test('Skins that an interrupted run fetched are reused for a day, with their arms, until a run is complete', async () => {
  const root = join(await ownFolder(), 'packs');
  expect(await taken(root, 0)).toMatchObject({ fetched: 1, variant: 'slim' });
  const again = await taken(root, 23);
  expect(again).toMatchObject({ fetched: 0, variant: 'slim', bytes: skinPng(1) });
  expect((await taken(root, 25)).fetched).toBe(1);
  again.run.clear();
  expect((await taken(root, 0)).fetched).toBe(1);
});

test("A folder beside the output is a source even if its name begins like the output's", async () => {
  const { skins, draw, pack, index } = await packWorkshop();
  await draw('pack-old/guard.png', 1);
  for (const sources of [[skins], [join(skins, 'pack-old')]]) {
    const out = join(skins, 'pack');
    for (let run = 0; run < 2; run++) expect((await pack({ sources, out, prune: true })).status).toBe(0);
    expect((await index(join('skins', 'pack', 'skins.json'))).skins).toHaveLength(1);
  }
});

test('A file that appears where functions are to go is not replaced', async () => {
  const { folder, out, draw, pack } = await packWorkshop();
  await draw('guard.png', 1);
  const datapack = join(folder, 'functions.zip');
  watchSteps(folder, (number) => {
    if (number === 1) writeFileSync(datapack, 'someone else');
  });
  expect((await pack({ datapack })).told?.code).toBe('output_exists');
  expect(readFileSync(datapack, 'utf8')).toBe('someone else');
  expect(existsSync(out)).toBe(false);
});
