import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startChromium } from './chromium.ts';

let browser: Browser;

beforeAll(async () => {
  browser = await startChromium();
});

afterAll(async () => {
  await browser?.close();
});

test("the browser runs a page's scripts and draws with WebGL", async () => {
  const page = await browser.newPage();
  await page.setContent('<title>A page</title><canvas></canvas>');
  expect(await page.title()).toBe('A page');
  const drawn = await page.evaluate(`(() => {
    const gl = document.querySelector('canvas').getContext('webgl2');
    gl.clearColor(1, 0, 0, 1);
    gl.clear(gl.COLOR_BUFFER_BIT);
    const pixel = new Uint8Array(4);
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
    return [...pixel];
  })()`);
  expect(drawn).toEqual([255, 0, 0, 255]);
});

test('the browser has fonts for the fields of a form', async () => {
  const page = await browser.newPage();
  await page.setContent('<label>Name <input></label><input type="file">');
  await page.getByLabel('Name').fill('Anna');
  expect(await page.getByLabel('Name').inputValue()).toBe('Anna');
});

test('the browser reaches no other machine', async () => {
  const page = await browser.newPage();
  await expect(page.goto('http://example.com/')).rejects.toThrow('ERR_NAME_NOT_RESOLVED');
});
