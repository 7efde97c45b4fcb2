import { describe, expect, test } from 'vitest';
import { makeJob, makeSkin, refusal } from '../../support/client/answers.ts';
import { cutBefore, type Exchange, scriptedServer } from '../../support/client/scripted-server.ts';
import { API_KEY, failureOf, testClient } from '../../support/client/test-client.ts';

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47]);
const skin = makeSkin();
const png = (expected: string): Exchange => ({
  expect: expected,
  act: (response) => void response.writeHead(200, { 'content-type': 'image/png' }).end(PNG),
});

describe('SkinClient.editSkin', () => {
  test.each([{ name: 'New' }, { name: null }, { name: '', visibility: 'private' }] as const)(
    'sends %j and returns the skin as it is now',
    async (edit) => {
      const { client, server } = await testClient([
        { expect: 'PATCH /v2/skins/a%2Fb', json: { success: true, skin } },
      ]);
      expect(await client.editSkin('a/b', edit)).toEqual(skin);
      expect(JSON.parse(String(server.seen[0]?.body))).toEqual(edit);
      expect(server.seen[0]?.headers).toMatchObject({ 'content-type': 'application/json' });
    },
  );

  test('is repeated after a failure, because a second edit changes nothing', async () => {
    const line = 'PATCH /v2/skins/a';
    const { client } = await testClient([
      { expect: line, act: cutBefore },
      { expect: line, json: { success: true, skin } },
    ]);
    expect(await client.editSkin('a', { name: 'New' })).toEqual(skin);
  });
});

describe('SkinClient.deleteSkin', () => {
  test('deletes the skin and ignores the body of the answer', async () => {
    const { client } = await testClient([{ expect: 'DELETE /v2/skins/a%2Fb', json: { success: true } }]);
    expect(await client.deleteSkin('a/b')).toBeUndefined();
  });

  test('throws what the service says', async () => {
    const { client } = await testClient([
      { expect: 'DELETE /v2/skins/a', status: 404, json: refusal('skin_not_found') },
    ]);
    expect(await failureOf(client.deleteSkin('a'))).toMatchObject({ code: 'skin_not_found', status: 404 });
  });
});

describe('SkinClient.skinTexture', () => {
  test("follows the service's redirect, and sends the key only to the service", async () => {
    const elsewhere = await scriptedServer([png('GET /textures/aa11')]);
    const { client, server } = await testClient(
      [
        {
          expect: 'GET /below/v2/skins/a%2Fb/texture',
          status: 302,
          headers: { location: '/textures/aa11' },
          text: '',
        },
        {
          expect: 'GET /textures/aa11',
          status: 302,
          headers: { location: `${elsewhere.url}/textures/aa11` },
          text: '',
        },
      ],
      { below: '/below' },
    );
    expect(Buffer.from(await client.skinTexture('a/b'))).toEqual(PNG);
    const keys = [...server.seen, ...elsewhere.seen].map(({ headers }) => headers.authorization);
    expect(keys).toEqual([`Bearer ${API_KEY}`, undefined, undefined]);
  });

  test("passes on the service's error for a missing skin", async () => {
    const { client } = await testClient([
      { expect: 'GET /v2/skins/a/texture', status: 404, json: refusal('skin_not_found') },
    ]);
    expect(await failureOf(client.skinTexture('a'))).toMatchObject({ code: 'skin_not_found' });
  });
});

describe('A completed job whose skin was deleted', () => {
  const job = makeJob({ status: 'completed', result: skin.uuid });

  test('is a state like any other', async () => {
    const { client } = await testClient([{ expect: 'GET /v2/queue/j', json: { success: true, job } }]);
    expect(await client.job('j')).toMatchObject({ job: { status: 'completed', result: skin.uuid } });
  });

  test('has no skin to wait for', async () => {
    const { client } = await testClient([
      { expect: 'GET /v2/queue/j', json: { success: true, job } },
      { expect: `GET /v2/skins/${skin.uuid}`, status: 404, json: refusal('skin_not_found') },
    ]);
    expect(await failureOf(client.waitForJob({ id: 'j', eta: 0 }))).toMatchObject({ code: 'skin_not_found' });
  });
});
