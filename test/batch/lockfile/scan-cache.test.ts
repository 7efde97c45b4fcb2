import { readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { expect, test } from 'vitest';
import { Lockfile } from '../../../src/batch/lockfile/lockfile.ts';
import { ScanCache } from '../../../src/batch/lockfile/scan-cache.ts';
import { SignerColumn } from '../../../src/batch/lockfile/signer-column.ts';
import { Snapshot } from '../../../src/batch/lockfile/snapshot.ts';
import { withDigest } from '../../../src/protocol/lock-line.ts';
import { allOf, entriesOf, find, lockEntry, ownPath, textOf } from '../../support/batch/lockfile-entries.ts';

/** Enough that the file is worth it. */
const NAMES = Array.from({ length: 1_000 }, (_, number) => `${String(number).padStart(4, '0')}-ä.png`);
const ENTRIES = entriesOf(...NAMES).map((entry) => withDigest({ ...entry, signer: 'game' }));
/** Milliseconds after which the times of a file are relied on, and more. */
const LATER = 10_000;

async function largeFile(): Promise<{ path: string; kept: string }> {
  const path = await ownPath(textOf(ENTRIES));
  return { path, kept: join(dirname(path), 'kept') };
}

function scanCache({ path, kept }: { path: string; kept: string }, now = Date.now() + LATER): ScanCache {
  return new ScanCache(path, kept, now);
}

/** V8's format has its version in the second byte. The first eight bytes are the checksum of the rest. */
function withNewerFormat(bytes: Buffer): Buffer {
  bytes.writeUInt8(255, 9);
  bytes.writeUInt32LE(crc32(bytes.subarray(8)));
  return bytes;
}

/** Opens the lockfile as one run after another does. Returns whether the file itself was scanned. */
function openAndKeep(place: { path: string; kept: string }, now?: number): boolean {
  const snapshot = Snapshot.open(place.path, scanCache(place, now));
  snapshot.cacheScan();
  snapshot.close();
  return snapshot.isScanned;
}

test('A lockfile that has not changed is not scanned again, and has the same entries', async () => {
  const place = await largeFile();
  expect([openAndKeep(place), openAndKeep(place)]).toEqual([true, false]);
  const lockfile = await Lockfile.open(place.path, Date.now(), scanCache(place));
  expect(allOf(lockfile)).toEqual(ENTRIES);
  for (const [entry, its] of ENTRIES.entries()) {
    expect(find(lockfile, its)).toEqual({ state: 'same', entry });
    expect(lockfile.uuidOf(entry)).toBe(its.uuid);
  }
  lockfile.close();
});

test('A lockfile is scanned again where nothing can be kept', async () => {
  const { path } = await largeFile();
  const place = { path, kept: join(path, 'below a file') };
  expect([openAndKeep(place), openAndKeep(place)]).toEqual([true, true]);
});

test.each<[what: string, change: (path: string) => void]>([
  ['with other bytes', (path) => writeFileSync(path, readFileSync(path, 'utf8').replace('0000-ä', '000x-ä'))],
  ['with another time', (path) => utimesSync(path, 1, 1)],
  ['with more entries', (path) => writeFileSync(path, textOf(entriesOf('a.png')), { flag: 'a' })],
])('A lockfile %s is scanned', async (_, change) => {
  const place = await largeFile();
  openAndKeep(place);
  change(place.path);
  expect(openAndKeep(place)).toBe(true);
});

test('A lockfile that was just written is scanned each time: it may change without a new time', async () => {
  const place = await largeFile();
  const now = statSync(place.path).mtimeMs + 1_000;
  expect([openAndKeep(place, now), openAndKeep(place, now), openAndKeep(place)]).toEqual([true, true, true]);
  expect(openAndKeep(place, now)).toBe(true);
});

test.each<[what: string, change: (bytes: Buffer) => Buffer]>([
  ['is damaged', (bytes) => bytes.fill(0xff, bytes.length - 10)],
  ['is cut off', (bytes) => bytes.subarray(0, -1)],
  ['is empty', () => Buffer.alloc(0)],
  ['was written by a newer V8', withNewerFormat],
])('A lockfile is scanned where what was kept %s', async (_, change) => {
  const place = await largeFile();
  openAndKeep(place);
  const [name = ''] = readdirSync(place.kept);
  const file = join(place.kept, name);
  writeFileSync(file, change(readFileSync(file)));
  expect([openAndKeep(place), openAndKeep(place)]).toEqual([true, false]);
});

test('Who signed an entry is kept once it has been read, also where nothing else is new', async () => {
  const place = await largeFile();
  openAndKeep(place);
  const snapshot = Snapshot.open(place.path, scanCache(place));
  expect([3, 999].map((entry) => snapshot.signerOf(entry)?.signer)).toEqual(['game', 'game']);
  snapshot.cacheScan();
  snapshot.close();
  const signers = scanCache(place).get(statSync(place.path))?.signers;
  expect([3, 4, 999].map((entry) => signers?.at(entry)?.signer)).toEqual(['game', undefined, 'game']);
});

test('A change is merged into what the file holds, whatever is remembered of it', async () => {
  const place = await largeFile();
  const { scan } = Snapshot.open(await ownPath(textOf(ENTRIES.slice(1))));
  scanCache(place).set(statSync(place.path), { scan, signers: new SignerColumn(new Uint8Array(999), []) });
  const lockfile = await Lockfile.open(place.path, Date.now(), scanCache(place));
  expect(lockfile.size).toBe(999);
  const added = withDigest(lockEntry({ source: 'z.png' }));
  expect(await lockfile.rewrite([added], () => true)).toEqual({ written: true, entries: 1_001, dropped: 0 });
  expect(readFileSync(place.path, 'utf8')).toBe(textOf([...ENTRIES, added]));
  lockfile.close();
});

test('What is kept of lockfiles that have not changed for long is dropped', async () => {
  const [old, current] = [await largeFile(), await largeFile()];
  const [kept, day] = [old.kept, 24 * 60 * 60];
  openAndKeep(old);
  const [name = ''] = readdirSync(kept);
  const then = Date.now() / 1_000 - 91 * day;
  utimesSync(join(kept, name), then, then);
  openAndKeep({ path: current.path, kept });
  expect(readdirSync(kept)).not.toContain(name);
  expect(openAndKeep({ path: current.path, kept })).toBe(false);
});

test('Nothing is kept of a small lockfile, which is scanned in a moment', async () => {
  const path = await ownPath(textOf(entriesOf('a.png')));
  const place = { path, kept: join(dirname(path), 'kept') };
  expect([openAndKeep(place), openAndKeep(place)]).toEqual([true, true]);
});
