import { hash } from 'node:crypto';
import { expect, test } from 'vitest';
import { PlainBrowser } from '../../support/pages/browser.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { guardAgainstLeaks, runServer, type ServerUnderTest } from '../../support/server/running-server.ts';
import type { TestCaller } from '../../support/server/test-caller.ts';

guardAgainstLeaks();

async function signedIn({ url, key }: ServerUnderTest, as = key): Promise<PlainBrowser> {
  const browser = new PlainBrowser(url);
  expect((await browser.signIn(as)).status).toBe(303);
  return browser;
}

async function make(caller: TestCaller, number: number, fields: Record<string, string> = {}) {
  return String((await caller.upload('/v2/generate', skinPng(number), fields)).body.skin?.uuid);
}

/** A form with one value of each field, and several skins. */
function formOf(skins: readonly string[], fields: Readonly<Record<string, string>>): FormData {
  const form = new FormData();
  for (const uuid of skins) form.append('skin', uuid);
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return form;
}

/** As forms of pages are sent. */
const encoded = (skins: readonly string[], fields: Readonly<Record<string, string>>) =>
  new URLSearchParams([...formOf(skins, fields)] as [string, string][]);

test("The page of a user's own skins shows skins of every visibility, and nobody else's", async () => {
  const server = await runServer();
  const bob = await server.user('bob');
  const own = [
    await make(server.owner, 1, { name: 'Anna', visibility: 'private' }),
    await make(server.owner, 2, { name: 'Berta', visibility: 'unlisted' }),
    await make(server.owner, 3, { name: 'Clara' }),
  ];
  const strange = await make(bob, 4, { name: 'Strange' });
  const { body: nobody } = await server.owner.json('/v2/account/keys', { user: 'nobody' });
  const empty = new PlainBrowser(server.url);
  await empty.signIn(nobody.key?.secret);
  for (const path of ['/ui/skins', '/ui/jobs'])
    expect((await empty.open(path)).text).not.toMatch(/<p class="quiet">0 /);
  const { text, headers } = await (await signedIn(server)).open('/ui/skins');
  for (const uuid of own) expect(text).toContain(`/ui/skins/${uuid}"`);
  expect(text).not.toContain(strange);
  expect(text).toContain('3 skins');
  expect(headers.get('cache-control')).toBe('private, no-store');
  const stranger = await new PlainBrowser(server.url).open('/ui/skins');
  expect([stranger.status, stranger.headers.get('location')]).toEqual([
    303,
    expect.stringMatching(/^\/ui\/sign-in(?:\?next=%2Fui%2F\S+)?$/),
  ]);
});

test('Selected skins become a set, whose page offers changes and downloads', async () => {
  const server = await runServer();
  const { owner } = server;
  const [anna, berta] = [await make(owner, 1, { name: 'Anna' }), await make(owner, 2, { name: 'Berta' })];
  const browser = await signedIn(server);
  const put = async (skins: readonly string[], set: string) =>
    await browser.open('/ui/skins', { form: encoded(skins, { act: 'set', set }) });
  const made = (await put([anna], 'Royal Guards')).headers.get('location') ?? '';
  expect(made).toMatch(/^\/ui\/sets\/[0-9a-f]{32}$/);
  expect((await put([berta], 'royal guards')).headers.get('location')).toBe(made);
  expect((await put([berta], '')).status).toBe(400);
  const stranger = new PlainBrowser(server.url);
  expect((await stranger.open('/ui/sets')).text).not.toContain('Royal Guards');
  expect((await stranger.open(made)).text).not.toContain('Change this set');
  await browser.open(made, { form: { act: 'save', name: 'Guards', visibility: 'public' } });
  expect((await stranger.open('/ui/sets')).text).toContain(`href="${made}"`);
  const seen = (await stranger.open('/ui/sets/guards')).text;
  expect(seen).toContain(`resource-pack=${server.url}/packs/${made.split('/').at(-1)}.zip`);
  expect(seen).toContain('/function royal-guards:lineup');
  await browser.open(made, { form: encoded([anna], { act: 'remove' }) });
  const lock = (await stranger.open('/ui/sets/guards/skins.lock')).text;
  expect([lock.includes(berta), lock.includes(anna)]).toEqual([true, false]);
  for (const file of ['skins.zip', 'pack.zip', 'datapack.zip'])
    expect((await stranger.open(`/ui/sets/guards/${file}`)).status).toBe(200);
  await browser.open(made, { form: { act: 'save', name: 'Guards', visibility: 'private' } });
  expect((await stranger.open(made)).status).toBe(404);
  expect((await browser.open(`${made}/skins.zip`)).status).toBe(200);
  expect((await browser.open(made, { form: { act: 'delete' } })).headers.get('location')).toBe('/ui/sets');
  expect((await browser.open(made)).status).toBe(404);
});

