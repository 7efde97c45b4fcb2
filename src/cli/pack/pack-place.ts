import { lstatSync, readdirSync, statSync } from 'node:fs';
import { extname, join, resolve, sep } from 'node:path';
import { functionPath, texturePath } from '../../pack/names.ts';
import { PACK_MARK } from '../../pack/pack.ts';
import { INDEX_NAME } from '../../pack/pack-index.ts';
import { CliError, usageError } from '../errors/exit.ts';
import { type OutputGuard, readPart, startOf } from '../output/output-guard.ts';
import { clean } from '../text/text.ts';
import { readIndexFile } from './index-file.ts';

/** Where a pack is written. */
export interface PackPlace {
  /** As typed. */
  readonly name: string;
  readonly kind: 'zip' | 'folder';
}

/** @throws CliError if it could be neither */
export function packPlace(option: string, name: string): PackPlace {
  if (name === '') throw usageError('no_output', `The name after ${option} is empty.`);
  const isFolder = /[/\\]$/.test(name) || statSync(name, { throwIfNoEntry: false })?.isDirectory();
  if (isFolder) return { name, kind: 'folder' };
  if (/\.zip$/i.test(name)) return { name, kind: 'zip' };
  if (extname(name) === '') return { name, kind: 'folder' };
  const hint = `A pack is a file whose name ends in .zip, or a folder: ${clean(name)}/`;
  throw usageError('not_a_pack', `${option} ${clean(name)} names neither a zip nor a folder.`, hint);
}

export function isZip(path: string): boolean {
  return startOf(path, 2).equals(Buffer.from('PK'));
}

/** Whether a file is an archive that we wrote: they end with a comment. */
export function isOurZip(path: string): boolean {
  const { size } = statSync(path);
  if (size < PACK_MARK.length + 2 || !isZip(path)) return false;
  const end = readPart(path, Math.max(0, size - PACK_MARK.length - 2), PACK_MARK.length + 2);
  return end.readUInt16LE(0) === PACK_MARK.length && end.toString('latin1', 2) === PACK_MARK;
}

/** @throws CliError if something is in its place that we did not write */
export function verifyPlace({ name, kind }: PackPlace, guard: OutputGuard): void {
  if (kind === 'zip') guard.verify(name, { isOurs: isOurZip });
  else verifyFolder(resolve(name), name);
}

/** A folder is replaced as a whole, so it may have nothing but what its own index names. */
function verifyFolder(path: string, name: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return;
  if (!found.isDirectory()) throw notOurs(name, 'is not a folder');
  const files = readdirSync(path, { recursive: true, withFileTypes: true }).filter(
    (entry) => !entry.isDirectory(),
  );
  if (files.length === 0) return;
  const own = ownFiles(join(path, INDEX_NAME));
  const other = files
    .map((file) => join(file.parentPath, file.name))
    .find((file) => {
      return !own.has(file.slice(path.length + 1).replaceAll(sep, '/'));
    });
  if (other !== undefined)
    throw notOurs(name, `has ${clean(other.slice(path.length + 1))}, which skinsmith did not write`);
}

function notOurs(name: string, why: string): CliError {
  return new CliError('output_exists', `${clean(name)} ${why}.`, {
    hint: 'A pack replaces a whole folder. Choose another folder, or a zip.',
  });
}

/** The files of a folder according to its index; none if that is not ours. */
function ownFiles(index: string): ReadonlySet<string> {
  if (!statSync(index, { throwIfNoEntry: false })?.isFile()) return new Set();
  const { namespace, skins } = readIndexFile(index);
  const files = skins.flatMap(({ id, texture, cape, elytra }) => [
    ...[texture, cape, elytra].flatMap((location) => (location ? [texturePath(location)] : [])),
    ...['give', 'summon'].map((act) => functionPath(namespace, `${act}/${id}`)),
  ]);
  const common = ['lineup', 'remove'].map((act) => functionPath(namespace, act));
  return new Set(['pack.mcmeta', 'pack.png', INDEX_NAME, ...common, ...files]);
}
