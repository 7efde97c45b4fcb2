import { describe, expect, test } from 'vitest';
import { offlineIdOf } from '../../../src/game/names.ts';
import { runGame } from '../../support/fake-game/run-game.ts';
import { PlainBrowser } from '../../support/pages/browser.ts';
import { addCape } from '../../support/server/drawn-capes.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { userWithPlan } from '../../support/server/plans.ts';
import { guardAgainstLeaks, openOwnStore, runServer } from '../../support/server/running-server.ts';
import { expectRefusal, TestCaller } from '../../support/server/test-caller.ts';
import { runServerWithPlans } from '../../support/server/users-of-plan.ts';

guardAgainstLeaks();

const UNKNOWN = '0123456789abcdef0123456789abcdef';

const textures = async () => await import('../../../src/server/store/textures.ts');

/** A new skin of the caller. */
async function skinOf(caller: TestCaller, number: number, fields: Record<string, string> = {}) {
  const { body } = await caller.upload('/v2/generate?timeout=30', skinPng(number), fields);
  return body.skin!;
}

const wear = async (caller: TestCaller, name: string, wish: object) =>
  await caller.put(`/v2/players/${name}`, wish);

async function runWithUsers(options: Parameters<typeof runServer>[0] = {}) {
  const server = await runServer({ wardrobe: 'users', ...options });
  const [ann, bob] = [await userWithPlan(server, 'ann'), await userWithPlan(server, 'bob')];
  return { server, ann, bob, owner: server.owner, nobody: server.anonymous() };
}

/** The same where Mojang can be asked. */
async function runBesideMojang() {
  const game = await runGame();
  return { game, ...(await runWithUsers({ gameAddresses: game.addresses })) };
}

test('An operator lets a name wear a skin, and everyone sees its texture and signed data in any case of letters', async () => {
  const { owner, nobody } = await runWithUsers();
  const skin = await skinOf(owner, 1);
  const put = await wear(owner, 'Steve_1', { skin: skin.uuid });
  expect(put.status).toBe(200);
  for (const name of ['Steve_1', 'sTEVE_1']) {
    const { status, body } = await nobody.get(`/v2/players/${name}`);
    expect(status).toBe(200);
    const { value, signature } = skin.texture.data;
    expect(body.player).toEqual({
      name: 'Steve_1',
      id: 'ed378328805a3b9a940a29bd82fbcf20',
      variant: 'classic',
      skin: { hash: skin.texture.hash.skin, url: skin.texture.url.skin },
      value,
      signature,
    });
  }
});

test('What is no name for a player wears nothing', async () => {
  const { owner, nobody } = await runWithUsers();
  const { uuid } = await skinOf(owner, 1);
  for (const name of ['', 'a-b', 'Grün', 'seventeen_letters', '.Bedrock']) {
    const address = `/v2/players/${encodeURIComponent(name)}`;
    expect([name, (await owner.put(address, { skin: uuid })).status]).toEqual([
      name,
      name === '' ? 404 : 400,
    ]);
    expectRefusal(await nobody.get(address), name === '' ? 'not_found' : 'player_not_found', 404);
  }
});

test('A worn texture stays until it is changed, also when its skin is gone and its picture pruned', async () => {
  const { server, ann, owner, nobody } = await runWithUsers();
  const skin = await skinOf(ann, 1);
  await wear(owner, 'Steve', { skin: skin.uuid, user: 'ann' });
  expect((await ann.send('DELETE', `/v2/skins/${skin.uuid}`)).status).toBe(200);
  const { db } = await openOwnStore(server.dataDir);
  const { pruneUnusedTextures } = await textures();
  await pruneUnusedTextures(db, Date.now() + 1_000);
  const { body } = await nobody.get('/v2/players/Steve');
  const { hash } = body.player!.skin!;
  expect(hash).toBe(skin.texture.hash.skin);
  expect((await nobody.get(`/textures/${hash}`)).status).toBe(200);
  await owner.send('DELETE', '/v2/players/Steve');
  await pruneUnusedTextures(db, Date.now() + 1_000);
  expect((await nobody.get(`/textures/${hash}`)).status).toBe(404);
});

