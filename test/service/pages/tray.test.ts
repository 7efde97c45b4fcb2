import type { Browser } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { workersChromium } from '../../support/chromium/chromium.ts';
import { PlainBrowser } from '../../support/pages/browser.ts';
import { openPage, signInByForm, violationsOn } from '../../support/pages/watched-page.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { runServer } from '../../support/server/running-server.ts';

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
  await signInByForm(page, server);
  await link.click();
  await page.getByRole('button', { name: 'Keep in the tray: Ann' }).click(); // takes it out
  expect(await link.textContent()).toBe('Tray\u00a0(2)');
  expect(await page.getByRole('link', { name: 'Resource pack' }).getAttribute('href')).toBe(
    `/ui/skins/pack.zip?ids=${uuids[1]},${uuids[2]}`,
  );
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320);
  expect(await violationsOn(page)).toEqual([]);
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Pictures and data (zip)' }).click();
  expect((await saving).suggestedFilename()).toBe('skins.zip');
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

test('A set of many has pages, its downloads above them, and tells its owner what others do not see', async () => {
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
  expect((await me.open('/ui/sets/guards')).text).toContain('Everyone sees 49, only you 1 more.');
  const { headers } = await me.open('/ui/sets/guards', { form: { act: 'publish' } });
  const { text } = await me.open(String(headers.get('location')));
  expect([text.includes('Saved.'), text.includes('only you')]).toEqual([true, false]);
  expect((await visitor.open('/ui/sets/guards')).text).toContain('50 skins');
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

test('On a phone, what can be done with selected skins covers a fifth of the screen until it is opened', async () => {
  const server = await runServer();
  for (const name of ['Ann', 'Bert']) await server.owner.upload('/v2/generate', skinPng(1), { name });
  const { page } = await openPage(browser, { viewport: { width: 360, height: 740 } });
  await signInByForm(page, server);
  await page.goto(`${server.url}/ui/skins`);
  await page.getByRole('checkbox', { name: 'Select Ann' }).check();
  expect((await page.locator('.bulk').boundingBox())?.height).toBeLessThan(148);
  await page.getByText('Change selected').first().click();
  await page.getByLabel('New name').fill('Anna');
  await page.getByLabel('New name').press('Enter');
  await page.getByText('1 skin changed.').waitFor();
});
