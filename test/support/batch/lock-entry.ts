import { createHash } from 'node:crypto';
import { type LockEntry, lineOf } from '../../../src/protocol/lock-line.ts';

export function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** A sound entry; its pixels come from the source's name unless they are given. */
export function lockEntry(changes: Partial<LockEntry> = {}): LockEntry {
  const { source = 'steve.png' } = changes;
  return {
    source,
    pixels: hash(source),
    options: { variant: 'auto', visibility: 'public' },
    uuid: hash(`uuid of ${source}`).slice(0, 32),
    name: 'steve',
    variant: 'classic',
    visibility: 'public',
    value: Buffer.from(`value of ${source}`).toString('base64'),
    signature: Buffer.alloc(512, source).toString('base64'),
    texture: `http://textures.minecraft.net/texture/${hash(`texture of ${source}`)}`,
    hash: hash(`texture of ${source}`),
    service: 'https://api.mineskin.org',
    key: hash('key'),
    ...changes,
  };
}

/** The textures document with the texture that the entry of a source has, in base64. */
export function valueFor(source: string): string {
  const { texture: url } = lockEntry({ source });
  return Buffer.from(JSON.stringify({ textures: { SKIN: { url } } })).toString('base64');
}

/** Sound entries, one for each source. */
export function entriesOf(...sources: string[]): LockEntry[] {
  return sources.map((source) => lockEntry({ source }));
}

export function textOf(entries: readonly LockEntry[], lineEnd = '\n'): string {
  return entries.map((entry) => lineOf(entry) + lineEnd).join('');
}

/** What a file has in it that the program beside writes again and again: everything in one of two states. */
export function manyEntries(state: 'even' | 'odd'): LockEntry[] {
  return Array.from({ length: 1500 }, (_, n) =>
    lockEntry({ source: `skins/${String(n).padStart(4, '0')}.png`, name: state.repeat(1 + (n % 5)) }),
  );
}
