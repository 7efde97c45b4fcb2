import { readFile } from 'node:fs/promises';
import type { Browser } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { workersChromium } from '../../support/chromium/chromium.ts';
import { PlainBrowser } from '../../support/pages/browser.ts';
import { openPage, signIn, violationsOn } from '../../support/pages/watched-page.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { readZip } from '../../support/server/read-zip.ts';
import { runServer } from '../../support/server/running-server.ts';
import { testWhole } from '../../support/setup/extent.ts';
import { isWhole } from '../../support/setup/whole-run.ts';

let browser: Browser;

beforeAll(async () => {
  browser = await workersChromium();
});

test('A tray keeps skins over pages and reloads, becomes a set, and is empty after signing out', async () => {
  const server = await runServer();
  const { url, owner } = server;
  const uuids: string[] = [];
  for (const name of ['Ann', 'Bert', 'Cleo']) {
    const { body } = await owner.upload('/v2/generate', skinPng(uuids.length), { name });
    uuids.push(String(body.skin?.uuid));
  }
  const { page, complaints } = await openPage(browser, {
    bypassCSP: true,
    viewport: { width: 320, height: 640 },
  });
  const link = page.getByRole('link', { name: /^Tray/ });
  await page.goto(`${url}/ui/`);
  expect(await link.isVisible()).toBe(false);
  const ann = page.getByRole('button', { name: 'Keep in the tray: Ann' });
  await ann.click();
  expect(await ann.getAttribute('aria-pressed')).toBe('true');
  await page.goto(`${url}/ui/gallery`);
  await page.getByRole('button', { name: 'Keep in the tray: Bert' }).press('Enter');
  await page.goto(`${url}/ui/skins/${uuids[2]}`);
  await page.getByRole('button', { name: 'Keep in the tray', exact: true }).click();
  await page.reload();
  expect(
    await page.getByRole('button', { name: 'Keep in the tray', exact: true }).getAttribute('aria-pressed'),
  ).toBe('true');
  await signIn(page, server);
  await link.click();
  await page.getByRole('button', { name: 'Keep in the tray: Ann' }).click(); // takes it out
  expect(await link.textContent()).toBe('Tray\u00a0(2)');
  const downloading = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Resource pack' }).click();
  const pack = await readZip(await readFile(await (await downloading).path()));
  const names = JSON.parse(String(pack.get('skins.json')));
  expect(JSON.stringify(names)).toMatch(/bert.*cleo/i);
  expect(JSON.stringify(names)).not.toMatch(/ann/i);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320);
  if (isWhole) expect(await violationsOn(page)).toEqual([]); // `every-page` looks at the same parts
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Pictures and data (zip)' }).click();
  expect((await saving).suggestedFilename()).toBe('skins.zip');
  const files = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Files for SkinsRestorer (zip)' }).click();
  const file = await files;
  expect(file.suggestedFilename()).toBe('skins.customskin.zip');
  const contents = await readZip(await readFile(await file.path()));
  expect([...contents.keys()].sort()).toEqual(['bert.customskin', 'cleo.customskin']);
  expect(JSON.parse(String(contents.get('bert.customskin')))).toMatchObject({
    skinName: 'bert',
    dataVersion: 1,
  });
  await page.getByLabel('New or existing set').fill('Guards');
  await page.getByRole('button', { name: 'Add them to the set' }).click();
  await page.getByRole('heading', { name: 'Guards' }).waitFor();
  const { body } = await owner.get('/v2/sets/guards');
  expect((body as unknown as { skins: { uuid: string }[] }).skins.map(({ uuid }) => uuid)).toEqual(
    uuids.slice(1),
  );
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.waitForURL(`${url}/ui/`);
  expect(await link.isVisible()).toBe(false);
  await page.goto(`${url}/ui/tray`);
  await page.getByText('The tray is empty.').waitFor();
  expect(complaints).toEqual([]);
});