/** What happens while a skin is signed with another cape for a name: the skin has been read, and is not yet worn. */
async function wearWhile(meanwhile: (scene: WearScene) => Promise<unknown>) {
  const { server, owner, nobody } = await runWithUsers();
  const cape = await addCape(server, 'team');
  const skin = await skinOf(owner, 1);
  const { db } = await openOwnStore(server.dataDir);
  const { wear: wearHere } = await import('../../../src/server/service/players/wardrobe.ts');
  const generate = async () => {
    await meanwhile({ db, owner, uuid: skin.uuid });
    return { value: 'e30=', signature: 'c2lnbmVk' };
  };
  const context = {
    ...{ db, clock: { now: () => Date.now() }, ceiling: { verifyRoom() {} } },
    ...{ generator: { generate }, textureUrl: String },
  };
  const user = await db.selectFrom('users').selectAll().where('name', '=', 'owner').executeTakeFirstOrThrow();
  const caller = {
    ...{ kind: 'user', owner: `user:${user.id}`, id: user.id, name: 'owner', isOperator: true },
    plan: { capes: true },
  };
  const wish = { skin: skin.uuid, cape: cape.replaceAll('-', '') };
  const worn = wearHere(context as never, caller as never, 'Steve', wish);
  return { worn, nobody };
}

type WearScene = Readonly<{
  db: Awaited<ReturnType<typeof openOwnStore>>['db'];
  owner: TestCaller;
  uuid: string;
}>;

const CHANGES: Readonly<Record<string, [code: string, (scene: WearScene) => Promise<unknown>]>> = {
  'deleted, and its picture pruned': [
    'skin_not_found',
    async ({ db, owner, uuid }) => {
      await owner.send('DELETE', `/v2/skins/${uuid}`);
      await db.deleteFrom('jobs').execute();
      await db.deleteFrom('texture_data').execute();
      await (await textures()).pruneUnusedTextures(db, Date.now() + 1_000);
    },
  ],
  'deleted by an operator': [
    'skin_not_found',
    ({ owner, uuid }) => owner.send('DELETE', `/v2/account/skins/${uuid}`),
  ],
  'hidden by an operator': [
    'insufficient_grants',
    ({ owner, uuid }) => owner.patch(`/v2/account/skins/${uuid}`, { hidden: true }),
  ],
  'made private': [
    'invalid_request',
    ({ owner, uuid }) => owner.patch(`/v2/skins/${uuid}`, { visibility: 'private' }),
  ],
};

test.each(Object.entries(CHANGES))(
  'A skin that is %s while a name is about to wear it is not put on',
  async (_, [code, change]) => {
    const { worn, nobody } = await wearWhile(change);
    await expect(worn).rejects.toMatchObject({ code });
    expectRefusal(await nobody.get('/v2/players/Steve'), 'player_not_found', 404);
  },
);

test('A picture that a name is about to wear is not pruned at the same moment', async () => {
  const { server } = await runWithUsers();
  const { db } = await openOwnStore(server.dataDir);
  const { inTransaction } = await import('../../../src/server/store/db.ts');
  const { findTexture, holdTextures, keepTexture, pruneUnusedTextures } = await textures();
  const hash = 'a'.repeat(64);
  await keepTexture(db, { hash, width: 64, height: 64, png: Buffer.of(), created_at: 1 });
  let pruning: Promise<void> | undefined;
  await inTransaction(db, async (tx) => {
    expect(await holdTextures(tx, [hash, 'b'.repeat(64)], Date.now())).toBe(1);
    pruning = pruneUnusedTextures(db, 1_000);
  });
  await pruning;
  expect(await findTexture(db, hash)).toBeDefined();
});

test('A UUID may be given instead of its name by anyone who may change the name', async () => {
  const { ann, bob, owner, nobody } = await runBesideMojang();
  const { uuid, texture } = await skinOf(ann, 1);
  const { id } = (await wear(owner, 'Steve', { user: 'ann' })).body.player!;
  expectRefusal(await wear(bob, id, { skin: uuid }), 'player_not_found', 404);
  expectRefusal(await wear(ann, UNKNOWN, { skin: uuid }), 'player_not_found', 404);
  expect((await wear(ann, id, { skin: uuid })).body.player?.name).toBe('Steve');
  for (const caller of [ann, nobody])
    expect((await caller.get(`/v2/players/${id}`)).body.player?.skin?.hash).toBe(texture.hash.skin);
  expect((await ann.send('DELETE', `/v2/players/${id}`)).status).toBe(200);
  expectRefusal(await nobody.get(`/v2/players/${id}`), 'player_not_found', 404);
});

