import { expect, test } from 'vitest';
import { sameEndpoints } from '../../../docs/compatibility/document.ts';
import { runGame } from '../../support/fake-game/run-game.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { guardAgainstLeaks, runServer } from '../../support/server/running-server.ts';
import type { Heard, TestCaller } from '../../support/server/test-caller.ts';

guardAgainstLeaks();

interface Known {
  readonly owner: TestCaller;
  readonly uuid: string;
  readonly hash: string;
  readonly player: string;
}

const TEXTURE = `data:image/png;base64,${Buffer.from(skinPng(2)).toString('base64')}`;
const page =
  (path: string) =>
  async ({ owner }: Known) =>
    await owner.get(path);

/** A request for each endpoint that the document calls the same. The caller holds each answer against both contracts. */
const REQUESTS: Readonly<Record<string, (known: Known) => Promise<Heard>>> = {
  'POST /v2/queue/batch': async ({ owner }) =>
    await owner.json('/v2/queue/batch', { batch: [{ url: TEXTURE }] }),
  'GET /v2/delay': page('/v2/delay'),
  'GET /v2/capes': page('/v2/capes'),
  'GET /v2/me': page('/v2/me'),
  'GET /v2/me/apikey': page('/v2/me/apikey'),
  'GET /v2/me/client': page('/v2/me/client'),
  'GET /v2/images/{hash}': async ({ owner, hash }) => await owner.get(`/v2/images/${hash}`),
  'GET /v2/me/apikeys': page('/v2/me/apikeys'),
  'GET /v2/skins/latest': page('/v2/skins/latest'),
  'GET /v2/skins/random': page('/v2/skins/random'),
  'GET /v2/skins/{uuid}/texture': async ({ owner, uuid }) => await owner.get(`/v2/skins/${uuid}/texture`),
  'POST /v2/skins/{uuid}/interactions/views': async ({ owner, uuid }) =>
    await owner.send('POST', `/v2/skins/${uuid}/interactions/views`),
  'GET /get/delay': page('/get/delay'),
  'GET /get/uuid/{uuid}': async ({ owner, uuid }) => await owner.get(`/get/uuid/${uuid}`),
  'GET /get/list': page('/get/list'),
  'GET /get/random': page('/get/random'),
  'GET /validate/name/{name}': page('/validate/name/Smith_7'),
  'GET /validate/user/{name}': page('/validate/user/Smith_7'),
  'GET /validate/uuid/{uuid}': async ({ owner, player }) => await owner.get(`/validate/uuid/${player}`),
  'GET /validate/currentUsername/{uuid}': async ({ owner, player }) =>
    await owner.get(`/validate/currentUsername/${player}`),
  // Last: nothing is left of the skin.
  'DELETE /v2/skins/{uuid}': async ({ owner, uuid }) => await owner.send('DELETE', `/v2/skins/${uuid}`),
};

test('Each endpoint that is called the same answers as both contracts say', async () => {
  const fake = await runGame();
  const { id: player } = fake.addPlayer({ name: 'Smith_7' });
  const { owner } = await runServer({ gameAddresses: fake.addresses });
  const { skin } = (await owner.upload('/v2/generate', skinPng(1))).body;
  const known = { owner, player, uuid: skin?.uuid ?? '', hash: skin?.texture.hash.skin ?? '' };
  const refused: string[] = [];
  for (const [endpoint, request] of Object.entries(REQUESTS)) {
    const { status } = await request(known);
    if (status >= 400) refused.push(`${endpoint}: ${status}`);
  }
  expect(refused).toEqual([]);
});

test('No endpoint is called the same without a request that shows it', async () => {
  expect(Object.keys(REQUESTS).toSorted()).toEqual((await sameEndpoints()).toSorted());
});
