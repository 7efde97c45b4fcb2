import type { Browser, Page, Route } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { workersChromium } from '../../support/chromium/chromium.ts';
import { openPage, signIn } from '../../support/pages/watched-page.ts';
import { runAccountServer } from '../../support/server/account-server.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { poll } from '../../support/server/poll.ts';
import { runServer } from '../../support/server/running-server.ts';
import { sampled, testWhole } from '../../support/setup/extent.ts';

// What pages' scripts do when something fails between a person's click and its end.

let browser: Browser;

beforeAll(async () => {
  browser = await workersChromium();
});

/** Makes the pauses of the page's script end at once, and keeps how long they were to be. */
async function hurry(page: Page): Promise<void> {
  await page.addInitScript(`{
    const wait = setTimeout;
    window.pauses = [];
    window.setTimeout = (act, ms, ...rest) => {
      if (ms >= 1000) window.pauses.push(ms);
      return wait(act, ms >= 1000 ? 0 : ms, ...rest);
    };
  }`);
}

/** Milliseconds of each pause since the page was opened. */
async function pausesOf(page: Page): Promise<number[]> {
  return await page.evaluate('window.pauses');
}

/** Answers the first requests to an address as is said, and lets the others through. */
async function fail(page: Page, address: string, answers: readonly Failure[]): Promise<void> {
  const left = [...answers];
  await page.route(address, async (route) => {
    const next = left.shift();
    if (next === undefined) await route.fallback();
    else if (next === 'cut') await route.abort();
    else await route.fulfill({ json: {}, ...next });
  });
}

type Failure =
  | 'cut'
  | { readonly status: number; readonly headers?: Record<string, string>; readonly json?: object };

async function openMake() {
  const { url } = await runServer();
  const { page } = await openPage(browser);
  await hurry(page);
  await page.goto(`${url}/ui/make`);
  const send = async (count = 1) => {
    const files = Array.from({ length: count }, (_, n) => ({
      name: `${n + 1}.png`,
      mimeType: 'image/png',
      buffer: skinPng(n + 1),
    }));
    await page.getByLabel('Skin picture').setInputFiles(files);
    await page
      .getByText(/^Ready, with/)
      .nth(count - 1)
      .waitFor();
    await page.getByRole('button', { name: /^Make skin/ }).click();
  };
  return { page, send };
}

describe('A picture that is sent', () => {
  test('waits as many seconds as the server says, or three, with a countdown, and is then sent once, however often its job cannot be read', async () => {
    const { page, send } = await openMake();
    const limited = (headers = {}) => ({ status: 429, headers });
    await fail(page, '**/ui/make', [
      limited({ 'retry-after': '7' }),
      limited(),
      limited({ 'retry-after': 'Fri, 01 Jan 2027 00:00:00 GMT' }),
    ]);
    let sent = 0;
    page.on('request', (request) => {
      if (request.method() === 'POST') sent++;
    });
    await fail(page, '**/ui/jobs/*/state?*', ['cut', { status: 503 }, { status: 429 }]);
    await send();
    await page.getByRole('link', { name: 'Open the skin' }).waitFor();
    expect(sent).toBe(3 + 1);
    expect(await pausesOf(page)).toEqual([...Array(7 + 3 + 3).fill(1_000), 2_000, 2_000, 2_000]);
  });

  const ENDS = [
    ['This job no longer exists.', { status: 404 }],
    ['The game was away.', { json: { status: 'failed', says: 'The game was away.' } }],
    ['The skin could not be made.', { json: { status: 'failed' } }],
  ] as const;

  test.each(sampled(ENDS, 2, 1))(
    'whose job fails says so and can be sent again: %s',
    async (told, answer) => {
      const { page, send } = await openMake();
      await fail(page, '**/ui/jobs/*/state?*', [{ status: 200, ...answer }]);
      await send();
      await page.getByText(told).waitFor();
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByRole('link', { name: 'Open the skin' }).waitFor();
      expect(await page.getByText(told).count()).toBe(0);
    },
  );

  test('is sent with as many others as the plan allows; a failure delays no other, and is retried when the network returns', async () => {
    const { page, send } = await openMake();
    const held: Route[] = [];
    await page.route('**/ui/make', (route) => void held.push(route));
    await send(7);
    await poll(
      () => held.length,
      (count) => count === 5,
    );
    expect(await page.getByText('Queued').count()).toBe(2);
    await held[0]!.abort();
    await held[1]!.fulfill({ status: 400, json: { says: 'No skin.' } });
    await poll(
      () => held.length,
      (count) => count === 7,
    );
    await Promise.all(held.slice(2).map(async (route) => await route.continue()));
    await page.getByRole('link', { name: 'Open the skin' }).nth(4).waitFor();
    const failures = page.getByText(/^(?:No skin|The server could not be reached)\.$/);
    await failures.nth(1).waitFor();
    // The two were sent at once, and may arrive in either order.
    expect((await failures.allTextContents()).sort()).toEqual([
      'No skin.',
      'The server could not be reached.',
    ]);
    await page.unroute('**/ui/make');
    await page.evaluate("dispatchEvent(new Event('online'))");
    await page.getByRole('link', { name: 'Open the skin' }).nth(5).waitFor();
    expect(await failures.allTextContents()).toEqual(['No skin.']);
  });
});