test('A deleted skin is taken off its owner’s names on request', async () => {
  const { ann, bob, owner, nobody } = await runWithUsers();
  const skin = await skinOf(ann, 1);
  await wear(owner, 'Mine', { skin: skin.uuid, user: 'ann' });
  await wear(owner, 'Theirs', { skin: skin.uuid, user: 'bob' });
  await ann.send('DELETE', `/v2/skins/${skin.uuid}?undress=true`);
  expectRefusal(await nobody.get('/v2/players/Mine'), 'player_not_found', 404);
  expect((await nobody.get('/v2/players/Theirs')).status).toBe(200);
  expect((await ann.get('/v2/me/players')).body.players?.map(({ name }) => name)).toEqual(['Mine']);
  expect((await bob.get('/v2/me/players')).body.players?.map(({ name }) => name)).toEqual(['Theirs']);
});

test('The names that wear a skin are listed for their user, and several skins are taken off at once', async () => {
  const { ann, owner } = await runWithUsers();
  const [one, two] = [(await skinOf(ann, 1)).uuid, (await skinOf(ann, 2)).uuid];
  for (const [name, skin] of Object.entries({ A: one, B: two, C: one }))
    await wear(owner, name, { skin, user: 'ann' });
  await wear(owner, 'Theirs', { skin: one, user: 'bob' });
  const wearing = async (query: string) =>
    (await ann.get(`/v2/me/players?skins=${query}`)).body.players?.map(({ name }) => name);
  expect(await wearing(one)).toEqual(['A', 'C']);
  expect(await wearing(`${two},${UNKNOWN}`)).toEqual(['B']);
  expectRefusal(await ann.get('/v2/me/players?skins=none'), 'validation_error', 400);
  const next = (await ann.get(`/v2/me/players?skins=${one}&size=1`)).body.links['next'];
  expect((await ann.get(next!)).body.players?.map(({ name }) => name)).toEqual(['C']);
  await ann.json('/v2/me/skins/delete', { skins: [one, two], undress: true });
  expect((await ann.get('/v2/me/players')).body.players?.map(({ skin }) => skin)).toEqual(
    Array(3).fill(undefined),
  );
  expect((await owner.get('/v2/players/Theirs')).body.player?.skin).toBeDefined();
});

test('A name shows its last ten changes to its user and to operators, and to nobody else', async () => {
  const { server, ann, bob, owner, nobody } = await runWithUsers();
  const skins = [await skinOf(ann, 1), await skinOf(ann, 2)];
  await wear(owner, 'Steve', { user: 'ann' });
  for (let n = 0; n < 12; n++) await wear(ann, 'Steve', { skin: skins[n % 2]!.uuid });
  for (const caller of [ann, owner]) {
    const { player } = (await caller.get('/v2/players/Steve')).body;
    expect(player?.user).toBe('ann');
    expect(player?.history).toHaveLength(10);
    expect(player?.history?.map(({ skin, by }) => [skin, by]).slice(0, 2)).toEqual([
      [skins[1]!.uuid, 'ann'],
      [skins[0]!.uuid, 'ann'],
    ]);
  }
  const { key } = (await owner.json('/v2/account/keys', { user: 'ann', scopes: ['skins'] })).body;
  const writing = new TestCaller(server.url, { key: key?.secret });
  for (const caller of [bob, nobody, writing]) {
    const { player } = (await caller.get('/v2/players/Steve')).body;
    expect(Object.keys(player ?? {}).toSorted()).toEqual([
      'id',
      'name',
      'signature',
      'skin',
      'value',
      'variant',
    ]);
  }
});

