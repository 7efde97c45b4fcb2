import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { drawSmith } from '../../../examples/characters/smith.ts';
import type { SimilarSkin } from '../../../src/protocol/skin.ts';
import { encodePng } from '../../../src/skin/png/encode.ts';
import { pixelOffsets, type Rect } from '../../../src/skin/regions.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { userWithPlan } from '../../support/server/plans.ts';
import { guardAgainstLeaks, runServer } from '../../support/server/running-server.ts';
import { expectRefusal, TestCaller } from '../../support/server/test-caller.ts';

guardAgainstLeaks();

async function make(
  caller: TestCaller,
  picture: number | string,
  fields: Record<string, string> = {},
): Promise<string> {
  const png =
    typeof picture === 'number'
      ? skinPng(picture)
      : readFileSync(join(import.meta.dirname, '../../../examples', picture));
  return String((await caller.upload('/v2/generate', png, fields)).body.skin?.uuid);
}

async function similarTo(caller: TestCaller, uuid: string): Promise<SimilarSkin[]> {
  const { status, bytes } = await caller.get(`/v2/skins/${uuid}/similar`);
  expect(status).toBe(200);
  return (JSON.parse(bytes.toString()) as { skins: SimilarSkin[] }).skins;
}

test('Skins of the same picture come first, then those that look alike', async () => {
  const { owner, anonymous } = await runServer();
  const classic = await make(owner, 'smith.png', { variant: 'classic', name: 'Smith' });
  for (const other of ['robot.png', 'ranger-slim.png', 'knight-overlay.png']) await make(owner, other);
  expect(await similarTo(anonymous(), classic)).toEqual([]);

  const slim = await make(owner, 'smith.png', { variant: 'slim' });
  const again = await make(owner, 'smith.png', { variant: 'classic', name: 'Wayland' });
  const retouched = await makeChanged(owner, { x: 20, y: 20, width: 8, height: 12 });
  const unseen = await makeChanged(owner, { x: 0, y: 0, width: 2, height: 2 });
  const similar = await similarTo(anonymous(), classic);
  expect(similar.slice(0, 2).toSorted((a, b) => a.variant.localeCompare(b.variant))).toEqual([
    { uuid: again, name: 'Wayland', variant: 'classic', distance: 0 },
    { uuid: slim, variant: 'slim', distance: 0 },
  ]);
  expect(similar.slice(2)).toEqual([
    { uuid: unseen, variant: 'classic', distance: 0.001 },
    { uuid: retouched, variant: 'classic', distance: expect.any(Number) },
  ]);
  expect(similar[3]?.distance).toBeGreaterThan(0.001);
  expect((await similarTo(anonymous(), retouched)).map(({ uuid }) => uuid)).toContain(classic);
});

/** The smith with a part of the picture in a reddish tone. */
async function makeChanged(caller: TestCaller, part: Rect): Promise<string> {
  const picture = drawSmith();
  for (const at of pixelOffsets(part, picture.width)) {
    picture.pixels[at] = 200;
    picture.pixels[at + 3] = 255;
  }
  return String((await caller.upload('/v2/generate', encodePng(picture))).body.skin?.uuid);
}

test('Of one picture there is one skin with each name, arms and cape', async () => {
  const server = await runServer();
  const first = await make(server.owner, 1, { name: 'one' });
  for (const name of ['ann', 'bob', 'emil']) await make(await server.user(name), 1, { name: 'two' });
  const similar = await similarTo(server.anonymous(), first);
  expect(similar.map(({ name, distance }) => [name, distance])).toEqual([['two', 0]]);
});

test('Similar skins of others are public ones, and never hidden ones', async () => {
  const server = await runServer();
  const [ann, bob] = [await userWithPlan(server, 'ann'), await userWithPlan(server, 'bob')];
  const narrow = await ann.json('/v2/account/keys', { scopes: ['generate'] });
  const callers = {
    anonymous: server.anonymous(),
    ann,
    'a key of ann’s without read': new TestCaller(server.url, {
      key: String(narrow.body.key?.secret),
      dataDir: server.dataDir,
    }),
    bob,
    operator: server.owner,
  };
  const asked = await make(server.owner, 1);
  const kinds = {
    public: await make(ann, 2),
    unlisted: await make(ann, 3, { visibility: 'unlisted' }),
    private: await make(ann, 4, { visibility: 'private' }),
    hidden: await make(ann, 5),
    deleted: await make(ann, 6),
    'private, of the same picture': await make(ann, 1, { visibility: 'private', name: 'mine' }),
    'unlisted, made without a key': await make(server.anonymous(), 7, { visibility: 'unlisted' }),
  };
  await server.owner.patch(`/v2/account/skins/${kinds.hidden}`, { hidden: true });
  await ann.send('DELETE', `/v2/skins/${kinds.deleted}`);
  const seen: Record<string, string[]> = {};
  for (const [name, caller] of Object.entries(callers)) {
    const found = (await similarTo(caller, asked)).map(({ uuid }) => uuid);
    seen[name] = Object.entries(kinds).flatMap(([kind, uuid]) => (found.includes(uuid) ? [kind] : []));
    expect(found).toHaveLength(seen[name].length);
  }
  const PUBLIC = ['public'];
  expect(seen).toEqual({
    anonymous: PUBLIC,
    ann: ['public', 'unlisted', 'private', 'private, of the same picture'],
    'a key of ann’s without read': PUBLIC,
    bob: PUBLIC,
    operator: PUBLIC,
  });
  expectRefusal(await bob.get(`/v2/skins/${kinds.private}/similar`), 'skin_not_found');
});
