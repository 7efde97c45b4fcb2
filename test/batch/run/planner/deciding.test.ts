import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import type { Journal } from '../../../../src/batch/journal.ts';
import type { Lockfile } from '../../../../src/batch/lockfile/lockfile.ts';
import {
  type BatchSource,
  type SourceContent,
  type WorkContent,
  workKey,
} from '../../../../src/batch/model.ts';
import { SignerRule } from '../../../../src/batch/signers.ts';
import type { SuppliedOutcome, SuppliedSkins } from '../../../../src/batch/sources/supplied-skin.ts';
import type { LockEntry } from '../../../../src/protocol/lock-line.ts';
import { pixelHash } from '../../../../src/skin/read-skin.ts';
import { buildTexturesValue } from '../../../../src/textures/property.ts';
import { makePlanner, picture, plan, skinOf, streamOf, workOf } from '../../../support/batch/planner.ts';
import { drawSkin } from '../../../support/server/drawn-skins.ts';

const UUID = 'd'.repeat(32);
const VALUE = buildTexturesValue({
  timestamp: 1,
  profileId: UUID,
  profileName: 'Ann',
  skin: { url: `https://skins.example/textures/${'ab'.repeat(32)}`, variant: 'slim' },
});
const GIVEN = { value: VALUE, signature: 'signed' };

afterEach(() => vi.restoreAllMocks());

function sourceOf(content: SourceContent): BatchSource {
  return { label: 'one', stem: 'one', content };
}

test('Planning yields to other work every eight milliseconds', async () => {
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => {
    now += 4;
    return now;
  });
  const log: string[] = [];
  const sources = streamOf([1, 2, 3, 4].map(picture));
  for await (const { member } of makePlanner().plan(sources, new AbortController().signal)) {
    log.push(`plans ${member.index}`);
    setImmediate(() => log.push(`others after ${member.index}`));
  }
  expect(log).toEqual([
    'plans 0',
    'plans 1',
    'others after 0',
    'others after 1',
    'plans 2',
    'plans 3',
    'others after 2',
    'others after 3',
  ]);
});

test('Six skins are looked up at the service at once', async () => {
  const asked: string[] = [];
  const answers = Promise.withResolvers<undefined>();
  const findSkin = async (uuid: string) => {
    asked.push(uuid);
    return await answers.promise;
  };
  const uuids = [...'01234567'].map((digit) => digit.repeat(32));
  const planning = plan(makePlanner({ findSkin }), ...uuids.map(skinOf));
  await nextTurn();
  expect(asked).toEqual(uuids.slice(0, 6));
  answers.resolve(undefined);
  expect(await planning).toHaveLength(8);
});

test('A UUID of a skin at the service is treated as skin data of the service', async () => {
  const judged: unknown[] = [];
  const judge: SuppliedSkins['judge'] = async (wanted) => {
    judged.push(wanted);
    return { kind: 'kept', skin: { uuid: UUID }, warnings: [] } as unknown as SuppliedOutcome;
  };
  const planner = makePlanner({ findSkin: async () => GIVEN, given: { judge } as SuppliedSkins });
  const [planned] = await plan(planner, skinOf(UUID));
  expect(judged).toEqual([{ given: { ...GIVEN, name: undefined }, variant: 'auto', isOfService: true }]);
  expect(planned?.decision).toMatchObject({ kind: 'given', skin: { uuid: UUID } });
});

test.each([
  ['same', false],
  ['moved', true],
] as const)('An entry found as %s has moved: %s', async (state, moved) => {
  const lockfile = { recordOf: () => undefined, find: () => ({ state, entry: 3 }) } as unknown as Lockfile;
  const [planned] = await plan(makePlanner({ lockfile }), picture(1));
  expect(planned?.decision).toMatchObject({ kind: 'locked', entry: 3, moved });
});

test('In a plan that submits nothing, duplicates wait for no work', async () => {
  const [first, again] = await plan(makePlanner({ submits: false }), picture(1), picture(1));
  expect(workOf(first!)?.members).toHaveLength(1);
  expect(again?.decision).toEqual({ kind: 'repeated', work: undefined });
});

test('The UUID of a skin that an earlier run has begun to make is not looked up again', async () => {
  const asked: string[] = [];
  const planner = makePlanner({
    findSkin: async (uuid) => {
      asked.push(uuid);
      return undefined;
    },
    journal: { stateOf: () => ({ step: 'job', attempt: 0, job: 'j1', mark: 0 }) } as unknown as Journal,
  });
  await plan(planner, skinOf(UUID));
  expect(asked).toEqual([]);
});

