import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makePicture } from '../../../src/skin/picture.ts';
import { encodePng } from '../../../src/skin/png/encode.ts';
import { startChromium } from '../../support/chromium/chromium.ts';
import { openPage, signIn, violationsOn } from '../../support/pages/watched-page.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { ownFolder } from '../../support/server/own-folder.ts';
import { openOwnStore, runServer } from '../../support/server/running-server.ts';

let browser: Browser;

beforeAll(async () => {
  browser = await startChromium();
});

afterAll(async () => {
  await browser?.close();
});

interface Making {
  readonly page: Page;
  readonly complaints: string[];
  /** Addresses that forms were sent to. */
  readonly sent: string[];
}

/** The page that makes skins, on a server of its own. */
async function openMake(): Promise<Making> {
  const { url } = await runServer();
  const { page, complaints } = await openPage(browser);
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST') sent.push(request.url());
  });
  await page.goto(`${url}/ui/make`);
  return { page, complaints, sent };
}

/** An opaque picture of one colour. */
function plainPng(width: number, height: number): Buffer {
  const picture = makePicture(width, height);
  for (let at = 0; at < picture.pixels.length; at += 4) picture.pixels.set([60, 90, 120, 255], at);
  return encodePng(picture);
}

async function choose(
  page: Page,
  ...files: readonly (readonly [name: string, buffer: Buffer])[]
): Promise<void> {
  const input = page.getByLabel('Skin picture');
  await input.setInputFiles(files.map(([name, buffer]) => ({ name, mimeType: 'image/png', buffer })));
}

test('A picture is shown in 3D before it is sent, and another one in its place', async () => {
  const { page, complaints, sent } = await openMake();
  await choose(page, ['one.png', skinPng(1)], ['two.png', skinPng(2)]);
  await page
    .getByText(/^Ready, with (?:classic|slim) arms$/)
    .nth(1)
    .waitFor();
  for (const which of [0, 1]) {
    await page.getByRole('button', { name: 'Preview in 3D' }).nth(which).click();
    await page.getByRole('img', { name: 'The skin in 3D' }).waitFor();
    await page.getByRole('button', { name: 'Back view' }).click();
    expect(await page.locator('canvas').count()).toBe(1);
  }
  await page.getByRole('button', { name: 'Remove' }).first().click();
  expect(await page.getByText('one.png').count()).toBe(0);
  expect(sent).toEqual([]);
  await page.getByRole('button', { name: 'Make skin' }).click();
  await page.getByRole('link', { name: 'Open the skin' }).waitFor();
  expect(sent).toHaveLength(1);
  expect(complaints).toEqual([]);
});

test('Problems are reported before anything is sent, and the page repairs what it can', async () => {
  const { page, complaints, sent } = await openMake();
  await choose(page, ['hd.png', plainPng(128, 128)], ['photo.png', plainPng(300, 200)]);
  await page.getByText('128×128 pixels, an HD skin').waitFor();
  await page.getByText('300×200 pixels').waitFor();
  await page.getByText('The hat layer is filled with one colour').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Make skin' }).click();
  expect(sent).toEqual([]);
  await page.getByRole('button', { name: 'Scale it down' }).click();
  await page.getByText('The hat layer is filled with one colour (#3c5a78)').waitFor();
  await page.getByRole('button', { name: 'Make skin' }).click();
  await page.getByRole('link', { name: 'Open the skin' }).waitFor();
  expect(sent).toHaveLength(1);
  await page.getByText('300×200 pixels').waitFor();
  expect(complaints).toEqual([]);
});

test('Arms chosen later count for what is there already, and arms and visibility stay for the next picture', async () => {
  const { page, complaints } = await openMake();
  await choose(page, ['one.png', skinPng(1)]);
  const [found, other] = (await page.getByText(/^Ready, with/).textContent())?.includes('slim')
    ? ['slim', 'classic']
    : ['classic', 'slim'];
  await page.getByText(`Ready, with ${found} arms`).waitFor();
  await page.getByLabel('Arms').selectOption(other!);
  await page.getByText(`Ready, with ${other} arms`).waitFor();
  await page.getByLabel('Visibility').selectOption('unlisted');
  await page.getByLabel('Name').fill('First');
  await page.getByRole('button', { name: 'Make skin' }).click();
  const made = page.getByRole('link', { name: 'Open the skin' });
  await made.waitFor();
  expect(await page.getByLabel('Visibility').inputValue()).toBe('unlisted');
  expect(await page.getByLabel('Arms').inputValue()).toBe(other);
  expect(await page.getByLabel('Name').inputValue()).toBe('');
  expect(complaints).toEqual([]);
});

