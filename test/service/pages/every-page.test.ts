import type { Browser, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { PAGE_ROUTES } from '../../../src/pages/page-routes.ts';
import { workersChromium } from '../../support/chromium/chromium.ts';
import { LEADING_ON, NO_PAGES, routeName, VISITED } from '../../support/pages/addresses.ts';
import { openScene, visit, WRITTEN } from '../../support/pages/scene.ts';
import { STEPS } from '../../support/pages/steps.ts';
import { findSayings, untranslated } from '../../support/pages/texts.ts';
import { openPage, signIn, violationsInDark, violationsOn } from '../../support/pages/watched-page.ts';
import { runServer } from '../../support/server/running-server.ts';
import { sampled } from '../../support/setup/extent.ts';
import { isWhole } from '../../support/setup/whole-run.ts';

let browser: Browser;

beforeAll(async () => {
  browser = await workersChromium();
});

/** The elements that make the page wider than its window. */
const OVERFLOW = `(() => {
  const { scrollWidth, clientWidth } = document.documentElement;
  if (scrollWidth <= clientWidth) return [];
  const wide = [...document.querySelectorAll('body *')].filter((one) => one.getBoundingClientRect().right > clientWidth);
  return [scrollWidth, ...wide.map((one) => one.outerHTML.slice(0, 100))];
})()`;

/** Elements whose text is cut off: a form's fields may scroll, and so may code. */
const CUT_OFF = `[...document.querySelectorAll('h1, h2, p, li, dt, dd, a, button, label, summary')]
  .filter((one) => one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).overflowX === 'hidden'
    && !one.matches('.unseen, .skip'))
  .map((one) => one.outerHTML)`;

/** What is chosen but looks like what is not, in the colours that a person forces on all pages. */
const UNMARKED = `[
  ['.chip:has(:checked)', '.chip:not(:has(:checked))'],
  ['[aria-pressed="true"]', '[aria-pressed="false"]'],
  ['nav [aria-current]', 'nav a:not([aria-current])'],
].flatMap(([chosen, others]) => {
  const ground = (one) => getComputedStyle(one).backgroundColor;
  return [...document.querySelectorAll(chosen)]
    .filter((one) => [...document.querySelectorAll(others)].some((other) => ground(one) === ground(other)))
    .map((one) => one.outerHTML.slice(0, 100));
})`;

type Look = (page: Page) => Promise<unknown[]>;

const scroll = async (page: Page) => await page.evaluate<unknown[]>(`[...${OVERFLOW}, ...${CUT_OFF}]`);

/** What is looked for on each page; nothing should be found. To open the pages costs more than to look at them. */
const LOOKS: Readonly<Record<string, Look>> = {
  'Axe, in the light scheme': violationsOn,
  'Axe, in the dark scheme': violationsInDark,
  'not seen to be chosen in forced colours': async (page) => {
    await page.emulateMedia({ forcedColors: 'active' });
    const found = await page.evaluate<unknown[]>(UNMARKED);
    await page.emulateMedia({ forcedColors: 'none' });
    return found;
  },
  'too wide for 320 pixels': async (page) => {
    await page.setViewportSize({ width: 320, height: 640 });
    await page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true");
    return await scroll(page);
  },
  'too wide where one reads from right to left': async (page) => {
    await page.evaluate("document.documentElement.dir = 'rtl'");
    const found = await scroll(page);
    await page.evaluate("document.documentElement.removeAttribute('dir')");
    return found;
  },
  'too wide for 1,280 pixels at a zoom of 200 %': async (page) => {
    await page.setViewportSize({ width: 640, height: 512 });
    return await scroll(page);
  },
  'too wide with text of twice the size as well': async (page) => {
    await page.evaluate("document.documentElement.style.fontSize = '200%'");
    return await scroll(page);
  },
};

const ROOMY = { width: 1280, height: 720 };

async function faultsOf(page: Page): Promise<Record<string, unknown[]>> {
  const found: Record<string, unknown[]> = {};
  for (const [name, look] of Object.entries(LOOKS)) found[name] = await look(page);
  await page.setViewportSize(ROOMY);
  return found;
}

const NO_FAULTS = Object.fromEntries(Object.keys(LOOKS).map((name) => [name, []]));

/** Pages of whoever is signed in, where people do things. */
const OWN = /^\/ui\/(?:skins|jobs|sets|gallery|sessions|account|operator)(?:\/|$)/;

/**
 * Texts of three words or more that the page shows in English, too. Code, names and what is marked as English are the
 * same in every language.
 */
const UNTRANSLATED = `(async () => {
  const textsOf = (page) => {
    const found = new Set();
    for (const one of page.querySelectorAll('title, body *')) {
      if (one.closest('[lang="en"], code, pre, bdi, script, style, textarea')) continue;
      const own = [...one.childNodes].filter(({ nodeType }) => nodeType === Node.TEXT_NODE).map(({ data }) => data);
      const told = ['aria-label', 'alt', 'placeholder', 'title'].map((name) => one.getAttribute(name) ?? '');
      for (const text of [...own, ...told]) found.add(text.replaceAll(/\\s+/g, ' ').trim());
    }
    const unfolded = ['name="description"', 'property="og:description"', 'property="og:image:alt"'];
    for (const { content } of page.querySelectorAll(unfolded.map((one) => 'meta[' + one + ']'))) found.add(content);
    return found;
  };
  const answer = await fetch(location.href, { headers: { 'accept-language': 'en' } });
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  page.documentElement.lang = ''; // not marked: all of it is English
  const english = textsOf(page);
  return [...textsOf(document)].filter((text) => english.has(text) && /(?:\\p{L}{2,}\\P{L}+){2}\\p{L}{2,}/u.test(text));
})()`;

/** The texts that are English on pages in a language because its catalogue lacks them, in the parts that elements leave. */
function untranslatedIn(language: string): RegExp[] {
  const lacking = [...untranslated(findSayings())].filter(([, languages]) => languages.includes(language));
  const parts = lacking.flatMap(([{ english, one = '' }]) => [english, one].flatMap(partsOf));
  return parts.filter((part) => /\p{L}/u.test(part)).map(patternOf);
}

function partsOf(text: string): string[] {
  return text.split(/<[^>]*>/).map((part) => part.trim());
}

function patternOf(part: string): RegExp {
  return new RegExp(
    `^${part
      .split(/\{\d+\}/)
      .map((literal) => RegExp.escape(literal))
      .join('.*')}$`,
  );
}

/** What a keyboard should reach, in order. Remembers what it does reach, and whether a person sees that. */
const WATCH_FOCUS = `(() => {
  const name = (one) => one.outerHTML.slice(0, 120);
  const all = [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]')];
  window.reached = [];
  window.unseen = [];
  addEventListener('focusin', ({ target }) => {
    window.reached.push(name(target));
    const { outlineStyle, outlineWidth } = getComputedStyle(target);
    const { top, bottom, left, right } = target.getBoundingClientRect();
    const isThere = bottom > 0 && right > 0 && top < innerHeight && left < innerWidth;
    if (!isThere || outlineStyle === 'none' || parseFloat(outlineWidth) < 2) window.unseen.push(name(target));
  });
  const isReached = ({ type, checked, disabled }) => type !== 'hidden' && !disabled && (type !== 'radio' || checked);
  return all.filter((one) => one.checkVisibility() && isReached(one)).map(name);
})()`;

const SMALL = { width: 800, height: 600 };

/** Pages are made of the same parts: a few show most of them, and `.ci/run` looks at each. */
const STEP = 12;
/** What leads to a page that has no address costs as much as the page. */
const STEP_OF_STEPS = 16;

/** Presses Tab through a page that was just opened, and returns what that should reach, reaches, and does not show. */
async function walk(page: Page) {
  await page.setViewportSize(SMALL);
  const expected = await page.evaluate<string[]>(WATCH_FOCUS);
  // All at once: they arrive one after the other, and the browser draws the page less often.
  await Promise.all(expected.map(async () => await page.keyboard.press('Tab')));
  const [reached, unseen] = await page.evaluate<[string[], string[]]>(
    '(document.activeElement.blur(), [reached, unseen])',
  );
  await page.setViewportSize(ROOMY);
  return { expected, reached, unseen };
}

test('Every route is visited here or listed as not a page', () => {
  const known = [...VISITED, ...Object.keys(STEPS), ...NO_PAGES, ...LEADING_ON];
  expect(known.sort()).toEqual(PAGE_ROUTES.map(routeName).sort());
});

test('All pages of a user can be used by keyboard with visible focus; every page passes axe, fits 320 pixels, zoom and large text, and is fully translated', async () => {
  const scene = await openScene();
  // Colours on their way from one scheme to the other are none that anyone reads.
  const options = {
    colorScheme: 'light',
    reducedMotion: 'reduce',
    bypassCSP: true,
    viewport: ROOMY,
  } as const;
  // German has the longest words. Steps find their buttons by English names.
  const german = await openPage(browser, { ...options, locale: 'de-AT' });
  let lacking: RegExp[] | undefined; // to find them takes longer than to look at a page
  let walked = 0;
  let place = 0;
  for await (const address of visit(scene, german.page, sampled(scene.addresses, STEP))) {
    // Embedded skins are the same for everyone.
    const language = address.startsWith('/embed/') ? 'en' : 'de';
    expect([address, await german.page.getAttribute('html', 'lang')]).toEqual([address, language]);
    const english = language === 'de' ? await german.page.evaluate<string[]>(UNTRANSLATED) : [];
    const suspect = english.filter((text) => !WRITTEN.test(text));
    if (suspect.length > 0) lacking ??= untranslatedIn('de');
    const unmarked = suspect.filter((text) => !lacking?.some((pattern) => pattern.test(text)));
    expect([address, unmarked]).toEqual([address, []]);
    if (OWN.test(address)) {
      walked += 1;
      const { expected, reached, unseen } = await walk(german.page);
      expect([address, reached]).toEqual([address, expected]);
      expect([address, unseen]).toEqual([address, []]);
    }
    if (!isWhole && place++ % 2 > 0) continue; // to look for all faults takes longest
    expect([address, await faultsOf(german.page)]).toEqual([address, NO_FAULTS]);
  }
  expect(walked).toBeGreaterThan(isWhole ? 14 : 14 / STEP);
  expect(german.complaints.filter((complaint) => !complaint.includes('404'))).toEqual([]);
  const { page } = await openPage(browser, options);
  for (const [name, take] of sampled(Object.entries(STEPS), STEP_OF_STEPS)) {
    await page.context().clearCookies();
    await take(page, scene);
    expect([name, await faultsOf(page)]).toEqual([name, NO_FAULTS]);
  }
});

test('The first Tab offers to skip the menu', async () => {
  const server = await runServer();
  const { page } = await openPage(browser);
  await signIn(page, server);
  await page.goto(`${server.url}/ui/account/keys`);
  await page.keyboard.press('Tab');
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to content');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  expect(await page.evaluate("document.activeElement.closest('main') !== null")).toBe(true);
});
