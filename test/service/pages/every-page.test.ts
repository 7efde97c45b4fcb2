import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { insertAccount } from '../../../src/server/store/accounts.ts';
import { startChromium } from '../../support/chromium/chromium.ts';
import { pageAddresses } from '../../support/pages/addresses.ts';
import { openPage, signIn, violationsOn } from '../../support/pages/watched-page.ts';
import { addCape } from '../../support/server/drawn-capes.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { openOwnStore, runServer, type ServerUnderTest } from '../../support/server/running-server.ts';
import { accountRow } from '../../support/server/stored-accounts.ts';

let browser: Browser;

beforeAll(async () => {
  browser = await startChromium();
});

afterAll(async () => {
  await browser?.close();
});

interface Scene {
  readonly server: ServerUnderTest;
  readonly addresses: readonly string[];
}

/** A service in which every page has something to show. */
async function openScene(): Promise<Scene> {
  const server = await runServer();
  const { owner } = server;
  const own = await owner.upload('/v2/generate', skinPng(1), { name: 'A name of two words' });
  const ann = await server.user('ann');
  const other = await ann.upload('/v2/generate', skinPng(2), { name: 'Other' });
  const report = { reason: 'other', text: 'A longer text that tells what is wrong with it' };
  await owner.json(`/v2/skins/${other.body.skin?.uuid}/report`, report);
  await owner.json('/v2/account/blocked-images', { hash: 'a'.repeat(64), note: 'never again' });
  await addCape(server, 'red');
  await fillAccount(server);
  const job = (await owner.upload('/v2/queue', skinPng(1))).body.job?.id ?? '';
  const uuid = own.body.skin?.uuid ?? '';
  const addresses = pageAddresses({ uuid, jobId: job });
  return { server, addresses: [...addresses, `/ui/skins/${other.body.skin?.uuid}`, '/ui/nowhere', '/'] };
}

/** A job that failed, a key with all that one can have, and a game account. */
async function fillAccount({ owner, dataDir }: ServerUnderTest): Promise<void> {
  const wish = {
    allowedIps: ['2001:db8:0:1::/64'],
    allowedOrigins: ['https://skins.example.org'],
    v2Compat: true,
  };
  await owner.json('/v2/account/keys', { name: 'A key with a name of many words that is long', ...wish });
  const { db } = await openOwnStore(dataDir);
  const failed = {
    status: 'failed',
    error_code: 'job_failed',
    error_message: 'The game was away for long.',
  } as const;
  await db.updateTable('jobs').set(failed).execute();
  const { owner: ownerId } = await db
    .selectFrom('jobs')
    .select('owner')
    .orderBy('id')
    .executeTakeFirstOrThrow();
  const error = { last_error_code: 'x', last_error_message: 'The game refused the skin.', last_error_at: 1 };
  await insertAccount(
    db,
    accountRow({ owner: ownerId, name: 'A_player_of_16ch', last_used_at: 1, ...error }),
  );
}

/** Opens all pages, one after the other. */
async function* visit({ server, addresses }: Scene, page: Page): AsyncGenerator<string> {
  await signIn(page, server);
  for (const address of addresses) {
    const answer = await page.goto(`${server.url}${address}`);
    expect(answer?.status(), address).toBe(address === '/ui/nowhere' ? 404 : 200);
    yield address;
  }
}

/** The elements that make the page wider than its window. */
const OVERFLOW = `(() => {
  const { scrollWidth, clientWidth } = document.documentElement;
  if (scrollWidth <= clientWidth) return [];
  const wide = [...document.querySelectorAll('body *')].filter((one) => one.getBoundingClientRect().right > clientWidth);
  return [scrollWidth, ...wide.map((one) => one.outerHTML.slice(0, 100))];
})()`;

