import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { BatchResult, BatchSource, FinishedSkin } from '../../../../src/batch/model.ts';
import { openSources } from '../../../../src/batch/sources/arguments.ts';
import { SKIN_NAME_RULE, skinNameProblem } from '../../../../src/protocol/skin.ts';
import { giveCommand, headCommand } from '../../../../src/textures/commands.ts';
import { openWorld } from '../../../support/hosted/batches-in-memory.ts';
import { skinPng } from '../../../support/server/drawn-skins.ts';
import { ownFolder } from '../../../support/server/own-folder.ts';
import { isWhole } from '../../../support/setup/whole-run.ts';

/** Letters with accents, of six scripts, and of one that nobody can transliterate letter by letter; the last are no letters. */
const LETTERS = [
  'éàñüßØ',
  'рыцаЩЁ',
  'φύλαξΆ',
  'حارس',
  'שומר',
  'ガードきゃっ',
  '경비병',
  '騎士弓兵',
  "'#[1]_ ",
];

const letter = fc.oneof(...LETTERS.map((letters) => fc.constantFrom(...letters)));
const name = fc
  .string({ unit: letter, minLength: 1, maxLength: 48 })
  .map((text) => text.normalize('NFC').trim())
  .filter((text) => text !== '' && Buffer.byteLength(text) < 200);
const names = fc.uniqueArray(name, { minLength: 1, maxLength: 6 });

/** Ways to name skins, each with its sources in another order. */
const WAYS: Readonly<Record<string, (names: readonly string[]) => Promise<AsyncIterable<BatchSource>>>> = {
  folder: async (names) => {
    const folder = await ownFolder();
    for (const [at, one] of names.entries()) await writeFile(join(folder, `${one}.png`), skinPng(at));
    return sourcesIn(folder, { args: [folder] });
  },
  list: async (names) => {
    const folder = await ownFolder();
    const rows = names.map((one, at) => `"${one}",${at}.png`);
    for (const at of names.keys()) await writeFile(join(folder, `${at}.png`), skinPng(at));
    await writeFile(join(folder, 'list.csv'), `name,source\n${rows.toReversed().join('\n')}\n`);
    return sourcesIn(folder, { from: [join(folder, 'list.csv')] });
  },
  NDJSON: async (names) => {
    const folder = await ownFolder();
    const rows = names.map((one, at) => JSON.stringify({ source: `${at}.png`, name: one.normalize('NFD') }));
    for (const at of names.keys()) await writeFile(join(folder, `${at}.png`), skinPng(at));
    await writeFile(join(folder, 'list.ndjson'), `${rows.join('\n')}\n`);
    return sourcesIn(folder, { from: [join(folder, 'list.ndjson')] });
  },
};

function sourcesIn(
  cwd: string,
  { args = [] as string[], from = [] as string[] },
): AsyncIterable<BatchSource> {
  const stdin = () => {
    throw new Error('Nothing reads stdin.');
  };
  return openSources({ args, from, recursive: false, ignore: [] }, { cwd, stdin });
}

/** Someone else has named these pictures. */
async function* strangers(pictures: readonly number[]): AsyncGenerator<BatchSource> {
  for (const at of pictures)
    yield {
      label: `${at}`,
      stem: `${at}`,
      name: `Stranger ${at}`,
      content: { kind: 'bytes', bytes: skinPng(at) },
    };
}

/** What a batch of these names gave: for each picture its names, in results and on the service. */
async function namesAfter(way: string, wanted: readonly string[], known: readonly number[]) {
  const { batch, client, clock } = await openWorld();
  await clock.until(batch(0, { sources: strangers(known), purpose: 'strangers' }));
  const lockfile = join(await ownFolder(), 'skins.lock');
  const run = async () => {
    const skins: FinishedSkin[] = [];
    const sources = await WAYS[way]!(wanted);
    const deliver = async ({ skin }: BatchResult) => {
      if (skin) skins.push(skin);
      return [];
    };
    await clock.until(batch(0, { sources, lockfile, deliver }));
    return skins;
  };
  const [first, again] = [await run(), await run()];
  const shown = (skins: readonly FinishedSkin[]) => skins.map((skin) => skin.name).sort();
  expect([shown(first), shown(again)]).toEqual([wanted.toSorted(), wanted.toSorted()]);
  for (const skin of first) {
    const text = JSON.stringify(skin.name).slice(1, -1);
    expect(giveCommand(skin)).toContain(text);
    const head = headCommand({ name: skin.name, variant: 'classic', look: { texture: 'npc:a' } });
    expect(head).toContain(text);
  }
  const sent = await clock.until(
    Promise.all(first.map(async ({ uuid }) => (await client.skin(uuid)).name ?? '')),
  );
  return new Map(first.map((skin, at) => [skin.name!, sent[at]!]));
}

test('Results and heads keep a name in any language, and the service gets the same ASCII form of it each time', async () => {
  const problems = (sent: Iterable<string>) => [...sent].filter((one) => one !== '' && skinNameProblem(one));
  await fc.assert(
    fc.asyncProperty(names, fc.subarray([0, 1, 2, 3, 4, 5]), async (wanted, known) => {
      const pictures = known.filter((at) => at < wanted.length);
      const ways: ReadonlyMap<string, string>[] = [];
      for (const way of Object.keys(WAYS)) ways.push(await namesAfter(way, wanted, pictures));
      for (const sent of ways) {
        expect([problems(sent.values()), SKIN_NAME_RULE]).toEqual([[], SKIN_NAME_RULE]);
        expect(sent).toEqual(ways[0]);
        const strangers = pictures.map((at) => [wanted[at]!, `Stranger ${at}`] as const);
        for (const [one, stranger] of strangers) expect(sent.get(one)).toBe(stranger);
      }
    }),
    { numRuns: isWhole ? 12 : 2 },
  );
});