test('A tray follows the tray of another tab, is emptied by a button, and shows only skins', async () => {
  const { url, owner } = await runServer();
  const { body } = await owner.upload('/v2/generate', skinPng(1), { name: 'Ann' });
  const uuid = String(body.skin?.uuid);
  const { page, complaints } = await openPage(browser);
  await page.goto(`${url}/ui/tray`);
  const tab = await page.context().newPage();
  await tab.goto(`${url}/ui/gallery`);
  await tab.getByRole('button', { name: 'Keep in the tray: Ann' }).click();
  const cards = page.locator('.cards > li');
  await cards.getByText('Ann').waitFor();
  await page.getByRole('button', { name: 'Empty the tray' }).click();
  await page.getByText('The tray is empty.').waitFor();
  expect(await cards.count()).toBe(0);
  const kept = JSON.stringify([{ uuid: `../${uuid}`, name: 'Eve' }, null, { uuid }, { uuid, name: 'Ann' }]);
  await page.evaluate(`localStorage.setItem('skinsmith-tray', ${JSON.stringify(kept)})`);
  await page.reload();
  await cards.getByText('Ann').waitFor();
  expect(await cards.count()).toBe(1);
  expect(complaints).toEqual([]);
});

test('The form of the tray takes as many skins as a set holds, and says when no skin or no set is named', async () => {
  const { url, owner, key } = await runServer();
  const { body } = await owner.upload('/v2/generate', skinPng(1), { name: 'Ann' });
  const uuid = String(body.skin?.uuid);
  const me = new PlainBrowser(url);
  await me.signIn(key);
  const send = async (ids: string, set: string) => await me.open('/ui/tray', { form: { ids, set } });
  for (const [ids, set] of [
    ['', 'Guards'],
    [uuid, ''],
  ] as const) {
    const { status, text } = await send(ids, set);
    expect([status, text.includes('<p class="problem" role="alert">')]).toEqual([400, true]);
  }
  expect((await send(`,${uuid},`, 'Guards')).status).toBe(303);
  const unknown = (count: number) =>
    Array.from({ length: count }, (_, n) => n.toString(16).padStart(32, '0'));
  expect((await send(unknown(500).join(), 'Guards')).status).toBe(404);
  expect((await send(unknown(501).join(), 'Guards')).status).toBe(400);
});

test('A set of many skins has pages, its downloads above them, and tells its owner what others do not see', async () => {
  const { url, owner, key } = await runServer();
  const skins: string[] = [];
  for (let at = 0; at < 50; at++) {
    const visibility = at === 7 ? 'unlisted' : 'public';
    const { body } = await owner.upload('/v2/generate', skinPng(1), { name: `Guard ${at}`, visibility });
    skins.push(String(body.skin?.uuid));
  }
  await owner.json('/v2/sets', { name: 'Guards', skins });
  const visitor = new PlainBrowser(url);
  const cardsOn = (text: string) => text.match(/class="card"/g)?.length;
  const first = await visitor.open('/ui/sets/guards');
  expect([first.text.includes('49 skins'), cardsOn(first.text)]).toEqual([true, 16]);
  expect(first.text.indexOf('skins.zip')).toBeLessThan(first.text.indexOf('class="card"'));
  expect(first.text).toContain('data-share=');
  expect(first.text).not.toContain('only you');
  const next = /rel="next" href="([^"]*)"/.exec(first.text)?.[1];
  expect(next).toMatch(/\?page=2$/);
  expect(cardsOn((await visitor.open('/ui/sets/guards?page=9')).text)).toBe(1);
  const me = new PlainBrowser(url);
  await me.signIn(key);
  expect((await me.open('/ui/sets/guards')).text).toContain('Everyone sees 49, and only you see 1 more.');
  const { headers } = await me.open('/ui/sets/guards', { form: { act: 'publish' } });
  const { text } = await me.open(String(headers.get('location')));
  expect([text.includes('Saved.'), text.includes('only you')]).toEqual([true, false]);
  expect((await visitor.open('/ui/sets/guards')).text).toContain('50 skins');
});

