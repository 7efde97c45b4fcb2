import { readFile } from 'node:fs/promises';
import type { Browser, Locator } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { workersChromium } from '../../support/chromium/chromium.ts';
import { FakeProvider } from '../../support/openid/fake-provider.ts';
import { openPage, shownIn3d, signIn, signInByForm } from '../../support/pages/watched-page.ts';
import { addCape } from '../../support/server/drawn-capes.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { runServer } from '../../support/server/running-server.ts';
import { webServer } from '../../support/server/web-server.ts';
import { sampled, testWhole } from '../../support/setup/extent.ts';
import { isWhole } from '../../support/setup/whole-run.ts';

let browser: Browser;

beforeAll(async () => {
  browser = await workersChromium();
});

const file = (number: number, name = `skin-${number}.png`) => ({
  name,
  mimeType: 'image/png',
  buffer: skinPng(number),
});

// `make-form`, `skin-page` and `my-skins` send the same forms without a browser.
testWhole('A person without scripts signs in, makes a skin, edits and deletes it', async () => {
  const server = await runServer();
  const { page, complaints } = await openPage(browser, { javaScriptEnabled: false });
  await signInByForm(page, server);
  await page.getByLabel('Skin picture').setInputFiles(file(1));
  await page.getByLabel('Name').fill('Anna');
  await page.getByLabel('Visibility').selectOption('private');
  await page.getByRole('button', { name: 'Make skin' }).click();
  await page.waitForURL(/\/ui\/skins\/[0-9a-f]{32}$/);
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Anna');
  // The pictures of the private skin are there.
  const widths = await page
    .locator('.stage img, .pictures img')
    .evaluateAll((all) => all.map((one) => 'naturalWidth' in one && one.naturalWidth));
  expect(widths).toEqual([192, 64, 64, 128, 128, 128, 64]);

  const stranger = await openPage(browser);
  const seen = await stranger.page.goto(page.url());
  expect(seen?.status()).toBe(404);

  await page.getByLabel('Name', { exact: true }).fill('Berta');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'Berta' }).waitFor();
  await page.getByText('Saved.').waitFor();
  await page.getByText('Delete this skin').click();
  await page.getByRole('button', { name: 'Delete for good' }).click();
  await page.getByText('1 skin deleted.').waitFor();
  expect(complaints).toEqual([]);
});

// Of several pictures and wrong ones, `make-journeys` knows as well; of the button that shows 3D, `viewer`.
testWhole('Several pictures go at once, and a wrong one is reported before it is sent', async () => {
  const server = await runServer();
  const { page, complaints } = await openPage(browser);
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST') sent.push(request.url());
  });
  await page.goto(`${server.url}/ui/make`);
  const wrong = { name: 'wrong.png', mimeType: 'image/png', buffer: Buffer.from('GIF89a') };
  await page.getByLabel('Skin picture').setInputFiles([file(1), file(2), wrong]);
  await page.getByRole('button', { name: 'Make skin' }).click();
  await page.getByText('This is not a PNG').waitFor();
  await page.getByRole('link', { name: 'Open the skin' }).nth(1).waitFor();
  expect(sent).toHaveLength(2);
  await page.getByRole('link', { name: 'Open the skin' }).first().click();
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.getByRole('button', { name: 'Show in 3D' }).click();
  await page.getByRole('application', { name: 'The skin in 3D' }).waitFor();
  expect(complaints).toEqual([]);
});

/** The elements that have moved while the page was loaded. */
const SHIFTS = `new Promise((done) => {
  new PerformanceObserver((list) => done(list.getEntries().map(({ sources }) => sources.map(({ node }) => node?.outerHTML ?? node?.textContent)))).observe({ type: 'layout-shift', buffered: true });
  setTimeout(() => done([])); // there are none
})`;

