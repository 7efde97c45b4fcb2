import { basename, dirname, resolve } from 'node:path';
import { Replacement } from '../../base/files.ts';
import { ALL_GAMES, type GameRange } from '../../pack/games.ts';
import { legalName } from '../../pack/names.ts';
import { DataPack, type PackSource, ResourcePack } from '../../pack/pack.ts';
import { INDEX_NAME, type IndexedSkin, indexText } from '../../pack/pack-index.ts';
import type { CommandContext } from '../context/context.ts';
import { CliError, usageError } from '../errors/exit.ts';
import { specOf } from '../options/skin-options.ts';
import { printFailure } from '../terminal/messages.ts';
import { clean, count } from '../text/text.ts';
import type { EarlierPack } from './earlier-pack.ts';
import { hiddenSource, namedSources } from './named-sources.ts';
import { openPack, type PackWriter } from './pack-output.ts';
import { type FetchedTextures, listSources, type ReadSource, readSources } from './pack-sources.ts';
import type { PackPlace, Places } from './places.ts';

type TypedSources = Parameters<typeof specOf>[0];

export interface MakeOptions extends TypedSources {
  readonly out: string;
  readonly datapack?: string;
  readonly namespace?: string;
  readonly game?: GameRange;
  readonly description?: string;
  readonly icon?: boolean;
  readonly variant?: 'auto' | 'classic' | 'slim';
  readonly keepTransparency?: boolean;
  readonly vulnerable?: boolean;
  readonly prune?: boolean;
}

export interface Made {
  readonly sha1: string | undefined;
  readonly bytes: number;
  readonly skins: readonly IndexedSkin[];
  readonly textures: number;
  readonly failed: number;
  /** Ids that the last run did not have, and those that only it had. */
  readonly added: number;
  readonly dropped: readonly string[];
  /** Ids that the pack keeps although no source was used for them. */
  readonly sourceless: readonly string[];
}

interface Making {
  readonly places: Places;
  readonly earlier: Pick<EarlierPack, 'index' | 'texture'>;
  /** What writes the resource pack. */
  readonly open: (place: PackPlace) => PackWriter;
  readonly writers: PackWriter[];
  readonly context: CommandContext;
  readonly fetched: FetchedTextures;
  readonly onProgress: (text: string) => void;
}

/** Names to tell one by one. */
const TOLD = 10;
/** Sources between progress messages. */
const SHOWN = 50;

/** Writes a pack beside its place; `writers` then put it there. @throws CliError */
export async function makePack(options: MakeOptions, making: Making): Promise<Made> {
  const { places, earlier, context, fetched, onProgress } = making;
  verifyNamespace(options, earlier);
  const outputs = places.packs.filter(({ kind }) => kind === 'folder').map(({ name }) => resolve(name));
  const spec = { ...specOf(options), isForPack: true };
  const named = namedSources(await listSources(spec, outputs, context), places.home, earlier.index);
  const pack = new PackInMaking(options, making);
  const { variant } = options;
  const reading = {
    fetched,
    homes: [process.cwd(), ...spec.args.map((path) => dirname(resolve(path)))],
    variant: variant === 'auto' ? undefined : variant,
    keepsTransparency: options.keepTransparency === true,
  };
  for await (const source of readSources(named, reading, context)) {
    await pack.take(source);
    if (pack.size % SHOWN === 0) onProgress(`Packing ${count(pack.size)} skins`);
  }
  if (pack.size === 0) throw nothing(pack.failed);
  await pack.keepEarlier();
  return await pack.finish();
}

/** @throws CliError if the last run had another one: its commands would lead nowhere */
function verifyNamespace({ namespace = 'skinsmith', out }: MakeOptions, { index }: Making['earlier']): void {
  if (index === undefined || index.namespace === namespace) return;
  const hint = `Add --namespace ${index.namespace}, or choose another --out for a pack of its own.`;
  const message = `${clean(out)} has the namespace ${index.namespace}, not ${namespace}.`;
  throw usageError('other_namespace', message, hint);
}

class PackInMaking {
  readonly #options: MakeOptions;
  readonly #making: Making;
  readonly #pack: ResourcePack;
  readonly #data: DataPack | undefined;
  readonly #packFile: PackWriter;
  readonly #dataFile: PackWriter | undefined;
  readonly #earlierIds: ReadonlySet<string>;
  readonly #skins: IndexedSkin[] = [];
  readonly #opaque: string[] = [];
  readonly #renamed: string[] = [];
  #sourceless: readonly IndexedSkin[] = [];
  #dropped: readonly IndexedSkin[] = [];
  failed = 0;

