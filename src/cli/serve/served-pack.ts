import { createHash } from 'node:crypto';
import { on } from 'node:events';
import { type BigIntStats, watch } from 'node:fs';
import { lstat, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { type Clock, sleepOrWake } from '../../base/clock.ts';
import { asidePath, makeFolder, removeLeftovers, renameOver } from '../../base/files.ts';
import { ArchiveError, readArchive } from '../../pack/archive.ts';
import { deflated, MAX_SERVER_PACK } from '../../pack/pack.ts';
import { ZipWriter } from '../../pack/zip.ts';
import type { StoredPack } from '../../server/server.ts';
import { CliError } from '../errors/exit.ts';
import { clean, count } from '../text/text.ts';

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
/** Packs that are kept, with the current one. */
const KEPT = 5;
/** The record at the end of a zip, and the bytes that it has with the longest comment. */
const END = 'PK\x05\x06';
const MAX_END = 22 + 0xffff;
/** Files that are worth compressing; pictures and sounds are compressed already. */
const TEXT = /\.(?:json|mcmeta|txt|lang|properties|fsh|vsh|glsl|mtl|obj|bbmodel)$/i;

interface ServedPackOptions {
  readonly path: string;
  /** Folder of our own for the packs that players get, the current one and earlier ones. */
  readonly folder: string;
  readonly clock: Clock;
}

/**
 * A resource pack that a service offers to players: a zip as it is, or a folder that is packed. It follows changes. Players
 * get copies, so that no change is half visible; the last ones stay, over restarts too, because a game server names the
 * pack that it started with.
 */
export class ServedPack {
  readonly #options: ServedPackOptions;
  #sha1 = '';
  #state = '';

  private constructor(options: ServedPackOptions) {
    this.#options = options;
  }

  /** @throws CliError if there is no pack */
  static async open(options: ServedPackOptions): Promise<ServedPack> {
    makeFolder(options.folder, 0o700);
    await removeLeftovers(join(options.folder, 'pack'), options.clock.now());
    const served = new ServedPack(options);
    served.#state = await stateOf(options.path);
    await served.#take(await load(options.path));
    return served;
  }

  get sha1(): string {
    return this.#sha1;
  }

  /** The copy of a pack; undefined if there is none. */
  async find(sha1: string): Promise<StoredPack | undefined> {
    const path = copyPath(this.#options, sha1);
    const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    return found && { path, size: found.size };
  }

  async #take({ bytes, sha1 }: Pack): Promise<void> {
    const { folder, clock } = this.#options;
    const aside = asidePath(join(folder, 'pack'));
    try {
      await writeFile(aside, bytes, { mode: 0o600, flush: true });
      renameOver(aside, copyPath(this.#options, sha1));
    } finally {
      await rm(aside, { force: true });
    }
    const now = clock.now() / 1_000;
    await utimes(copyPath(this.#options, sha1), now, now);
    this.#sha1 = sha1;
    await removeOldest(folder);
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
    const { path, clock } = this.#options;
    const isFolder = (await stat(path)).isDirectory();
    // A file that is replaced by another is seen in its folder only.
    const watched = isFolder ? path : dirname(resolve(path));
    const check = async () => {
      try {
        if (await this.#reload()) onChange();
      } catch (error) {
        await onFault(error as Error);
      }
    };
    try {
      const changes = on(watch(watched, { recursive: isFolder, signal }), 'change', { signal });
      await check(); // the pack may have changed since it was loaded
      for await (const [, filename] of changes) {
        if (!isFolder && filename !== null && filename !== basename(path)) continue;
        await sleepOrWake(clock, SETTLED, signal);
        await check();
      }
    } catch (error) {
      if (!signal.aborted) await onFault(error as Error);
    }
  }

  async #reload(): Promise<boolean> {
    const { path } = this.#options;
    const state = await stateOf(path);
    if (state === this.#state) return false;
    const pack = await load(path);
    if ((await stateOf(path)) !== state) return false; // that change is the next one
    this.#state = state;
    if (pack.sha1 === this.#sha1) return false;
    await this.#take(pack);
    return true;
  }
}

function copyPath({ folder }: ServedPackOptions, sha1: string): string {
  return join(folder, `${sha1}.zip`);
}

async function removeOldest(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => /^[0-9a-f]{40}\.zip$/.test(name));
  const copies = await Promise.all(
    names.map(async (name) => ({ name, time: (await stat(join(folder, name))).mtimeMs })),
  );
  const newestFirst = copies.toSorted((a, b) => b.time - a.time);
  for (const { name } of newestFirst.slice(KEPT)) await rm(join(folder, name), { force: true });
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
    if (!(error instanceof ArchiveError)) throw error;
    // Minecraft reads archives that are protected from other programs.
    if (bytes.subarray(-MAX_END).includes(END)) return bytes;
    throw unusable(path, clean(error.message.replace(/\.$/, '')), error);
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
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (const path of paths) {
    const bytes = await readFile(join(folder, path));
    size += bytes.length;
    verifySize(folder, size);
    chunks.push(
      ...zip.file({ name: path, bytes, deflated: deflated({ path, bytes, isText: TEXT.test(path) }) }),
    );
  }
  return Buffer.concat([...chunks, zip.end()]);
}
