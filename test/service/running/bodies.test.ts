import { expect, test } from 'vitest';
import { dataUrl, skinPng } from '../../support/server/drawn-skins.ts';
import { guardAgainstLeaks, runServer } from '../../support/server/running-server.ts';
import { expectRefusal } from '../../support/server/test-caller.ts';

guardAgainstLeaks();

const JSON_TYPE = { 'content-type': 'application/json' };

test('A request that names JSON and has no body is taken as one without the name', async () => {
  const { owner } = await runServer();
  const skin = (await owner.upload('/v2/generate', skinPng(1))).body.skin!;
  const sent = [
    ['POST', `/generate/url?url=${encodeURIComponent(dataUrl(skinPng(2)))}`, 200],
    ['POST', `/v2/skins/${skin.uuid}/interactions/views`, 204],
    ['DELETE', `/v2/skins/${skin.uuid}`, 200],
  ] as const;
  for (const [method, path, status] of sent) {
    expect((await owner.send(method, path, { headers: JSON_TYPE })).status, path).toBe(status);
  }
  const nothing = await owner.send('POST', '/v2/queue', { headers: JSON_TYPE });
  expectRefusal(nothing, 'invalid_request');
});

test('A key is not made of a JSON body that got lost', async () => {
  const { owner } = await runServer();
  const heard = await owner.send('POST', '/v2/account/keys', { headers: JSON_TYPE });
  expectRefusal(heard, 'invalid_request');
  expect(heard.body.errors[0]?.message).toBe('The body is empty.');
  const { id } = (await owner.json('/v2/account/keys', {})).body.key!;
  expect((await owner.send('DELETE', `/v2/account/keys/${id}`, { headers: JSON_TYPE })).status).toBe(200);
});
