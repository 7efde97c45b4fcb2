import { shownName } from '../../base/text.ts';
import type { BatchSource, SourceProblem } from '../../batch/model.ts';
import { sourceName } from '../../batch/names.ts';
import { legalName, textureLocation } from '../../pack/names.ts';
import type { IndexedSkin, ReadIndex } from '../../pack/pack-index.ts';
import { skinTexture } from '../../pack/texture.ts';
import { InvalidImageError } from '../../skin/picture.ts';
import type { ProfileSkin } from '../../textures/commands.ts';
import { CliError, usageError } from '../errors/exit.ts';
import type { PackLooks, SkinToFormat } from '../output/formats.ts';
import { bytesOf } from '../preview.ts';
import type { Messages } from '../terminal/messages.ts';
import { clean } from '../text/text.ts';
import { readPackIndex } from './earlier-pack.ts';
import { hiddenSource, IndexedSources, SourceKeys } from './named-sources.ts';

interface Named {
  readonly pack?: string | undefined;
  readonly namespace?: string | undefined;
}

/** The pack that the user named for commands: by itself, or only its namespace. @throws CliError */
export async function packNamed(
  { pack, namespace }: Named,
  messages: Messages,
): Promise<PackSkins | undefined> {
  if (pack !== undefined) return new IndexedPack(pack, namespace);
  if (namespace === undefined) return undefined;
  await messages.warn(
    'Without --pack, IDs are guessed from the names of the sources: a pack that was made with other sources, or earlier, may have others.',
  );
  return new GuessedPack(namespace);
}

export type PackSkins = IndexedPack | GuessedPack;

interface PackSource extends PackLooks {
  readonly namespace: string;
  /** The same sources; one that the pack lacks has a problem. Their positions are remembered. */
  noted(sources: AsyncIterable<BatchSource>): AsyncIterable<BatchSource>;
  /**
   * Why there is no command for a skin of a service. `texture` fetches its picture.
   * @throws what `texture` throws
   */
  problemOf(skin: ServiceSkin, texture: () => Promise<Uint8Array>): Promise<SourceProblem | undefined>;
}

type ServiceSkin = Pick<SkinToFormat, 'uuid' | 'name'>;

/** A pack of which only the namespace is known. */
export class GuessedPack implements PackSource {
  readonly namespace: string;

  constructor(namespace: string) {
    this.namespace = namespace;
  }

  noted(sources: AsyncIterable<BatchSource>): AsyncIterable<BatchSource> {
    return sources;
  }

  async problemOf(): Promise<undefined> {}

  lookOf({ name, uuid }: SkinToFormat, stem: string | undefined): Partial<ProfileSkin> {
    const id = legalName(stem ?? name ?? uuid ?? '');
    return { look: { texture: textureLocation(this.namespace, 'texture', id) } };
  }
}

export class IndexedPack implements PackSource {
  readonly namespace: string;
  readonly #file: string;
  readonly #index: ReadIndex;
  readonly #sources: IndexedSources;
  readonly #keys: SourceKeys;
  readonly #byPixels: ReadonlyMap<string, readonly IndexedSkin[]>;
  readonly #noted: (IndexedSkin | undefined)[] = [];
  /** Skins of services, by their UUIDs. */
  readonly #ofService = new Map<string | undefined, IndexedSkin>();

  /** @throws CliError */
  constructor(file: string, namespace: string | undefined) {
    this.#file = file;
    const { index, home } = readPackIndex(file, namespace);
    this.#index = index;
    this.namespace = index.namespace;
    if (namespace !== undefined && namespace !== this.namespace)
      throw usageError(
        'other_namespace',
        `${clean(file)} has the namespace ${this.namespace}, not ${namespace}.`,
        'Leave --namespace out: the pack has it.',
      );
    this.#keys = new SourceKeys(home);
    this.#sources = new IndexedSources(this.#index);
    this.#byPixels = Map.groupBy(this.#index.skins, ({ pixels }) => pixels);
  }

  /** @throws CliError if the pack lacks it */
  skinOf(source: BatchSource): IndexedSkin {
    const known = this.#sources.of({ source, key: this.#keys.of(source) });
    const found = known.length > 0 ? known : (this.#byPixels.get(pixelsOf(source) ?? '') ?? []);
    const skin = bestOf(found, source.stem, sourceName(source));
    if (skin) return skin;
    const message = `${clean(this.#file)} does not have ${clean(source.label)}.`;
    throw new CliError('not_in_pack', message, { hint: 'Make the pack again with this source.' });
  }

  async *noted(sources: AsyncIterable<BatchSource>): AsyncGenerator<BatchSource> {
    for await (const source of sources) {
      const { skin, problem } = source.content.kind === 'problem' ? {} : this.#find(source);
      this.#noted.push(skin);
      yield problem ? { ...source, content: { kind: 'problem', problem } } : source;
    }
  }

  #find(source: BatchSource): { readonly skin?: IndexedSkin; readonly problem?: SourceProblem } {
    try {
      return { skin: this.skinOf(source) };
    } catch (error) {
      if (error instanceof CliError) return { problem: error };
      throw error;
    }
  }

  async problemOf(skin: ServiceSkin, texture: () => Promise<Uint8Array>): Promise<SourceProblem | undefined> {
    const found = this.#madeFrom(skin) ?? this.#showing(await texture(), skin);
    if (found) this.#ofService.set(skin.uuid, found);
    if (found) return undefined;
    const message = `${clean(this.#file)} does not have the skin ${skin.uuid}.`;
    return { code: 'not_in_pack', message, hint: 'Make the pack again with this skin.' };
  }

  lookOf(skin: SkinToFormat, _stem: string | undefined, index = -1): Partial<ProfileSkin> {
    const found = this.#noted[index] ?? this.#ofService.get(skin.uuid);
    if (found) return profileOf(found);
    throw new CliError('not_in_pack', `${clean(this.#file)} does not have this skin.`);
  }

  /** A pack of a service names skins by their UUIDs. */
  #madeFrom({ uuid }: ServiceSkin): IndexedSkin | undefined {
    const sources = [uuid, `skin:${uuid}`, hiddenSource(`skin:${uuid}`)];
    return this.#index.skins.find(({ source }) => sources.includes(source));
  }

  /** Services give textures hashes of their own, so only the picture tells. */
  #showing(bytes: Uint8Array, { name = '' }: ServiceSkin): IndexedSkin | undefined {
    const pixels = pixelsOf({ content: { kind: 'bytes', bytes }, label: 'The texture' });
    return bestOf(this.#byPixels.get(pixels ?? '') ?? [], name, shownName(name));
  }
}

/** Of several skins with one picture, the one with the name of the source. */
function bestOf(skins: readonly IndexedSkin[], stem: string, name: string): IndexedSkin | undefined {
  const id = legalName(stem);
  return skins.find((skin) => skin.id === id) ?? skins.find((skin) => skin.name === name) ?? skins[0];
}

export function profileOf({ name, variant, texture, cape, elytra }: IndexedSkin): ProfileSkin {
  return { name, variant, look: { texture, cape, elytra } };
}

/** The pixel hash of a picture on this machine. */
function pixelsOf({ content, label }: Pick<BatchSource, 'content' | 'label'>): string | undefined {
  if (content.kind === 'data') return content.given.pixels;
  if (content.kind !== 'file' && content.kind !== 'bytes') return undefined;
  try {
    return skinTexture(bytesOf(content, label)).pixels;
  } catch (error) {
    if (error instanceof InvalidImageError || error instanceof CliError) return undefined;
    throw error;
  }
}
