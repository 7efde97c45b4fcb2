import { expect, test } from 'vitest';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { guardAgainstLeaks, runServer } from '../../support/server/running-server.ts';
import { expectRefusal, type TestCaller } from '../../support/server/test-caller.ts';

guardAgainstLeaks();

async function make(caller: TestCaller, number: number, fields: Record<string, string>): Promise<string> {
  return String((await caller.upload('/v2/generate', skinPng(number), fields)).body.skin?.uuid);
}

async function similarTo(caller: TestCaller, uuid: string): Promise<unknown[]> {
  const { status, bytes } = await caller.get(`/v2/skins/${uuid}/similar`);
  expect(status).toBe(200);
  return (JSON.parse(bytes.toString()) as { skins: unknown[] }).skins;
}

test('Similar skins are public ones with the same pixels and other arms', async () => {
  const { owner, anonymous } = await runServer();
  const classic = await make(owner, 1, { variant: 'classic' });
  await make(owner, 2, { variant: 'slim' });
  expect(await similarTo(anonymous(), classic)).toEqual([]);
  const slim = await make(owner, 1, { variant: 'slim' });
  expect(await similarTo(anonymous(), classic)).toEqual([{ uuid: slim, variant: 'slim' }]);
  expect(await similarTo(anonymous(), slim)).toEqual([{ uuid: classic, variant: 'classic' }]);
  await owner.patch(`/v2/skins/${slim}`, { visibility: 'private' });
  expect(await similarTo(owner, classic)).toEqual([]);
  expectRefusal(await anonymous().get(`/v2/skins/${slim}/similar`), 'skin_not_found');
});
