import type { Browser, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { workersChromium } from '../../support/chromium/chromium.ts';
import { openScene, type Scene, visit } from '../../support/pages/scene.ts';
import { openPage, signIn } from '../../support/pages/watched-page.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { runServer } from '../../support/server/running-server.ts';
import { sampled, testWhole } from '../../support/setup/extent.ts';
import { isWhole } from '../../support/setup/whole-run.ts';

let browser: Browser;

beforeAll(async () => {
  browser = await workersChromium();
});

/**
 * Shows every field, lets no form be sent, and remembers what was pressed instead. A field's own button is the only one of
 * the smallest group around it that has buttons; a box that selects a skin has none.
 */
const WATCH_FORMS = `(() => {
  const textOf = (button) => button?.textContent.trim();
  const doing = (button) => button ? (button.name + '=' + button.value) : 'nothing';
  const buttonsIn = (group, form) => [...form.elements]
    .filter((one) => one.type === 'submit' && one.checkVisibility() && group.contains(one));
  const ownButton = (field) => {
    if (field.matches('[data-select] [type=checkbox]')) return undefined;
    for (let group = field.parentElement; ; group = group.parentElement) {
      const buttons = buttonsIn(group, field.form);
      if (buttons.length > 1) return { name: 'one of', value: buttons.map(textOf).join(', ') };
      if (buttons.length === 1 || group === field.form) return buttons[0];
    }
  };
  for (const one of document.querySelectorAll('details')) one.open = true;
  for (const one of document.forms) one.noValidate = true;
  addEventListener('submit', (event) => {
    event.preventDefault();
    event.stopImmediatePropagation();
    window.pressed = doing(event.submitter);
  }, true);
  const LINES = 'input:not([type=hidden], [type=file]), select';
  window.fields = [...document.querySelectorAll(LINES)].filter((one) => one.form && one.checkVisibility());
  window.own = window.fields.map((one) => doing(ownButton(one)));
  return window.fields.map((one) => one.form.action + ' ' + one.name);
})()`;

/** A field, whichever skin, set or user its form is about. */
function kindOf(field: string): string {
  return field.replace(/\b[0-9a-f]{8}-?[0-9a-f-]{3,27}\b|\b\d+\b/g, 'N');
}

/**
 * Presses Enter in each field of each form, but only once in those that come on several pages.
 * @returns the fields where it does something else than their own button
 */
async function pressEnterEverywhere(page: Page, known: Set<string>): Promise<string[]> {
  const fields = await page.evaluate<string[]>(WATCH_FORMS);
  const faults: string[] = [];
  for (const [index, field] of fields.entries()) {
    if (!isWhole && known.has(kindOf(field))) continue;
    known.add(kindOf(field));
    await page.evaluate(`(window.pressed = 'nothing', window.fields[${index}].focus())`);
    await page.keyboard.press('Enter');
    const [pressed, own, isList] = await page.evaluate<[string, string, boolean]>(
      `[window.pressed, window.own[${index}], window.fields[${index}].matches('select')]`,
    );
    if (isList) await page.keyboard.press('Escape'); // some browsers open it
    if (pressed !== own && !(isList && pressed === 'nothing'))
      faults.push(`${field}: ${pressed} instead of ${own}`);
  }
  return faults;
}

/** Types into every field whose text a browser may keep. @returns what each has then */
const TYPE = `(() => {
  const KINDS = 'input:not([type=hidden], [type=file], [type=password], [type=checkbox], [type=radio]), textarea';
  window.typed = () => [...document.querySelectorAll(KINDS)].filter((one) => one.form)
    .map((one) => one.form.action + ' ' + one.name + ': ' + one.value);
  for (const one of document.querySelectorAll(KINDS)) one.value = 'typed';
  return window.typed();
})()`;

/** Goes elsewhere and back, unless all of its fields come on an earlier page. @returns the fields that have lost their text */
async function losesOnTheWayBack(page: Page, url: string, left: Set<string>): Promise<string[]> {
  const typed = await page.evaluate<string[]>(TYPE);
  const isNew = typed.map((one) => !left.has(kindOf(one)) && left.add(kindOf(one))).some(Boolean);
  if (!(isNew || isWhole)) return [];
  await page.goto(`${url}/robots.txt`); // opened in half the time of a page
  await page.goBack();
  const kept = await page.evaluate<string[]>(TYPE.replace("one.value = 'typed'", ''));
  return typed.filter((one) => !kept.includes(one));
}

async function chooseTwoPictures(page: Page, { server }: Scene): Promise<void> {
  await page.goto(`${server.url}/ui/make`);
  const picture = (n: number) => ({ name: `${n}.png`, mimeType: 'image/png', buffer: skinPng(n) });
  await page.getByLabel('Skin picture').setInputFiles([picture(1), picture(2)]);
}

test('In every field of every form, Enter does what the button beside the field does, and Back keeps the texts', async () => {
  const scene = await openScene();
  const { page, complaints } = await openPage(browser);
  const pressed = new Set<string>();
  const left = new Set<string>();
  const faults: string[] = [];
  const look = async (at: string) => {
    const found = await pressEnterEverywhere(page, pressed);
    faults.push(...found.map((fault) => `${at} ${fault}`));
  };
  const lost: string[] = [];
  // Most forms come on several pages.
  for await (const address of visit(scene, page, sampled(scene.addresses, 4))) {
    await look(address);
    lost.push(...(await losesOnTheWayBack(page, scene.server.url, left)));
  }
  await chooseTwoPictures(page, scene);
  await look('two pictures');
  expect(faults).toEqual([]);
  expect(lost).toEqual([]);
  expect(pressed.size).toBeGreaterThan(isWhole ? 40 : 20);
  expect(complaints.filter((one) => !one.includes('404'))).toEqual([]);
});

// The field of a set is one of those above; `my-skins` presses Enter there as a browser without scripts does.
testWhole('Enter in the field of a set publishes no private skin, with and without scripts', async () => {
  const server = await runServer();
  await server.owner.upload('/v2/generate', skinPng(1), { name: 'Secret', visibility: 'private' });
  for (const javaScriptEnabled of [false, true]) {
    const { page } = await openPage(browser, { javaScriptEnabled });
    await signIn(page, server);
    await page.goto(`${server.url}/ui/skins`);
    await page.getByRole('checkbox', { name: 'Select Secret' }).check();
    await page.getByLabel('Visibility of the selected skins').selectOption('public');
    await page.getByLabel('New or existing set').fill('Guards');
    await page.getByLabel('New or existing set').press('Enter');
    await page.waitForURL(/\/ui\/sets\/[0-9a-f]{32}$/);
    expect((await server.owner.get('/v2/me/skins')).body.skins).toMatchObject([{ visibility: 'private' }]);
  }
});