test('The skins of a set are put in order by buttons, by drag and drop, and over its pages', async () => {
  const server = await runServer();
  const { url, owner } = server;
  const names = Array.from({ length: 18 }, (_, at) => `Guard ${String.fromCodePoint(65 + at)}`);
  const skins: string[] = [];
  for (const name of names) {
    const { body } = await owner.upload('/v2/generate', skinPng(1), { name });
    skins.push(String(body.skin?.uuid));
  }
  await owner.json('/v2/sets', { name: 'Guards', skins });
  const order = async () => {
    const { body } = await owner.get('/v2/sets/guards');
    return (body as unknown as { skins: { name: string }[] }).skins.map(({ name }) => name.at(-1)).join('');
  };
  const { page, complaints } = await openPage(browser);
  await signIn(page, server);
  await page.goto(`${url}/ui/sets/guards`);
  const down = page.getByRole('button', { name: 'Move down: Guard A', exact: true });
  await down.press('Enter');
  await page.waitForURL(/moved=down/);
  expect(await order()).toBe('BACDEFGHIJKLMNOPQR');
  // The keyboard stays on the button that moved it.
  expect(await down.evaluate('document.activeElement.ariaLabel')).toBe('Move down: Guard A');
  expect(await page.getByRole('button', { name: 'Move up: Guard B', exact: true }).count()).toBe(0);
  const card = (name: string) => page.locator('.cards > li').filter({ hasText: name });
  await card('Guard E').dragTo(card('Guard B'));
  await page.waitForURL(/moved=up/);
  expect(await order()).toBe('EBACDFGHIJKLMNOPQR');
  expect(complaints).toEqual([]);
  const me = new PlainBrowser(url);
  await me.signIn(server.key);
  const { text } = await me.open('/ui/sets/guards');
  const move = /value="([^"]*)"[^>]* aria-label="Move down: Guard L"/.exec(text)?.[1] ?? '';
  const moved = await me.open('/ui/sets/guards', { form: { move } });
  expect(moved.headers.get('location')).toMatch(/page=2/);
  expect(await order()).toBe('EBACDFGHIJKMLNOPQR');
  const stranger = (await owner.upload('/v2/generate', skinPng(2))).body.skin?.uuid;
  for (const move of [`${skins[0]} ${stranger}`, `${stranger} ${skins[0]}`])
    expect((await me.open('/ui/sets/guards', { form: { move } })).status).toBe(404);
  const bob = new PlainBrowser(url);
  await bob.signIn((await owner.json('/v2/account/keys', { user: 'bob' })).body.key?.secret);
  expect((await bob.open('/ui/sets/guards', { form: { move: `${skins[0]} ${skins[1]}` } })).status).toBe(404);
  expect(await order()).toBe('EBACDFGHIJKMLNOPQR');
});

test('A public set has a short address, unless its name looks like one of a skin, and files for SkinsRestorer', async () => {
  const { url, owner } = await runServer();
  const { body } = await owner.upload('/v2/generate', skinPng(1), { name: 'Ann' });
  const skins = [body.skin?.uuid];
  for (const set of [{ name: 'Town guards' }, { name: 'deadbeef' }, { name: 'Own', visibility: 'unlisted' }])
    await owner.json('/v2/sets', { ...set, skins });
  const visitor = new PlainBrowser(url);
  const named = (await visitor.open('/ui/sets/town-guards')).text;
  expect(named).toContain(`<code>${url}/s/town-guards</code>`);
  expect((await visitor.open('/s/town-guards')).headers.get('location')).toBe('/ui/sets/town-guards');
  expect((await visitor.open('/ui/sets/deadbeef')).text).not.toContain('/s/deadbeef');
  const file = await fetch(`${url}/ui/sets/town-guards/skins.customskin.zip`);
  expect(file.headers.get('content-disposition')).toBe('attachment; filename="town-guards.customskin.zip"');
  expect([...(await readZip(Buffer.from(await file.arrayBuffer()))).keys()]).toEqual(['ann.customskin']);
});

