import { statSync } from 'node:fs';
import { MAX_SERVER_PACK } from '../../pack/pack.ts';
import type { CommandContext } from '../context/context.ts';
import { CliError, usageError } from '../errors/exit.ts';
import { flagOf } from '../options/option-values.ts';
import { clean, count, jsonDocument } from '../text/text.ts';
import { EarlierPack } from './earlier-pack.ts';
import { type ExistingPack, openExisting } from './existing-pack.ts';
import { openPack, type PackWriter } from './pack-output.ts';
import { type PackPlace, type Places, packPlace, placesInside, placesOf } from './places.ts';

/** The options that say which pack a run writes. */
interface TargetOptions {
  readonly out?: string;
  readonly into?: string;
  readonly removeFrom?: string;
  readonly index?: string;
  readonly icon?: boolean;
  readonly description?: string;
  readonly overwrite?: boolean;
  readonly allowOlder?: boolean;
  readonly datapack?: string;
  readonly vulnerable?: boolean;
}

/** Options about a pack of our own: one of others keeps its own index place, icon and description, and all of its files. */
const FOR_OWN_PACKS = ['index', 'icon', 'description', 'overwrite'] as const;

/** What a removal takes into account. */
const TO_REMOVE: readonly string[] = ['removeFrom', 'namespace', 'dryRun'];

/** @throws CliError unless exactly one pack is named, and nothing that does not go with it */
export function verifyTarget(options: TargetOptions, sources: readonly unknown[]): void {
  const { out, into, removeFrom, allowOlder, datapack, vulnerable } = options;
  if ([out, into, removeFrom].filter((name) => name !== undefined).length !== 1)
    throw usageError(
      'which_pack',
      'Name the pack once.',
      'Use --out to write a new pack, --into to put the skins into an existing one, or --remove-from to take them out again.',
    );
  if (into === undefined && allowOlder)
    throw usageError('option_without_into', '--allow-older goes with --into.');
  const stray = out === undefined ? FOR_OWN_PACKS.find((name) => options[name] !== undefined) : undefined;
  if (stray !== undefined)
    throw usageError('option_without_out', `--${stray} works only with --out, which writes a new pack.`);
  if (removeFrom !== undefined && sources.length > 0)
    throw usageError('sources_to_remove', '--remove-from takes no sources: it removes a whole namespace.');
  const unused = Object.entries(options).find(
    ([name, value]) => value !== undefined && !TO_REMOVE.includes(name),
  );
  if (removeFrom !== undefined && unused)
    throw usageError(
      'conflicting_options',
      `--remove-from and ${flagOf(unused[0])} cannot be combined.`,
      'A removal takes only --namespace and --dry-run into account.',
    );
  if (vulnerable && datapack === undefined)
    throw usageError('option_without_datapack', '--vulnerable goes with --datapack.');
}

export interface PackTarget {
  readonly places: Places;
  readonly earlier: Pick<EarlierPack, 'index' | 'texture'>;
  readonly existing: ExistingPack | undefined;
  readonly open: (place: PackPlace) => PackWriter;
  /** Everything has been read. @throws CliError if someone else has changed it meanwhile */
  readonly endReading: () => void;
  readonly close: (isDone: boolean) => void;
}

/** @throws CliError if it cannot be written */
export function openTarget(
  options: TargetOptions & Parameters<typeof placesOf>[0] & { readonly namespace?: string },
): PackTarget {
  const { into, namespace = 'skinsmith', allowOlder: isOlderAllowed = false } = options;
  if (into !== undefined) {
    const places = placesInside(options, { into, namespace });
    const existing = openExisting(places.pack, { namespace, isOlderAllowed });
    const close = (isDone: boolean) => {
      if (!isDone) existing.discard();
    };
    // It looks itself, when it is put in place.
    return { places, earlier: existing, existing, open: () => existing, endReading: () => {}, close };
  }
  const places = placesOf(options);
  const earlier = new EarlierPack(places.pack, options.index);
  const endReading = () => {
    earlier.verifyUnchanged();
    earlier.close(); // Windows replaces no open file
  };
  return {
    places,
    earlier,
    existing: undefined,
    open: openPack,
    endReading,
    close: () => earlier.close(),
  };
}

/** What a run did to a pack of others, in sentences. */
export function changeText({ changes, others, copy, hasChanged }: ExistingPack): string {
  const rest = `The other ${others === 1 ? 'file is' : `${count(others)} files are`} as before.`;
  if (!hasChanged) return 'Nothing had to be changed.';
  const parts = Object.entries(changes).flatMap(([what, number]) =>
    number > 0 && what !== 'same' ? [`${count(number)} ${what}`] : [],
  );
  const textures = parts.length === 0 ? 'Only the index changed.' : `Textures: ${parts.join(', ')}.`;
  const kept = copy === undefined ? '' : ` The pack as it was: ${clean(copy)}.`;
  return `${textures} ${rest}${kept}`;
}

interface RemovedView {
  readonly file: string;
  readonly sha1?: string;
  readonly bytes: number;
  readonly removed: number;
  readonly copy?: string;
}

/** Takes the skins of a namespace out of a pack again. @throws CliError */
export async function removeFrom(
  name: string,
  { namespace, isDryRun }: { readonly namespace: string; readonly isDryRun: boolean },
  { io, flags, messages }: CommandContext,
): Promise<void> {
  const place = packPlace('--remove-from', name);
  if (!statSync(name, { throwIfNoEntry: false }))
    throw usageError('no_such_pack', `There is no pack ${clean(name)}.`);
  const pack = openExisting(place, { namespace, isOlderAllowed: true });
  let isDone = false;
  try {
    if (!pack.index)
      throw new CliError('nothing_to_remove', `${clean(name)} has no skins of the namespace ${namespace}.`, {
        hint: 'Name the namespace that --into had: --namespace NAME',
      });
    const { bytes, sha1 } = await pack.finish(() => '');
    if (!isDryRun) pack.put();
    isDone = !isDryRun;
    const { removed } = pack.changes;
    const view: RemovedView = {
      file: name,
      ...(sha1 !== undefined && { sha1 }),
      bytes,
      removed,
      ...(pack.copy !== undefined && { copy: pack.copy }),
    };
    if (flags.json) io.out.write(jsonDocument(view));
    else if (sha1 !== undefined && !isDryRun) io.out.write(`resource-pack-sha1=${sha1}\n`);
    messages.say(`${isDryRun ? 'Would change' : 'Changed'} ${clean(name)}. ${changeText(pack)}`);
    if (bytes > MAX_SERVER_PACK)
      await messages.warn('The pack is larger than 250 MiB, and clients refuse such packs from a server.');
  } finally {
    if (!isDone) pack.discard();
  }
}
