import { createHash } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { lstat, readdir, readFile, stat, watch } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { type Clock, sleepOrWake } from '../../base/clock.ts';
import { ArchiveError, readArchive } from '../../pack/archive.ts';
import { deflated, MAX_SERVER_PACK } from '../../pack/pack.ts';
import { ZipWriter } from '../../pack/zip.ts';
import { CliError } from '../errors/exit.ts';
import { clean, count } from '../text/text.ts';

/** A pack in memory: players get these bytes, whatever happens to the file meanwhile. */
interface Pack {
  readonly bytes: Uint8Array;
  readonly sha1: string;
}

/** What the pack must have at its top. */
const META = 'pack.mcmeta';
/** Milliseconds without a change after which a pack counts as written. */
const SETTLED = 1_000;
/** Bytes that are hashed before other requests have their turn. */
const PIECE = 4 * 1024 * 1024;
/** Files that are worth compressing; pictures and sounds are compressed already. */
const TEXT = /\.(?:json|mcmeta|txt|lang|properties|fsh|vsh|glsl|mtl|obj|bbmodel)$/i;

/**
 * A resource pack that a service offers to players: a zip as it is, or a folder that is packed. It follows changes; the
 * pack before the last change stays, for game servers that have not been told yet.
 */
export class ServedPack {
  readonly #path: string;
  readonly #clock: Clock;
  #current: Pack;
  #earlier: Pack | undefined;
  #state: string;

  private constructor(path: string, clock: Clock, { state, pack }: { state: string; pack: Pack }) {
    this.#path = path;
    this.#clock = clock;
    this.#state = state;
    this.#current = pack;
  }

  /** @throws CliError if there is no pack */
  static async open(path: string, clock: Clock): Promise<ServedPack> {
    const state = await stateOf(path);
    return new ServedPack(path, clock, { state, pack: await load(path) });
  }

  get sha1(): string {
    return this.#current.sha1;
  }

  find(sha1: string): Uint8Array | undefined {
    return [this.#current, this.#earlier].find((pack) => pack?.sha1 === sha1)?.bytes;
  }

  /**
   * Loads the pack again when it changes, until the signal ends it.
   * @param onChange called after the pack has changed
   * @param onFault called if the new state cannot be used: the pack stays as it was
   */
  async follow(
    signal: AbortSignal,
    { onChange, onFault }: { onChange: () => void; onFault: (fault: Error) => Promise<void> },
  ): Promise<void> {
    const isFolder = (await stat(this.#path)).isDirectory();
    // A file that is replaced by another is seen in its folder only.
    const watched = isFolder ? this.#path : dirname(resolve(this.#path));
    const changes = watch(watched, { recursive: isFolder, signal });
    try {
      for await (const { filename } of changes) {
        if (!isFolder && filename !== null && filename !== basename(this.#path)) continue;
        await sleepOrWake(this.#clock, SETTLED, signal);
        try {
          if (await this.#reload()) onChange();
        } catch (error) {
          await onFault(error as Error);
        }
      }
    } catch (error) {
      if (!signal.aborted) await onFault(error as Error);
    }
  }

  /** Whether the pack is another one now. */
  async #reload(): Promise<boolean> {
    const state = await stateOf(this.#path);
    if (state === this.#state) return false;
    this.#state = state;
    const pack = await load(this.#path);
    if (pack.sha1 === this.#current.sha1) return false;
    this.#earlier = this.#current;
    this.#current = pack;
    return true;
  }
}

/** Changes whenever the pack may have changed. @throws CliError */
async function stateOf(path: string): Promise<string> {
  const found = await lookUp(path);
  if (!found.isDirectory()) return identityOf(found);
  const files = await filesIn(path);
  const states = await Promise.all(
    files.map(async (file) => `${file} ${identityOf(await lstat(join(path, file), { bigint: true }))}`),
  );
  return states.join('\n');
}

function identityOf({ ino, size, mtimeNs }: BigIntStats): string {
  return `${ino} ${size} ${mtimeNs}`;
}

/** @throws CliError */
async function lookUp(path: string): Promise<BigIntStats> {
  try {
    return await stat(path, { bigint: true });
  } catch (error) {
    throw unusable(path, 'cannot be read', error);
  }
}

function unusable(path: string, problem: string, cause?: unknown): CliError {
  return new CliError('pack_unusable', `The pack ${clean(path)} ${problem}.`, {
    exit: 'usage',
    hint: `Give a resource pack, as a zip or as a folder with a ${META}: --pack FILE`,
    cause,
  });
}

/** @throws CliError */
async function load(path: string): Promise<Pack> {
  const isFolder = (await lookUp(path)).isDirectory();
  const bytes = isFolder ? await packed(path) : await archived(path);
  const sha1 = createHash('sha1');
  for (let at = 0; at < bytes.length; at += PIECE) {
    sha1.update(bytes.subarray(at, at + PIECE));
    await turn();
  }
  return { bytes, sha1: sha1.digest('hex') };
}

async function archived(path: string): Promise<Uint8Array> {
  const { size } = await stat(path);
  verifySize(path, size);
  const bytes = await readFile(path);
  try {
    const { files } = readArchive({
      size: bytes.length,
      read: (offset, length) => bytes.subarray(offset, offset + length),
    });
    if (files.some(({ name }) => name === META)) return bytes;
  } catch (error) {
    if (error instanceof ArchiveError) throw unusable(path, clean(error.message.replace(/\.$/, '')), error);
    throw error;
  }
  throw unusable(path, `has no ${META} at its top`);
}

function verifySize(path: string, size: number): void {
  if (size > MAX_SERVER_PACK)
    throw unusable(path, `has ${count(size)} bytes, and Minecraft takes at most 250 MiB from a server`);
}

/** Paths of the files in a folder, with `/`, in a fixed order. Hidden ones, links and devices are left out. */
async function filesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(folder, sep).length).replaceAll(sep, '/'))
    .filter((path) => !path.split('/').some((part) => part.startsWith('.')))
    .sort();
}

/** The zip of a folder: the same files give the same bytes. */
async function packed(folder: string): Promise<Uint8Array> {
  const paths = await filesIn(folder);
  if (!paths.includes(META)) throw unusable(folder, `has no ${META} at its top`);
  const zip = new ZipWriter();
  const pieces: Uint8Array[] = [];
  let size = 0;
  for (const path of paths) {
    const bytes = await readFile(join(folder, path));
    size += bytes.length;
    verifySize(folder, size);
    pieces.push(
      ...zip.file({ name: path, bytes, deflated: deflated({ path, bytes, isText: TEXT.test(path) }) }),
    );
  }
  return Buffer.concat([...pieces, zip.end()]);
}
