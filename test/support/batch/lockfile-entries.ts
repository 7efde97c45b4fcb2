import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { workOf } from '../../../src/batch/lockfile/entries.ts';
import { Lockfile } from '../../../src/batch/lockfile/lockfile.ts';
import { type LockEntry, lockEntrySchema } from '../../../src/protocol/lock-line.ts';
import { ownFolder } from '../server/own-folder.ts';
import { textOf } from './lock-entry.ts';

export * from './lock-entry.ts';

/** A lockfile's path in a folder of its own; undefined: there is no file. */
export async function ownPath(text?: string | Uint8Array): Promise<string> {
  const path = join(await ownFolder(), 'skins.lock');
  if (text !== undefined) writeFileSync(path, text);
  return path;
}

export async function openAt(path: string): Promise<Lockfile> {
  const lockfile = await Lockfile.open(path);
  onTestFinished(() => lockfile.close());
  return lockfile;
}

export async function openText(text?: string | Uint8Array): Promise<Lockfile> {
  return await openAt(await ownPath(text));
}

/** Everything in an open lockfile, in its order. */
export function allOf(lockfile: Lockfile): LockEntry[] {
  return Array.from({ length: lockfile.size }, (_, entry) => lockfile.read(entry));
}

/** What the file has in it, read by nothing of ours but the schema. */
export function fileAt(path: string): LockEntry[] {
  const lines = readFileSync(path, 'utf8').split(/\r?\n/).filter(Boolean);
  return lines.map((line) => lockEntrySchema.parse(JSON.parse(line)));
}

export function find(lockfile: Lockfile, entry: LockEntry) {
  return lockfile.find(entry.source, workOf(entry));
}

export const keepAll = () => true;
export const keepNone = () => false;

/** A lockfile in a file of its own with these entries, open. */
export async function ownLockfile(entries: readonly LockEntry[], lineEnd = '\n') {
  const path = await ownPath(textOf(entries, lineEnd));
  return { path, lockfile: await openAt(path) };
}

/** What it throws. */
export function thrownBy(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  throw new Error('It should have failed, but it did not.');
}
