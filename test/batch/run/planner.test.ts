import { expect, test } from 'vitest';
import type { Journal } from '../../../src/batch/journal.ts';
import type { Lockfile } from '../../../src/batch/lockfile/lockfile.ts';
import type { BatchSource, Work } from '../../../src/batch/model.ts';
import type { SignerRule } from '../../../src/batch/signers.ts';
import { PlayerNameError } from '../../../src/batch/sources/player-names.ts';
import type { SuppliedOutcome, SuppliedSkins } from '../../../src/batch/sources/supplied-skin.ts';
import type { LockEntry } from '../../../src/protocol/lock-line.ts';
import { buildTexturesValue } from '../../../src/textures/property.ts';
import { makePlanner, picture, plan, skinOf, streamOf, workOf } from '../../support/batch/planner.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { chunk } from '../../support/skin/png-writer.ts';

/** The same in a file of this size. */
function largePicture(number: number, size: number): BatchSource {
  const png = skinPng(number);
  const end = png.length - chunk('IEND').length;
  const empty = chunk('tEXt', Buffer.alloc(0));
  const filling = chunk('tEXt', Buffer.alloc(size - png.length - empty.length, 'x'));
  const bytes = Buffer.concat([png.subarray(0, end), filling, png.subarray(end)]);
  return { ...picture(number), content: { kind: 'bytes', bytes } };
}

test('A duplicate joins the pending work for the same picture', async () => {
  const planner = makePlanner();
  const [first, again] = await plan(planner, picture(1), picture(1));
  const work = workOf(first!)!;
  expect(workOf(again!)).toBe(work);
  expect(work.members.map(({ index }) => index)).toEqual([0, 1]);
  expect(work).toMatchObject({ attempt: 0, losses: 0 });
  planner.settled(work);
  expect(work.bytes).toBeUndefined();
  const [later] = await plan(planner, picture(1));
  expect(later?.decision.kind).toBe('new');
  expect(workOf(later!)).not.toBe(work);
  expect(later?.member.index).toBe(2);
});

test('A picture is kept in memory until it was sent', async () => {
  const planner = makePlanner();
  const [planned] = await plan(planner, picture(1));
  const work = workOf(planned!)!;
  expect(work.bytes).toEqual(skinPng(1));
  planner.sent(work);
  expect(work.bytes).toBeUndefined();
});

test('Each source has an output name of its own', async () => {
  const planned = await plan(makePlanner(), picture(1), picture(2), picture(1));
  expect(new Set(planned.map(({ member }) => member.stem)).size).toBe(3);
});

test('Up to four mebibytes of pictures are kept in memory, and more once some were sent', async () => {
  const planner = makePlanner();
  const [size, last] = [19_000, 4 * 1024 * 1024 - 220 * 19_000];
  const player: BatchSource = { label: 'ann', stem: 'ann', content: { kind: 'user', user: 'ann' } };
  const sizes = [...Array<number>(220).fill(size), last];
  const sources = sizes.map((each, number) => largePicture(number, each));
  const works = (await plan(planner, player, ...sources, picture(1_000))).map((one) => workOf(one)!);
  const isKept = ({ bytes }: Work) => bytes !== undefined;
  expect(works.slice(1).findIndex((work) => !isKept(work))).toBe(221);
  planner.sent(works[1]!);
  planner.sent(works[1]!);
  const more = [largePicture(1_001, size + 1), largePicture(1_002, size), picture(1_003)];
  const kept = (await plan(planner, ...more)).map((one) => isKept(workOf(one)!));
  expect(kept).toEqual([false, true, false]);
});

test('After an abort, no source is planned or looked up', async () => {
  const abort = new AbortController();
  const [afterAbort, both] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const lookedUp: string[] = [];
  const planner = makePlanner({
    findSkin: async (uuid) => {
      lookedUp.push(uuid);
      if (lookedUp.length === 2) both.resolve();
      await both.promise;
      return undefined;
    },
  });
  const sources = streamOf(['a', 'b', 'c'].map(skinOf), afterAbort.promise);
  const planned = planner.plan(sources, abort.signal);
  expect((await planned.next()).value).toMatchObject({ member: { index: 0 } });
  abort.abort(new Error('enough'));
  afterAbort.resolve();
  await expect(planned.next()).rejects.toThrow('enough');
  expect(lookedUp).toEqual(['a', 'b']);
});

