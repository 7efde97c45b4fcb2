import { realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { indexInside } from '../../pack/existing.ts';
import { usageError } from '../errors/exit.ts';
import { OutputGuard } from '../output/output-guard.ts';
import { clean } from '../text/text.ts';
import { indexPlace } from './earlier-pack.ts';
import { indexedPackOf } from './index-file.ts';
import { type PackPlace, packPlace, verifyPlace } from './pack-place.ts';

interface PlaceOptions {
  readonly sources: readonly string[];
  readonly from?: readonly string[];
  readonly out: string;
  readonly datapack?: string;
  readonly index?: string;
  readonly overwrite?: boolean;
}

/** Where the outputs of a run are written. */
export interface Places {
  readonly pack: PackPlace;
  readonly data: PackPlace | undefined;
  readonly packs: readonly PackPlace[];
  readonly index: string;
  /** Absolute path of the folder from which the index names sources. */
  readonly home: string;
  /** Whether the index is a separate file. */
  readonly isIndexBeside: boolean;
  /** Whether players get an index, which names no sources. */
  readonly hidesSources: boolean;
  /** Verifies that no foreign file is in the way. @throws CliError */
  readonly verify: () => void;
}

/** @throws CliError */
export function placesOf(options: PlaceOptions): Places {
  const { out, datapack, sources, from = [], overwrite } = options;
  const pack = packPlace('--out', out);
  const data = datapack === undefined ? undefined : packPlace('--datapack', datapack);
  const packs = data ? [pack, data] : [pack];
  const index = options.index ?? indexPlace(pack);
  const isIndexBeside = options.index !== undefined || pack.kind === 'zip';
  const paths = [...packs.map(({ name }) => resolve(name)), ...(isIndexBeside ? [resolve(index)] : [])];
  if (new Set(paths).size < paths.length)
    throw usageError('same_output', 'Two outputs have the same name.', 'Choose different names.');
  const guard = new OutputGuard([...sources, ...from], { overwrite });
  const verify = () => {
    for (const place of packs) {
      if (place.kind === 'folder') verifyNoSource(place.name, [...sources, ...from]);
      verifyPlace(place, guard);
    }
    if (isIndexBeside) guard.verify(index, { isOurs: (file) => indexedPackOf(file) !== undefined });
  };
  const home = dirname(resolve(index));
  return { pack, data, packs, index, home, isIndexBeside, hidesSources: pack.kind === 'zip', verify };
}

/** The same for a run that writes into a pack of others, which has the index inside. @throws CliError */
export function placesInside(
  { datapack, sources, from = [] }: PlaceOptions,
  { into, namespace }: { readonly into: string; readonly namespace: string },
): Places {
  const pack = packPlace('--into', into);
  if (!statSync(into, { throwIfNoEntry: false }))
    throw usageError(
      'no_such_pack',
      `There is no pack ${clean(into)}.`,
      `To make a new one: --out ${clean(into)}`,
    );
  const data = datapack === undefined ? undefined : packPlace('--datapack', datapack);
  if (data && resolve(data.name) === resolve(pack.name))
    throw usageError('same_output', 'Two outputs have the same name.', 'Choose different names.');
  const guard = new OutputGuard([...sources, ...from], {});
  const verify = () => {
    if (data) verifyPlace(data, guard);
  };
  const index = join(into, indexInside(namespace));
  const packs = data ? [pack, data] : [pack];
  const home = dirname(resolve(into));
  return { pack, data, packs, index, home, isIndexBeside: false, hidesSources: true, verify };
}

/** An output folder is replaced as a whole. @throws CliError if a source is in it */
function verifyNoSource(folder: string, texts: readonly string[]): void {
  if (!statSync(folder, { throwIfNoEntry: false })) return;
  const root = realpathSync(folder);
  const inside = texts.find((text) => {
    const found = isPathLike(text) ? statSync(text, { throwIfNoEntry: false }) : undefined;
    return found && `${realpathSync(text)}${sep}`.startsWith(`${root}${sep}`);
  });
  if (inside === undefined) return;
  throw usageError(
    'output_is_source',
    `${clean(inside)} is a source, which the output would replace.`,
    'Choose another folder.',
  );
}

/** Pasted skin data is too long for a path. */
function isPathLike(text: string): boolean {
  return text.length < 4_096 && !text.includes('\0');
}
