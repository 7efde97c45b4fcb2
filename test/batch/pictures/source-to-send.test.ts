import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { BatchSource, SourceContent, Work } from '../../../src/batch/model.ts';
import { requestFor } from '../../../src/batch/pictures.ts';
import { PlayerNameError, type PlayerNames } from '../../../src/batch/sources/player-names.ts';
import { NetworkError } from '../../../src/client/errors.ts';
import type { SkinClient } from '../../../src/client/skin-client.ts';
import { pixelHash } from '../../../src/skin/read-skin.ts';
import { buildTexturesValue } from '../../../src/textures/property.ts';
import { drawSkin, skinPng } from '../../support/server/drawn-skins.ts';
import { ownFolder } from '../../support/server/own-folder.ts';

const UUID = 'ab'.repeat(16);
const PIXELS = pixelHash(drawSkin(1));
const URL = 'https://a.example/s.png';
const VALUE = buildTexturesValue({
  timestamp: 1,
  profileId: UUID,
  profileName: 'Ann',
  skin: { url: 'https://a.example/texture', variant: 'classic' },
});

interface Given extends Partial<Work> {
  readonly source?: Partial<BatchSource>;
  readonly planned?: string | undefined;
}

function workOf(content: SourceContent, { source, planned, ...over }: Given = {}): Work {
  const member = {
    index: 0,
    source: { label: 'ann', stem: 'skins/My Skin', content, ...source },
    stem: 'ann',
    id: 'ann',
    pixels: planned,
  };
  return {
    key: 'k',
    variant: 'auto',
    visibility: undefined,
    cape: undefined,
    members: [member],
    bytes: undefined,
    warnings: [],
    attempt: 0,
    losses: 0,
    job: undefined,
    ...over,
  };
}

interface Around {
  readonly isRemote?: boolean;
  readonly texture?: () => Promise<Uint8Array>;
  readonly uuidOf?: () => Promise<string>;
  readonly signal?: AbortSignal;
}

async function request(
  work: Work,
  { isRemote = true, texture, uuidOf, signal = new AbortController().signal }: Around = {},
) {
  const client = { baseUrl: 'https://skins.example', texture } as unknown as SkinClient;
  const players = uuidOf && ({ uuidOf } as unknown as PlayerNames);
  return await requestFor(work, { client, players, isRemote, signal });
}

describe('The options sent', () => {
  const link = { kind: 'url', url: URL } as const;

  test('are those of the work, with the variant only if requested', async () => {
    const bare = { name: 'My Skin', variant: undefined, visibility: undefined, cape: undefined };
    expect(await request(workOf(link))).toEqual({ source: { url: URL }, options: bare });
    const asked = { variant: 'slim', visibility: 'private', cape: UUID } as const;
    expect(await request(workOf(link, asked))).toMatchObject({ options: asked });
  });

  test('have the name of the source, or else one from its file', async () => {
    const named = workOf(link, { source: { name: 'Zed' } });
    expect(await request(named)).toMatchObject({ options: { name: 'Zed' } });
    const unnamed = workOf(link, { source: { stem: '___' } });
    expect(await request(unnamed)).toMatchObject({ options: { name: undefined } });
  });
});

describe('A picture', () => {
  test('is sent as it was read for the plan', async () => {
    const work = workOf({ kind: 'file', path: '/no/such/file.png' }, { bytes: skinPng(1), planned: PIXELS });
    expect(await request(work)).toMatchObject({ source: { file: skinPng(1), fileName: 'My Skin.png' } });
  });

  test('that was not kept is read again, with its notes', async () => {
    const path = join(await ownFolder(), 'one.png');
    await writeFile(path, skinPng(1));
    const work = workOf({ kind: 'file', path }, { planned: PIXELS, source: { stem: '___' } });
    work.warnings = [{ code: 'old', message: 'Old.' }];
    expect(await request(work)).toMatchObject({ source: { file: skinPng(1), fileName: 'skin.png' } });
    expect(work.warnings.map(({ code }) => code)).not.toContain('old');
  });

  test.each([
    ['Ünï', undefined, 'with the name "Uni"', 'Ünï'],
    ['Рыцарь', undefined, 'with the name "Rytsar"', 'Рыцарь'],
    ['皮肤', undefined, 'with the name "n-fc0d7c"', '皮肤'],
    ['___', undefined, 'without a name', '___'],
    ['x'.repeat(60), undefined, undefined, ''],
    ['My Skin', undefined, undefined, ''],
    ['Ünï', 'Given', undefined, ''],
    ['ann', "King's Guard", 'with the name "King_s Guard"', "King's Guard"],
  ])('warns when a service does not take its name: %s, named %s', async (stem, name, sent, own) => {
    const named = { stem, ...(name !== undefined && { name }) };
    const content = { kind: 'file', path: '/no/such/file.png' } as const;
    const work = workOf(content, { bytes: skinPng(1), planned: PIXELS, source: named });
    await request(work);
    const told = work.warnings.filter(({ code }) => code === 'name_changed').map(({ message }) => message);
    const rule = 'names may contain only A–Z, a–z, 0–9, spaces, _ . and -, at most 48 characters';
    const note = `Submitted ${sent}: on services, ${rule}. Your results call it "${own}".`;
    expect(told).toEqual(sent === undefined ? [] : [note]);
  });

  test('that has been replaced meanwhile is not sent', async () => {
    const path = join(await ownFolder(), 'one.png');
    await writeFile(path, skinPng(2));
    const work = workOf({ kind: 'file', path }, { planned: PIXELS });
    expect(await request(work)).toMatchObject({ problem: { code: 'source_changed' } });
  });

  test('that is gone or no longer a picture is not sent', async () => {
    const path = join(await ownFolder(), 'one.png');
    const work = workOf({ kind: 'file', path }, { planned: PIXELS });
    expect(await request(work)).toMatchObject({ problem: { code: 'no_such_file' } });
    await writeFile(path, 'no picture');
    expect(await request(work)).toMatchObject({ problem: { code: 'invalid_image' } });
  });
});