test('Only one of two users who want a name at once gets it, and the last of two changes is first in the history', async () => {
  const { ann, bob, owner } = await runBesideMojang();
  const skins = [await skinOf(owner, 1), await skinOf(owner, 2)].map(({ uuid }) => uuid);
  const tries = await Promise.all([ann, bob].map((caller, n) => wear(caller, 'Steve', { skin: skins[n] })));
  expect(tries.map(({ status }) => status).toSorted()).toEqual([200, 403]);
  await wear(owner, 'Alex', { user: 'owner' });
  await Promise.all([0, 1, 0, 1].map((n) => wear(owner, 'Alex', { skin: skins[n] })));
  const { player } = (await owner.get('/v2/players/Alex')).body;
  expect(player?.history).toHaveLength(4);
  expect(player?.history?.map(({ skin }) => skin).toSorted()).toEqual([...skins, ...skins].toSorted());
  expect(player?.skin?.hash).toBe(player?.history?.[0]?.hash);
});

test('Two nodes at once: one user gets the name, each change is in the history once, and both show the last one', async () => {
  const { server, owner } = await runWithUsers();
  const node = await runServer({ wardrobe: 'users', dataDir: server.dataDir });
  const there = new TestCaller(node.url, { key: server.key });
  const skins = [await skinOf(owner, 1), await skinOf(owner, 2)];
  const both = [owner, there].map((caller, n) => ({ caller, skin: skins[n]!.uuid }));
  for (let round = 1; round <= 5; round++) {
    const name = `Round${round}`;
    const claims = await Promise.all(
      [owner, there].map((caller, n) =>
        wear(caller, name, { user: ['ann', 'bob'][n], skin: skins[n]!.uuid }),
      ),
    );
    expect(claims.map(({ status }) => status)).toContain(200);
    await Promise.all([...both, ...both].map(({ caller, skin }) => wear(caller, name, { skin })));
    const shown = await Promise.all(both.map(({ caller }) => caller.get(`/v2/players/${name}`)));
    const [here, elsewhere] = shown.map(({ body }) => body.player);
    expect([elsewhere?.user, elsewhere?.skin?.hash]).toEqual([here?.user, here?.skin?.hash]);
    expect(elsewhere?.history?.map(({ hash }) => hash)).toEqual(here?.history?.map(({ hash }) => hash));
    expect(here?.history?.filter(({ skin }) => skin !== undefined).length).toBeGreaterThanOrEqual(4);
    expect(here?.skin?.hash).toBe(here?.history?.[0]?.hash);
  }
});