test('On a wide screen, a skin turns in 3D by itself, and by keys, without catching the wheel or moving the page', async () => {
  const server = await runServer();
  const { body } = await server.owner.upload('/v2/generate', skinPng(1), {
    cape: await addCape(server, 'test'),
  });
  // A quarter as sharp: what turns is drawn again and again, by the processor.
  const viewport = { width: 1280, height: 800 };
  const wide = { viewport, deviceScaleFactor: 0.25, reducedMotion: 'no-preference' } as const;
  const { page, complaints } = await openPage(browser, wide);
  await page.goto(`${server.url}/ui/skins/${body.skin?.uuid}`);
  await shownIn3d(page);
  const canvas = page.getByRole('application', { name: 'The skin in 3D' });
  expect(await page.evaluate(SHIFTS)).toEqual([]);
  expect(await page.evaluate('document.activeElement.tagName')).toBe('BODY');
  await page.getByLabel('Pose').selectOption('Stand');
  await page.getByLabel('On the back').selectOption('Elytra');
  await canvas.focus();
  const front = await canvas.screenshot();
  await page.keyboard.press('ArrowLeft');
  await expect.poll(async () => (await canvas.screenshot()).equals(front)).toBe(false);
  await canvas.hover();
  await page.mouse.wheel(0, 200);
  await expect.poll(async () => await page.evaluate('scrollY')).toBe(200);
  expect(complaints).toEqual([]);
});

test('A visitor chooses once where skins are used, and gets one thing to copy', async () => {
  const server = await runServer();
  const { body } = await server.owner.upload('/v2/generate', skinPng(1));
  const address = `${server.url}/ui/skins/${body.skin?.uuid}`;
  for (const javaScriptEnabled of sampled([true, false], 2)) {
    const { page, complaints } = await openPage(browser, { javaScriptEnabled });
    await page.goto(address);
    const answers = page.locator('.uses .uses .answer:visible pre');
    expect(await answers.allTextContents()).toEqual([expect.stringMatching(/^\/skin set /)]);
    await page.getByRole('radio', { name: 'NPC' }).check();
    await page.getByRole('radio', { name: 'Taterzens' }).check();
    expect(await answers.allTextContents()).toEqual([expect.stringMatching(/^data merge entity /)]);
    await page.goto(address);
    const kept = javaScriptEnabled ? /^data merge entity / : /^\/skin set /;
    expect(await answers.allTextContents()).toEqual([expect.stringMatching(kept)]);
    expect(complaints).toEqual([]);
  }
});

// `service/skins/similar-skins` knows which they are, and `skin-page` that they are shown: the line is tried only here.
testWhole(
  'Similar skins are shown as pictures in one line at every width, and link to their pages',
  async () => {
    const server = await runServer();
    const made: string[] = [];
    for (let n = 1; n <= 6; n++) {
      const { body } = await server.owner.upload('/v2/generate', skinPng(n), { name: `Figure ${n}` });
      made.push(String(body.skin?.uuid));
    }
    const { page, complaints } = await openPage(browser);
    await page.goto(`${server.url}/ui/skins/${made[0]}`);
    const cards = page.getByRole('region', { name: 'Similar skins' }).getByRole('listitem');
    for (const width of [1280, 800, 375]) {
      await page.setViewportSize({ width, height: 900 });
      const tops = await cards.evaluateAll((all) => all.map((one) => 'offsetTop' in one && one.offsetTop));
      expect([tops.length, new Set(tops).size]).toEqual([5, 1]);
    }
    await cards.first().getByRole('link').click();
    await page.waitForURL(/\/ui\/skins\/[0-9a-f]{32}$/);
    expect(made.slice(1)).toContain(page.url().slice(-32));
    expect(complaints).toEqual([]);
  },
);

// `provider-sign-in` tries the same in a browser without scripts.
testWhole('A person signs in with a provider, first as a new user', async () => {
  const provider = await FakeProvider.start();
  const openId = provider.settings();
  const server = await runServer({ openId, allowedNetworks: ['127.0.0.0/8'] });
  for (const javaScriptEnabled of [true, false]) {
    const { page, complaints } = await openPage(browser, { javaScriptEnabled });
    await page.goto(`${server.url}/ui/sign-in`);
    await page.getByRole('link', { name: 'Sign in with Example' }).click();
    if (javaScriptEnabled) await page.getByRole('button', { name: 'Create my account' }).click();
    await page.waitForURL(`${server.url}/ui/`);
    await page.getByRole('link', { name: 'anna' }).waitFor();
    expect(complaints).toEqual([]);
  }
});

