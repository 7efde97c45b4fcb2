import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { workersChromium } from '../../support/chromium/chromium.ts';
import { PlainBrowser } from '../../support/pages/browser.ts';
import { fillGallery, RARE } from '../../support/pages/fill-gallery.ts';
import { openPage } from '../../support/pages/watched-page.ts';
import { ownFolder } from '../../support/server/own-folder.ts';
import {
  giveSigningKey,
  giveStore,
  guardAgainstLeaks,
  runServer,
  type ServerUnderTest,
} from '../../support/server/running-server.ts';
import { sampled } from '../../support/setup/extent.ts';
import { isWhole } from '../../support/setup/whole-run.ts';

guardAgainstLeaks();

/** Even, as is the middle. */
const COUNT = isWhole ? 100_000 : 6_000;
const PAGE = 18;

let browser: Browser;

beforeAll(async () => {
  browser = await workersChromium();
});

/** Filled once: it takes as long as the tests. */
let filled: Promise<Pick<ServerUnderTest, 'dataDir' | 'key'>> | undefined;

afterAll(async () => {
  if (filled) await rm((await filled).dataDir, { recursive: true, force: true });
});

/** All skins have the heaviest picture of the examples. */
async function fillFolder(): Promise<Pick<ServerUnderTest, 'dataDir' | 'key'>> {
  const dataDir = await mkdtemp(join(tmpdir(), 'skinsmith-test-'));
  await Promise.all([giveSigningKey(dataDir), giveStore(dataDir)]);
  const { owner, key, close } = await runServer({ dataDir });
  await owner.upload('/v2/generate', await readFile('examples/knight-overlay.png'), { name: 'First' });
  await close();
  fillGallery(join(dataDir, 'skinsmith.db'), COUNT);
  return { dataDir, key };
}

async function openLarge(): Promise<ServerUnderTest> {
  filled ??= fillFolder();
  const { dataDir: folder, key } = await filled;
  const dataDir = await ownFolder();
  await cp(folder, dataDir, { recursive: true });
  return { ...(await runServer({ dataDir })), key };
}

interface Seen {
  readonly skins: readonly string[];
  /** The addresses of the pages around it. */
  readonly next: string | undefined;
  readonly previous: string | undefined;
}

function linkIn(text: string, rel: 'next' | 'prev'): string | undefined {
  return new RegExp(`rel="${rel}" href="([^"]*)"`).exec(text)?.[1]?.replaceAll('&amp;', '&');
}

async function look(visitor: PlainBrowser, address: string): Promise<Seen> {
  const { status, text } = await visitor.open(address);
  expect([address, status]).toEqual([address, 200]);
  const skins = [...text.matchAll(/href="\/ui\/skins\/([0-9a-f]{32})"/g)].map(([, uuid]) => uuid!);
  return {
    skins,
    next: linkIn(text, 'next'),
    previous: linkIn(text, 'prev'),
  };
}

/** Pages of a list from an address on, until its end or `most`. */
async function leaf(visitor: PlainBrowser, address: string, most: number): Promise<string[]> {
  const skins: string[] = [];
  for (let next: string | undefined = address, pages = 0; next !== undefined && pages < most; pages++) {
    const seen: Seen = await look(visitor, next);
    skins.push(...seen.skins);
    next = seen.next;
  }
  return skins;
}

test('A gallery of many skins is paged, sorted and searched to its end', async () => {
  const { url } = await openLarge();
  const visitor = new PlainBrowser(url);
  const numbered = (number: number) => number.toString(16).padStart(32, '0');
  const newest = await leaf(visitor, '/ui/gallery', 3);
  expect(newest).toEqual(Array.from({ length: 3 * PAGE }, (_, index) => numbered(COUNT - index)));
  // Somewhere in the middle, and at the end: the skin that was there before.
  const middle = await leaf(visitor, `/ui/gallery?after=${COUNT / 2 + 2}`, 1);
  expect(middle).toEqual(Array.from({ length: PAGE }, (_, index) => numbered(COUNT / 2 - index)));
  const last = await look(visitor, `/ui/gallery?after=${PAGE + 1}`);
  expect([last.skins.length, last.next]).toEqual([PAGE, undefined]);
  const popular = await leaf(visitor, '/ui/gallery?sort=popular', 3);
  const views = popular.map((uuid) => Number.parseInt(uuid, 16) % 1_000);
  const most = Array.from({ length: 3 * PAGE }, (_, at) => 999 - Math.floor((at * 1_000) / COUNT));
  expect([new Set(popular).size, views]).toEqual([3 * PAGE, most]);
  const rare = await leaf(visitor, '/ui/gallery?filter=RAR', 5);
  expect([rare.length, new Set(rare).size]).toEqual([RARE, RARE]);
  expect(await leaf(visitor, '/ui/gallery?filter=rare+nowhere', 5)).toEqual([]);
  expect(await leaf(visitor, '/ui/gallery?filter=common&variant=slim', 2)).toEqual([]);
});