test('A skin that has to be made again, but that the service does not have, is made from the data in the lockfile', async () => {
  const uuid = 'd'.repeat(32);
  const skin = { url: `https://skins.example/textures/${'ab'.repeat(32)}`, variant: 'slim' } as const;
  const value = buildTexturesValue({ timestamp: 1, profileId: uuid, profileName: 'Ann', skin });
  const note = { code: 'made_from_texture', message: 'So it is.' };
  const planner = makePlanner({
    findSkin: async () => undefined,
    lockfile: {
      recordOf: () => undefined,
      find: () => ({ state: 'same', entry: 0 }),
      signerOf: () => undefined,
      read: () => ({ value, signature: 'signed' }) as LockEntry,
    } as unknown as Lockfile,
    signers: {
      applies: true,
      damageOf: () => undefined,
      judge: async () => ({ standing: 'outdated', signedBy: { signer: 'another' } }),
    } as unknown as SignerRule,
    given: { judge: async () => ({ kind: 'remade', note }) } as unknown as SuppliedSkins,
  });
  const [planned] = await plan(planner, skinOf(uuid));
  expect(planned?.decision).toMatchObject({ kind: 'new', outdated: { signer: 'another' } });
  const work = workOf(planned!)!;
  expect(work).toMatchObject({ variant: 'slim', warnings: [note] });
  expect(work.members[0]?.source.content).toEqual({
    kind: 'uuid',
    uuid,
    given: { value, signature: 'signed' },
  });
});

test('Skin data that proves to be a result needs no work', async () => {
  const uuid = 'd'.repeat(32);
  const texture = { url: `https://skins.example/textures/${'ab'.repeat(32)}`, variant: 'slim' } as const;
  const value = buildTexturesValue({ timestamp: 1, profileId: uuid, profileName: 'Ann', skin: texture });
  const skin = { uuid, name: 'Ann' };
  const judged: unknown[] = [];
  const judge: SuppliedSkins['judge'] = async (wanted) => {
    judged.push(wanted);
    return { kind: 'kept', skin, warnings: [] } as unknown as SuppliedOutcome;
  };
  const planner = makePlanner({ given: { judge } as SuppliedSkins });
  const given = { value, signature: 'signed', name: 'Ann' };
  const [planned] = await plan(planner, { label: 'data', stem: 'data', content: { kind: 'data', given } });
  expect(planned?.decision).toMatchObject({ kind: 'given', skin });
  expect(judged).toEqual([{ given, variant: 'auto', isOfService: false }]);
});

test('A Bedrock player becomes skin data when looked up, or is refused with the reason', async () => {
  const given = {
    value: buildTexturesValue({
      timestamp: 1,
      profileId: 'a'.repeat(32),
      profileName: 'Ann',
      skin: { url: 'http://textures.minecraft.net/texture/abc', variant: 'slim' },
    }),
    signature: 'sig',
  };
  const asked: string[] = [];
  const skinOf = async ({ player }: { player: string }) => {
    asked.push(player);
    if (player === 'ann') return given;
    throw new PlayerNameError('no_bedrock_skin', 'None.', { hint: 'Join.' });
  };
  const judged: unknown[] = [];
  const judge = async (wanted: unknown): Promise<SuppliedOutcome> => {
    judged.push(wanted);
    return { kind: 'remade', note: { code: 'made_from_texture', message: 'Why.' } };
  };
  const source = (player: string): BatchSource => ({
    label: `.${player}`,
    stem: player,
    content: { kind: 'bedrock', player, typed: player },
  });
  const planner = makePlanner({ bedrock: { skinOf }, given: { judge } as unknown as SuppliedSkins });
  const [ann, again, bob] = await plan(planner, source('ann'), source('ann'), source('bob'));
  expect(judged[0]).toMatchObject({ given, isOfService: false });
  expect(ann).toMatchObject({
    member: { id: 'bedrock:ann' },
    decision: { kind: 'new', work: { variant: 'slim' } },
  });
  expect(again?.decision.kind).toBe('repeated');
  expect(bob?.decision).toEqual({
    kind: 'refused',
    problem: { code: 'no_bedrock_skin', message: 'None.', hint: 'Join.' },
  });
  const [offline] = await plan(makePlanner(), source('ann'));
  expect(offline?.decision.kind).toBe('new');
  const journal = { stateOf: () => ({ step: 'done' }), hasFound: () => true } as unknown as Journal;
  const [resumed] = await plan(makePlanner({ bedrock: { skinOf }, journal }), source('ann'));
  expect(resumed?.decision).toMatchObject({ kind: 'done', origin: 'journal' });
  expect(asked).toEqual(['ann', 'ann', 'bob']);
});
