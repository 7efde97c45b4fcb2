import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startChromium } from '../../support/chromium/chromium.ts';
import { openPage, shownIn3d } from '../../support/pages/watched-page.ts';
import { addCape } from '../../support/server/drawn-capes.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { runServer } from '../../support/server/running-server.ts';

let browser: Browser;

beforeAll(async () => {
  browser = await startChromium();
});

afterAll(async () => {
  await browser?.close();
});

/** Makes something fail on a page. `cape`: the hash of a texture that only the 3D view loads */
type Spoil = (page: Page, cape: string) => Promise<unknown>;

/** Opens the page of a skin on a wide screen, for a person who does not mind that it moves. */
async function openSkin(spoil: Spoil, options: BrowserContextOptions = {}): Promise<Page> {
  const server = await runServer();
  const cape = await addCape(server, 'test');
  const { body } = await server.owner.upload('/v2/generate', skinPng(1), { cape });
  const wide = { viewport: { width: 1280, height: 800 }, deviceScaleFactor: 0.25 };
  const { page } = await openPage(browser, { ...wide, reducedMotion: 'no-preference', ...options });
  await spoil(page, String(body.skin?.texture?.hash.cape));
  await page.goto(`${server.url}/ui/skins/${body.skin?.uuid}`);
  return page;
}

const losesScript =
  (times: number): Spoil =>
  async (page) =>
    await page.route('**/ui/assets/skin-viewer-*', async (route) => await route.abort(), { times });

const losesTexture =
  (times: number): Spoil =>
  async (page, cape) =>
    await page.route(`**/textures/${cape}`, async (route) => await route.abort(), { times });

/** As when the browser's drawing process starts again. */
const noWebGl =
  (times: number): Spoil =>
  async (page) =>
    await page.addInitScript(`{
    const { getContext } = HTMLCanvasElement.prototype;
    const refused = new Set();
    HTMLCanvasElement.prototype.getContext = function (kind, options) {
      if (!kind.includes('webgl') || (refused.size === ${times} && !refused.has(this)))
        return getContext.call(this, kind, options);
      refused.add(this);
      return null;
    };
  }`);

test('A skin turns in 3D by itself in a browser that draws nothing and therefore is never idle', async () => {
  const page = await openSkin(
    async (opened) =>
      await opened.addInitScript(`window.requestIdleCallback = (act, options) =>
        options?.timeout === undefined ? 0 : setTimeout(act, options.timeout);`),
  );
  await shownIn3d(page);
});

const ONCE = [
  ['the script', losesScript(1)],
  ['the texture', losesTexture(1)],
  ['WebGL', noWebGl(1)],
] as const;

test.each(ONCE)('A skin turns in 3D by itself although %s failed once', async (_, spoil) => {
  await shownIn3d(await openSkin(spoil));
});

const TWICE = [
  ['the script', losesScript(2), '3D wurde nicht geladen; versuche es noch einmal'],
  ['the texture', losesTexture(2), '3D wurde nicht geladen; versuche es noch einmal'],
  ['WebGL', noWebGl(2), 'Dieser Browser kann kein 3D anzeigen'],
] as const;

test.each(TWICE)(
  'When %s failed twice, the button says why in the reader’s language, and tries again',
  async (_, spoil, said) => {
    const page = await openSkin(spoil, { locale: 'de-AT' });
    const button = page.locator('[data-open-viewer]:enabled').filter({ hasText: said });
    await button.click();
    await shownIn3d(page);
    expect(await page.evaluate('document.activeElement.tagName')).toBe('CANVAS');
  },
);
