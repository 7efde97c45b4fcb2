import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { decodedText } from '../../base/text.ts';
import { sourcePath } from '../../batch/lockfile/entries.ts';
import { Lockfile } from '../../batch/lockfile/lockfile.ts';
import { damageOf, signedBy } from '../../batch/plan/signer-rule.ts';
import type { KeptSkin } from '../../batch/proof/verify-skin.ts';
import { withoutFileScheme } from '../../batch/sources/files.ts';
import { IgnoreRules } from '../../batch/sources/ignore-rules.ts';
import { type FoundSkin, pluginSkins, skinsInFile } from '../../batch/sources/skin-files.ts';
import { isSkinText, readSkinText, type SkinInJson } from '../../batch/sources/skin-text.ts';
import { skinSource } from '../../batch/sources/supplied-skin.ts';
import { CliError } from '../errors/exit.ts';

/** A skin read from a file, with the metadata that the file has for it. */
export interface StoredSkin extends KeptSkin {
  /** The signing service, an address or `embedded`; undefined if the file does not record it. */
  readonly service: string | undefined;
  /** Expected path of the source image; undefined if the source was not a file. */
  readonly path: string | undefined;
}

const FIRST_BYTES = 64 * 1024;

/**
 * Reads the skins in a lockfile, a JSON file, or a file or folder of a plugin, or a pasted skin: a value and its signature, JSON with both, or a
 * command.
 * @throws CliError, LockfileError, Error of the file system
 */
export async function* keptSkins(text: string): AsyncGenerator<StoredSkin> {
  if (isSkinText(text)) {
    yield pastedSkin(text);
    return;
  }
  const path = withoutFileScheme(text);
  if (statSync(path).isDirectory()) return yield* folderSkins(path);
  verifyRegular(path);
  if (isLockfile(path)) yield* lockedSkins(path);
  else yield* fileSkins(path, skinsInFile(path, path));
}

/** Opening a pipe would block the process, deaf to Ctrl-C, until something is written to it. */
function verifyRegular(path: string): void {
  if (!statSync(path).isFile()) throw new CliError('not_a_file', `${path} is not a regular file.`);
}

function pastedSkin(text: string): StoredSkin {
  const read = readSkinText(text);
  if ('skin' in read) return keptSkin(read.skin, skinSource(read.skin).label);
  throw new CliError('invalid_skin_data', read.fault);
}

async function* lockedSkins(path: string): AsyncGenerator<StoredSkin> {
  const folder = dirname(resolve(path));
  const lockfile = await Lockfile.open(path);
  try {
    for (let entry = 0; entry < lockfile.size; entry++) {
      const locked = lockfile.read(entry);
      const { source, value, signature, pixels, texture, variant, service, options } = locked;
      const hasCape = options.cape !== undefined;
      const claim = signedBy(locked, {});
      const damage = damageOf(locked, {});
      const kept = { source, value, signature, pixels, texture, variant, service, hasCape, claim, damage };
      yield { ...kept, path: sourcePath(source, folder) };
    }
  } finally {
    lockfile.close();
  }
}

async function* fileSkins(path: string, all: AsyncIterable<FoundSkin>): AsyncGenerator<StoredSkin> {
  for await (const found of all) {
    if ('fault' in found) throw unreadable(found);
    if (found.skin.signature === undefined) throw noSkins(path);
    yield keptSkin(found.skin, found.place);
  }
}

/** A folder of a plugin. Another one has its skins in a lockfile. */
async function* folderSkins(path: string): AsyncGenerator<StoredSkin> {
  let isEmpty = true;
  const options = { recursive: false, rules: IgnoreRules.given([]) };
  const skins = existsSync(join(path, 'skins.lock'))
    ? []
    : pluginSkins({ label: path, path: resolve(path) }, options);
  for await (const found of skins) {
    isEmpty = false;
    if ('fault' in found) throw unreadable(found);
    yield keptSkin(found.skin, found.place);
  }
  if (isEmpty) throw isFolder(path);
}

/** `label` is the source's name when the skin has no name of its own. */
function keptSkin({ signature = '', ...skin }: SkinInJson, label: string): StoredSkin {
  const { source = skin.name ?? skin.uuid ?? label, value, variant, url } = skin;
  return { source, value, signature, variant, texture: url, service: undefined, path: skin.source };
}

/**
 * Detects a lockfile by its first line, which is a complete entry; in a JSON document it is not, unless the document is
 * a single line.
 */
function isLockfile(path: string): boolean {
  const buffer = Buffer.alloc(FIRST_BYTES);
  const fd = openSync(path, 'r');
  try {
    const text = decodedText(buffer.subarray(0, readSync(fd, buffer)));
    return text.trim() === '' || path.endsWith('.lock') || /^\{"source":.*"options":\{.*\}$/m.test(text);
  } finally {
    closeSync(fd);
  }
}

function isFolder(path: string): CliError {
  const lockfile = join(path, 'skins.lock');
  return new CliError('not_a_file', `${path} is a folder.`, {
    hint: existsSync(lockfile)
      ? `Give the lockfile in it: skinsmith verify ${lockfile}`
      : 'Give a lockfile (skins.lock), or JSON as generate --json and --out write it.',
  });
}

function unreadable({ fault, hint }: Extract<FoundSkin, { fault: string }>): CliError {
  return new CliError('no_skins', fault, { hint });
}

function noSkins(path: string): CliError {
  return new CliError('no_skins', `${path} holds no skin data.`, {
    hint: 'Give a lockfile (skins.lock), or JSON as generate --json and --out write it.',
  });
}
