import { hash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { writeFileAtomically } from '../../base/files.ts';
import { mapAhead } from '../../base/streams.ts';
import type { BatchSource, SourceContent, SourceProblem } from '../../batch/model.ts';
import { readContent } from '../../batch/pictures.ts';
import { openSources, type SourceSpec } from '../../batch/sources/arguments.ts';
import { readTextures } from '../../dispatch/proof.ts';
import type { PackSource } from '../../pack/pack.ts';
import { capeTexture, type PackTexture, type SkinTexture, skinTexture } from '../../pack/texture.ts';
import { InvalidImageError } from '../../skin/picture.ts';
import type { Variant } from '../../skin/regions.ts';
import type { CommandContext } from '../context/context.ts';
import { sourceReportOf } from '../errors/error-report.ts';
import { CliError } from '../errors/exit.ts';
import { rootsOf } from '../options/skin-options.ts';
import { bytesOf, type FoundTexture, findTexture, readable } from '../preview.ts';
import type { NamedSource } from './named-sources.ts';

interface ReadPackSource extends PackSource {
  readonly skin: SkinTexture;
}

/** A source of a pack, read, or why it cannot be used. */
export type ReadSource = NamedSource &
  (
    | { readonly read: ReadPackSource; readonly problem?: never }
    | { readonly problem: SourceProblem; readonly read?: never }
  );

interface ReadOptions {
  /** For sources that do not say. */
  readonly variant: Variant | undefined;
  /** Whether see-through pixels of the base layer stay so. */
  readonly keepsTransparency: boolean;
  /** Folders where the pictures of a lockfile may be. */
  readonly homes: readonly string[];
  /** Where what is fetched stays until the pack is written. */
  readonly fetched: FetchedTextures;
}

/** Players and URLs that are fetched at the same time. */
const AT_ONCE = 6;
/** Sources after which other events have their turn, Ctrl-C above all. */
const TURN = 64;

/**
 * All sources in their order: names are given to all of them at once. `outputs`: absolute paths of folders that the
 * command writes, in which there are no sources.
 */
export async function listSources(
  spec: SourceSpec,
  outputs: readonly string[],
  context: CommandContext,
): Promise<readonly BatchSource[]> {
  const warn = (message: string) => void context.messages.warn(message);
  const found: BatchSource[] = [];
  for await (const source of openSources(spec, { ...rootsOf(context), warn })) {
    if (found.length % TURN === 0) await pause(context);
    const { content } = source;
    const isOutput =
      content.kind === 'file' && outputs.some((folder) => content.path.startsWith(folder + sep));
    if (!isOutput) found.push(source);
  }
  return found;
}

/** The sources, read in their order: files one by one; what needs the network is fetched ahead. */
export async function* readSources(
  sources: readonly NamedSource[],
  options: ReadOptions,
  context: CommandContext,
): AsyncGenerator<ReadSource> {
  const reader = new Reader(options, context);
  yield* mapAhead(eachOf(sources, context), AT_ONCE, (source) => reader.read(source));
}

async function* eachOf<T>(items: readonly T[], context: CommandContext): AsyncGenerator<T> {
  for (const [at, item] of items.entries()) {
    if (at % TURN === 0) await pause(context);
    yield item;
  }
}

async function pause({ signal }: CommandContext): Promise<void> {
  await turn();
  signal.throwIfAborted();
}

class Reader {
  readonly #options: ReadOptions;
  readonly #context: CommandContext;

  constructor(options: ReadOptions, context: CommandContext) {
    this.#options = options;
    this.#context = context;
  }

  read(named: NamedSource): ReadSource | Promise<ReadSource> {
    const { source } = named;
    try {
      const skin = this.#localSkin(source);
      if (skin && !source.cape && !source.elytra) return { ...named, read: read(named, { skin }) };
      return this.#fetched(named, skin).catch((error: unknown) => this.#failed(named, error));
    } catch (error) {
      return this.#failed(named, error);
    }
  }

  async #fetched(named: NamedSource, local: SkinTexture | undefined): Promise<ReadSource> {
    const { cape, elytra } = named.source;
    const skin = local ?? (await this.#fetchedSkin(named.source));
    const looks = {
      ...(cape && { cape: await this.#cape('cape', cape) }),
      ...(elytra && { elytra: await this.#cape('elytra', elytra) }),
    };
    return { ...named, read: read(named, { skin, ...looks }) };
  }

  /** The skin of a source whose picture is on this machine. */
  #localSkin(source: BatchSource): SkinTexture | undefined {
    const { content, label } = source;
    if (content.kind === 'data') return this.#lockedPicture(source);
    if (content.kind !== 'file' && content.kind !== 'bytes' && content.kind !== 'problem') return undefined;
    return this.#skin(bytesOf(content, label), source);
  }

  async #fetchedSkin(source: BatchSource): Promise<SkinTexture> {
    return await this.#found(source, ({ bytes, variant }) => this.#skin(bytes, source, variant));
  }

  /** Skin data says which arms the picture has. */
  #skin(bytes: Uint8Array, { label, variant: own, content }: BatchSource, given?: Variant): SkinTexture {
    const told = own === 'auto' ? undefined : (own ?? this.#options.variant);
    const fit = 'fit' in content && content.fit;
    const { keepsTransparency } = this.#options;
    return readable(label, () =>
      visible(skinTexture(bytes, { variant: told ?? given, fit, keepsTransparency })),
    );
  }

  /** The picture from which a lockfile's skin was made, if that is still there and the same. */
  #lockedPicture(source: BatchSource): SkinTexture | undefined {
    const { content, label } = source;
    if (content.kind !== 'data' || content.given.pixels === undefined) return undefined;
    for (const home of this.#options.homes) {
      const read = readContent({ kind: 'file', path: join(home, label) });
      if (!('bytes' in read)) continue;
      try {
        const skin = this.#skin(read.bytes, source, lockedVariant(content));
        if (skin.source === content.given.pixels) return skin;
      } catch (error) {
        if (!(error instanceof CliError)) throw error;
      }
    }
    return undefined;
  }

  async #cape(column: string, content: SourceContent): Promise<PackTexture> {
    const label = `The ${column}`;
    const source = { content, label, stem: column };
    return await this.#found(source, ({ bytes }) => readable(label, () => capeTexture(bytes)));
  }

  /** What `read` makes of a source's texture. */
  async #found<T>(source: BatchSource, read: (texture: Texture) => T): Promise<T> {
    const { content } = source;
    const find = async () => await findTexture(source, this.#context);
    const isHere = content.kind === 'file' || content.kind === 'bytes' || content.kind === 'problem';
    return isHere ? read(await find()) : await this.#options.fetched.take(content, find, read);
  }

  #failed(named: NamedSource, error: unknown): ReadSource {
    return { ...named, problem: sourceReportOf(error, this.#context) };
  }
}

/** @throws InvalidImageError */
function visible(skin: SkinTexture): SkinTexture {
  if (!skin.isClear) return skin;
  throw new InvalidImageError('pixel_data', 'The picture is fully transparent, so there is no skin to show.');
}

function read(
  { id, name }: NamedSource,
  looks: Pick<ReadPackSource, 'skin' | 'cape' | 'elytra'>,
): ReadPackSource {
  return { id, name, ...looks };
}

type Texture = Pick<FoundTexture, 'bytes' | 'variant'>;

/** Milliseconds for which a picture of an interrupted run is used: players change their skins. */
const KEPT = 24 * 60 * 60_000;
const NAME = /-(classic|slim|unknown)\.png$/;

/**
 * What a run has fetched from the network, in a folder of its own until the pack is written: if the run is interrupted, the next
 * one with the same sources does not fetch it again. Without the folder, every run fetches all of it.
 */
export class FetchedTextures {
  readonly #root: string;
  readonly #folder: string;
  readonly #now: () => number;
  /** File names by what they start with; undefined before the first use. */
  #files: Map<string, string> | undefined;
  #count = 0;

  /** @param root folder of all runs. `purpose` identifies the command. */
  constructor(root: string, purpose: string, now: () => number) {
    this.#root = root;
    this.#folder = join(root, digest(purpose));
    this.#now = now;
  }

  /**
   * What `read` makes of a source's texture, which `find` fetches unless an interrupted run has done so.
   * @throws what both throw
   */
  async take<T>(
    content: SourceContent,
    find: () => Promise<Texture>,
    read: (texture: Texture) => T,
  ): Promise<T> {
    const id = digest(JSON.stringify(content));
    const kept = this.#kept(id);
    if (kept) {
      this.#count++;
      return read(kept);
    }
    const found = await find();
    const result = read(found);
    try {
      writeFileAtomically(join(this.#folder, `${id}-${found.variant ?? 'unknown'}.png`), found.bytes);
      this.#count++;
    } catch {
      // only the next run would need it
    }
    return result;
  }

  #kept(id: string): Texture | undefined {
    this.#files ??= this.#open();
    const name = this.#files.get(id);
    if (name === undefined) return undefined;
    const [, variant] = NAME.exec(name) ?? [];
    try {
      const bytes = readFileSync(join(this.#folder, name));
      return { bytes, variant: variant === 'unknown' ? undefined : (variant as Variant) };
    } catch {
      return undefined; // a run of the same command has just ended
    }
  }

  /** How many of this run's textures the next one finds. */
  get count(): number {
    return this.#count;
  }

  /** The pack is written. */
  clear(): void {
    if (this.#files) rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Removes what is too old, of any run. */
  #open(): Map<string, string> {
    const files = new Map<string, string>();
    try {
      for (const run of readdirSync(this.#root)) {
        const folder = join(this.#root, run);
        const names = readdirSync(folder);
        const recent = names.filter((name) => this.#now() - statSync(join(folder, name)).mtimeMs < KEPT);
        if (recent.length === 0) rmSync(folder, { recursive: true, force: true });
        else if (folder === this.#folder)
          for (const name of recent) if (NAME.test(name)) files.set(name.replace(NAME, ''), name);
      }
    } catch {
      // a folder that cannot be used, or that another run has just removed
    }
    return files;
  }
}

function digest(text: string): string {
  return hash('sha256', text).slice(0, 32);
}

function lockedVariant({ given }: Extract<SourceContent, { kind: 'data' }>): Variant {
  return readTextures(given.value).skin.variant;
}
