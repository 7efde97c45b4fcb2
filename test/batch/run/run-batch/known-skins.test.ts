import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type BatchResult, type BatchSource, Coverage } from '../../../../src/batch/model.ts';
import type { BatchOptions } from '../../../../src/batch/options.ts';
import { runBatch } from '../../../../src/batch/run/run-batch.ts';
import { type LockEntry, withDigest } from '../../../../src/protocol/lock-line.ts';
import { pixelHash } from '../../../../src/skin/read-skin.ts';
import { buildTexturesValue } from '../../../../src/textures/property.ts';
import { lockEntry, textOf } from '../../../support/batch/lock-entry.ts';
import { drawSkin, skinPng } from '../../../support/server/drawn-skins.ts';
import { ownFolder } from '../../../support/server/own-folder.ts';

const SERVICE = 'https://skins.example';
const UUID = 'ab'.repeat(16);
const PIXELS = pixelHash(drawSkin(1));

/** An entry of the first drawn skin whose signature is not the one that its digest is of. */
const DAMAGED = {
  ...withDigest(lockEntry({ source: `bytes:${PIXELS}`, pixels: PIXELS, service: SERVICE, signer: SERVICE })),
  signature: Buffer.alloc(512, 'another').toString('base64'),
};

const PICTURE: BatchSource = {
  label: 'one.png',
  stem: 'one',
  content: { kind: 'bytes', bytes: skinPng(1) },
};

/** A batch that must not contact its service, over a lockfile with these entries. */
async function runKnown(
  source: BatchSource,
  {
    entries = [],
    sources,
    ...over
  }: Partial<BatchOptions> & { readonly entries?: readonly LockEntry[] } = {},
  prepare: (folder: string) => void = () => {},
) {
  const folder = await ownFolder();
  prepare(folder);
  const lockfile = join(folder, 'skins.lock');
  const before = textOf(entries);
  await writeFile(lockfile, before);
  const results: BatchResult[] = [];
  const connect = async () => {
    throw new Error('The service was contacted.');
  };
  const summary = await runBatch({
    sources:
      sources ??
      (async function* () {
        yield source;
      })(),
    service: { name: SERVICE, caller: 'ann', connect },
    stateDir: join(folder, 'state'),
    lockfile,
    keepSignatures: true,
    onEvent: (event) => {
      if (event.type === 'result') results.push(event.result);
    },
    ...over,
  });
  const after = await readFile(lockfile, 'utf8');
  const lines: LockEntry[] = after
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  return { summary, results, lines, isLockfileSame: after === before };
}

test('An entry of the source itself is read only when its skin is used', async () => {
  const unread = await runKnown(PICTURE, { entries: [DAMAGED] });
  expect([unread.summary.known, unread.summary.failed]).toEqual([1, 0]);
  const deliver = (result: BatchResult) => void result.skin;
  const read = await runKnown(PICTURE, { entries: [DAMAGED], deliver });
  expect(read.results).toMatchObject([{ source: 'one.png', error: { code: 'lockfile_damaged' } }]);
  expect(read.summary).toMatchObject({ failed: 1, finished: 1 });
});

test('An entry of another source is checked before a line is written from it', async () => {
  const entries = [{ ...DAMAGED, source: 'elsewhere.png' }];
  const { summary, results, isLockfileSame } = await runKnown(PICTURE, { entries });
  expect(results).toMatchObject([{ source: 'one.png', error: { code: 'lockfile_damaged' } }]);
  expect([summary.failed, summary.lockfile, isLockfileSame]).toEqual([
    1,
    {
      written: false,
      bytes: expect.any(Number),
      dropped: 0,
      gone: [],
      renamed: [],
      isRefused: false,
      isMerged: false,
    },
    true,
  ]);
});

/** A service that has Ann's skin, whose signature no known key verifies. */
const VALUE = buildTexturesValue({
  timestamp: 1,
  profileId: UUID,
  profileName: 'Ann',
  skin: { url: `${SERVICE}/textures/${PIXELS}`, variant: 'classic' },
});
const signature = Buffer.alloc(512, 'signed').toString('base64');
const HAS_SKIN = {
  name: SERVICE,
  caller: 'ann',
  findSkin: async () => ({ value: VALUE, signature, uuid: UUID }),
} as unknown as BatchOptions['service'];
const BY_UUID: BatchSource = { label: UUID, stem: 'ann', content: { kind: 'uuid', uuid: UUID } };

test('Skin data that is a source is its own result, and gets a line in the lockfile', async () => {
  const { summary, results } = await runKnown(BY_UUID, { service: HAS_SKIN });
  expect(results).toMatchObject([{ source: UUID, origin: 'given', skin: { value: VALUE, uuid: UUID } }]);
  expect(summary).toMatchObject({ known: 1, finished: 1, lockfile: { written: true } });
});

