import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { packWorkshop } from '../../../support/cli/pack-workshop.ts';
import { skinPng } from '../../../support/server/drawn-skins.ts';
import { samples } from '../../../support/setup/extent.ts';

/** Names in five scripts, some of which become equal in a pack. */
const NAMES = [
  'guard',
  'Guard',
  'town/guard',
  'рыцарь',
  'РЫЦАРЬ',
  'φύλακας',
  'حارس',
  '騎士',
  '弓兵',
  'ガード',
];
/** Skins that a file may show. */
const SKINS = 6;

const name = fc.constantFrom(...NAMES);
const skin = fc.nat({ max: SKINS - 1 });
const step = fc.oneof(
  fc.record({ kind: fc.constant('draw' as const), name, skin }),
  fc.record({ kind: fc.constant('remove' as const), name }),
  fc.record({ kind: fc.constant('break' as const), name }),
  fc.record({ kind: fc.constant('rename' as const), name, to: name }),
  fc.record({ kind: fc.constant('copy' as const), name, to: name }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** What each file shows; undefined: it is broken. */
class Files {
  readonly #folder: string;
  readonly shown = new Map<string, number | undefined>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  async take(step: Step): Promise<void> {
    if (step.kind === 'draw') return await this.#write(step.name, step.skin);
    if (!this.shown.has(step.name)) return;
    const skin = this.shown.get(step.name);
    if (step.kind === 'break') return await this.#write(step.name, undefined);
    if (step.kind === 'copy') return await this.#write(step.to, skin);
    this.shown.delete(step.name);
    if (step.kind === 'remove') return await rm(this.#path(step.name));
    await mkdir(dirname(this.#path(step.to)), { recursive: true });
    await rename(this.#path(step.name), this.#path(step.to));
    this.shown.set(step.to, skin);
  }

  async #write(name: string, skin: number | undefined): Promise<void> {
    await mkdir(dirname(this.#path(name)), { recursive: true });
    await writeFile(this.#path(name), skin === undefined ? 'broken' : skinPng(skin));
    this.shown.set(name, skin);
  }

  #path(name: string): string {
    return join(this.#folder, `${name}.png`);
  }
}

type Workshop = Awaited<ReturnType<typeof packWorkshop>>;
/** How a run is called with these files. */
type Pack = (workshop: Workshop, names: readonly string[]) => Promise<unknown>;

const packFolder: Pack = async ({ pack }) => await pack();

/** A list, in another order each time, in which each file has its name. */
const packList: Pack = async ({ pack, folder }, names) => {
  const list = join(folder, 'list.txt');
  await writeFile(list, names.map((one) => `skins/${one}.png\n`).join(''));
  return await pack({ sources: [], from: [list] });
};

/** The same with the names in a column. */
const packNamedList: Pack = async ({ pack, folder }, names) => {
  const list = join(folder, 'list.csv');
  await writeFile(list, `source,name\n${names.map((one) => `skins/${one}.png,${one}\n`).join('')}`);
  const ran = await pack({ sources: [], from: [list] });
  expect(ran.err).not.toContain('the column name');
  return ran;
};

/** Whatever was done, each id that was given shows what its source shows, or showed last. */
async function keepsIds(pack: Pack, steps: readonly Step[], reverses: boolean): Promise<void> {
  const workshop = await packWorkshop();
  const files = new Files(workshop.skins);
  /** The source of each id, and what it shows. */
  const owners = new Map<string, { readonly source: string; readonly skin: number }>();
  const ids = new Map<string, string>();
  for (const [at, one] of steps.entries()) {
    await files.take(one);
    const names = [...files.shown.keys()];
    if (![...files.shown.values()].some((skin) => skin !== undefined)) continue;
    await pack(workshop, reverses && at % 2 === 1 ? names.toReversed() : names);
    for (const { id, source } of (await workshop.index()).skins) {
      const skin = files.shown.get(source.replace(/^skins\/|\.png$/g, ''));
      const owner = owners.get(id);
      expect([id, owner?.source ?? source]).toEqual([id, source]);
      expect([source, ids.get(source) ?? id]).toEqual([source, id]);
      ids.set(source, id);
      if (skin !== undefined) owners.set(id, { source, skin });
    }
    const expected = Object.fromEntries([...owners].map(([id, { skin }]) => [id, skin]));
    expect(await workshop.shown()).toEqual(expected);
  }
}

test.each([
  ['files', packFolder],
  ['lists', packList],
  ['lists with names', packNamedList],
])(
  'Every id that a pack of %s gave still shows its own source, whatever happens to other sources',
  async (_name, pack) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 2, maxLength: 12 }),
        fc.boolean(),
        async (steps, reverses) => await keepsIds(pack, steps, reverses),
      ),
      { numRuns: samples(25) },
    );
  },
);
