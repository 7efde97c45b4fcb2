import { expect, test } from 'vitest';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { guardAgainstLeaks, runServer } from '../../support/server/running-server.ts';
import { expectRefusal, TestCaller } from '../../support/server/test-caller.ts';

guardAgainstLeaks();

const LIST = '/v2/me/skins';

async function makeThree(caller: TestCaller): Promise<string[]> {
  const made = [];
  for (const n of [1, 2, 3]) made.push(await caller.upload('/v2/generate', skinPng(n), { name: `No ${n}` }));
  return made.map(({ body }) => String(body.skin?.uuid));
}

test('Several skins get the same change at once, and skins of others are reported as missing', async () => {
  const { owner, user } = await runServer();
  const bob = await user('bob');
  const [first, second, third] = await makeThree(owner);
  const strange = String((await bob.upload('/v2/generate', skinPng(4))).body.skin?.uuid);
  const skins = [first, strange, second, first];
  const { status, body } = await owner.patch(LIST, { skins, visibility: 'private' });
  expect(status).toBe(200);
  expect(body).toMatchObject({ skins: [{ uuid: first }, { uuid: second }], missing: [strange] });
  const seen = (await owner.get(LIST)).body.skins?.map(({ uuid, visibility }) => [uuid, visibility]);
  expect(seen).toEqual([
    [third, 'public'],
    [second, 'private'],
    [first, 'private'],
  ]);
  expect((await bob.get(`/v2/skins/${strange}`)).body.skin?.visibility).toBe('public');
});

test('Several skins are deleted at once', async () => {
  const { owner, user } = await runServer();
  const bob = await user('bob');
  const [first, second, third] = await makeThree(owner);
  const asked = { skins: [first, third] };
  expect((await bob.json(`${LIST}/delete`, asked)).body).toMatchObject({ deleted: [], missing: asked.skins });
  const { status, body } = await owner.json(`${LIST}/delete`, asked);
  expect([status, body]).toMatchObject([200, { deleted: [first, third], missing: [] }]);
  expect((await owner.get(LIST)).body.skins?.map(({ uuid }) => uuid)).toEqual([second]);
});

test('Where the plan has no private skins, a change to private changes none of them', async () => {
  const { owner, user } = await runServer();
  const bob = await user('bob');
  const skins = await makeThree(bob);
  expectRefusal(await bob.patch(LIST, { skins, name: 'Same', visibility: 'private' }), 'insufficient_grants');
  const names = (await bob.get(LIST)).body.skins?.map(({ name }) => name);
  expect(names).toEqual(['No 3', 'No 2', 'No 1']);
  expect((await owner.get('/v2/skins')).body.skins).toHaveLength(3);
});

const UUID = '0'.repeat(32);

test.each([
  { skins: [], visibility: 'private' },
  { skins: ['x'], visibility: 'private' },
  { skins: [UUID] },
  { skins: [UUID], visibility: 'private', variant: 'slim' },
  { skins: Array.from({ length: 129 }, () => UUID), visibility: 'private' },
])('Invalid changes are refused: %j', async (edit) => {
  const { owner } = await runServer();
  expectRefusal(await owner.patch(LIST, edit), 'validation_error');
});

test('A bulk change requires a key with the scope skins', async () => {
  const { url, owner, anonymous } = await runServer();
  const asked = { skins: [UUID] };
  expectRefusal(await anonymous().json(`${LIST}/delete`, asked), 'unauthorized');
  const { body } = await owner.json('/v2/account/keys', { scopes: ['read', 'generate'] });
  const reader = new TestCaller(url, { key: body.key?.secret });
  expectRefusal(await reader.json(`${LIST}/delete`, asked), 'insufficient_grants');
  expectRefusal(await reader.patch(LIST, { ...asked, name: 'a' }), 'insufficient_grants');
});
