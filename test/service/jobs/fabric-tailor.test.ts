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

/** Its form: the file's name as a text, too, and the variant where no server looks for it. */
async function sendFile(caller: TestCaller, path: string, png: Buffer): Promise<Heard> {
  const boundary = '6f1f4a1e-54f8-4c1b-9d0e-0c3f0d2a9b7e';
  const start = [
    `--${boundary}`,
    'Content-Disposition: form-data; name="file"',
    'Content-Type: text/plain; charset=UTF-8',
    '',
    'smith.png',
    `--${boundary}`,
    'Content-Disposition: form-data; name="file"; filename="smith.png"; variant="slim"',
    'Content-Type: image/png',
    'Content-Transfer-Encoding: binary',
    '',
    '',
  ].join('\r\n');
  const body = Buffer.concat([Buffer.from(start), png, Buffer.from(`\r\n--${boundary}--\r\n`)]);
  const headers = {
    'content-type': `multipart/form-data; boundary=${boundary}`,
    'user-agent': 'User-Agent',
  };
  return await caller.send('POST', path, { headers, body });
}

test('FabricTailor takes skins made from a file, whose name it sends a second time', async () => {
  const server = await runServer();
  const heard = await sendFile(server.anonymous(), '/v2/generate', skinPng(1));
  expect(heard.status).toBe(200);
  expect(skinData(heard)).toEqual(heard.body.skin?.texture.data);
});

test.each([
  ['/v2/queue', 202],
  ['/generate/upload', 200],
])('The form of FabricTailor is accepted at %s', async (path, status) => {
  const server = await runServer();
  expect((await sendFile(server.anonymous(), path, skinPng(1))).status).toBe(status);
});