test('A typed name is for one picture, and the form says so while several are chosen', async () => {
  const { page, complaints } = await openMake();
  await page.getByLabel('Name').fill('Mine');
  await choose(page, ['one.png', skinPng(1)], ['two.png', skinPng(2)]);
  await page.getByText('If you choose several pictures, each is named after its file.').waitFor();
  expect(await page.getByLabel('Name').isDisabled()).toBe(true);
  await page.getByRole('button', { name: 'Remove' }).first().click();
  await page
    .getByText('If you choose several pictures, each is named after its file.')
    .waitFor({ state: 'hidden' });
  expect(await page.getByLabel('Name').inputValue()).toBe('Mine');
  expect(complaints).toEqual([]);
});

test('What could not be sent is sent again at the press of a button', async () => {
  const { page } = await openMake();
  await page.route('**/ui/make', async (route) => await route.abort());
  await choose(page, ['one.png', skinPng(1)]);
  await page.getByText(/^Ready, with/).waitFor();
  await page.getByRole('button', { name: 'Make skin' }).click();
  await page.getByText('The server could not be reached.').waitFor();
  await page.unroute('**/ui/make');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('link', { name: 'Open the skin' }).waitFor();
});

test('Whoever was signed out while the form was open makes no skin without an owner', async () => {
  const server = await runServer();
  const { page } = await openPage(browser);
  await signIn(page, server);
  await page.goto(`${server.url}/ui/make`);
  await choose(page, ['one.png', skinPng(1)]);
  await page.getByText(/^Ready, with/).waitFor();
  const { db } = await openOwnStore(server.dataDir);
  await db.deleteFrom('sessions').execute();
  await page.getByLabel('Visibility').selectOption('unlisted');
  await page.getByRole('button', { name: 'Make skin' }).click();
  await page.getByText('You have been signed out.').waitFor();
  const other = await page.context().newPage();
  await signIn(other, server);
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('link', { name: 'Open the skin' }).waitFor();
  const { body } = await server.owner.get('/v2/me/skins');
  expect(body.skins?.map(({ visibility }) => visibility)).toEqual(['unlisted']);
  expect(await db.selectFrom('skins').select('owner').execute()).toHaveLength(1);
});

test('A folder is chosen with a button, and other files in it are left out', async () => {
  const { page, complaints } = await openMake();
  const folder = await ownFolder();
  await writeFile(join(folder, 'one.png'), skinPng(1));
  await writeFile(join(folder, 'notes.txt'), 'no skin');
  const asked = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Choose a folder' }).click();
  await (await asked).setFiles(folder);
  await page.getByText(/^Ready, with/).waitFor();
  expect(await page.getByText('notes.txt').count()).toBe(0);
  await page.getByRole('button', { name: 'Make skin' }).click();
  await page.getByRole('link', { name: 'Open the skin' }).waitFor();
  expect(complaints).toEqual([]);
});

test('Rows, preview and the page on version 1 have nothing that axe finds, and fit 320 pixels', async () => {
  const { url } = await runServer();
  const { page } = await openPage(browser, { bypassCSP: true, viewport: { width: 320, height: 640 } });
  await page.goto(`${url}/ui/make`);
  await choose(
    page,
    ['a-name-that-is-as-long-as-names-of-files-may-get.png', skinPng(1)],
    ['photo.png', plainPng(300, 200)],
  );
  await page.getByRole('button', { name: 'Preview in 3D' }).click();
  await page.getByRole('img', { name: 'The skin in 3D' }).waitFor();
  await expectSound(page);
  await page.goto(`${url}/ui/version-1`);
  await expectSound(page);
});

async function expectSound(page: Page): Promise<void> {
  expect(await violationsOn(page)).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320);
}