test('Skins of everyone that are selected in the gallery become a set, or the page says what is missing', async () => {
  const server = await runServer();
  const bob = await server.user('bob');
  const skins = [await make(bob, 1, { name: 'Anna' }), await make(bob, 2, { name: 'Berta' })];
  await make(bob, 3, { name: 'Clara' });
  const browser = await signedIn(server);
  const page = (await browser.open('/ui/gallery?filter=a&variant=classic')).text;
  const [, place = ''] = /name="place" value="([^"]*)"/.exec(page) ?? [];
  const put = async (selected: readonly string[], set: string) =>
    await browser.open('/ui/gallery', {
      form: encoded(selected, { place: place.replaceAll('&amp;', '&'), set }),
    });
  const { status, headers } = await put(skins, 'Favourites');
  expect(status).toBe(303);
  expect(headers.get('location')).toMatch(/^\/ui\/sets\/[0-9a-f]{32}$/);
  expect((await browser.open(headers.get('location')!)).text).toContain('2 skins');
  const [unnamed, empty] = [await put(skins, ''), await put([], 'Favourites')];
  expect([unnamed.status, empty.status]).toEqual([400, 400]);
  expect(unnamed.text).toContain('Type the name of a new or existing set first.');
  expect(empty.text).toContain('Select skins first.');
  // Nothing that was chosen is lost.
  for (const uuid of skins) expect(unnamed.text).toMatch(new RegExp(`value="${uuid}"[^>]* checked`));
  expect(empty.text).toContain('value="Favourites"');
  expect(empty.text).toContain('id="filter" type="search" name="filter" maxlength="48" value="a"');
  const stranger = (await new PlainBrowser(server.url).open('/ui/gallery')).text;
  expect(stranger).toContain('Anna');
  expect(stranger).not.toContain('type="checkbox"');
});

test('Selected skins become a resource pack, with the lines that a game server needs', async () => {
  const server = await runServer();
  const own = [await make(server.owner, 1, { name: 'Anna' }), await make(server.owner, 2)];
  const hidden = await make(server.owner, 3, { visibility: 'private' });
  const browser = await signedIn(server);
  const packed = async (skins: readonly string[]) =>
    (await browser.open('/ui/skins', { form: encoded(skins, { act: 'pack' }) })).text;
  const [, address = '', sha1] =
    /resource-pack=(\S+)\nresource-pack-sha1=([0-9a-f]{40})/.exec(
      (await packed(own)).replaceAll('&amp;', '&'),
    ) ?? [];
  const pack = await fetch(address);
  expect(pack.headers.get('etag')).toBe(`"${sha1}"`);
  expect(hash('sha1', new Uint8Array(await pack.arrayBuffer()))).toBe(sha1);
  const other = await packed([hidden]);
  expect(other).toContain('because a skin in it is private');
  expect(other).not.toContain('resource-pack=');
  const file = await browser.open(`/ui/skins/pack.zip?ids=${hidden}`);
  expect([file.status, file.headers.get('content-type')]).toEqual([200, 'application/zip']);
});

test('Skins are downloaded as the search shows them, by their owner only', async () => {
  const server = await runServer();
  const own = await make(server.owner, 1, { name: 'Anna', visibility: 'private' });
  await make(server.owner, 2, { name: 'Berta' });
  const browser = await signedIn(server);
  const { text } = await browser.open('/ui/skins?visibility=private');
  const links = [...text.matchAll(/href="(\/ui\/skins\/export\.\w+\?[^"]*)"/g)].map(([, path = '']) =>
    path.replaceAll('&amp;', '&'),
  );
  expect(links).toHaveLength(2);
  const [zip, lock] = await Promise.all(links.map(async (path) => await browser.open(path)));
  expect([zip?.headers.get('content-type'), zip?.text.slice(0, 2)]).toEqual(['application/zip', 'PK']);
  expect(lock?.headers.get('content-disposition')).toBe('attachment; filename="skins.lock"');
  expect(
    lock?.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown),
  ).toMatchObject([{ uuid: own, source: `skins/Anna-${own.slice(0, 8)}.png` }]);
  const stranger = await new PlainBrowser(server.url).open('/ui/skins/export.lock');
  expect([stranger.status, stranger.headers.get('location')]).toEqual([
    303,
    expect.stringMatching(/^\/ui\/sign-in(?:\?next=%2Fui%2F\S+)?$/),
  ]);
  const head = await fetch(`${server.url}/ui/skins/export.zip`, {
    method: 'HEAD',
    headers: { cookie: String(browser.cookie) },
  });
  expect([head.status, head.headers.get('content-type')]).toEqual([200, 'application/zip']);
});

