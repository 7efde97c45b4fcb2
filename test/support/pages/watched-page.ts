import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AxeResults, RunOptions } from 'axe-core';
import type {
  Browser,
  BrowserContext,
  BrowserContextOptions,
  Locator,
  Page,
  WebError,
} from 'playwright-core';
import { onTestFinished } from 'vitest';
import { webServer } from '../server/web-server.ts';

/** A page of a browser, with the browser's complaints. */
export interface WatchedPage {
  readonly page: Page;
  /** Violations of the policy, errors of scripts, and dialogs. */
  readonly complaints: string[];
}

/** Maximum milliseconds for anything on a page, even on a busy machine: a broken script reports nothing. */
const LONGEST_WAIT = 300_000;

/** Contexts that tests have finished with, by their options: to make a new one takes as long as to open a page. */
const idle = new WeakMap<Browser, Map<string, BrowserContext[]>>();

function idleContexts(browser: Browser, options: BrowserContextOptions): BrowserContext[] {
  const all = idle.get(browser) ?? new Map<string, BrowserContext[]>();
  idle.set(browser, all);
  const name = JSON.stringify(options);
  const contexts = all.get(name) ?? [];
  all.set(name, contexts);
  return contexts;
}

/** Leaves nothing of a test in a context: neither pages nor cookies, permissions, or what scripts have kept. */
async function empty(context: BrowserContext): Promise<void> {
  for (const page of context.pages()) {
    await page.evaluate('localStorage.clear()').catch(() => {}); // a page without an address has none
    await page.close();
  }
  await context.clearCookies();
  await context.clearPermissions();
  axeAddresses.delete(context);
}

/**
 * A page in a context that no other test has at the same time, and of which nothing is left to the next one. Without other options it belongs to a person who wants
 * little motion, so that skins stay pictures until someone wants them in 3D.
 */
export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<WatchedPage> {
  const all = { reducedMotion: 'reduce', ...options } as const;
  const contexts = idleContexts(browser, all);
  const context = contexts.pop() ?? (await browser.newContext(all));
  context.setDefaultTimeout(LONGEST_WAIT);
  const broken: Error[] = [];
  const onBroken = async (error: WebError) => {
    broken.push(error.error());
    await context.close({ reason: String(error.error()) }); // what the test waits for would never come
  };
  context.on('weberror', onBroken);
  onTestFinished(async () => {
    context.off('weberror', onBroken);
    if (broken[0]) throw broken[0];
    await empty(context);
    contexts.push(context);
  });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('dialog', async (dialog) => {
    complaints.push(`a dialog: ${dialog.message()}`);
    await dialog.dismiss();
  });
  return { page, complaints };
}

interface Account {
  readonly url: string;
  readonly key: string | undefined;
}

/** Signs in as the form does, without opening a page. */
export async function signIn(page: Page, { url, key }: Account): Promise<void> {
  const answer = await page.request.post(`${url}/ui/sign-in`, {
    form: { key: key ?? '' },
    headers: { origin: url, 'sec-fetch-site': 'same-origin' },
    maxRedirects: 0,
  });
  if (answer.status() !== 303) throw new Error(`Nobody was signed in: ${answer.status()}`);
}

/** Signs in with the form, and waits for the start page. */
export async function signInByForm(page: Page, { url, key }: Account): Promise<void> {
  await page.goto(`${url}/ui/sign-in`);
  // In any language.
  const field = page.locator('input[name="key"]');
  await field.fill(key ?? '');
  await field.press('Enter');
  await page.waitForURL(`${url}/ui/`);
}

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const axeAddresses = new WeakMap<BrowserContext, Promise<string>>();

async function serveAxe(): Promise<string> {
  const source = await readFile(AXE);
  const { url } = await webServer((_, response) => {
    const headers = { 'content-type': 'text/javascript', 'cache-control': 'max-age=86400' };
    response.writeHead(200, headers).end(source);
  });
  return `${url}/axe.js`;
}

/** By an address, as the browser keeps it compiled: to hand the source to each page takes four times as long. */
async function addAxe(page: Page): Promise<void> {
  const context = page.context();
  const address = axeAddresses.get(context) ?? serveAxe();
  axeAddresses.set(context, address);
  await page.addScriptTag({ url: await address });
}

/** What makes axe's run several times as long: what it says about elements that are as they should be. */
const ONLY_FAULTS: RunOptions = { resultTypes: ['violations'] };

/** What axe finds: the rule and the elements that break it. The page must have been opened with `bypassCSP`. */
export async function violationsOn(page: Page): Promise<string[]> {
  await addAxe(page);
  return await runAxe(page, ONLY_FAULTS);
}

/** axe's findings in the other colour scheme on a page that `violationsOn` has checked: only colours differ. */
export async function violationsInDark(page: Page): Promise<string[]> {
  await page.emulateMedia({ colorScheme: 'dark' });
  const found = await runAxe(page, { ...ONLY_FAULTS, runOnly: ['cat.color'] });
  await page.emulateMedia({ colorScheme: 'light' });
  return found;
}

async function runAxe(page: Page, options: RunOptions): Promise<string[]> {
  // Only violations leave the page: transferring axe's other results takes longer than finding them.
  const run = `axe.run(${JSON.stringify(options)}).then(({ violations }) => violations)`;
  const violations = await page.evaluate<AxeResults['violations']>(run);
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

/** Waits until a skin is shown in 3D. @throws Error with what the page says instead */
export async function shownIn3d(page: Page): Promise<Locator> {
  const canvas = page.locator('canvas[role="application"]');
  try {
    await canvas.waitFor();
  } catch (cause) {
    const said = await page.locator('[data-open-viewer]').allTextContents();
    throw new Error(`Nothing is shown in 3D. The button says: ${said.join()}`, { cause });
  }
  return canvas;
}
