import { describe, expect, test } from 'vitest';
import { decodePng } from '../../../src/skin/png/decode.ts';
import { pixelHash } from '../../../src/skin/read-skin.ts';
import { onSqlite } from '../../support/postgres/on-postgres.ts';
import { drawSkin, skinPng } from '../../support/server/drawn-skins.ts';
import { userWithPlan } from '../../support/server/plans.ts';
import { poll } from '../../support/server/poll.ts';
import {
  guardAgainstLeaks,
  openOwnStore,
  runServer,
  type ServerUnderTest,
} from '../../support/server/running-server.ts';
import { expectRefusal, type TestCaller } from '../../support/server/test-caller.ts';

guardAgainstLeaks();

const PNG = skinPng(1);

interface Scene {
  readonly server: ServerUnderTest;
  readonly ann: TestCaller;
  readonly bob: TestCaller;
}

async function scene(): Promise<Scene> {
  const server = await runServer();
  return { server, ann: await userWithPlan(server, 'ann'), bob: await userWithPlan(server, 'bob') };
}

async function make(caller: TestCaller, visibility: string, name?: string) {
  const fields = { visibility, ...(name !== undefined && { name }) };
  const { status, body } = await caller.upload('/v2/generate', PNG, fields);
  expect(status).toBe(200);
  return body.skin!;
}

async function setVisibility(caller: TestCaller, uuid: string, visibility: string): Promise<void> {
  const request = {
    body: JSON.stringify({ visibility }),
    headers: { 'content-type': 'application/json' },
  };
  expect((await caller.send('PATCH', `/v2/skins/${uuid}`, request)).status).toBe(200);
}

const dataOf = async (caller: TestCaller, uuid: string) =>
  (await caller.get(`/v2/skins/${uuid}`)).body.skin?.texture.data.value;

/** Whether someone who has nothing to do with it finds data of the picture. */
async function isKnownToOthers({ server }: Scene): Promise<boolean> {
  const { status } = await server.anonymous().upload('/v2/queue?checkOnly=true', PNG);
  return status === 200;
}

describe('Data that was made for a private skin', () => {
  onSqlite(test)('answers its owner again and again, under whatever name and key', async () => {
    const { ann, server } = await scene();
    const first = await make(ann, 'private', 'one');
    const annToo = await server.user('ann');
    for (const name of ['one', 'two']) {
      const again = await make(annToo, 'private', name);
      expect(again).toMatchObject({ duplicate: true, texture: first.texture });
    }
  });

  onSqlite(test)('is not what another’s skin of the same picture has, private or not', async () => {
    const { ann, bob, server } = await scene();
    const hers = await make(ann, 'private');
    const values = [hers, await make(bob, 'private'), await make(server.anonymous(), 'public')].map(
      ({ texture }) => texture.data.value,
    );
    expect(new Set(values).size).toBe(3);
    expect(await dataOf(ann, hers.uuid)).toBe(values[0]);
  });

  test('is shared when its owner publishes the skin, and is the owner’s alone again when it is hidden', async () => {
    const all = await scene();
    const { ann } = all;
    const { uuid, texture } = await make(ann, 'private');
    for (const [visibility, isKnown] of [
      ['public', true],
      ['private', false],
      ['unlisted', true],
      ['private', false],
    ] as const) {
      await setVisibility(ann, uuid, visibility);
      expect([visibility, await isKnownToOthersOnce(all)]).toEqual([visibility, isKnown]);
      expect(await dataOf(ann, uuid)).toBe(texture.data.value);
    }
  });

  test("is published by its owner's own request for the same picture, but not by a check", async () => {
    const all = await scene();
    const { ann } = all;
    const hidden = await make(ann, 'private');
    const look = await ann.upload('/v2/queue?checkOnly=true', PNG);
    expect(look.body.skin).toMatchObject({ uuid: hidden.uuid, visibility: 'private' });
    expect((await ann.get('/v2/me/skins')).body.skins).toHaveLength(1);
    expect(await isKnownToOthersOnce(all)).toBe(false);
    const open = await make(ann, 'public');
    expect(open).toMatchObject({ duplicate: true, texture: hidden.texture });
    expect(await isKnownToOthersOnce(all)).toBe(true);
  });

  /** Without leaving a record behind that would make the data known for good. */
  async function isKnownToOthersOnce(all: Scene): Promise<boolean> {
    const isKnown = await isKnownToOthers(all);
    const { db } = await openOwnStore(all.server.dataDir);
    await db.deleteFrom('skins').where('owner', 'like', 'address:%').execute();
    return isKnown;
  }
});