describe('Who may have a name', () => {
  test('Without --wardrobe users, only operators give names, and the users put skins on them', async () => {
    const { ann, owner } = await runWithUsers({ wardrobe: 'operator' });
    const { uuid } = await skinOf(ann, 1);
    expectRefusal(await wear(ann, 'Steve', { skin: uuid }), 'insufficient_grants', 403);
    expect((await wear(owner, 'Steve', { user: 'ann' })).status).toBe(200);
    expect((await wear(ann, 'Steve', { skin: uuid })).status).toBe(200);
  });

  test('With --wardrobe users, the first user gets the name, and others only after it is released', async () => {
    const { ann, bob, nobody } = await runBesideMojang();
    const { uuid } = await skinOf(ann, 1);
    expectRefusal(await wear(nobody, 'Steve', { skin: uuid }), 'unauthorized', 401);
    expect((await wear(ann, 'Steve', { skin: uuid })).status).toBe(200);
    expectRefusal(await wear(bob, 'STEVE', { skin: uuid }), 'insufficient_grants', 403);
    expectRefusal(await bob.send('DELETE', '/v2/players/Steve'), 'player_not_found', 404);
    expect((await ann.send('DELETE', '/v2/players/Steve')).status).toBe(200);
    expect((await wear(bob, 'STEVE', { skin: uuid })).status).toBe(200);
    expect((await bob.get('/v2/players/steve')).body.player?.history).toHaveLength(1);
  });

  test('The name of a Minecraft account belongs to whoever linked it, or to whom an operator gives it', async () => {
    const { game, server, ann, bob, owner } = await runBesideMojang();
    const { id } = game.addPlayer({ name: 'Notch' });
    const { uuid } = await skinOf(ann, 1);
    expectRefusal(await wear(ann, 'notch', { skin: uuid }), 'insufficient_grants', 403);
    const { db } = await openOwnStore(server.dataDir);
    const { insertAccount } = await import('../../../src/server/store/accounts.ts');
    const bobs = await db
      .selectFrom('users')
      .select('id')
      .where('name', '=', 'bob')
      .executeTakeFirstOrThrow();
    await insertAccount(db, {
      ...{ uuid: id, name: 'Notch', owner: `user:${bobs.id}`, shared: 0, state: 'paused', secret: '' },
      ...{ original_url: null, original_variant: null, restores: 0, shows_cape: 0, altered: 0 },
      ...{ cape_checked_at: 0, last_used_at: 0, cool_until: 0, error_streak: 0, last_error_code: null },
      ...{ last_error_message: null, last_error_at: null, generated: 0, failed: 0, linked_at: 0 },
      ...{ lease_owner: null, lease_until: null },
    });
    expect((await wear(bob, 'notch', { skin: uuid })).status).toBe(200);
    expect((await wear(owner, 'NOTCH', { user: 'ann' })).status).toBe(200);
    expect((await wear(ann, 'Notch', { skin: uuid })).status).toBe(200);
  });

  test('While Mojang cannot be asked, users get no new names, and operators do', async () => {
    const { ann, owner } = await runWithUsers();
    const { uuid } = await skinOf(owner, 1);
    expectRefusal(await wear(ann, 'Steve', { skin: uuid }), 'service_unavailable', 503);
    expect((await wear(owner, 'Steve', { skin: uuid })).status).toBe(200);
  });

  test('A plan limits the names of a user; operators give more', async () => {
    const game = await runGame();
    const plans = { one: { player_names: 1 }, none: { player_names: 0 } };
    const server = await runServerWithPlans(plans, { wardrobe: 'users', gameAddresses: game.addresses });
    const { one, none } = server.users;
    const { uuid } = await skinOf(server.owner, 1);
    const atOnce = await Promise.all(['A', 'Z'].map((name) => wear(one, name, { skin: uuid })));
    expect(atOnce.map(({ status }) => status).toSorted()).toEqual([200, 400]);
    await one.send('DELETE', '/v2/players/Z');
    expect((await wear(one, 'A', { skin: uuid })).status).toBe(200);
    expect((await wear(one, 'A', { skin: uuid })).status).toBe(200);
    const refused = await wear(one, 'B', { skin: uuid });
    expectRefusal(refused, 'invalid_request', 400);
    expect(refused.body.errors[0]?.message).toBe(
      'Your plan (one) has room for 1 player name. Release one first.',
    );
    expectRefusal(await wear(none, 'C', { skin: uuid }), 'invalid_request', 400);
    expect((await wear(server.owner, 'B', { skin: uuid, user: 'one' })).status).toBe(200);
  });

  test('Only operators give names to users, only existing users get them, and the log records it', async () => {
    const { ann, owner } = await runWithUsers();
    const { uuid } = await skinOf(owner, 1);
    await wear(owner, 'Steve', { user: 'ann' });
    expectRefusal(await wear(ann, 'Steve', { user: 'bob' }), 'insufficient_grants', 403);
    expectRefusal(await wear(owner, 'Alex', { user: 'zoe' }), 'user_not_found', 404);
    await wear(owner, 'Steve', { skin: uuid });
    await wear(owner, 'Alex', { skin: uuid });
    const given = (await wear(owner, 'Alex', { user: 'bob' })).body.player;
    expect([given?.user, given?.skin?.hash]).toEqual(['bob', expect.stringMatching(/^[0-9a-f]{64}$/)]);
    await owner.send('DELETE', '/v2/players/Alex');
    await owner.send('DELETE', '/v2/players/Steve');
    const { entries } = (await owner.get('/v2/account/log')).body;
    const ofSteve = entries?.filter(({ subject }) => subject === 'Steve');
    expect(ofSteve?.map(({ action, subject, note }) => [action, subject, note])).toEqual([
      ['release_player', 'Steve', ''],
      ['dress_player', 'Steve', ''],
      ['give_player', 'Steve', 'ann'],
    ]);
  });

  test('A full store takes no new names', async () => {
    const { owner } = await runWithUsers({ maxStoreBytes: 1 });
    expectRefusal(await wear(owner, 'Steve', { user: 'owner' }), 'store_full', 503);
  });
});

