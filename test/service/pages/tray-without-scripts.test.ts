import { expect, test } from 'vitest';
import { PlainBrowser } from '../../support/pages/browser.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { runServer } from '../../support/server/running-server.ts';

const BUTTON = /<button form="to-tray" name="ids" value="(\w{32})" class="[^"]*without-script"/g;

test('Without scripts, + on cards and on the page of a skin puts it into the set Tray of a person, and stays there', async () => {
  const { url, owner, key } = await runServer();
  const made: string[] = [];
  for (const name of ['Ann', 'Bert']) {
    const { body } = await owner.upload('/v2/generate', skinPng(made.length), { name });
    made.push(String(body.skin?.uuid));
  }
  const me = new PlainBrowser(url);
  await me.signIn(key);
  const offered = async (path: string) =>
    [...(await me.open(path)).text.matchAll(BUTTON)].map(([, uuid]) => uuid).sort();
  for (const path of ['/ui/', '/ui/gallery'])
    expect([path, await offered(path)]).toEqual([path, made.toSorted()]);
  expect(await offered('/ui/skins')).toEqual([]); // boxes put skins into sets there
  expect(await offered(`/ui/skins/${made[0]}`)).toContain(made[0]);
  const { text } = await me.open('/ui/gallery?filter=ann');
  expect(text).toMatch(/<form class="without-script" id="to-tray" method="post" action="\/ui\/tray">/);
  expect(text).toContain('aria-label="Keep in the tray: Ann"');
  const keep = async (ids: string | undefined, from?: string) => {
    const headers: Record<string, string> = from === undefined ? {} : { referer: `${url}${from}` };
    return (await me.open('/ui/tray', { form: { act: 'keep', ids: String(ids) }, headers })).headers;
  };
  expect((await keep(made[1], '/ui/gallery?filter=bert')).get('location')).toBe(
    '/ui/gallery?filter=bert#kept',
  );
  expect((await keep(made[0])).get('location')).toBe('/ui/tray#kept');
  await keep(made[0]); // once more changes nothing
  const { body } = await owner.get('/v2/sets/tray');
  const { set, skins } = body as unknown as { set: { visibility: string }; skins: { uuid: string }[] };
  expect([set.visibility, skins.map(({ uuid }) => uuid)]).toEqual(['unlisted', [made[1], made[0]]]);
  expect((await me.open('/ui/sets/tray')).text).toContain('/pack.zip" download>');
  expect((await me.open('/ui/tray')).text).toContain('into your set <a href="/ui/sets">Tray</a>');
});

test('Without scripts, nobody sees a + who cannot have a set', async () => {
  const { url, owner } = await runServer();
  const { body } = await owner.upload('/v2/generate', skinPng(1), { name: 'Ann' });
  const narrow = await owner.json('/v2/account/keys', { scopes: ['read'] });
  const reader = new PlainBrowser(url);
  await reader.signIn(narrow.body.key?.secret);
  for (const visitor of [reader, new PlainBrowser(url)])
    for (const path of ['/ui/gallery', `/ui/skins/${body.skin?.uuid}`])
      expect((await visitor.open(path)).text).not.toContain('to-tray"');
});
