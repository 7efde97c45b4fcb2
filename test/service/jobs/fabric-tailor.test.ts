import { expect, test } from 'vitest';
import { dataUrl, skinPng } from '../../support/server/drawn-skins.ts';
import { guardAgainstLeaks, runServer } from '../../support/server/running-server.ts';
import type { Heard, TestCaller } from '../../support/server/test-caller.ts';

guardAgainstLeaks();

/** What FabricTailor takes from an answer; of one that has the word anywhere it takes nothing. */
function skinData({ status, bytes }: Heard): { value: string; signature: string } | undefined {
  const reply = bytes.toString('utf8');
  if (status !== 200 || reply.includes('error')) return undefined;
  const textAfter = (start: string) => reply.split(start)[1]?.split('"')[0] ?? '';
  return { value: textAfter('"value":"'), signature: textAfter('"signature":"') };
}

async function fetchByUrl(caller: TestCaller, url: string): Promise<Heard> {
  const body = JSON.stringify({ url, variant: 'classic' });
  const headers = { 'content-type': 'application/json', 'user-agent': 'User-Agent' };
  return await caller.send('POST', '/v2/generate', { headers, body });
}

test('FabricTailor takes new and known skins made from a URL, although it sends no key', async () => {
  const server = await runServer();
  const plugin = server.anonymous();
  for (const duplicate of [false, true]) {
    const heard = await fetchByUrl(plugin, dataUrl(skinPng(1)));
    expect(heard.body.skin?.duplicate).toBe(duplicate);
    expect(skinData(heard)).toEqual(heard.body.skin?.texture.data);
  }
});