/** Elements whose text is cut off: a form's fields may scroll, and so may code. */
const CUT_OFF = `[...document.querySelectorAll('h1, h2, p, li, dt, dd, a, button, label, summary')]
  .filter((one) => one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).overflowX === 'hidden'
    && !one.classList.contains('unseen'))
  .map((one) => one.outerHTML)`;

test.each(['light', 'dark'] as const)(
  'In the %s scheme axe finds nothing on any page',
  async (colorScheme) => {
    const scene = await openScene();
    const { page } = await openPage(browser, { colorScheme, bypassCSP: true });
    await page.goto(`${scene.server.url}/ui/sign-in`);
    expect(await violationsOn(page)).toEqual([]);
    for await (const address of visit(scene, page)) {
      expect(await violationsOn(page), address).toEqual([]);
    }
  },
);

test('Every page fits 320 pixels', async () => {
  const scene = await openScene();
  const { page, complaints } = await openPage(browser, { viewport: { width: 320, height: 640 } });
  for await (const address of visit(scene, page)) {
    expect([address, await page.evaluate(OVERFLOW), await page.evaluate(CUT_OFF)]).toEqual([address, [], []]);
  }
  expect(complaints.filter((complaint) => !complaint.includes('404'))).toEqual([]);
});

test('Every page fits a window of 1,280 pixels at a zoom of 200 %, and text of twice the size', async () => {
  const scene = await openScene();
  const { page } = await openPage(browser, { viewport: { width: 640, height: 512 }, deviceScaleFactor: 2 });
  for await (const address of visit(scene, page)) {
    expect([address, await page.evaluate(OVERFLOW), await page.evaluate(CUT_OFF)]).toEqual([address, [], []]);
    await page.evaluate("document.documentElement.style.fontSize = '200%'");
    expect([address, await page.evaluate(OVERFLOW), await page.evaluate(CUT_OFF)]).toEqual([address, [], []]);
  }
});

/** Pages of whoever is signed in, where people do things. */
const OWN = /^\/ui\/(?:skins|jobs|sessions|account|operator)(?:\/|$)/;

/** What a keyboard should reach, in order. Remembers what it does reach, and whether a person sees that. */
const WATCH_FOCUS = `(() => {
  const name = (one) => one.outerHTML.slice(0, 120);
  const all = [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]')];
  window.reached = [];
  window.unseen = [];
  addEventListener('focusin', ({ target }) => {
    window.reached.push(name(target));
    const { outlineStyle, outlineWidth } = getComputedStyle(target);
    const { top, bottom, left, right } = target.getBoundingClientRect();
    const isThere = bottom > 0 && right > 0 && top < innerHeight && left < innerWidth;
    if (!isThere || outlineStyle === 'none' || parseFloat(outlineWidth) < 2) window.unseen.push(name(target));
  });
  return all.filter((one) => one.checkVisibility() && one.type !== 'hidden' && !one.disabled).map(name);
})()`;

test('A keyboard reaches everything on the pages of one’s own, in order, and shows where it is', async () => {
  const scene = await openScene();
  const { page } = await openPage(browser, { viewport: { width: 800, height: 600 } });
  const addresses = scene.addresses.filter((address) => OWN.test(address));
  expect(addresses.length).toBeGreaterThan(12);
  for await (const address of visit({ ...scene, addresses }, page)) {
    const expected = await page.evaluate<string[]>(WATCH_FOCUS);
    for (const _ of expected) await page.keyboard.press('Tab');
    expect([address, await page.evaluate('reached')]).toEqual([address, expected]);
    expect([address, await page.evaluate('unseen')]).toEqual([address, []]);
  }
});

test('The first Tab offers to skip the menu', async () => {
  const { server } = await openScene();
  const { page } = await openPage(browser);
  await signIn(page, server);
  await page.goto(`${server.url}/ui/account/keys`);
  await page.keyboard.press('Tab');
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the content');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  expect(await page.evaluate("document.activeElement.closest('main') !== null")).toBe(true);
});