describe('Privacy', () => {
  test('A private skin is worn only if its owner says that everyone may see it, and its record stays private', async () => {
    const { ann, bob, owner, nobody } = await runWithUsers();
    const { uuid, texture } = await skinOf(ann, 1, { visibility: 'private' });
    await wear(owner, 'Steve', { user: 'ann' });
    const refused = await wear(ann, 'Steve', { skin: uuid });
    expectRefusal(refused, 'invalid_request', 400);
    expect(refused.body.errors[0]?.message).toContain('This skin is private.');
    expectRefusal(await nobody.get('/v2/players/Steve'), 'player_not_found', 404);
    expect((await wear(ann, 'Steve', { skin: uuid, publish: true })).status).toBe(200);
    const { player } = (await nobody.get('/v2/players/Steve')).body;
    expect(player?.skin?.hash).toBe(texture.hash.skin);
    expect(JSON.stringify(player)).not.toContain(uuid);
    for (const caller of [nobody, bob]) expect((await caller.get(`/v2/skins/${uuid}`)).status).toBe(404);
  });

  test('Nobody wears the private skin of someone else', async () => {
    const { ann, owner } = await runWithUsers();
    const { uuid } = await skinOf(ann, 1, { visibility: 'private' });
    expectRefusal(await wear(owner, 'Steve', { skin: uuid, publish: true }), 'skin_not_found', 404);
    expectRefusal(await wear(owner, 'Steve', { skin: UNKNOWN }), 'skin_not_found', 404);
  });

  test('What operators block, hide or delete is not shown any more, even if its owner deletes it', async () => {
    const { ann, owner, nobody } = await runWithUsers();
    const [blocked, hidden, deleted, gone] = [1, 2, 3, 4].map(
      (n) => async () => await skinOf(ann, n, n === 2 ? { visibility: 'unlisted' } : {}),
    );
    const names = { Blocked: blocked!, Hidden: hidden!, Deleted: deleted!, Gone: gone! };
    const uuids: Record<string, string> = {};
    for (const [name, make] of Object.entries(names)) {
      uuids[name] = (await make()).uuid;
      await wear(owner, name, { skin: uuids[name], user: 'ann' });
      expect((await nobody.get(`/v2/players/${name}`)).status).toBe(200);
    }
    await owner.json('/v2/account/blocked-images', { skin: uuids['Blocked'] });
    await owner.patch(`/v2/account/skins/${uuids['Hidden']}`, { hidden: true });
    await owner.patch(`/v2/account/skins/${uuids['Gone']}`, { hidden: true });
    await ann.send('DELETE', `/v2/skins/${uuids['Gone']}`);
    await owner.send('DELETE', `/v2/account/skins/${uuids['Deleted']}`);
    const missing = (await nobody.get('/v2/players/Never')).bytes.toString();
    for (const name of Object.keys(names)) {
      const heard = await nobody.get(`/v2/players/${name}`);
      expect([name, heard.status]).toEqual([name, 404]);
      expect(heard.bytes.toString()).toBe(missing);
    }
    expectRefusal(await wear(ann, 'Blocked', { skin: uuids['Hidden'] }), 'insufficient_grants', 403);
    expect((await wear(ann, 'Blocked', { cape: null })).body.errors[0]?.code).toBe('blocked_image');
    await owner.patch(`/v2/account/skins/${uuids['Hidden']}`, { hidden: false });
    expect((await nobody.get('/v2/players/Hidden')).status).toBe(200);
  });

  test('Deleting an account releases its names', async () => {
    const { server, bob, owner, nobody } = await runWithUsers();
    const { uuid } = await skinOf(owner, 1);
    await wear(owner, 'Steve', { skin: uuid, user: 'bob' });
    const { key } = (await owner.json('/v2/account/keys', { user: 'bob' })).body;
    const browser = new PlainBrowser(server.url);
    await browser.signIn(key?.secret);
    await browser.open('/ui/account/delete', { form: { confirm: 'bob', shared: 'delete' } });
    expect((await bob.get('/v2/me')).status).toBe(403);
    expectRefusal(await nobody.get('/v2/players/Steve'), 'player_not_found', 404);
    const addresses = (name: string) => [
      ...[`/csl/${name}.json`, `/csl/skins/${name}.png`, `/skin/${name}`],
      `/sessionserver/session/minecraft/profile/${offlineIdOf(name)}`,
    ];
    const answers = async (name: string) =>
      await Promise.all(
        addresses(name).map(async (path) => (await nobody.get(path)).bytes.toString('base64')),
      );
    expect(await answers('Steve')).toEqual(await answers('Never'));
  });

  test('Only operators list the names of all users', async () => {
    const { ann, bob, owner, nobody } = await runWithUsers();
    await wear(owner, 'Steve', { user: 'ann' });
    await wear(owner, 'Alex', { user: 'bob' });
    expectRefusal(await nobody.get('/v2/me/players'), 'unauthorized', 401);
    expectRefusal(await ann.get('/v2/me/players?all=true'), 'insufficient_grants', 403);
    const page = (await owner.get('/v2/me/players?all=true&size=1')).body;
    expect(page.players?.map(({ name, user }) => [name, user])).toEqual([['Alex', 'bob']]);
    const next = (await owner.get(page.links['next']!)).body;
    expect(next.players?.map(({ name, user }) => [name, user])).toEqual([['Steve', 'ann']]);
    expect((await bob.get('/v2/me/players')).body.players?.map(({ name }) => name)).toEqual(['Alex']);
  });
});

