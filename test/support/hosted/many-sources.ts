import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { encodeDifferently } from '../../../src/double/hosted/pictures.ts';
import type { Fate } from '../../../src/double/plans.ts';
import { seededRandom } from '../../../src/double/seed.ts';
import { pixelHash } from '../../../src/skin/read-skin.ts';
import { drawSkin, skinPng } from '../server/drawn-skins.ts';
import { plainPlan, writePng } from '../skin/png-writer.ts';

/** A file in a folder of sources, and what must become of it. */
export interface DrawnSource {
  /** Absolute path. */
  readonly file: string;
  /** Path below the folder, `/` between segments, no extension. */
  readonly stem: string;
  /** Pixel hash; undefined for a file that is no skin. */
  readonly pixels: string | undefined;
  /** Code of the error it must end with; undefined: it must become its skin. */
  readonly error: string | undefined;
}

export interface DrawnFolder {
  readonly sources: readonly DrawnSource[];
  /** What the service should make of each picture, by its pixel hash. */
  readonly fate: (pixels: string) => Fate | undefined;
}

/** What happens to one picture. `error`: its end for a client that retries a passing failure three times. */
interface Story {
  readonly fate: Fate;
  readonly error?: string;
}

const ALWAYS = Number.POSITIVE_INFINITY;
const failing = (code: 'invalid_image' | 'skin_change_failed', times: number): Story => ({
  fate: { kind: 'fails', times, code },
  ...(times === ALWAYS && { error: code }),
});
const REFUSED: Story = {
  fate: { kind: 'refused', times: ALWAYS, code: 'invalid_image' },
  error: 'invalid_image',
};
const WRONG: Story = { fate: { kind: 'wrong', times: ALWAYS }, error: 'wrong_skin' };
const forgotten = (after: number, keepsSkin: boolean): Story => ({
  fate: { kind: 'forgotten', times: 1, after, keepsSkin },
});

/** Each happens to one picture; all others are made at once and correctly. */
const BRIEF_STORIES: readonly Story[] = [
  ...Array.from({ length: 3 }, () => failing('invalid_image', ALWAYS)),
  ...Array.from({ length: 2 }, () => failing('skin_change_failed', ALWAYS)),
  ...Array.from({ length: 4 }, () => failing('skin_change_failed', 1)),
  ...Array.from({ length: 2 }, () => failing('skin_change_failed', 2)),
  ...Array.from({ length: 2 }, () => REFUSED),
  ...Array.from({ length: 4 }, () => WRONG),
];
/** A client waits some ten seconds before it believes that a job is gone. */
const LONG_STORIES = [0, 20, 200].flatMap((after) => [forgotten(after, true), forgotten(after, false)]);

/** Files that are not skins: text, a truncated file, a wrong size, an empty file. */
const BROKEN: readonly Uint8Array[] = [
  Buffer.from('This is no picture.'),
  skinPng(0).subarray(0, 200),
  writePng(plainPlan({ width: 48, height: 48 })),
  new Uint8Array(),
];
const COPIES = 12;

/**
 * Draws `count` different skins into a folder and folders below it, some of them twice in other bytes, and
 * some broken files. What the service is to make of them is dealt by chance. `isBrief`: no job is forgotten.
 */
export async function drawSources(
  folder: string,
  { count, seed, isBrief = false }: { count: number; seed: number; isBrief?: boolean },
): Promise<DrawnFolder> {
  const random = seededRandom(seed);
  const stories = deal(isBrief ? BRIEF_STORIES : [...BRIEF_STORIES, ...LONG_STORIES], count, random);
  const sources: DrawnSource[] = [];
  const add = async (stem: string, bytes: Uint8Array, about: Pick<DrawnSource, 'pixels' | 'error'>) => {
    const file = join(folder, `${stem}.png`);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, bytes);
    sources.push({ file, stem, ...about });
  };
  for (let n = 0; n < count; n++) await add(stemOf(n), skinPng(n), aboutPicture(n, stories));
  for (let copy = 0; copy < COPIES; copy++) {
    const n = random(count);
    await add(`copies/${copy}`, encodeDifferently(drawSkin(n)), aboutPicture(n, stories));
  }
  for (const [n, bytes] of BROKEN.entries())
    await add(`broken-${n}`, bytes, { pixels: undefined, error: 'invalid_image' });
  const fates = new Map([...stories].map(([n, { fate }]) => [pixelHash(drawSkin(n)), fate]));
  return { sources, fate: (pixels) => fates.get(pixels) };
}

function stemOf(n: number): string {
  const name = `skin-${String(n).padStart(3, '0')}`;
  return n % 3 === 0 ? `guild/${name}` : name;
}

function aboutPicture(n: number, stories: ReadonlyMap<number, Story>): Pick<DrawnSource, 'pixels' | 'error'> {
  return { pixels: pixelHash(drawSkin(n)), error: stories.get(n)?.error };
}

/** Gives each item a different number below `count`. */
function deal<T>(items: readonly T[], count: number, random: (below: number) => number): Map<number, T> {
  const dealt = new Map<number, T>();
  for (const item of items) {
    let n = random(count);
    while (dealt.has(n)) n = (n + 1) % count;
    dealt.set(n, item);
  }
  return dealt;
}
