import { statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { DigestCache } from '../../../src/base/digest-cache.ts';
import { Journal } from '../../../src/batch/journal.ts';
import { Lockfile } from '../../../src/batch/lockfile/lockfile.ts';
import { type BatchSource, Coverage, workKey } from '../../../src/batch/model.ts';
import type { PlanOptions } from '../../../src/batch/options.ts';
import { openBatch } from '../../../src/batch/run/batch-files.ts';
import { planBatch } from '../../../src/batch/run/plan-batch.ts';
import { type LockEntry, withDigest } from '../../../src/protocol/lock-line.ts';
import { pixelHash } from '../../../src/skin/read-skin.ts';
import { buildTexturesValue } from '../../../src/textures/property.ts';
import { recordOf } from '../../support/batch/journal-records.ts';
import { lockEntry, textOf, valueFor } from '../../support/batch/lock-entry.ts';
import { drawSkin, skinPng } from '../../support/server/drawn-skins.ts';
import { ownFolder } from '../../support/server/own-folder.ts';

const SERVICE = 'https://skins.example';
const HEX = 'ab'.repeat(16);

type Options = Partial<PlanOptions>;

/** The n-th drawn skin in digests. */
function picture(number: number, over: Partial<BatchSource> = {}): BatchSource {
  return {
    label: `skin ${number}`,
    stem: 'skin',
    content: { kind: 'bytes', bytes: skinPng(number) },
    ...over,
  };
}

function pixelsOf(number: number): string {
  return pixelHash(drawSkin(number));
}

function keyOf(number: number): string {
  return workKey({ content: { pixels: pixelsOf(number) }, variant: 'auto', visibility: undefined });
}

/** A sound entry of the n-th drawn skin. */
function entry(number: number, over: Partial<LockEntry> = {}): LockEntry {
  const pixels = pixelsOf(number);
  return withDigest(
    lockEntry({ source: `bytes:${pixels}`, pixels, service: SERVICE, signer: SERVICE, ...over }),
  );
}

async function optionsIn(
  folder: string,
  sources: readonly BatchSource[],
  over: Options = {},
): Promise<PlanOptions> {
  return {
    sources: (async function* () {
      yield* sources;
    })(),
    service: { name: SERVICE, caller: 'ann' },
    stateDir: join(folder, 'state'),
    ...over,
  };
}

/** What the plan says of each source. */
async function outlooks(
  sources: readonly BatchSource[],
  { entries = [], ...over }: Options & { entries?: readonly LockEntry[] } = {},
): Promise<unknown[]> {
  const folder = await ownFolder();
  const lockfile = join(folder, 'skins.lock');
  await writeFile(lockfile, textOf(entries));
  const found = [];
  for await (const { outlook } of planBatch(await optionsIn(folder, sources, { lockfile, ...over })))
    found.push(outlook);
  return found;
}

test('Sources with the same pixels and options are one skin', async () => {
  const sources = [
    picture(1),
    picture(2),
    picture(1, { label: 'again' }),
    picture(1, { variant: 'slim' }),
    picture(1, { visibility: 'private' }),
    picture(2, { variant: 'auto', visibility: 'public' }),
  ];
  expect(await outlooks(sources)).toEqual(['new', 'new', 'repeated', 'new', 'new', 'repeated']);
});

test('Options of the batch apply to each source without options of its own', async () => {
  const sources = [picture(1), picture(1, { variant: 'auto' }), picture(1, { variant: 'slim' })];
  expect(await outlooks(sources, { variant: 'slim' })).toEqual(['new', 'new', 'repeated']);
  const seen = [picture(1), picture(1, { visibility: 'public' }), picture(1, { visibility: 'unlisted' })];
  expect(await outlooks(seen, { visibility: 'unlisted' })).toEqual(['new', 'new', 'repeated']);
});

test('Links and players are distinguished, and each is one skin', async () => {
  const link = {
    label: 'link',
    stem: 'link',
    content: { kind: 'url', url: 'https://a.example/s.png' },
  } as const;
  const player = { label: 'ann', stem: 'ann', content: { kind: 'user', user: 'ann' } } as const;
  expect(await outlooks([link, player, link, player])).toEqual(['new', 'new', 'repeated', 'repeated']);
});

test('A source that cannot be used is refused with its reason', async () => {
  const problem = { code: 'not_found', message: 'There is no such file.' };
  const folder = await ownFolder();
  const sources = [picture(1, { content: { kind: 'problem', problem } }), picture(2)];
  const planned = [];
  for await (const one of planBatch(await optionsIn(folder, sources))) planned.push(one);
  expect(planned).toMatchObject([
    { outlook: 'refused', result: { index: 0, source: 'skin 1', error: problem } },
    { outlook: 'new', result: { index: 1, source: 'skin 2', warnings: [] } },
  ]);
});

test('A skin in the lockfile is known, even under another name, unless everything is made again', async () => {
  const entries = [entry(1), entry(2, { source: 'elsewhere.png' })];
  const sources = [picture(1), picture(2), picture(3)];
  expect(await outlooks(sources, { entries })).toEqual(['locked', 'locked', 'new']);
  expect(await outlooks(sources, { entries, force: true })).toEqual(['new', 'new', 'new']);
});

test('A file with other pixels or options than the lockfile has is changed', async () => {
  const folder = await ownFolder();
  const [lockfile, path] = [join(folder, 'skins.lock'), join(folder, 'a.png')];
  await writeFile(path, skinPng(1));
  await writeFile(lockfile, textOf([entry(2, { source: 'a.png' })]));
  const file = picture(1, { content: { kind: 'file', path } });
  const found = [];
  for await (const one of planBatch(await optionsIn(folder, [file], { lockfile }))) found.push(one.outlook);
  expect(found).toEqual(['changed']);
});

test.each([
  ['the service itself', { signer: SERVICE }, {}, 'locked', undefined],
  ['the game', { signer: 'game' }, {}, 'locked', undefined],
  ['nobody known', { signer: 'unproved' }, {}, 'locked', { signer: 'unproved' }],
  [
    'another service',
    { signer: 'https://other.example' },
    {},
    'outdated',
    { signer: 'https://other.example' },
  ],
  [
    'another service, which is to be kept',
    { signer: 'https://other.example' },
    { keepSignatures: true },
    'locked',
    undefined,
  ],
] as const)(
  'An entry signed by %s, %j, is planned with %j as %s',
  async (_, over, options, outlook, signedBy) => {
    const folder = await ownFolder();
    const lockfile = join(folder, 'skins.lock');
    await writeFile(lockfile, textOf([entry(1, over)]));
    const found = [];
    for await (const one of planBatch(await optionsIn(folder, [picture(1)], { lockfile, ...options })))
      found.push(one);
    expect(found).toMatchObject([{ outlook }]);
    if (signedBy) expect(found[0]?.signedBy).toMatchObject(signedBy);
    else expect(found[0]?.signedBy).toBeUndefined();
  },
);

test('A damaged entry is a refused source, not skin data', async () => {
  const damaged = { ...entry(1), signature: Buffer.alloc(512, 'another').toString('base64') };
  expect(await outlooks([picture(1)], { entries: [damaged] })).toEqual(['refused']);
});

test('The plan shows what an earlier run made, failed to make or could not verify', async () => {
  const folder = await ownFolder();
  const earlier = await openBatch(await optionsIn(folder, []), { write: true });
  const { s: _, ...record } = { s: 'done', ...recordOf(1) };
  earlier.journal?.done({ ...record, k: keyOf(1), signer: SERVICE });
  earlier.journal?.failed({ k: keyOf(2), code: 'job_failed', message: 'No skin.' });
  earlier.journal?.unverified({ ...record, k: keyOf(3), code: 'wrong_skin', message: 'Another picture.' });
  earlier.journal?.accepted(keyOf(4), 0, 'a job');
  earlier.journal?.close();
  earlier.close();
  const sources = [1, 2, 3, 4].map((number) => picture(number));
  const planned = [];
  for await (const { outlook, result } of planBatch(await optionsIn(folder, sources))) {
    const { origin, job, error, skin } = result;
    planned.push({ outlook, origin, job, error, uuid: skin?.uuid, signer: skin?.signedBy?.signer });
  }
  expect(planned).toMatchObject([
    { outlook: 'made', origin: 'journal', job: 'job 1', uuid: record.skin.uuid, signer: SERVICE },
    { outlook: 'refused', error: { code: 'job_failed', message: 'No skin.' } },
    { outlook: 'unverified' },
    { outlook: 'new' },
  ]);
  const others = [];
  for await (const one of planBatch(await optionsIn(folder, [picture(1)], { purpose: 'another batch' })))
    others.push(one.outlook);
  expect(others).toEqual(['new']);
});

test('A UUID is a skin where the service has one, else a player', async () => {
  const source: BatchSource = { label: HEX, stem: HEX, content: { kind: 'uuid', uuid: HEX } };
  const player: BatchSource = { ...source, content: { kind: 'user', user: HEX } };
  const asked: string[] = [];
  const findSkin = async (uuid: string) => {
    asked.push(uuid);
    return undefined;
  };
  const service = { name: SERVICE, caller: 'ann', findSkin };
  expect(await outlooks([source, player], { service })).toEqual(['new', 'repeated']);
  expect(asked).toEqual([HEX]);
  const entries = [entry(1, { source: `skin:${HEX}`, pixels: undefined })].map(
    ({ pixels: _, ...rest }) => rest,
  );
  expect(await outlooks([source], { service, entries })).toEqual(['locked']);
  expect(asked).toEqual([HEX]);
});

test('A skin by UUID that the service no longer has is taken from the data in the lockfile', async () => {
  const source: BatchSource = { label: HEX, stem: HEX, content: { kind: 'uuid', uuid: HEX } };
  const value = buildTexturesValue({
    timestamp: 1,
    profileId: HEX,
    profileName: 'Ann',
    skin: { url: `https://skins.example/textures/${pixelsOf(1)}`, variant: 'classic' },
  });
  const over = { source: `skin:${HEX}`, signer: 'https://other.example', value };
  const { pixels: _, ...other } = entry(1, over);
  const asked: string[] = [];
  const findSkin = async (uuid: string) => {
    asked.push(uuid);
    return undefined;
  };
  const service = { name: SERVICE, caller: 'ann', findSkin };
  const folder = await ownFolder();
  const lockfile = join(folder, 'skins.lock');
  await writeFile(lockfile, textOf([other]));
  const planned = [];
  for await (const one of planBatch(await optionsIn(folder, [source], { lockfile, service })))
    planned.push(one);
  expect(planned).toMatchObject([
    { outlook: 'given', result: { skin: { value, signature: other.signature } } },
  ]);
  expect(asked).toEqual([HEX]);
});

test('A plan closes its files, and keeps what it learned about the sources for the next plan', async () => {
  const folder = await ownFolder();
  const [lockfile, path] = [join(folder, 'skins.lock'), join(folder, 'a.png')];
  await writeFile(path, skinPng(1));
  await writeFile(lockfile, textOf([entry(1)]));
  const earlier = await openBatch(await optionsIn(folder, [], { lockfile }), { write: true });
  earlier.journal?.refused('k');
  earlier.journal?.close();
  earlier.close();
  const closes = [Lockfile, Journal].map((file) => vi.spyOn(file.prototype, 'close'));
  onTestFinished(() => void vi.restoreAllMocks());
  // The time of the last change of a file cannot be set: it is long ago by a clock that is ahead.
  const clock = { ...systemClock, now: () => Date.now() + 60_000 };
  const file = picture(1, { content: { kind: 'file', path } });
  for await (const { outlook } of planBatch(await optionsIn(folder, [file], { lockfile, clock })))
    expect(outlook).toBe('locked');
  expect(closes.map((close) => close.mock.calls.length)).toEqual([1, 1]);
  const digests = new DigestCache(join(folder, 'state/files.ndjson'), clock.now());
  expect(digests.get(path, statSync(path))).toBe(pixelsOf(1));
});

test('A batch that is interrupted plans no further', async () => {
  const folder = await ownFolder();
  const options = await optionsIn(folder, [picture(1)], { signal: AbortSignal.abort(new Error('enough')) });
  await expect(planBatch(options).next()).rejects.toThrow('enough');
});

test('A source that is gone is dropped with its files, except files whose name another source has', async () => {
  const folder = await ownFolder();
  const record = {
    list: 'skins.csv',
    outputs: ['skin', 'other'].map((name) => ({ name, files: [`${name}.txt`] })),
  };
  const own = { outputs: [{ name: 'skin', files: ['elsewhere/skin.txt'] }] };
  const entries = [entry(1, { record: own }), entry(2, { record, value: valueFor(`bytes:${pixelsOf(2)}`) })];
  for (const name of ['skin', 'other']) await writeFile(join(folder, `${name}.txt`), entries[1]!.value);
  const outputs = { hasForm: () => true };
  const lockfile = join(folder, 'skins.lock');
  await writeFile(lockfile, textOf(entries));
  const coverage = new Coverage();
  coverage.addList(join(folder, 'skins.csv'));
  const planned = [];
  const options = await optionsIn(folder, [picture(1)], { lockfile, coverage, outputs });
  for await (const one of planBatch(options)) planned.push(one);
  expect(planned).toMatchObject([
    { outlook: 'locked' },
    { outlook: 'gone', outputs: [join(folder, 'other.txt')], isKept: false },
  ]);
});