test('A gallery tells how many skins match, and which page of how many this is', async () => {
  const { url, owner } = await runServer();
  for (let at = 0; at < 40; at++)
    await owner.upload('/v2/generate', skinPng(1), { name: at < 20 ? `Knight ${at}` : `Mage ${at}` });
  const visitor = new PlainBrowser(url);
  const told = async (query: string) =>
    /(\d+ skins?[^<]*)</.exec((await visitor.open(`/ui/gallery${query}`)).text)?.[1];
  expect(await told('')).toBe('40 skins, page 1 of 3');
  const next = /rel="next" href="\/ui\/gallery([^"]*)"/.exec((await visitor.open('/ui/gallery')).text)?.[1];
  expect(await told(String(next).replaceAll('&amp;', '&'))).toBe('40 skins, page 2 of 3');
  expect(await told('?filter=knight')).toBe('20 skins, page 1 of 2');
  expect(await told('?filter=knight+7')).toBe('2 skins');
});

test('A gallery says in its title what it shows, and random skins are the same when a visitor returns', async () => {
  const { url, owner } = await runServer();
  for (let at = 0; at < 40; at++) await owner.upload('/v2/generate', skinPng(1), { name: `Guard ${at}` });
  const visitor = new PlainBrowser(url);
  const titleOf = async (address: string) =>
    /<title>([^<]*)</.exec((await visitor.open(address)).text)?.[1]?.replace(' · skinsmith', '');
  expect(await titleOf('/ui/gallery')).toBe('Gallery');
  expect(await titleOf('/ui/gallery?filter=Guard&sort=popular')).toBe('Gallery: Guard, Most viewed');
  const followed = async (address: string, times: number): Promise<string> => {
    const next = /rel="next" href="([^"]*)"/.exec((await visitor.open(address)).text)?.[1] ?? '';
    return times === 1 ? next : await followed(next.replaceAll('&amp;', '&'), times - 1);
  };
  expect(await titleOf((await followed('/ui/gallery', 1)).replaceAll('&amp;', '&'))).toBe('Gallery: page 2');
  expect(await titleOf((await followed('/ui/gallery', 2)).replaceAll('&amp;', '&'))).toBe('Gallery: page 3');
  const { status, headers } = await visitor.open('/ui/gallery?sort=random');
  const address = String(headers.get('location'));
  expect([status, address]).toEqual([303, expect.stringMatching(/^\/ui\/gallery\?seed=\w+&sort=random$/)]);
  const cards = async (place: string) =>
    [...(await visitor.open(place)).text.matchAll(/class="card" href="([^"]*)"/g)].map(([, href]) => href);
  expect([await cards(address), (await cards(address)).length]).toEqual([await cards(address), 18]);
  expect(await cards('/ui/gallery?sort=random&seed=other')).not.toEqual(await cards(address));
});

// `own-pages` selects all of them and opens what is done with them; `my-skins` gives them a name.
testWhole(
  'On a phone, all skins can be selected above them, and what is done with them covers a tenth of the screen until it is opened',
  async () => {
    const server = await runServer();
    for (const name of ['Ann', 'Bert']) await server.owner.upload('/v2/generate', skinPng(1), { name });
    const { page } = await openPage(browser, { viewport: { width: 360, height: 740 } });
    await signIn(page, server);
    await page.goto(`${server.url}/ui/skins`);
    const selectAll = page.getByRole('button', { name: 'Select all' });
    const cards = page.locator('.cards');
    expect((await selectAll.boundingBox())?.y).toBeLessThan(Number((await cards.boundingBox())?.y));
    await page.getByRole('checkbox', { name: 'Select Ann' }).check();
    expect((await page.locator('.bulk').boundingBox())?.height).toBeLessThan(74);
    await page.locator('.bulk').getByText('1 selected').waitFor();
    await page.getByText('Change selected').first().click();
    await page.getByLabel('New name').fill('Anna');
    await page.getByLabel('New name').press('Enter');
    await page.getByText('1 skin changed.').waitFor();
  },
);