/** What a run makes of a lockfile that also has a file which does not exist, below a folder that the run has walked. */
async function runWithGone(options: Partial<BatchOptions>, { isEmpty = false, hasOther = true } = {}) {
  const sound = withDigest(
    lockEntry({ source: `bytes:${PIXELS}`, pixels: PIXELS, service: SERVICE, signer: SERVICE }),
  );
  const entries = [...(hasOther ? [sound] : []), lockEntry({ source: 'nowhere/gone.png' })];
  const coverage = new Coverage();
  const sources = hasOther ? undefined : noSources();
  const shown = { entries, coverage, ...(sources && { sources }), ...options };
  const run = await runKnown(PICTURE, shown, (folder) =>
    coverage.addFolder({ path: join(folder, 'nowhere'), recursive: false, isEmpty }),
  );
  return run.summary.lockfile;
}

test.each([
  [true, { written: true, dropped: 1 }],
  [undefined, { written: false, dropped: 0 }],
])('Entries of sources that are gone are dropped if requested: %s', async (prune, lockfile) => {
  expect(await runWithGone({ prune })).toMatchObject(lockfile);
});

test('No entry is dropped unless the run knows that its source is gone', async () => {
  const unknown = { coverage: undefined, prune: true };
  expect(await runWithGone(unknown)).toMatchObject({ dropped: 0, gone: [] });
});

test.each([
  ['a folder that has no picture left', { isEmpty: true }],
  ['a lockfile', { hasOther: false }],
])('%s is emptied only with --yes', async (_, what) => {
  const gone = [{ id: 'nowhere/gone.png' }];
  expect(await runWithGone({ prune: true }, what)).toMatchObject({ dropped: 0, gone, isRefused: true });
  expect(await runWithGone({ prune: 'all' }, what)).toMatchObject({ dropped: 1, gone, isRefused: false });
});

test('A source whose skin is known under another name gets a line of its own', async () => {
  const sound = withDigest(
    lockEntry({ source: 'elsewhere.png', pixels: PIXELS, service: SERVICE, signer: SERVICE }),
  );
  const { summary, lines } = await runKnown(PICTURE, { entries: [sound] });
  expect(summary).toMatchObject({ known: 1, failed: 0, lockfile: { written: true, dropped: 0 } });
  expect(lines.map(({ source, uuid }) => [source, uuid])).toEqual([
    [`bytes:${PIXELS}`, sound.uuid],
    ['elsewhere.png', sound.uuid],
  ]);
});

test('Without a service, the batch has no jobs', async () => {
  const queued: number[] = [];
  await runKnown(PICTURE, { onProgress: (progress) => queued.push(progress().queued), sources: noSources() });
  expect(queued).toEqual([0]);
});

async function* noSources(): AsyncGenerator<BatchSource> {}

test('A skin that another signer signed is made again once all sources are read', async () => {
  const signer = 'https://other.example';
  const other = withDigest(lockEntry({ source: `bytes:${PIXELS}`, pixels: PIXELS, service: signer, signer }));
  const running = runKnown(PICTURE, { entries: [other], keepSignatures: false });
  await expect(running).rejects.toThrow('The service was contacted.');
});

test.each(['Ann', undefined])(
  'A skin from the lockfile keeps the name that it has there: %s',
  async (name) => {
    const { name: _, ...unnamed } = lockEntry({
      source: `bytes:${PIXELS}`,
      pixels: PIXELS,
      service: SERVICE,
      signer: SERVICE,
    });
    const entry = withDigest({ ...unnamed, ...(name !== undefined && { name }) });
    const skins: unknown[] = [];
    await runKnown(PICTURE, { entries: [entry], deliver: ({ skin }) => void skins.push(skin) });
    expect(skins).toMatchObject([{ uuid: entry.uuid, ...(name !== undefined && { name }) }]);
    expect(Object.hasOwn(skins[0] as object, 'name')).toBe(name !== undefined);
  },
);

test('The notes on skin data that is a source are kept for the run that continues with the batch', async () => {
  const unusable = { kind: 'problem', problem: { code: 'not_a_file', message: 'It is a folder.' } } as const;
  const stateDir = await ownFolder();
  const told: unknown[] = [];
  const deliver = ({ origin, skin, warnings }: BatchResult) => {
    if (skin) told.push([origin, ...warnings.map(({ code }) => code)]);
  };
  for (let run = 1; run <= 2; run++) {
    const sources = (async function* () {
      yield BY_UUID;
      yield { label: 'a folder', stem: 'folder', content: unusable }; // a failure, so that the journal is kept
    })();
    await runKnown(BY_UUID, { sources, service: HAS_SKIN, stateDir, lockfile: undefined, deliver });
  }
  expect(told).toEqual([
    ['given', 'signature_unproved'],
    ['journal', 'signature_unproved'],
  ]);
});
