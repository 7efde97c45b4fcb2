import type { Browser } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { workersChromium } from '../../support/chromium/chromium.ts';
import { openPage, signIn, signInByForm } from '../../support/pages/watched-page.ts';
import { runAccountServer } from '../../support/server/account-server.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { HeldWork } from '../../support/server/held-work.ts';
import { openOwnStore, runServer } from '../../support/server/running-server.ts';
import { expectRefusal, TestCaller } from '../../support/server/test-caller.ts';
import { sampled, testWhole } from '../../support/setup/extent.ts';
import { isWhole } from '../../support/setup/whole-run.ts';

let browser: Browser;

beforeAll(async () => {
  browser = await workersChromium();
});

const WITH_SCRIPTS = [true, false];

test.each(sampled(WITH_SCRIPTS, 2))(
  'A person changes several skins and, in a run of everything, deletes some, with scripts: %s',
  async (javaScriptEnabled) => {
    const server = await runServer();
    for (const n of [1, 2, 3]) await server.owner.upload('/v2/generate', skinPng(n), { name: `No ${n}` });
    const { page, complaints } = await openPage(browser, { javaScriptEnabled });
    await signIn(page, server);
    await page.goto(`${server.url}/ui/skins`);
    if (javaScriptEnabled) {
      await page.getByRole('checkbox', { name: 'Select No 2' }).check();
      await page.getByRole('button', { name: 'Select all' }).click();
      await page.getByText('3 selected').waitFor();
      await page.getByRole('button', { name: 'Select none' }).click();
    }
    for (const name of ['No 1', 'No 3']) await page.getByRole('checkbox', { name: `Select ${name}` }).check();
    await page.getByLabel('Visibility of the selected skins').selectOption('private');
    await page.getByRole('button', { name: 'Change selected' }).click();
    await page.getByRole('heading', { name: 'Change these 2 skins?' }).waitFor();
    await page.getByRole('button', { name: 'Change them' }).click();
    await page.getByText('2 skins changed.').waitFor();
    if (!isWhole) return; // `my-skins` searches and deletes them without a browser
    await page.getByText('Order and filters').click();
    await page.getByLabel('Visibility', { exact: true }).selectOption('private');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.waitForURL(/visibility=private/);
    expect(await page.locator('.card bdi').allTextContents()).toEqual(['No 3', 'No 1']);
    const widths = await page
      .locator('.card img')
      .evaluateAll((all) =>
        Promise.all(
          all.map(
            async (one) =>
              'decode' in one && (await (one as { decode(): Promise<void> }).decode()) === undefined,
          ),
        ),
      );
    expect(widths).toEqual([true, true]); // the pictures of private skins are there
    await page.getByRole('checkbox', { name: 'Select No 1' }).check();
    await page.getByRole('button', { name: 'Delete selected' }).click();
    await page.getByRole('heading', { name: 'Delete this skin?' }).waitFor();
    await page.getByRole('button', { name: 'Delete for good' }).click();
    await page.getByText('1 skin deleted.').waitFor();
    expect(await page.locator('.card bdi').allTextContents()).toEqual(['No 3']); // still searched by visibility
    await page.getByRole('checkbox', { name: 'Select No 3' }).check();
    await page.setViewportSize({ width: 375, height: 500 });
    await page.getByRole('checkbox', { name: 'Select No 3' }).scrollIntoViewIfNeeded();
    const shown = "document.querySelector('.bulk').getBoundingClientRect().bottom <= innerHeight";
    expect(await page.evaluate(shown)).toBe(true);
    await page.getByRole('button', { name: 'Change selected' }).click();
    await page.getByText('Choose a visibility or a new name first.').waitFor();
    expect(await page.getByRole('checkbox', { name: 'Select No 3' }).isChecked()).toBe(true);
    expect(complaints.filter((complaint) => !complaint.includes('400'))).toEqual([]);
  },
);

test('A list of jobs keeps itself up to date', async () => {
  const work = new HeldWork();
  const server = await runServer(work.options);
  await server.owner.upload('/v2/queue', skinPng(1), { name: 'Anna' });
  const { page, complaints } = await openPage(browser);
  await signIn(page, server);
  await page.clock.install();
  const stream = page.waitForResponse(`${server.url}/ui/jobs/events`);
  await page.goto(`${server.url}/ui/jobs`);
  await stream;
  const row = page.getByRole('listitem').filter({ hasText: 'skin.png' });
  expect(await row.count()).toBe(1);
  expect(await row.textContent()).toContain(', done in about 60 min');
  await page.clock.fastForward('01:01:00');
  expect(await row.textContent()).not.toContain('done in'); // the forecast was wrong
  work.release();
  await row.getByText('Completed').waitFor();
  await server.owner.upload('/v2/queue', skinPng(2));
  await page.getByRole('link', { name: 'Reload the page' }).click();
  await page.getByText('2 jobs').waitFor();
  await row.getByRole('link', { name: 'Open the skin' }).last().click();
  await page.getByRole('heading', { name: 'Anna' }).waitFor();
  expect(complaints).toEqual([]);
});

