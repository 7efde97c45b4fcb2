import type { Page } from 'playwright-core';
import type { STEP_ROUTES } from './addresses.ts';
import { type Scene, signInWithoutKey } from './scene.ts';
import { signIn } from './watched-page.ts';

/** Opens a page in a browser in which nobody is signed in yet. */
type Step = (page: Page, scene: Scene) => Promise<void>;

const heading = (page: Page, name: string) => page.getByRole('heading', { name }).waitFor();

/** Opens an address as the owner. */
async function openAs(page: Page, { server }: Scene, path: string): Promise<void> {
  await signIn(page, server);
  await page.goto(`${server.url}${path}`);
}

/** What leads to the pages without an address of their own. */
export const STEPS = {
  'POST /ui/skins': async (page, scene) => {
    await openAs(page, scene, '/ui/skins');
    await page.getByRole('checkbox', { name: 'Select Slim' }).check();
    await page.evaluate("document.querySelector('[data-fold]').open = true"); // it is folded on phones
    await page.getByRole('button', { name: 'Delete selected' }).click();
    await heading(page, 'Delete this skin?');
  },
  'POST /ui/gallery': async (page, scene) => {
    await openAs(page, scene, '/ui/gallery');
    await page.getByRole('button', { name: 'Add selected to the set' }).click();
    await page.getByText('Select skins first.').waitFor();
  },
  'POST /ui/sets': async (page, scene) => {
    await openAs(page, scene, '/ui/sets');
    await page.getByText('New set from a list').click();
    await page.getByLabel('Name', { exact: true }).fill('W'.repeat(48));
    const buffer = Buffer.from(`Slim\n${'W'.repeat(100)}\n`);
    await page.getByLabel('List of skins').setInputFiles({ name: 'list.csv', mimeType: 'text/csv', buffer });
    await page.getByRole('button', { name: 'Make the set' }).click();
    await heading(page, 'Some lines match no skin here');
  },
  'POST /ui/account/keys': async (page, scene) => {
    await openAs(page, scene, '/ui/account/keys');
    const form = page.locator('form').filter({ hasText: 'Create key' });
    await form.getByLabel('Name').fill('W'.repeat(64));
    await form.getByRole('button', { name: 'Create key' }).click();
    await heading(page, 'Your new key');
  },
  'POST /ui/account/identities/:id/unlink': async (page, { server }) => {
    await signInWithoutKey(page, server, 'bert');
    await page.goto(`${server.url}/ui/sessions`);
    await page.getByRole('button', { name: /^Unlink: / }).click();
    await page.getByText('You have no other way to sign in').waitFor();
  },
  'POST /ui/operator/users/:name/identities/:id/unlink': async (page, scene) => {
    await openAs(page, scene, '/ui/operator/users/bert');
    await page.getByRole('button', { name: /^Unlink: / }).click();
    await page.getByText('This user has no other way to sign in').waitFor();
  },
  'POST /ui/operator/users/:name/keys': async (page, scene) => {
    await openAs(page, scene, '/ui/operator/users/bert');
    await page.getByLabel('Name of a new key').fill('W'.repeat(64));
    await page.getByRole('button', { name: 'Create key' }).click();
    await heading(page, 'Your new key');
  },
  'POST /ui/operator/users/:name/invitation': async (page, scene) => {
    await openAs(page, scene, '/ui/operator/users/bert');
    await page.getByRole('button', { name: 'Make an invitation' }).click();
    await heading(page, 'An invitation for bert');
  },
  'POST /ui/operator/feed': async (page, scene) => {
    await openAs(page, scene, '/ui/operator');
    await page.getByRole('button', { name: 'Make a new address' }).click();
    await page.getByText('You will not see it again').waitFor();
  },
  'GET /ui/account/games/logins/:id': async (page, scene) => {
    await openAs(page, scene, '/ui/account/games');
    await page.getByRole('button', { name: 'Get a code' }).click();
    await heading(page, 'Sign in to your game account');
  },
  'POST /ui/account/games/:uuid/check': async (page, scene) => {
    await openAs(page, scene, '/ui/account/games');
    await page.getByRole('button', { name: 'Check: A_linked_account' }).click();
    await heading(page, 'The account works');
  },
  'POST /ui/sign-in': async (page, { server }) => {
    await page.goto(`${server.url}/ui/sign-in`);
    await page.getByLabel('API key').fill('no-key');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('alert').waitFor();
  },
  'GET /ui/sign-in/link': async (page, { server }) => {
    await page.goto(`${server.url}/ui/gallery`);
    await page.evaluate(`location.href = '/ui/sign-in/link?secret=${'A'.repeat(43)}'`);
    await heading(page, 'Sign in with this link?');
  },
  'GET /ui/sign-in/callback': async (page, { server }) => {
    await page.goto(`${server.url}/ui/sign-in/callback?code=x&state=y`);
    await page.getByText('Start again.').waitFor();
  },
  'GET /ui/sign-in/first': async (page, scene) => await comeForTheFirstTime(page, scene),
  'POST /ui/sign-in/first': async (page, scene) => {
    await comeForTheFirstTime(page, scene);
    await page.getByLabel('API key of that account').fill('no-key');
    await page.getByRole('button', { name: 'Use this account' }).click();
    await page.getByRole('alert').waitFor();
  },
} as const satisfies Record<(typeof STEP_ROUTES)[number], Step>;

async function comeForTheFirstTime(page: Page, { server }: Scene): Promise<void> {
  await page.goto(`${server.url}/ui/sign-in`);
  await page.getByRole('link', { name: 'Sign in with Example' }).click();
  await heading(page, 'Welcome');
}
