import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { PAGE_ROUTES } from '../../src/pages/page-routes.ts';
import type { RunningServer } from '../../src/server/server.ts';
import type { Seeded } from './seed.ts';

export interface Photograph {
  /** Name of the page, such as `gallery`. */
  readonly name: string;
  readonly width: number;
  readonly scheme: Scheme;
  /** Path of the PNG. */
  readonly path: string;
}

type Scheme = (typeof SCHEMES)[number];

interface Subject {
  readonly server: RunningServer;
  readonly seeded: Seeded;
  readonly folder: string;
  /** Of the pages; default: English. */
  readonly language?: string | undefined;
}

/** A page, and the actions on it before the screenshot. */
interface Shot {
  readonly name: string;
  readonly path: string;
  readonly act?: (page: Page) => Promise<void>;
  /** As a visitor who is not signed in. */
  readonly asStranger?: boolean;
}

const WIDTHS = [375, 1_280] as const;
const SCHEMES = ['light', 'dark'] as const;
const EXAMPLES = join(import.meta.dirname, '../../examples');
/** Not separate pages, or shown below with content. */
const OTHERS = /\/(?:assets|events|logo|proof|provider|callback|first|link)\b|^\/ui\/(?:make|sign-in)$/;

export async function photographAll(browser: Browser, subject: Subject): Promise<Photograph[]> {
  const taken: Photograph[] = [];
  for (const width of WIDTHS) {
    for (const scheme of SCHEMES) {
      const context = await browser.newContext({
        colorScheme: scheme,
        viewport: { width, height: 800 },
        reducedMotion: 'reduce',
        ...(subject.language !== undefined && { locale: subject.language }),
      });
      const page = await context.newPage();
      for (const shot of shotsOf(subject)) {
        await (shot.asStranger ? context.clearCookies() : signIn(page, subject.server));
        await show(page, subject, shot);
        const path = join(subject.folder, `${shot.name}-${width}-${scheme}.png`);
        await page.screenshot({ path, fullPage: true });
        taken.push({ name: shot.name, width, scheme, path });
      }
      await context.close();
    }
  }
  return taken;
}

/** In other languages, those that need no click: actions find buttons by their English names. */
function shotsOf(subject: Subject): Shot[] {
  return allShots(subject).filter(({ act }) => subject.language === undefined || act === undefined);
}

/** Every page without a placeholder in its address and that is no file, and those with content. */
function allShots({ seeded }: Subject): Shot[] {
  const plain = PAGE_ROUTES.filter(
    ({ method, path }) =>
      method === 'GET' && path.startsWith('/ui') && !/[:*.]/.test(path) && !OTHERS.test(path),
  );
  return [
    ...plain.map(({ path }) => ({
      name: path.replace(/^\/ui\/?/, '').replaceAll('/', '-') || 'start',
      path,
    })),
    { name: 'skin', path: `/ui/skins/${seeded.skin}` },
    { name: 'skin-3d', path: `/ui/skins/${seeded.skin}`, act: open3d },
    { name: 'set', path: '/ui/sets/royal-guards' },
    { name: 'operator-user', path: '/ui/operator/users/ann' },
    { name: 'delete', path: '/ui/skins', act: askToDelete },
    { name: 'identity', path: '/ui/operator/users/ann', act: askToUnlink },
    { name: 'game-code', path: '/ui/account/games', act: getCode },
    { name: 'reports-closed', path: '/ui/operator/reports?state=closed' },
    { name: 'job-failed', path: `/ui/jobs/${seeded.failedJob}` },
    { name: 'make', path: '/ui/make', act: choosePictures },
    { name: 'make-url', path: '/ui/make?from=url' },
    { name: 'gallery-empty', path: '/ui/gallery?filter=nobody' },
    { name: 'not-found', path: '/ui/nowhere' },
    { name: 'sign-in', path: '/ui/sign-in', asStranger: true },
    { name: 'sign-in-failed', path: '/ui/sign-in', asStranger: true, act: signInWrongly },
  ];
}

async function show(page: Page, { server: { url } }: Subject, { path, act }: Shot): Promise<void> {
  await page.goto(`${url}${path}`);
  await act?.(page);
  await page.evaluate(SEEN);
}

/** Loads pictures further down, which are lazy. */
const SEEN = `(async () => {
  for (const image of document.images) image.loading = 'eager';
  await Promise.all([...document.images].map((image) => image.decode().catch(() => {})));
  scrollTo(0, 0);
})()`;

async function signIn(page: Page, { url, key }: RunningServer): Promise<void> {
  if ((await page.context().cookies()).length > 0) return;
  await page.goto(`${url}/ui/sign-in`);
  await page.locator('input[name="key"]').fill(key ?? '');
  await page.locator('main form button').first().click();
  await page.waitForURL(`${url}/ui/`);
}

async function signInWrongly(page: Page): Promise<void> {
  await page.getByLabel('API key').fill('not-a-key-that-works-here');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('alert').waitFor();
}

async function askToDelete(page: Page): Promise<void> {
  await page.getByRole('checkbox', { name: 'Select Draft' }).check();
  await page.evaluate("document.querySelector('[data-fold]').open = true"); // it is folded on phones
  await page.getByRole('button', { name: 'Delete selected' }).click();
  await page.getByRole('heading', { name: 'Delete this skin?' }).waitFor();
}

async function askToUnlink(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Unlink: ann@example.org' }).click();
  await page.getByRole('heading', { name: 'Unlink the only way to sign in?' }).waitFor();
}

/** This server signs by its own key, so its page has no button for that. */
async function getCode(page: Page): Promise<void> {
  await page.evaluate(`{
    const form = document.createElement('form');
    form.method = 'post';
    form.action = '/ui/account/games/logins';
    document.body.append(form);
    form.submit();
  }`);
  await page.getByRole('heading', { name: 'Sign in to your game account' }).waitFor();
}

async function open3d(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Show in 3D' }).click();
  await page.getByRole('application', { name: 'The skin in 3D' }).waitFor();
}

async function choosePictures(page: Page): Promise<void> {
  const files = ['smith.png', 'miner-legacy.png'].map((name) => join(EXAMPLES, name));
  await page.getByLabel('Skin picture').setInputFiles([...files, import.meta.filename]);
  await page
    .getByText(/^Ready, with/)
    .nth(1)
    .waitFor();
  await page.getByRole('button', { name: 'Preview in 3D' }).first().click();
  await page.getByRole('application', { name: 'The skin in 3D' }).waitFor();
}