test('A refused file has the id that the lockfile would give it', async () => {
  const file: BatchSource = {
    label: 'shown',
    stem: 'a',
    content: { kind: 'file', path: '/no/such/file.png' },
  };
  const [planned] = await plan(makePlanner({ lockDir: '/no' }), file);
  expect(planned?.decision.kind).toBe('refused');
  expect(planned?.member).toMatchObject({ id: 'such/file.png' });
});

test('A picture that must be made again is not looked up', async () => {
  const asked: string[] = [];
  const planner = makePlanner({
    findSkin: async (uuid) => {
      asked.push(uuid);
      return undefined;
    },
    lockfile: {
      recordOf: () => undefined,
      find: () => ({ state: 'same', entry: 0 }),
      signerOf: () => undefined,
      read: () => ({ value: VALUE, signature: 'signed' }) as LockEntry,
    } as unknown as Lockfile,
    signers: {
      applies: true,
      damageOf: () => undefined,
      judge: () => ({ standing: 'outdated', signedBy: { signer: 'another' } }),
    } as unknown as SignerRule,
  });
  const [planned] = await plan(planner, picture(1));
  expect(planned?.decision).toMatchObject({ kind: 'new', outdated: { signer: 'another' } });
  expect(asked).toEqual([]);
});

test.each<[what: string, content: SourceContent, of: WorkContent]>([
  ['a picture by its pixels', picture(1).content, { pixels: pixelHash(drawSkin(1)) }],
  ['a link by its address', { kind: 'url', url: 'https://a.example/' }, { url: 'https://a.example/' }],
  ['a player by the name', { kind: 'user', user: 'ann' }, { user: 'ann' }],
  ['a skin by its UUID', { kind: 'uuid', uuid: UUID, given: GIVEN }, { given: `skin:${UUID}` }],
])('Earlier runs know %s', async (_, content, of) => {
  const given = { judge: async () => ({ kind: 'remade', note: { code: 'a', message: 'b' } }) };
  const planner = makePlanner({ findSkin: async () => GIVEN, given: given as unknown as SuppliedSkins });
  const [planned] = await plan(planner, sourceOf(content));
  const key = workKey({ content: of, variant: 'auto', visibility: undefined });
  expect(workOf(planned!)?.key).toBe(key);
});

test('A player given by UUID keeps its record in the lockfile', async () => {
  const record = { outputs: [{ name: 'Ann' }] };
  const recordOf = (source: string) => (source === `user:${UUID}` ? record : undefined);
  const lockfile = { recordOf, find: () => undefined } as unknown as Lockfile;
  const [planned] = await plan(makePlanner({ lockfile, findSkin: async () => undefined }), skinOf(UUID));
  expect(planned?.member.record).toBe(record);
});

test('Skin data of earlier runs is recognized by its value and signature', async () => {
  const given = { judge: async () => ({ kind: 'remade', note: { code: 'a', message: 'b' } }) };
  const planner = makePlanner({ given: given as unknown as SuppliedSkins });
  const [planned] = await plan(planner, sourceOf({ kind: 'data', given: GIVEN }));
  const { id } = planned!.member;
  expect(id).toMatch(/^value:[0-9a-f]{32}$/);
  const key = workKey({ content: { given: id }, variant: 'auto', visibility: undefined });
  expect(workOf(planned!)?.key).toBe(key);
});

test.each([
  ['the service in use signed', 'https://here.example', false],
  ['the game signed', 'game', false],
  ['nobody known signed', 'unproved', true],
])('An intact entry that %s is kept without being read', async (_, signer, hasUnknownSigner) => {
  const planner = makePlanner({
    lockfile: {
      recordOf: () => undefined,
      find: () => ({ state: 'same', entry: 7 }),
      signerOf: (entry: number) => (entry === 7 ? { service: '', key: undefined, signer } : undefined),
      read: () => expect.fail('it was read'),
    } as unknown as Lockfile,
    signers: new SignerRule({
      name: 'https://here.example',
      signingKey: undefined,
      keepSignatures: false,
      keys: {},
    }),
  });
  const [planned] = await plan(planner, picture(1));
  expect(planned?.decision).toMatchObject({ kind: 'locked', entry: 7 });
  expect('hasUnknownSigner' in planned!.decision).toBe(hasUnknownSigner);
});
