import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import type { Account } from '../../../src/protocol/user.ts';
import { makePicture } from '../../../src/skin/picture.ts';
import { encodePng } from '../../../src/skin/png/encode.ts';
import { workersChromium } from '../../support/chromium/chromium.ts';
import { PlainBrowser } from '../../support/pages/browser.ts';
import { openPage, signIn, signInByForm, violationsOn } from '../../support/pages/watched-page.ts';
import { dataUrl, skinPng } from '../../support/server/drawn-skins.ts';
import { ownFolder } from '../../support/server/own-folder.ts';
import { openOwnStore, runServer } from '../../support/server/running-server.ts';
import { testWhole } from '../../support/setup/extent.ts';
import { isWhole } from '../../support/setup/whole-run.ts';

let browser: Browser;

beforeAll(async () => {
  browser = await workersChromium();
});

interface Making {
  readonly page: Page;
  readonly complaints: string[];
  /** Addresses that forms were sent to. */
  readonly sent: string[];
}

/** The page that makes skins, on a server of its own. */
async function openMake(options: BrowserContextOptions = {}): Promise<Making> {
  const { url } = await runServer();
  const { page, complaints } = await openPage(browser, options);
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

// `frame` chooses a language without a browser, `viewer` has scripts speak another one, and `browser/language` plurals.
testWhole('A reader chooses a language, and scripts use it too, with its plurals', async () => {
  const { url } = await runServer();
  const { page, complaints } = await openPage(browser, { locale: 'ja-JP' });
  await page.goto(`${url}/ui/make`);
  await page.getByRole('heading', { name: 'スキンを作成' }).waitFor();
  await page.getByLabel('言語').selectOption('Polski');
  await page.getByRole('button', { name: '変更' }).click();
  await page.getByRole('heading', { name: 'Utwórz skin' }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/ui/make');
  await page
    .getByLabel('Obrazek')
    .setInputFiles(
      [1, 2].map((number) => ({ name: `${number}.png`, mimeType: 'image/png', buffer: skinPng(number) })),
    );
  await page.getByRole('button', { name: 'Utwórz skin' }).click();
  await page.getByRole('status').filter({ hasText: 'Wszystkie 2 skiny są gotowe.' }).waitFor();
  await page.goto(`${url}/ui/gallery`);
  await page.getByText('2 skiny', { exact: true }).waitFor();
  expect(complaints).toEqual([]);
});

// `journeys` and `viewer` show 3D as well; that a form is sent once, `page-trouble` knows.
testWhole('A picture is shown in 3D before it is sent, and so is the picture that replaces it', async () => {
  // A quarter as sharp: the processor draws it.
  const { page, complaints, sent } = await openMake({ deviceScaleFactor: 0.25 });
  await choose(page, ['one.png', skinPng(1)], ['two.png', skinPng(2)]);
  await page
    .getByText(/^Ready, with (?:classic|slim) arms$/)
    .nth(1)
    .waitFor();
  for (const which of [0, 1]) {
    await page.getByRole('button', { name: 'Preview in 3D' }).nth(which).click();
    await page.getByRole('application', { name: 'The skin in 3D' }).waitFor();
    await page.getByRole('button', { name: 'Back view' }).click();
    expect(await page.locator('dialog canvas').count()).toBe(1);
    await (which === 0 ? page.getByRole('button', { name: 'Close' }).click() : page.keyboard.press('Escape'));
  }
  await page.getByRole('button', { name: 'Remove' }).first().click();
  expect(await page.getByText('one.png').count()).toBe(0);
  expect(sent).toEqual([]);
  await page.getByRole('button', { name: 'Make skin' }).dblclick();
  await page.getByRole('link', { name: 'Open the skin' }).waitFor();
  expect(sent).toHaveLength(1);
  expect(complaints).toEqual([]);
});

// Some of many pictures are repaired below, and what cannot be is not sent.
testWhole('Problems are reported before anything is sent, and the page repairs what it can', async () => {
  const { page, complaints, sent } = await openMake();
  await choose(page, ['hd.png', plainPng(128, 128)], ['photo.png', plainPng(300, 200)]);
  await choose(page, ['list.txt', Buffer.from('0'.repeat(32))], ['notes.txt', Buffer.from('Buy milk.')]);
  await page.getByText('This is a list, not a picture.').waitFor();
  await page.getByText('This is not a PNG.').waitFor();
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

test('Arms chosen later apply to pictures already added, and arms and visibility stay for the next pictures', async () => {
  const { page, complaints } = await openMake();
  await choose(page, ['one.png', skinPng(1)]);
  const [found, other] = (await page.getByText(/^Ready, with/).textContent())?.includes('slim')
    ? ['slim', 'classic']
    : ['classic', 'slim'];
  await page.getByText(`Ready, with ${found} arms`).waitFor();
  await page.getByLabel('Arms').selectOption(other!);
  await page.getByText(`Ready, with ${other} arms`).waitFor();
  await page.getByLabel('Visibility').selectOption('unlisted');
  await page.getByRole('button', { name: 'Make skin' }).click();
  await page.getByText('Your skin is ready.').waitFor();
  expect(await page.getByLabel('Visibility').isVisible()).toBe(false);
  await page.getByRole('button', { name: 'Make more skins' }).click();
  expect(await page.getByLabel('Visibility').inputValue()).toBe('unlisted');
  expect(await page.getByLabel('Arms').inputValue()).toBe(other);
  await page.reload();
  expect(await page.getByLabel('Visibility').inputValue()).toBe('unlisted');
  if (!isWhole) return; // from here on, the form is only opened once more
  // What is not allowed for this visitor becomes unlisted, not public.
  await page.evaluate("localStorage.setItem('skinsmith-visibility', 'private')");
  await page.goto(page.url().replace('/ui/make', '/ui/make?from=url'));
  expect(await page.getByLabel('Visibility').inputValue()).toBe('unlisted');
  expect(complaints).toEqual([]);
});

test('Each of several pictures has a name of its own, and all results are copied or saved at once', async () => {
  const { page, complaints, sent } = await openMake();
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await choose(page, ['жук-🐞 long.png', skinPng(1)], ['two.png', skinPng(2)]);
  const name = page.getByLabel('Name of жук-🐞 long.png');
  expect(await name.inputValue()).toBe('zhuk-__ long');
  await name.fill('Beetle');
  await page.getByLabel('Arms').selectOption('slim');
  await page.getByText('Ready, with slim arms').nth(1).waitFor();
  expect(await name.inputValue()).toBe('Beetle');
  await page.getByRole('button', { name: 'Make skin' }).click();
  await page.getByText('All 2 skins are ready.').waitFor();
  expect(sent).toHaveLength(2);
  await page.getByRole('button', { name: 'Copy for SkinsRestorer: two.png' }).waitFor();
  await page.getByRole('link', { name: 'Download two.customskin: two.png' }).waitFor();
  const row = page.locator('.results li').filter({ hasText: 'two' });
  await row.getByText('Value, signature and other data').click();
  await row.getByRole('button', { name: 'Copy Value: two.png' }).click();
  await page.getByRole('status').filter({ hasText: 'Copied: Value: two.png' }).waitFor();
  const all = await page.getByRole('button', { name: 'Copy all' }).getAttribute('data-copy');
  const copied = JSON.parse(all ?? '') as { name: string; uuid: string; signature: string }[];
  expect(copied.map(({ name }) => name).sort()).toEqual(['Beetle', 'two']);
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download all (zip)' }).click();
  const zip = await readFile(await (await saving).path());
  for (const { uuid } of copied) expect(zip.toString('latin1')).toContain(uuid.slice(0, 8));
  expect(complaints).toEqual([]);
});

// `page-trouble` tries each of the failures, and sends again.
testWhole(
  'What could not be sent is sent again at the press of a button, and the page shows the progress',
  async () => {
    const { page } = await openMake();
    const warns = "!dispatchEvent(new Event('beforeunload', { cancelable: true }))";
    let isLimited = true;
    await page.route('**/ui/make', async (route) => {
      if (!isLimited) return await route.abort();
      isLimited = false;
      await route.fulfill({ status: 429, headers: { 'retry-after': '2' }, json: {} });
    });
    await choose(page, ...[1, 2, 3].map((number) => [`${number}.png`, skinPng(number)] as const));
    await page
      .getByText(/^Ready, with/)
      .nth(2)
      .waitFor();
    expect(await page.evaluate(warns)).toBe(false);
    await page.getByRole('button', { name: 'Make skin' }).click();
    await page.getByText('Limit reached. Continuing in 2 s').waitFor();
    expect(await page.evaluate(warns)).toBe(true);
    await page.getByText(/^[12] of 3, about \d+ s$/).waitFor();
    await page.getByText('0 of 3 made, 3 failed.').waitFor();
    expect(await page.evaluate(warns)).toBe(false);
    await page.unroute('**/ui/make');
    await page.getByRole('button', { name: 'Remove' }).first().click();
    await page.getByRole('button', { name: 'Try again', exact: true }).first().click();
    await page.getByText('1 of 2 made, 1 failed.').waitFor();
    await page.getByRole('button', { name: 'Try again', exact: true }).click();
    await page.getByText('All 2 skins are ready.').waitFor();
  },
);

// `journeys` looks for what moves on the page of a skin.
testWhole(
  'Nothing on the start page moves by itself, and a result is shown in the place of the form',
  async () => {
    const { url } = await runServer();
    const { page, complaints } = await openPage(browser, { viewport: { width: 1366, height: 657 } });
    await page.addInitScript(`window.shifts = [];
    new PerformanceObserver((list) => {
      window.shifts.push(...list.getEntries().filter(({ hadRecentInput }) => !hadRecentInput));
    }).observe({ type: 'layout-shift', buffered: true });`);
    await page.goto(`${url}/ui/`);
    const below = async () => await page.getByRole('heading', { name: 'Newest skins' }).boundingBox();
    const before = await below();
    await choose(page, ['one.png', skinPng(1)]);
    await page.getByText(/^Ready, with/).waitFor();
    await page.getByRole('button', { name: 'Make skin' }).click();
    await page.getByText('Your skin is ready.').waitFor();
    expect([await below(), await page.evaluate('shifts')]).toEqual([before, []]);
    expect(await page.getByRole('button', { name: 'Make skin' }).isVisible()).toBe(false);
    const isSeen = "document.querySelector('[data-results]').getBoundingClientRect().bottom <= innerHeight";
    expect(await page.evaluate(isSeen)).toBe(true);
    expect(complaints).toEqual([]);
  },
);

test('Many pictures are shown as short rows, the ones with problems first, and the page says what it did not send', async () => {
  const { page, complaints } = await openMake();
  const [hd, other] = [plainPng(128, 128), plainPng(300, 200)];
  await choose(
    page,
    ...Array.from({ length: 8 }, (_, at) => [`guard_${at}.png`, skinPng(at)] as const),
    ['copy.png', skinPng(0)],
    ['hd_1.png', hd],
    ['photo_1.png', other],
    ['hd_2.png', hd],
    ['photo_2.png', other],
  );
  await page.getByText('Ready: 9. Need attention: 4.').waitFor();
  const rows = page.getByRole('list', { name: 'Chosen pictures' }).getByRole('listitem');
  const first = (await rows.allTextContents()).slice(0, 4);
  expect(first.map((text) => /^\w+/.exec(text)?.[0])).toEqual(['hd_1', 'photo_1', 'hd_2', 'photo_2']);
  expect(await page.getByText(/^The same picture as (?:guard_0|copy)\.png$/).count()).toBe(1);
  // The button and what counts for all of them are on the first screen, and the rows are short.
  for (const label of ['Arms', 'Visibility'])
    expect((await page.getByLabel(label).boundingBox())?.y).toBeLessThan(720);
  await page.evaluate('scrollTo(0, 0)');
  expect((await page.getByRole('button', { name: 'Make skin' }).boundingBox())?.y).toBeLessThan(720);
  expect((await rows.filter({ hasText: 'guard_5' }).boundingBox())?.height).toBeLessThan(60);
  await page.getByRole('button', { name: 'Repair them' }).click();
  await page.getByText('Ready: 11. Need attention: 2.').waitFor();
  if (!isWhole) return; // fewer pictures are sent by the other tests
  await page.getByRole('button', { name: 'Make skin' }).click();
  await page.getByText('All 11 skins are ready. Not sent: 2.').waitFor();
  await page.getByRole('button', { name: 'Remove them' }).click();
  await page.getByText('All 11 skins are ready.', { exact: true }).waitFor();
  expect(complaints).toEqual([]);
});

/** Many more than are sent at once. */
const MANY = isWhole ? 40 : 12;

test('A person who closes the page while many files are sent loses none within the plan, and reads so on return', async () => {
  const server = await runServer({ workers: 0 });
  const { page } = await openPage(browser);
  await signInByForm(page, server);
  await page.goto(`${server.url}/ui/make`);
  await choose(page, ...Array.from({ length: MANY }, (_, at) => [`guard_${at}.png`, skinPng(at)] as const));
  await page.getByText(`Ready: ${MANY}. Need attention: 0.`).waitFor();
  await page.getByRole('button', { name: 'Make skin' }).click();
  const pending = async () => (await server.owner.get('/v2/account/me')).body as unknown as Account;
  const { plan } = await pending();
  const taken = Math.min(MANY, plan.queue);
  await expect.poll(async () => (await pending()).usage.pending).toBe(taken);
  const next = await page.context().newPage();
  await page.close();
  await next.goto(`${server.url}/ui/make`);
  await next.getByText(`Your latest jobs: 0 done, ${taken} under way, 0 failed`).waitFor();
});

test('Each line of a list of addresses becomes a skin, with scripts and without them', async () => {
  const { url } = await runServer();
  const [one, other] = [dataUrl(skinPng(1)), dataUrl(skinPng(2))];
  const { page, complaints } = await openPage(browser);
  await page.goto(`${url}/ui/make?from=url`);
  await page.getByLabel('Picture URLs').fill(`\n${one}\n ${other} \n${one}\n`);
  await page.getByRole('button', { name: 'Make skin' }).click();
  await page.getByText('All 2 skins are ready.').waitFor();
  expect(await page.locator('[data-rows] img').count()).toBe(2);
  expect(complaints).toEqual([]);
  const plain = new PlainBrowser(url);
  const made = await plain.open('/ui/make', { form: { url: `${other}\r\n${one}` } });
  expect([made.status, made.headers.get('location')]).toEqual([303, '/ui/jobs']);
  const refused = await plain.open('/ui/make', { form: { url: `${one}\nnowhere\n${other}` } });
  expect(refused.status).toBe(400);
  expect(/<textarea[^>]*>([^<]*)</.exec(refused.text)?.[1]).toBe(`nowhere\n${other}`);
});

// `frame` tries the same without scripts.
testWhole(
  'People who were signed out while the form was open make no skin without an owner, and lose no file',
  async () => {
    const server = await runServer();
    const { page } = await openPage(browser);
    await signIn(page, server);
    await page.goto(`${server.url}/ui/make`);
    await choose(page, ...[1, 2, 3, 4, 5, 6, 7].map((number) => [`${number}.png`, skinPng(number)] as const));
    await page
      .getByText(/^Ready, with/)
      .nth(6)
      .waitFor();
    const { db } = await openOwnStore(server.dataDir);
    await db.deleteFrom('sessions').execute();
    await page.getByLabel('Visibility').selectOption('unlisted');
    await page.getByRole('button', { name: 'Make skin' }).click();
    await page.getByText('You have been signed out. Sign in, and your files stay here.').first().waitFor();
    await page.getByText('0 of 7 made, 7 failed.').waitFor();
    expect(await page.getByText('Not sent yet.').count()).toBe(2); // more than are sent at once
    const opened = page.waitForEvent('popup');
    await page.getByRole('link', { name: 'Sign in' }).last().click();
    await signInByForm(await opened, server);
    await page.getByRole('button', { name: 'Remove' }).first().click();
    await page.getByRole('button', { name: 'Try all again' }).click();
    await page.getByText('All 6 skins are ready.').waitFor();
    const { body } = await server.owner.get('/v2/me/skins');
    expect(body.skins?.map(({ visibility }) => visibility)).toEqual(Array(6).fill('unlisted'));
    expect(await db.selectFrom('skins').select('owner').execute()).toHaveLength(6);
  },
);

// What a folder gives is examined as other files are.
testWhole('A folder is chosen with a button, and other files in it are left out', async () => {
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

// Rows are made of the same parts as what `every-page` looks at.
testWhole('Rows, preview and the page about version 1 pass axe, and fit 320 pixels', async () => {
  const { url } = await runServer();
  const { page } = await openPage(browser, { bypassCSP: true, viewport: { width: 320, height: 640 } });
  await page.goto(`${url}/ui/make`);
  await choose(
    page,
    ['a-name-that-is-as-long-as-names-of-files-may-get.png', skinPng(1)],
    ['photo.png', plainPng(300, 200)],
  );
  await expectSound(page);
  await page.getByRole('button', { name: 'Preview in 3D' }).click();
  await page.getByRole('application', { name: 'The skin in 3D' }).waitFor();
  await expectSound(page);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Make skin' }).click();
  await page.getByText('Your skin is ready.').waitFor();
  await expectSound(page);
});

async function expectSound(page: Page): Promise<void> {
  expect(await violationsOn(page)).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320);
}