test('A gallery leads back page by page, keeps its filters, and ignores what is mistyped', async () => {
  const { url } = await openLarge();
  const visitor = new PlainBrowser(url);
  const pages = [await look(visitor, '/ui/gallery?sort=popular&variant=classic&signer=service')];
  for (let n = 0; n < 3; n++) pages.push(await look(visitor, String(pages.at(-1)?.next)));
  const back = [];
  for (let at = pages.at(-1)?.previous; at !== undefined; at = back.at(-1)?.previous)
    back.push(await look(visitor, at));
  expect(back.map(({ skins }) => skins)).toEqual(
    pages
      .slice(0, -1)
      .toReversed()
      .map(({ skins }) => skins),
  );
  const newest = await look(visitor, '/ui/gallery');
  expect(newest.previous).toBeUndefined();
  expect(await look(visitor, '/ui/gallery?sort=x&after=z&cape=7&tag=%2F&back=../..')).toEqual(newest);
  const random = await look(visitor, '/ui/gallery?sort=random&seed=1');
  expect([random.skins.length, random.next]).toEqual([PAGE, undefined]);
  for (const empty of ['?cape=true', '?signer=game', '?tag=robot', '?sort=week'])
    expect([empty, (await leaf(visitor, `/ui/gallery${empty}`, 30)).length]).toEqual([empty, 0]);
});

/** Bytes that came over the wire for the page and all that it has loaded. */
const TRANSFERRED = `performance.getEntriesByType('navigation').concat(performance.getEntriesByType('resource'))
  .reduce((sum, { transferSize }) => sum + transferSize, 0)`;

const WHO = [
  // Its texts, and those that scripts show, are the longest.
  ['a visitor', 'ru-RU'],
  ['an operator', 'en-GB'],
] as const;

/** Cards whose pictures the window shows, or is about to. */
const CARDS: Readonly<Record<string, number>> = { '/': 6, '/ui/gallery': PAGE, '/ui/make': 0 };

test.each(sampled(WHO, 2))(
  'Start page, gallery, sets, a skin and own skins weigh at most 70 KB with all pictures that the window of %s shows, in %s',
  async (who, locale) => {
    const { url, key } = await openLarge();
    const plain = new PlainBrowser(url);
    if (who === 'an operator') await plain.signIn(key);
    const [name = '', value = ''] = plain.cookie?.split('=') ?? [];
    const numbers = Array.from({ length: 160 }, (_, at) => (at + 1).toString(16).padStart(32, '0'));
    const made = await fetch(`${url}/v2/sets`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Guards', skins: numbers }),
    });
    expect(made.ok).toBe(true);
    const isOwn = who === 'an operator';
    const skin = `/ui/skins/${numbers[0]}`;
    const cards = { ...CARDS, '/ui/sets/guards': isOwn ? 12 : 16, ...(isOwn && { '/ui/skins': 16 }) };
    const opened = [
      ...Object.keys(cards).map((one) => [one, true] as const),
      [skin, true] as const,
      [skin, false] as const,
    ];
    // `skin-page` weighs a skin without a browser.
    for (const [path, javaScriptEnabled] of sampled(opened, 3, 1)) {
      const viewport = { width: 1280, height: 800 };
      const { page } = await openPage(browser, { locale, viewport, javaScriptEnabled });
      if (value !== '') await page.context().addCookies([{ name, value, url }]);
      await page.goto(`${url}${path}`, { waitUntil: 'networkidle' });
      if (path !== skin)
        expect([path, await page.locator('.card img').count()]).toEqual([
          path,
          cards[path as keyof typeof cards],
        ]);
      const bytes = Number(await page.evaluate(TRANSFERRED));
      expect([path, bytes > 5_000, bytes]).toEqual([path, true, Math.min(bytes, 70_000)]);
    }
  },
);

test('Pages are compressed, except those that show signed-in people more of their own than a name', async () => {
  const server = await runServer();
  const visitor = new PlainBrowser(server.url);
  const encodingOf = async (headers: Record<string, string>, path = '/ui/gallery') =>
    (await visitor.open(path, { headers })).headers.get('content-encoding');
  expect(await encodingOf({ 'accept-encoding': 'gzip, br' })).toBe('gzip');
  expect(await encodingOf({ 'accept-encoding': 'identity' })).toBeNull();
  expect(await encodingOf({ 'accept-encoding': 'gzip;q=0' })).toBeNull();
  await visitor.signIn(server.key);
  expect(await encodingOf({ 'accept-encoding': 'gzip, br' })).toBe('gzip');
  for (const path of ['/ui/skins', '/ui/account', '/ui/account/keys', '/ui/operator'])
    expect(await encodingOf({ 'accept-encoding': 'gzip, br' }, path)).toBeNull();
});