describe('Data that others have as well', () => {
  test('answers a private request; when the others are deleted it is its owner’s alone', async () => {
    const all = await scene();
    const { ann, bob } = all;
    const his = await make(bob, 'public');
    const hers = await make(ann, 'private');
    expect(hers).toMatchObject({ duplicate: true, texture: his.texture });
    await bob.send('DELETE', `/v2/skins/${his.uuid}`);
    expect(await isKnownToOthers(all)).toBe(false);
    expect(await dataOf(ann, hers.uuid)).toBe(his.texture.data.value);
    expect((await make(bob, 'public')).texture.data.value).not.toBe(his.texture.data.value);
  });

  test('is kept for each owner apart when all of them hide it', async () => {
    const all = await scene();
    const { ann, bob } = all;
    const [his, hers] = [await make(bob, 'public'), await make(ann, 'public')];
    await setVisibility(bob, his.uuid, 'private');
    await setVisibility(ann, hers.uuid, 'private');
    expect(await isKnownToOthers(all)).toBe(false);
    await bob.send('DELETE', `/v2/skins/${his.uuid}`);
    expect(await dataOf(ann, hers.uuid)).toBe(hers.texture.data.value);
    expect((await make(bob, 'private')).duplicate).toBe(false);
    expect((await make(ann, 'private')).duplicate).toBe(true);
  });

  test('never replaces what its owner had before: each skin keeps its value', async () => {
    const { ann, bob } = await scene();
    const old = await make(ann, 'private', 'old');
    const his = await make(bob, 'public');
    // Of another name and not her own data, because she asks for what is public.
    const fresh = await make(ann, 'public', 'new');
    expect(fresh.texture.data.value).toBe(his.texture.data.value);
    await setVisibility(ann, fresh.uuid, 'private');
    await bob.send('DELETE', `/v2/skins/${his.uuid}`);
    const values = [await dataOf(ann, old.uuid), await dataOf(ann, fresh.uuid)];
    expect(values).toEqual([old.texture.data.value, fresh.texture.data.value]);
    await setVisibility(ann, fresh.uuid, 'public');
    await ann.send('DELETE', `/v2/skins/${fresh.uuid}`);
    expect(await dataOf(ann, old.uuid)).toBe(values[0]);
  });
});

onSqlite(test)(
  'The texture of a private skin is served by the hash of its pixels, and reveals nothing else',
  async () => {
    const { ann, server } = await scene();
    const { uuid, texture } = await make(ann, 'private', 'Secretname');
    const { status, bytes, headers } = await server.anonymous().get(`/textures/${pixelHash(drawSkin(1))}`);
    expect([status, pixelHash(decodePng(bytes))]).toEqual([200, texture.hash.skin]);
    const told = `${bytes.toString('latin1')} ${JSON.stringify(headers)}`;
    for (const secret of [uuid, 'Secretname', 'ann"', texture.data.value]) expect(told).not.toContain(secret);
  },
);

test('A private and a public request for the same picture at once are two jobs with data of their own', async () => {
  const server = await runServer({ workers: 0 });
  const [ann, bob] = [await userWithPlan(server, 'ann'), await userWithPlan(server, 'bob')];
  const jobs = [
    [ann, (await ann.upload('/v2/queue', PNG, { visibility: 'private' })).body.job?.id],
    [bob, (await bob.upload('/v2/queue', PNG)).body.job?.id],
    [ann, (await ann.upload('/v2/queue', PNG)).body.job?.id],
  ] as const;
  expect(new Set(jobs.map(([, id]) => id)).size).toBe(3);
  await server.close();
  const again = await runServer({ dataDir: server.dataDir });
  expectRefusal(await again.anonymous().get(`/v2/queue/${jobs[0][1]}`), 'job_not_found');
  const { db } = await openOwnStore(server.dataDir);
  const ended = await poll(
    () => db.selectFrom('jobs').select('status').where('status', '=', 'completed').execute(),
    (done) => done.length === 3,
  );
  expect(ended).toHaveLength(3);
  const data = await db.selectFrom('texture_data').select('identity').execute();
  const [shared = '', own = ''] = data.map(({ identity }) => identity).toSorted();
  expect([data.length, own.startsWith(`${shared}/user:`)]).toEqual([2, true]);
});