test('Skins are searched, filtered, sorted and shown page by page', async () => {
  const server = await runServer();
  const browser = await signedIn(server);
  const named = async (query: string) =>
    [...(await browser.open(`/ui/skins${query}`)).text.matchAll(/<bdi>(No \d+)<\/bdi>/g)].map(
      ([, name]) => name,
    );
  for (let n = 1; n <= 3; n++) {
    await make(server.owner, n, { name: `No ${n}`, visibility: n === 2 ? 'private' : 'public' });
  }
  expect(await named('')).toEqual(['No 3', 'No 2', 'No 1']);
  expect(await named('?visibility=private')).toEqual(['No 2']);
  expect(await named('?filter=3&visibility=&variant=&sort=newest')).toEqual(['No 3']);
  expect(await named('?variant=slim')).toEqual([]);
  const { text } = await browser.open('/ui/skins?filter=nothing');
  expect(text).toContain('No skins match.');
});

/** The form of a page that asks, as its button sends it. */
function answerOf(page: string, act: string): URLSearchParams {
  const [, form = ''] = /<form class="panel"([\s\S]*?)<\/form>/.exec(page) ?? [];
  const answer = new URLSearchParams({ act });
  for (const [, name = '', value = ''] of form.matchAll(
    /<input type="hidden" name="(\w+)" value="([^"]*)">/g,
  ))
    answer.append(name, value.replaceAll('&amp;', '&'));
  return answer;
}

test('Several selected skins are changed, or deleted, after a confirmation', async () => {
  const server = await runServer();
  const browser = await signedIn(server);
  const skins = [
    await make(server.owner, 1, { name: 'Anna' }),
    await make(server.owner, 2, { name: 'Berta' }),
  ];
  const send = async (fields: Readonly<Record<string, string>>, some = skins) =>
    await browser.open('/ui/skins', { form: encoded(some, fields) });
  const list = async () => (await server.owner.get('/v2/me/skins')).body.skins ?? [];
  const asked = (await send({ act: 'change', visibility: 'private', name: '' })).text;
  expect(asked).toContain('Change these 2 skins?');
  expect(asked).toMatch(/Anna<\/bdi>, Public<\/td><td><bdi[^>]*>Anna<\/bdi>, Private/);
  expect((await list()).map(({ visibility }) => visibility)).toEqual(['public', 'public']);
  const changed = await browser.open('/ui/skins', { form: answerOf(asked, 'change-all') });
  expect([changed.status, changed.headers.get('location')]).toEqual([303, '/ui/skins?changed=2']);
  expect((await browser.open('/ui/skins?changed=2')).text).toContain('2 skins changed.');
  expect((await list()).map(({ visibility, name }) => [visibility, name])).toEqual([
    ['private', 'Berta'],
    ['private', 'Anna'],
  ]);
  const question = (await send({ act: 'delete', visibility: '', name: '' })).text;
  expect(question).toContain('Delete these 2 skins?');
  for (const uuid of skins) expect(question).toContain(`src="/ui/skins/${uuid}/pictures/front?size=128"`);
  expect(await list()).toHaveLength(2);
  const deleted = await send({ act: 'delete-for-good' }, skins.slice(0, 1));
  expect(deleted.headers.get('location')).toBe('/ui/skins?deleted=1');
  expect((await list()).map(({ name }) => name)).toEqual(['Berta']);
});

test('A new name for several skins is numbered, after a page that shows the names before and after', async () => {
  const server = await runServer();
  const browser = await signedIn(server);
  const skins: string[] = [];
  for (let n = 1; n <= 11; n++) skins.push(await make(server.owner, n, { name: `Old ${n}` }));
  for (const [typed, base] of [
    ['Guard', 'Guard'],
    ['A name of exactly forty-seven characters guards', 'A name of exactly forty-seven characters guar'],
  ] as const) {
    const names = async () =>
      ((await server.owner.get('/v2/me/skins?size=20')).body.skins ?? []).map(({ name }) => name);
    const before = await names();
    const form = encoded(skins, { act: 'change', name: typed });
    const { text } = await browser.open('/ui/skins', { form });
    expect(await names()).toEqual(before);
    const rows = [
      ...text.matchAll(/<td>.*?<bdi[^>]*>([^<]*)<\/bdi><\/td><td><bdi[^>]*>([^<]*)<\/bdi><\/td>/g),
    ];
    const numbers = skins.map((_, index) => index + 1);
    expect(rows.map(([, old, fresh]) => [old, fresh])).toEqual(
      numbers.map((n) => [before.toReversed()[n - 1], `${base} ${n}`]),
    );
    await browser.open('/ui/skins', { form: answerOf(text, 'change-all') });
    expect(await names()).toEqual(numbers.map((n) => `${base} ${n}`).toReversed());
  }
});