// No script has a part in this and those below, except that it sends no form twice. `jobs` tries this one without a browser.
testWhole('A failed job is tried again', async () => {
  const server = await runServer();
  await server.owner.upload('/v2/generate', skinPng(1), { name: 'Anna' });
  const { db } = await openOwnStore(server.dataDir);
  const error = { error_code: 'job_failed', error_message: 'The game was away.' };
  await db
    .updateTable('jobs')
    .set({ status: 'failed', ...error })
    .execute();
  const { page, complaints } = await openPage(browser);
  await signInByForm(page, server);
  await page.getByRole('link', { name: 'My skins' }).click();
  await page.getByRole('link', { name: 'My jobs' }).click();
  await page.getByText('The game was away.').waitFor();
  await page.getByRole('button', { name: 'Try again: skin.png' }).click();
  await page.getByRole('heading', { name: 'Anna' }).waitFor();
  expect(complaints).toEqual([]);
});

// `account` does the same in a browser without scripts, and signs out who revokes the key of the session.
testWhole('A key is made, used, narrowed, and revoked while its page is open', async () => {
  const server = await runServer();
  const { page, complaints } = await openPage(browser);
  await signIn(page, server);
  await page.goto(`${server.url}/ui/account`);
  await page.getByRole('link', { name: 'API keys', exact: true }).click();
  const form = page.locator('form').filter({ hasText: 'Create key' });
  await form.getByLabel('Name').fill('plugin');
  await form.getByLabel('Manage my keys and game accounts').check();
  await form.getByRole('button', { name: 'Create key' }).click();
  await page.getByText('You will not see it again').waitFor();
  const key = String(await page.locator('.copyable code').first().textContent());
  const caller = new TestCaller(server.url, { key });
  expect((await caller.get('/v2/account/keys')).status).toBe(200);

  const other = await openPage(browser);
  await signIn(other.page, { url: server.url, key });
  await other.page.goto(`${server.url}/ui/account/keys`);

  await page.getByRole('link', { name: 'I have copied it' }).click();
  const row = page.getByRole('listitem').filter({ hasText: 'plugin' });
  await row.getByText('Change', { exact: true }).click();
  await row.getByLabel('Edit and delete my skins').uncheck();
  await row.getByRole('button', { name: 'Save' }).click();
  await row
    .getByText('Permissions: Read my jobs and skins, including private ones; Make skins; Manage my keys')
    .waitFor();
  await row.getByText('Revoke', { exact: true }).click();
  await row.getByRole('button', { name: 'Revoke key' }).click();
  await page.waitForURL(`${server.url}/ui/account/keys`);
  expect(await row.count()).toBe(0);
  expectRefusal(await caller.get('/v2/me'), 'invalid_api_key');

  await other.page.getByRole('link', { name: 'Game accounts' }).click();
  await other.page.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect([...complaints, ...other.complaints]).toEqual([]);
});

// `account` does the same without a browser, and `page-trouble` waits with scripts until an account is linked.
testWhole.each(WITH_SCRIPTS)(
  'A game account is linked by a code, with scripts: %s',
  async (javaScriptEnabled) => {
    const { fake, server } = await runAccountServer({}, { interval: 0.01 });
    const { page, complaints } = await openPage(browser, { javaScriptEnabled });
    await signIn(page, server);
    await page.goto(`${server.url}/ui/account/games`);
    await page.getByRole('button', { name: 'Get a code' }).click();
    await page.getByRole('heading', { name: 'Sign in to your game account' }).waitFor();
    const account = fake.addAccount();
    fake.microsoft.approve(String(await page.locator('.copyable code').textContent()), account.id);
    if (!javaScriptEnabled) await page.getByRole('link', { name: 'I have entered the code' }).click();
    const row = page.getByRole('listitem').filter({ hasText: account.name });
    await row.getByText('works').waitFor();
    await row.getByText('Settings', { exact: true }).click();
    await row.getByLabel('Allow skins to show its cape').check();
    await row.getByRole('button', { name: 'Save' }).click();
    await row.getByRole('button', { name: `Pause: ${account.name}` }).click();
    await row.getByRole('button', { name: `Resume: ${account.name}` }).click();
    await row.getByRole('button', { name: `Check: ${account.name}` }).click();
    await page.getByRole('heading', { name: 'The account works' }).waitFor();
    await page.getByRole('link', { name: 'Back to game accounts' }).click();
    await row.getByText('Unlink', { exact: true }).click();
    await row.getByRole('button', { name: 'Unlink the account' }).click();
    await page.getByText('No game accounts linked yet.').waitFor();
    expect(complaints).toEqual([]);
  },
);