describe('A player', () => {
  const named = { kind: 'user', user: 'ann' } as const;

  test('is sent by UUID, after the name was looked up', async () => {
    const uuidOf = async () => UUID;
    expect(await request(workOf(named), { uuidOf })).toMatchObject({ source: { user: UUID } });
    const unasked = async () => await Promise.reject(new Error('A UUID needs no look-up.'));
    const byUuid = workOf({ kind: 'user', user: UUID });
    expect(await request(byUuid, { uuidOf: unasked })).toMatchObject({ source: { user: UUID } });
  });

  test('is sent by name to a service that looks names up itself', async () => {
    expect(await request(workOf(named))).toMatchObject({ source: { user: 'ann' } });
  });

  test('who does not exist is a problem of this source', async () => {
    const problem = new PlayerNameError('invalid_user', 'There is no player called ann.');
    const uuidOf = async () => await Promise.reject(problem);
    const { code, message } = problem;
    expect(await request(workOf(named), { uuidOf })).toEqual({ problem: { code, message } });
  });

  test.each([
    [true, 'Try again later, or give the UUID of the player.'],
    [false, 'Try again later.'],
  ])(
    'that cannot be looked up now can be given by UUID, if the service is elsewhere: %s',
    async (isRemote, hint) => {
      const problem = new PlayerNameError('game_unreachable', 'It does not answer.');
      const uuidOf = async () => await Promise.reject(problem);
      expect(await request(workOf(named), { uuidOf, isRemote })).toMatchObject({ problem: { hint } });
    },
  );

  test('is no problem of this source when the batch is interrupted, or the program has a bug', async () => {
    const problem = new PlayerNameError('game_unreachable', 'It does not answer.');
    const signal = AbortSignal.abort();
    const interrupted = request(workOf(named), { uuidOf: async () => await Promise.reject(problem), signal });
    await expect(interrupted).rejects.toBe(problem);
    const bug = new TypeError('x is undefined');
    await expect(request(workOf(named), { uuidOf: async () => await Promise.reject(bug) })).rejects.toBe(bug);
  });
});

describe('Skin data that cannot be the result', () => {
  const data = { kind: 'data', given: { value: VALUE } } as const;

  test('is made from its texture, whose pixels the result must have', async () => {
    const work = workOf(data);
    expect(await request(work, { texture: async () => skinPng(1) })).toMatchObject({
      source: { file: skinPng(1) },
    });
    expect(work.pixels).toBe(PIXELS);
  });

  test('is a problem of this source if its texture is no skin, or cannot be fetched', async () => {
    const texture = async () => Buffer.from('no picture');
    expect(await request(workOf(data), { texture })).toMatchObject({ problem: { code: 'invalid_image' } });
    const error = new NetworkError('It does not answer.', { cause: undefined, mayHaveArrived: false });
    const unreachable = async () => await Promise.reject(error);
    expect(await request(workOf(data), { texture: unreachable })).toMatchObject({
      problem: { code: 'texture_unavailable' },
    });
  });

  test('is no problem of this source when the batch is interrupted, or the program has a bug', async () => {
    const error = new NetworkError('It does not answer.', { cause: undefined, mayHaveArrived: false });
    const interrupted = { texture: async () => await Promise.reject(error), signal: AbortSignal.abort() };
    await expect(request(workOf(data), interrupted)).rejects.toBe(error);
    const bug = new TypeError('x is undefined');
    await expect(request(workOf(data), { texture: async () => await Promise.reject(bug) })).rejects.toBe(bug);
  });

  test('must have been looked up', async () => {
    await expect(request(workOf({ kind: 'uuid', uuid: UUID }))).rejects.toThrow('was not looked up');
  });
});