  constructor(options: MakeOptions, making: Making) {
    [this.#options, this.#making] = [options, making];
    const { namespace = 'skinsmith', game = ALL_GAMES, description = `Skins of ${namespace}` } = options;
    const about = { namespace, game, description };
    const { pack, data } = making.places;
    this.#pack = new ResourcePack(about);
    this.#packFile = this.#open(making.open(pack));
    this.#packFile.add(this.#pack.meta());
    this.#data = data && new DataPack({ ...about, isVulnerable: options.vulnerable });
    this.#dataFile = data && this.#open(openPack(data));
    if (this.#data) this.#dataFile?.add(this.#data.meta());
    this.#earlierIds = new Set(making.earlier.index?.skins.map(({ id }) => id));
  }

  #open(writer: PackWriter): PackWriter {
    this.#making.writers.push(writer);
    return writer;
  }

  get size(): number {
    return this.#skins.length;
  }

  /** Adds a source, or tells why it cannot be used. */
  async take({ source, id, key, read, problem }: ReadSource): Promise<void> {
    if (problem) {
      this.failed++;
      return await printFailure(source.label, problem, this.#making.context);
    }
    this.#add(read, key);
    if (read.skin.isMadeOpaque) this.#opaque.push(source.label);
    if (id === legalName(source.stem) || this.#earlierIds.has(id)) return;
    this.#renamed.push(id);
    if (this.#renamed.length > TOLD) return;
    const message = `${source.label}: the name is taken, so the pack calls it ${id}.`;
    await this.#making.context.messages.warn(message);
  }

  #add(source: PackSource, key: string): void {
    const { skin, files } = this.#pack.add(source);
    for (const file of files) this.#packFile.add(file);
    if (this.#data) for (const file of this.#data.add(skin)) this.#dataFile?.add(file);
    this.#skins.push({ source: key, ...skin });
  }

  /** What the last pack had, and no source was used for now, stays unless the user has it dropped. */
  async keepEarlier(): Promise<void> {
    const { earlier, context } = this.#making;
    const used = new Set(this.#skins.map(({ id }) => id));
    const unused = (earlier.index?.skins ?? []).filter(({ id }) => !used.has(id));
    const isPruned = this.#options.prune === true && this.failed === 0;
    [this.#sourceless, this.#dropped] = isPruned ? [[], unused] : [unused, []];
    for (const skin of this.#sourceless) this.#add(this.#earlierSource(skin), skin.source);
    if (this.#options.prune && !isPruned && unused.length > 0)
      await context.messages.warn('Nothing was dropped, as a source could not be used.');
  }

  /** @throws CliError if the last pack is not there any more */
  #earlierSource({ id, name, variant, pixels, texture, cape, elytra, source }: IndexedSkin): PackSource {
    const png = (location: string) => {
      const bytes = this.#making.earlier.texture(location);
      if (bytes) return bytes;
      const out = clean(this.#options.out);
      const hint = `Restore the picture or ${out}, or drop all skins without a source: --prune`;
      const message = `${clean(source)} cannot be used, and ${out} does not have the texture of ${id} any more.`;
      throw new CliError('texture_gone', message, { hint });
    };
    return {
      id,
      name,
      skin: { png: png(texture), pixels, variant },
      ...(cape !== undefined && { cape: { png: png(cape), pixels: cape } }),
      ...(elytra !== undefined && { elytra: { png: png(elytra), pixels: elytra } }),
    };
  }

  async finish(): Promise<Made> {
    await this.#warn();
    const { places } = this.#making;
    if (this.#options.icon) this.#packFile.add(this.#pack.icon());
    if (this.#data) for (const file of this.#data.rest()) this.#dataFile?.add(file);
    if (places.hidesSources)
      this.#packFile.add({ path: INDEX_NAME, bytes: Buffer.from(this.#hiddenIndex()), isText: true });
    const { bytes, sha1 } = await this.#packFile.finish(() => this.#index());
    await this.#dataFile?.finish(() => this.#index({ sha1 }));
    // Before the packs: if only it gets there, the next run finds the pack that it continues.
    if (places.isIndexBeside) this.#making.writers.unshift(indexFile(places.index, this.#index({ sha1 })));
    return {
      sha1,
      bytes,
      skins: this.#skins,
      textures: this.#pack.textures,
      failed: this.failed,
      added: this.#skins.filter(({ id }) => !this.#earlierIds.has(id)).length,
      dropped: this.#dropped.map(({ id }) => id),
      sourceless: this.#sourceless.map(({ id }) => id),
    };
  }

  async #warn(): Promise<void> {
    const { messages } = this.#making.context;
    const { index } = this.#making.places;
    if (this.#opaque.length > 0) await messages.warn(opaqueText(this.#opaque));
    const untold = this.#renamed.length - TOLD;
    if (untold > 0) await messages.warn(`${count(untold)} more were renamed: see ${clean(index)}.`);
  }

  #index({
    sha1,
    skins = this.#skins,
  }: {
    sha1?: string | undefined;
    skins?: readonly IndexedSkin[];
  } = {}): string {
    const { namespace = 'skinsmith', game = ALL_GAMES, out } = this.#options;
    const about = { namespace, game: `${game.from}..${game.to}`, pack: basename(resolve(out)) };
    return indexText({ ...about, ...(sha1 && { sha1 }), skins });
  }

  /** The index inside of a zip, which players get. */
  #hiddenIndex(): string {
    return this.#index({
      skins: this.#skins.map((skin) => ({ ...skin, source: hiddenSource(skin.source) })),
    });
  }
}

/** Beside its place, as the packs are. */
function indexFile(path: string, text: string): PackWriter {
  const file = new Replacement(resolve(path));
  try {
    file.write(text);
    file.close(true);
  } catch (error) {
    file.discard();
    throw error;
  }
  return {
    add: () => {},
    finish: () => ({ bytes: text.length }),
    put: () => file.replace(true),
    discard: () => file.discard(),
  };
}

export function listed(names: readonly string[]): string {
  const more = names.length > TOLD ? ` and ${count(names.length - TOLD)} more` : '';
  return `${names.slice(0, TOLD).map(clean).join(', ')}${more}`;
}

function opaqueText(sources: readonly string[]): string {
  return `Made see-through base layers opaque, as Minecraft does with downloaded skins: ${listed(sources)}. --keep-transparency leaves them.`;
}

function nothing(failed: number): CliError {
  const message =
    failed === 0 ? 'Nothing to pack: the list is empty.' : 'No usable source, so no pack was written.';
  return new CliError('nothing_to_pack', message);
}
