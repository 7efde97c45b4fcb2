import axe, { type AxeResults } from 'axe-core';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startChromium } from '../../support/chromium/chromium.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { runServer, type ServerUnderTest } from '../../support/server/running-server.ts';

let browser: Browser;

beforeAll(async () => {
  browser = await startChromium();
});

afterAll(async () => {
  await browser?.close();
});

/** What the browser complained about: violations of the policy, and errors of scripts. */
interface Watched {
  readonly page: Page;
  readonly complaints: string[];
}

async function openPage(options: BrowserContextOptions = {}): Promise<Watched> {
  const context: BrowserContext = await browser.newContext(options);
  onTestFinished(async () => await context.close());
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  return { page, complaints };
}

async function signIn(page: Page, { url, key }: ServerUnderTest): Promise<void> {
  await page.goto(`${url}/ui/sign-in`);
  await page.getByLabel('API key').fill(key!);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(`${url}/ui/`);
}

const file = (number: number, name = `skin-${number}.png`) => ({
  name,
  mimeType: 'image/png',
  buffer: skinPng(number),
});

test('A person without scripts signs in, makes a skin, edits and deletes it', async () => {
  const server = await runServer();
  const { page, complaints } = await openPage({ javaScriptEnabled: false });
  await signIn(page, server);
  await page.getByLabel('Skin picture').setInputFiles(file(1));
  await page.getByLabel('Name').fill('Anna');
  await page.getByLabel('Visibility').selectOption('private');
  await page.getByRole('button', { name: 'Make the skin' }).click();
  await page.waitForURL(/\/ui\/skins\/[0-9a-f]{32}$/);
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Anna');
  // Both pictures of the private skin are there.
  const widths = await page
    .locator('.stage img')
    .evaluateAll((all) => all.map((one) => 'naturalWidth' in one && one.naturalWidth));
  expect(widths).toEqual([192, 192]);

  const stranger = await openPage();
  const seen = await stranger.page.goto(page.url());
  expect(seen?.status()).toBe(404);

  await page.getByLabel('Name').fill('Berta');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'Berta' }).waitFor();
  await page.getByText('Delete this skin').click();
  await page.getByRole('button', { name: 'Delete for good' }).click();
  await page.waitForURL(`${server.url}/ui/`);
  expect(complaints).toEqual([]);
});

test('Several pictures go at once, and a wrong one is told before it is sent', async () => {
  const server = await runServer();
  const { page, complaints } = await openPage();
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST') sent.push(request.url());
  });
  await page.goto(`${server.url}/ui/make`);
  const wrong = { name: 'wrong.png', mimeType: 'image/png', buffer: Buffer.from('GIF89a') };
  await page.getByLabel('Skin picture').setInputFiles([file(1), file(2), wrong]);
  await page.getByRole('button', { name: 'Make the skin' }).click();
  await page.getByText('This is not a PNG').waitFor();
  await page.getByRole('link', { name: 'Open the skin' }).nth(1).waitFor();
  expect(sent).toHaveLength(2);
  await page.getByRole('link', { name: 'Open the skin' }).first().click();
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.getByRole('button', { name: 'Show in 3D' }).click();
  await page.getByRole('img', { name: 'The skin in 3D' }).waitFor();
  expect(complaints).toEqual([]);
});

test('Pages fit 320 pixels, and axe finds nothing in either scheme', async () => {
  const server = await runServer();
  const { body } = await server.owner.upload('/v2/generate', skinPng(1), { name: 'A name' });
  const paths = [
    '/',
    '/ui/make',
    '/ui/make?from=url',
    `/ui/skins/${body.skin?.uuid}`,
    '/ui/gallery',
    '/ui/sessions',
    '/ui/nowhere',
  ];
  for (const colorScheme of ['light', 'dark'] as const) {
    const { page } = await openPage({ colorScheme, viewport: { width: 320, height: 640 }, bypassCSP: true });
    await page.goto(`${server.url}/ui/sign-in`);
    expect(await violationsOn(page)).toEqual([]);
    await signIn(page, server);
    for (const path of paths) {
      const answer = await page.goto(`${server.url}${path}`);
      expect(answer?.status(), path).toBe(path === '/ui/nowhere' ? 404 : 200);
      expect(await violationsOn(page), `${path}, ${colorScheme}`).toEqual([]);
      const width = await page.evaluate('document.documentElement.scrollWidth');
      expect(width, path).toBeLessThanOrEqual(320);
    }
  }
});

async function violationsOn(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const found = (await page.evaluate('axe.run()')) as AxeResults;
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

test('A keyboard alone makes a skin', async () => {
  const server = await runServer();
  const { page, complaints } = await openPage();
  await page.goto(`${server.url}/ui/make?from=url`);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  for (const wanted of ['Picture', 'Address', 'Player', 'url', 'name', 'variant', 'visibility']) {
    await page.keyboard.press('Tab');
    const focused = await page.evaluate('document.activeElement.name || document.activeElement.textContent');
    expect(focused).toBe(wanted);
  }
  await page.keyboard.press('Tab');
  const submit = await page.evaluate('document.activeElement.textContent');
  expect(submit).toBe('Make the skin');
  expect(complaints).toEqual([]);
});

test('Names from outside stay text, whatever they are', async () => {
  const server = await runServer();
  const { page, complaints } = await openPage();
  const hostile = '"><img src=x onerror=alert(1)><script>';
  page.on('dialog', () => complaints.push('a dialog'));
  await page.goto(`${server.url}/ui/gallery?filter=${encodeURIComponent(hostile)}`);
  expect(await page.getByLabel('Name contains').inputValue()).toBe(hostile);
  expect(await page.locator('img[src="x"], main script').count()).toBe(0);
  expect(complaints).toEqual([]);
});
