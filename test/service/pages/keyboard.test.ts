import type { Browser, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { workersChromium } from '../../support/chromium/chromium.ts';
import { signInWithoutKey } from '../../support/pages/scene.ts';
import { openPage, signIn } from '../../support/pages/watched-page.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { linkIdentity } from '../../support/server/linked-identity.ts';
import { runServer } from '../../support/server/running-server.ts';

let browser: Browser;

beforeAll(async () => {
  browser = await workersChromium();
});

/** More than any page has to reach. */
const MAX_TABS = 120;
/** What a screen reader would say of where the keyboard is. */
const FOCUSED = `(({ activeElement: one }) =>
  one.getAttribute('aria-label') ?? one.labels?.[0]?.textContent.trim() ?? one.textContent.trim())(document)`;

/** Goes on with Tab until the keyboard is there. @throws Error if it never gets there */
async function tabTo(page: Page, name: string): Promise<void> {
  const reached: string[] = [];
  while (reached.length < MAX_TABS && reached.at(-1) !== name) {
    await page.keyboard.press('Tab');
    reached.push(await page.evaluate<string>(FOCUSED));
  }
  if (reached.at(-1) !== name)
    throw new Error(`Tab does not get to "${name}", only to: ${reached.join(', ')}`);
}

/** Goes there and presses Enter, as one does with links and buttons. */
async function enter(page: Page, name: string): Promise<void> {
  await tabTo(page, name);
  await page.keyboard.press('Enter');
}

async function openAsOwner(path: string, server: Awaited<ReturnType<typeof runServer>>) {
  const opened = await openPage(browser);
  await signIn(opened.page, server);
  await opened.page.goto(`${server.url}${path}`);
  return opened;
}

test('A keyboard alone selects a skin, declines to delete it at the confirmation, and then deletes it', async () => {
  const server = await runServer();
  await server.owner.upload('/v2/generate', skinPng(1), { name: 'Anna' });
  const { page, complaints } = await openAsOwner('/ui/skins', server);
  for (const answer of ['Keep it', 'Delete for good']) {
    await tabTo(page, 'Select Anna');
    await page.keyboard.press('Space');
    await enter(page, 'Delete selected');
    await page.getByRole('heading', { name: 'Delete this skin?' }).waitFor();
    await enter(page, answer);
    await page.getByRole('heading', { name: 'My skins' }).waitFor();
  }
  await page.getByText('1 skin deleted.').waitFor();
  expect((await server.owner.get('/v2/me/skins')).body.skins).toEqual([]);
  expect(complaints).toEqual([]);
});

test('A keyboard alone deletes a skin on its own page', async () => {
  const server = await runServer();
  const { body } = await server.owner.upload('/v2/generate', skinPng(1));
  const { page, complaints } = await openAsOwner(`/ui/skins/${body.skin?.uuid}`, server);
  await enter(page, 'Delete this skin');
  await enter(page, 'Delete for good');
  await page.getByText('1 skin deleted.').waitFor();
  expect((await server.owner.get('/v2/me/skins')).body.skins).toEqual([]);
  expect(complaints).toEqual([]);
});

test('A keyboard alone revokes a key', async () => {
  const server = await runServer();
  await server.owner.json('/v2/account/keys', { name: 'plugin' });
  const { page, complaints } = await openAsOwner('/ui/account/keys', server);
  await enter(page, 'Revoke plugin');
  await enter(page, 'Revoke key');
  await page.getByText('plugin').waitFor({ state: 'detached' });
  expect((await server.owner.get('/v2/account/keys')).body.keys).toHaveLength(1);
  expect(complaints).toEqual([]);
});

test('A keyboard alone unlinks an identity, and the only sign-in only after confirmation', async () => {
  const server = await runServer();
  await server.owner.json('/v2/account/users', { name: 'bert' });
  for (const subject of ['bert@home', 'bert@work']) await linkIdentity(server, 'bert', subject);
  const { page, complaints } = await openPage(browser);
  await signInWithoutKey(page, server, 'bert');
  await page.goto(`${server.url}/ui/sessions`);
  await enter(page, 'Unlink: bert@home');
  await page.getByText('bert@home').waitFor({ state: 'detached' });
  for (const answer of ['Keep it', 'Unlink anyway']) {
    await enter(page, 'Unlink: bert@work');
    await page.getByRole('heading', { name: 'Unlink the only way to sign in?' }).waitFor();
    await enter(page, answer);
    await page.getByRole('heading', { name: 'Where you are signed in' }).waitFor();
  }
  expect(await page.getByText('bert@work').count()).toBe(0);
  expect(complaints).toEqual([]);
});

test('A keyboard alone hides the skin of a report, shows it again, deletes it, and unlinks a user’s identity', async () => {
  const server = await runServer();
  const ann = await server.user('ann');
  await linkIdentity(server, 'ann', 'ann@work');
  const { body } = await ann.upload('/v2/generate', skinPng(1), { name: 'Rude' });
  const path = `/v2/skins/${body.skin?.uuid}`;
  await server.owner.json(`${path}/report`, { reason: 'other' });
  const { page, complaints } = await openAsOwner('/ui/operator/reports', server);
  await enter(page, 'Hide: the skin of report 1');
  await page.getByText('The skin is hidden').waitFor();
  expect((await server.anonymous().get(path)).status).toBe(404);
  await enter(page, 'Undo: the skin of report 1');
  await page.getByRole('button', { name: 'Dismiss: the skin of report 1' }).waitFor();
  expect((await server.anonymous().get(path)).status).toBe(200);
  await enter(page, 'Dismiss: the skin of report 1');
  await page.getByText('The skin is unchanged').waitFor();
  await enter(page, 'Show closed reports');
  await page.getByRole('heading', { name: 'Closed reports' }).waitFor();
  await enter(page, 'Delete: the skin of report 1');
  await enter(page, 'Delete for good');
  await page.waitForURL(/decided=1.*state=closed/);
  expect((await ann.get(path)).status).toBe(404);
  await enter(page, 'Users');
  await page.getByRole('heading', { name: 'Users', exact: true }).waitFor();
  await enter(page, 'ann');
  await page.getByRole('heading', { name: 'Single sign-on' }).waitFor();
  await enter(page, 'Unlink: ann@work');
  await page.getByText('ann@work').waitFor({ state: 'detached' });
  expect(complaints).toEqual([]);
});