describe('Capes', () => {
  test('A name wears another cape than its skin was made with, or none, and its signed data says so', async () => {
    const { server, owner, nobody } = await runWithUsers();
    const cape = await addCape(server, 'team');
    const { uuid } = await skinOf(owner, 1, { variant: 'slim' });
    await wear(owner, 'Steve', { skin: uuid });
    expect((await wear(owner, 'Steve', { cape })).status).toBe(200);
    const { player } = (await nobody.get('/v2/players/Steve')).body;
    expect(player?.cape?.hash).toMatch(/^[0-9a-f]{64}$/);
    const signed = JSON.parse(Buffer.from(player?.value ?? '', 'base64').toString());
    expect(signed.textures.CAPE.url).toBe(player?.cape?.url);
    expect(signed.textures.SKIN).toMatchObject({ url: player?.skin?.url, metadata: { model: 'slim' } });
    await wear(owner, 'Steve', { cape: null });
    expect((await nobody.get('/v2/players/Steve')).body.player?.cape).toBeUndefined();
  });

  test('A name without a skin has no cape, and unknown capes are refused', async () => {
    const { server, owner } = await runWithUsers();
    const cape = await addCape(server, 'team');
    expectRefusal(await wear(owner, 'Steve', { cape }), 'invalid_request', 400);
    const { uuid } = await skinOf(owner, 1);
    expectRefusal(await wear(owner, 'Steve', { skin: uuid, cape: UNKNOWN }), 'invalid_cape', 400);
  });

  test('A worn cape stays when it is deleted and its picture pruned, and goes when operators block it', async () => {
    const { server, owner, nobody } = await runWithUsers();
    const cape = await addCape(server, 'team');
    const { uuid } = await skinOf(owner, 1);
    await wear(owner, 'Steve', { skin: uuid, cape });
    expect((await owner.send('DELETE', `/v2/account/capes/${cape}`)).status).toBe(200);
    const { db } = await openOwnStore(server.dataDir);
    const { pruneUnusedTextures } = await textures();
    await pruneUnusedTextures(db, Date.now() + 1_000);
    const { hash } = (await nobody.get('/v2/players/Steve')).body.player!.cape!;
    expect((await nobody.get(`/textures/${hash}`)).status).toBe(200);
    expect((await owner.json('/v2/account/blocked-images', { hash })).status).toBeLessThan(300);
    expectRefusal(await nobody.get('/v2/players/Steve'), 'player_not_found', 404);
  });
});