// `tray` makes a set and its pack; likes and tags, which need no script, `every-visitor` and `service/skins` know.
testWhole(
  'A person makes a set of three skins, downloads its pack, likes a skin, tags it, and finds it by its tag',
  async () => {
    const server = await runServer();
    for (const number of [1, 2, 3])
      await server.owner.upload('/v2/generate', skinPng(number), { name: `Guard ${number}` });
    const { page, complaints } = await openPage(browser);
    await signIn(page, server);
    await page.goto(`${server.url}/ui/skins`);
    await page.getByRole('button', { name: 'Select all' }).click();
    await page.getByText('3 selected').waitFor();
    await page.getByLabel('New or existing set').fill('Royal Guards');
    await page.getByRole('button', { name: 'Add selected to the set' }).click();
    await page.waitForURL(/\/ui\/sets\/[0-9a-f]{32}$/);
    const group = page.getByRole('img', { name: 'The skins of the set Royal Guards side by side' });
    await group.evaluate(async (one) => await (one as unknown as { decode(): Promise<void> }).decode());
    expect(await group.evaluate((one) => 'naturalWidth' in one && one.naturalWidth)).toBe(528);
    const packed = async () => {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: 'Resource pack' }).click(),
      ]);
      return await readFile(await download.path());
    };
    const pack = await packed();
    expect(pack.subarray(0, 2).toString()).toBe('PK');
    expect(await packed()).toEqual(pack);

    await page.getByRole('link', { name: 'Guard 2' }).click();
    await page.getByRole('button', { name: 'Like: this skin' }).click();
    await page.getByRole('button', { name: 'Unlike: this skin' }).waitFor();
    await page.getByText('1 like', { exact: true }).waitFor();
    await page.getByText('Add a tag').click();
    await page.getByLabel('Tag', { exact: true }).fill('guard');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('link', { name: 'guard', exact: true }).click();
    await page.getByRole('heading', { name: 'Gallery' }).waitFor();
    expect(await page.locator('.cards .card').allTextContents()).toEqual([
      expect.stringContaining('Guard 2'),
    ]);
    const columns: unknown[] = [];
    for (const width of [320, 800, 1280]) {
      await page.setViewportSize({ width, height: 900 });
      columns.push(
        await page.evaluate(
          "getComputedStyle(document.querySelector('.cards')).gridTemplateColumns.split(' ').length",
        ),
      );
    }
    // Pages of 18 skins fill their rows.
    expect(columns).toEqual([2, 3, 6]);
    expect(complaints).toEqual([]);
  },
);

// The order in which a keyboard reaches things, and the way past the menu, are also in `every-page`.
testWhole('A keyboard alone makes a skin', async () => {
  const server = await runServer();
  const { page, complaints } = await openPage(browser);
  await page.goto(`${server.url}/ui/make?from=url`);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  for (const wanted of ['Picture', 'URL', 'Player', 'url', 'name', 'variant', 'visibility']) {
    await page.keyboard.press('Tab');
    const focused = await page.evaluate('document.activeElement.name || document.activeElement.textContent');
    expect(focused).toBe(wanted);
  }
  await page.keyboard.press('Tab');
  const submit = await page.evaluate('document.activeElement.textContent');
  expect(submit).toBe('Make skin');
  expect(complaints).toEqual([]);
});

test('On a phone, the name of a skin and what to copy are within a screen and a half, and it is copied', async () => {
  const server = await runServer();
  const { body } = await server.owner.upload('/v2/generate', skinPng(1), { name: 'Knight' });
  const { page, complaints } = await openPage(browser, { viewport: { width: 360, height: 740 } });
  await page.goto(`${server.url}/ui/skins/${body.skin?.uuid}`);
  const bottom = async (locator: Locator) => {
    const box = await locator.boundingBox();
    return (box?.y ?? 0) + (box?.height ?? 0);
  };
  const name = await bottom(page.getByRole('heading', { name: 'Knight' }));
  const question = await bottom(page.getByText('Where will you use it?'));
  const copy = await bottom(page.getByRole('button', { name: 'Copy: what to paste' }).first());
  expect(name).toBeLessThan(question);
  expect(question).toBeLessThan(740);
  expect(copy).toBeLessThan(740 * 1.5);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: server.url });
  await page.getByRole('button', { name: 'Copy: what to paste' }).first().click();
  await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toMatch(/^\/skin set /);
  expect((await page.locator('body > header').boundingBox())?.height).toBeLessThan(60); // one line
  expect(complaints).toEqual([]);
});