test('Without scripts, Enter submits a field if no other is filled, and asks for a button otherwise', async () => {
  const server = await runServer();
  const browser = await signedIn(server);
  const uuid = await make(server.owner, 1, { name: 'Anna', visibility: 'private' });
  const enter = async (fields: Readonly<Record<string, string>>) =>
    await browser.open('/ui/skins', { form: encoded([uuid], { act: 'enter', ...fields }) });
  const unclear: Readonly<Record<string, string>>[] = [{}, { name: 'Berta', set: 'Guards' }];
  for (const texts of unclear) {
    const { status, text } = await enter({ visibility: 'public', ...texts });
    expect([status, text.includes('Press the button for what you want to do')]).toEqual([400, true]);
  }
  const skin = async () => (await server.owner.get('/v2/me/skins')).body.skins?.[0];
  await enter({ visibility: 'public', set: 'Guards' });
  expect(await skin()).toMatchObject({ name: 'Anna', visibility: 'private' });
  await enter({ name: 'Berta' });
  expect(await skin()).toMatchObject({ name: 'Berta', visibility: 'private' });
  expect((await server.owner.get('/v2/me/sets')).body.sets).toMatchObject([{ name: 'Guards', size: 1 }]);
});

test('A form without a selection, or without a change, does nothing', async () => {
  const server = await runServer();
  const browser = await signedIn(server);
  const uuid = await make(server.owner, 1);
  const none = await browser.open('/ui/skins', { form: encoded([], { act: 'delete-for-good' }) });
  const unchanged = await browser.open('/ui/skins', {
    form: encoded([uuid], { act: 'change', visibility: '' }),
  });
  expect([none.status, unchanged.status]).toEqual([400, 400]);
  expect(none.text).toContain('Select skins first.');
  expect(unchanged.text).toContain(`value="${uuid}" aria-label="Select ${uuid.slice(0, 8)}" checked`);
  expect((await server.owner.get('/v2/me/skins')).body.skins).toHaveLength(1);
});

test('A form leads back to the part of the list where it was sent, and nowhere else', async () => {
  const server = await runServer();
  const browser = await signedIn(server);
  const uuid = await make(server.owner, 1, { name: "Ann's".replace("'", '') });
  const { text } = await browser.open('/ui/skins?filter=Anns&variant=&sort=popular');
  expect(text).toContain('name="list" value="sort=popular&amp;filter=Anns"');
  const list = 'sort=popular&filter=Anns&changed=9&x=//evil.example';
  const back = '/ui/skins?sort=popular&filter=Anns';
  const question = await browser.open('/ui/skins', { form: encoded([uuid], { act: 'delete', list }) });
  expect(question.text).toContain(`<a href="${back.replace('&', '&amp;')}">Keep it</a>`);
  const changed = await browser.open('/ui/skins', {
    form: encoded([uuid], { act: 'change', visibility: 'private', list }),
  });
  expect(changed.headers.get('location')).toBe(`${back}&changed=1`);
});

test('A form keeps the start of the list, a search keeps its arms, and a hidden skin is marked as hidden', async () => {
  const server = await runServer();
  const browser = await signedIn(server);
  const [first, second] = [await make(server.owner, 1), await make(server.owner, 2)];
  await server.owner.patch(`/v2/account/skins/${first}`, { hidden: true });
  const { text } = await browser.open(`/ui/skins?after=${second}&variant=classic`);
  expect(text).toContain(`name="list" value="variant=classic&amp;after=${second}"`);
  expect(text).toContain('/ui/skins/export.zip?variant=classic"');
  expect(text).toContain('Hidden by the operator');
});

test('A form cannot change skins of others, and a session can do no more than its key', async () => {
  const server = await runServer();
  const bob = await server.user('bob');
  const uuid = await make(bob, 1, { name: 'Bobs' });
  const browser = await signedIn(server);
  for (const fields of [
    { act: 'change', visibility: 'private' },
    { act: 'delete-for-good', visibility: '' },
  ]) {
    const { headers } = await browser.open('/ui/skins', { form: encoded([uuid], fields) });
    expect(headers.get('location')).toMatch(/=0$/);
  }
  expect((await bob.get('/v2/me/skins')).body.skins).toMatchObject([{ name: 'Bobs', visibility: 'public' }]);

  const own = await make(server.owner, 2);
  const reading = (await server.owner.json('/v2/account/keys', { scopes: ['read'] })).body.key?.secret;
  const reader = await signedIn(server, reading);
  expect((await reader.open('/ui/skins')).status).toBe(200);
  expect((await reader.open('/ui/skins', { form: encoded([own], { act: 'delete-for-good' }) })).status).toBe(
    403,
  );
  const making = (await server.owner.json('/v2/account/keys', { scopes: ['generate'] })).body.key?.secret;
  expect((await (await signedIn(server, making)).open('/ui/skins')).status).toBe(403);
});
