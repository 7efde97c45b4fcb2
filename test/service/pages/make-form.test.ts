import { expect, test } from 'vitest';
import { PlainBrowser } from '../../support/pages/browser.ts';
import { runAccountServer } from '../../support/server/account-server.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { runServer } from '../../support/server/running-server.ts';

function formOf(fields: Readonly<Record<string, string>>, n = 1): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  form.set('file', new Blob([new Uint8Array(skinPng(n))], { type: 'image/png' }), 'skin.png');
  return form;
}

test('A form of someone who has meanwhile signed out, or signed in as another user, makes no skin', async () => {
  const server = await runServer();
  await server.user('bob');
  const nobody = new PlainBrowser(server.url);
  const bob = new PlainBrowser(server.url);
  const { body } = await server.owner.json('/v2/account/keys', { user: 'bob' });
  await bob.signIn(body.key?.secret);
  for (const person of [nobody, bob]) {
    const { status, text } = await person.open('/ui/make', { form: formOf({ maker: 'ann', name: 'Hat' }) });
    expect(status).toBe(401);
    expect(text).toContain('You are no longer signed in as <bdi>ann</bdi>.');
  }
  expect((await server.owner.get('/v2/skins')).body.skins).toEqual([]);
});

test('A form that is sent too soon says when to try again', async () => {
  const server = await runServer({ workers: 0 });
  const visitor = new PlainBrowser(server.url);
  let last = await visitor.open('/ui/make', { form: formOf({}) });
  for (let n = 2; last.status === 303 && n < 20; n++)
    last = await visitor.open('/ui/make', { form: formOf({}, n) });
  expect([last.status, last.headers.get('retry-after')]).toEqual([429, expect.stringMatching(/^[1-9]\d*$/)]);
  expect(last.text).toContain('data-make="file"');
});

test('The zip of what was made has each skin once', async () => {
  const server = await runServer();
  const visitor = new PlainBrowser(server.url);
  const { body } = await server.owner.upload('/v2/generate', skinPng(1));
  const uuid = String(body.skin?.uuid);
  const { status, text } = await visitor.open('/ui/make/skins.zip', { form: { ids: `${uuid},${uuid}` } });
  expect(status).toBe(200);
  expect(text.match(/skins\/[0-9a-f]{8,32}\.png/g)).toHaveLength(2); // before the picture, and in the directory
});

test('Users who may not link accounts read that only the operator can, and the operator gets a link', async () => {
  const { server } = await runAccountServer({ userAccounts: false });
  await server.user('bob');
  const texts: string[] = [];
  for (const user of ['bob', 'owner']) {
    const person = new PlainBrowser(server.url);
    const { body } = await server.owner.json('/v2/account/keys', { user });
    await person.signIn(body.key?.secret);
    texts.push((await person.open('/ui/make')).text);
  }
  const shown = texts.map((text) => [
    text.includes('Link your own'),
    text.includes('Only the operator can link one.'),
  ]);
  expect(shown).toEqual([
    [false, true],
    [true, false],
  ]);
});