test('A skin is shared: its address is copied, and another site shows it', async () => {
  const server = await runServer();
  const { body } = await server.owner.upload('/v2/generate', skinPng(1), { name: 'Knight' });
  const { page, complaints } = await openPage(browser);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: server.url });
  await page.goto(`${server.url}/ui/skins/${body.skin?.uuid}`);
  await page.evaluate('Object.defineProperty(navigator, "share", { value: undefined, configurable: true })');
  await page.getByRole('button', { name: 'Share' }).click();
  await page.getByRole('button', { name: 'Address copied' }).waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(page.url());
  const shared = `(async () => {
    Object.defineProperty(navigator, "share", { value: async (data) => { window.shared = data; } });
    document.querySelector('[data-share]').click();
    return window.shared;
  })()`;
  expect(await page.evaluate(shared)).toEqual({ title: 'Knight', url: page.url() });
  expect(complaints).toEqual([]);

  if (!isWhole) return; // `sharing` reads what is shown in a frame
  const embed = `${server.url}/embed/${body.skin?.uuid}`;
  const forum = await webServer((_, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(`<iframe sandbox="allow-popups" width="320" height="460" src="${embed}"></iframe>`);
  });
  const visitor = await openPage(browser);
  await visitor.page.goto(forum.url.replace('127.0.0.1', 'localhost'));
  const frame = visitor.page.frameLocator('iframe');
  await frame.getByRole('heading', { name: 'Knight' }).waitFor();
  const picture = frame.getByRole('img', { name: 'The skin Knight' });
  expect(await picture.evaluate((one) => 'naturalWidth' in one && one.naturalWidth)).toBe(200);
  expect(visitor.complaints).toEqual([]);
});

// `operator` knows the pages of all three without a browser, and `make-journeys` makes the skin with scripts.
testWhole(
  'Someone who is invited makes a first skin; a visitor reports it, and the operator hides it and undoes that',
  async () => {
    const server = await runServer();
    await server.owner.json('/v2/account/users', { name: 'bob' });
    const operator = await openPage(browser);
    await signIn(operator.page, server);
    await operator.page.goto(`${server.url}/ui/operator/users/bob`);
    await operator.page.getByRole('button', { name: 'Make an invitation: bob' }).click();
    const link = (await operator.page.locator('.copyable code').textContent()) ?? '';

    const bob = await openPage(browser);
    await bob.page.goto(link);
    await bob.page.getByLabel('Skin picture').setInputFiles(file(1));
    await bob.page.getByRole('button', { name: 'Make skin' }).click();
    await bob.page.getByRole('link', { name: 'Open the skin' }).click();
    await bob.page.waitForURL(/\/ui\/skins\/[0-9a-f]{32}$/);

    const visitor = await openPage(browser);
    await visitor.page.goto(bob.page.url());
    await visitor.page.getByText('Report this skin').click();
    await visitor.page.getByRole('button', { name: 'Send report' }).click();
    await visitor.page.getByText('Report sent.').waitFor();

    await operator.page.goto(`${server.url}/ui/operator`);
    await operator.page.getByRole('link', { name: 'Operator (1)' }).waitFor();
    await operator.page.getByRole('link', { name: '1 open report' }).click();
    await operator.page.getByRole('button', { name: /^Hide: / }).click();
    await operator.page.getByText('hidden').first().waitFor();
    expect((await visitor.page.goto(bob.page.url()))?.status()).toBe(404);
    await operator.page.getByRole('button', { name: /^Undo: / }).click();
    await operator.page.getByRole('button', { name: /^Hide: / }).waitFor();
    await operator.page.getByRole('link', { name: 'Operator (1)' }).waitFor();
    expect((await visitor.page.goto(bob.page.url()))?.status()).toBe(200);
    expect([operator, bob].flatMap(({ complaints }) => complaints)).toEqual([]);
  },
);