describe('A page that waits for the code of a game account', () => {
  async function openLogin(): Promise<Page> {
    const { server } = await runAccountServer({}, { interval: 2 });
    const { page } = await openPage(browser);
    await hurry(page);
    await signIn(page, server);
    await page.goto(`${server.url}/ui/account/games`);
    return page;
  }

  async function getCode(page: Page): Promise<void> {
    await page.getByRole('button', { name: 'Get a code' }).click();
    await page.getByRole('heading', { name: 'Sign in to your game account' }).waitFor();
  }

  // The next test has the same failures, and `account` an account that is linked.
  testWhole('continues after a request that failed, until the account is linked', async () => {
    const page = await openLogin();
    const [waiting, linked] = ['waiting', 'linked'].map((status) => ({ status: 200, json: { status } }));
    await fail(page, '**/logins/*/state', ['cut', { status: 503 }, { status: 429 }, waiting!, linked!]);
    await getCode(page);
    await page.waitForURL('**/ui/account/games');
  });

  test('sends requests only as often as allowed, and says when the code has expired', async () => {
    const page = await openLogin();
    await fail(page, '**/logins/*/state', ['cut', { status: 503 }, { status: 404 }]);
    await getCode(page);
    await page.getByText('The code has expired. Get a new one.').waitFor();
    expect(await pausesOf(page)).toEqual([2_000, 2_000, 2_000]);
  });

  // It is told as the expired code is, which the previous test reads.
  testWhole('says why the account was not linked', async () => {
    const page = await openLogin();
    const failed = { status: 'failed', message: 'The account has no profile.' };
    await fail(page, '**/logins/*/state', [{ status: 200, json: failed }]);
    await getCode(page);
    await page.getByText('The account has no profile.').waitFor();
  });
});

test('A form cannot be sent twice at once, but can be sent again after the page is left and shown again', async () => {
  const { url } = await runServer();
  const { page } = await openPage(browser);
  await page.goto(`${url}/ui/sign-in`);
  const isHeldBack = await page.evaluate(`(() => {
    const seen = [];
    addEventListener('submit', (event) => {
      seen.push(event.defaultPrevented);
      event.preventDefault();
    });
    const form = document.getElementById('key').form;
    const submit = () => form.dispatchEvent(new SubmitEvent('submit', { bubbles: true, cancelable: true }));
    submit();
    submit();
    dispatchEvent(new Event('pageshow'));
    submit();
    return seen;
  })()`);
  expect(isHeldBack).toEqual([false, true, false]);
});
