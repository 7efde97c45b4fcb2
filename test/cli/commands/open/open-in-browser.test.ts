import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { openInBrowser } from '../../../../src/cli/commands/open.ts';
import { ownFolder } from '../../../support/server/own-folder.ts';

const LINK = 'http://127.0.0.1:7546/ui/sign-in/link?secret=abc';
const NOW = Date.now();

const used = async () => true;

test('A browser gets the link from a file that only its user can read, and that is removed after use', async () => {
  const home = await ownFolder();
  let page = '';
  const modes: number[] = [];
  const launch = async (path: string) => {
    page = readFileSync(path, 'utf8');
    modes.push(...[path, dirname(path)].map((one) => statSync(one).mode & 0o777));
    expect(dirname(dirname(path))).toBe(home);
    return true;
  };
  expect(await openInBrowser(LINK, { home, now: NOW, launch, untilUsed: used })).toBe('used');
  expect(page).toContain(`<meta http-equiv="refresh" content="0; url=${LINK}">`);
  expect(page).toContain('<meta name="referrer" content="no-referrer">');
  expect(modes).toEqual([0o600, 0o700]);
  expect(readdirSync(home)).toEqual([]);
});

test('A link is escaped in the file', async () => {
  const home = await ownFolder();
  let page = '';
  const launch = async (path: string) => {
    page = readFileSync(path, 'utf8');
    return true;
  };
  const link = 'http://a/"><script>alert(1)</script>&b\u0007';
  await openInBrowser(link, { home, now: NOW, launch, untilUsed: used });
  expect(page).toContain('url=http://a/&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;b">');
});

/** Waits until the signal aborts. */
async function untilAborted(signal: AbortSignal): Promise<boolean> {
  return await new Promise((resolve) => signal.addEventListener('abort', () => resolve(false)));
}

test('open neither waits nor leaves files where no browser is found', async () => {
  const home = await ownFolder();
  const launches = [async () => false, async () => await Promise.reject(new Error('no'))];
  for (const launch of launches) {
    expect(await openInBrowser(LINK, { home, now: NOW, launch, untilUsed: untilAborted })).toBe('unopened');
    expect(readdirSync(home)).toEqual([]);
  }
});

test('An unused link leaves no file behind, whether the browser runs or not', async () => {
  const home = await ownFolder();
  const launch = async () => await new Promise<boolean>(() => {});
  expect(await openInBrowser(LINK, { home, now: NOW, launch, untilUsed: async () => false })).toBe('unused');
  expect(readdirSync(home)).toEqual([]);
});

test.each([
  ['cannot be written', async () => join(await ownFolder(), 'none')],
  ['is missing', async () => ''],
])('No browser is started where the home folder %s', async (_, homeOf) => {
  const home = await homeOf();
  const launch = async () => await Promise.reject(new Error('not to be called'));
  expect(await openInBrowser(LINK, { home, now: NOW, launch, untilUsed: used })).toBe('unwritten');
});

test('Old files are removed only if killed runs left them', async () => {
  const home = await ownFolder();
  const folder = (name: string, minutes: number) => {
    const path = join(home, name);
    mkdirSync(path);
    writeFileSync(join(path, 'open.html'), LINK);
    utimesSync(path, NOW / 1000 - minutes * 60, NOW / 1000 - minutes * 60);
    return path;
  };
  const [old, fresh, other] = [
    folder('skinsmith-open-abcDE1', 6),
    folder('skinsmith-open-abcDE2', 4),
    folder('skinsmith-open-source', 600),
  ];
  writeFileSync(join(other, 'mine.txt'), '');
  writeFileSync(join(home, 'skinsmith-open-abcDE3'), '');
  await openInBrowser(LINK, { home, now: NOW, launch: async () => true, untilUsed: used });
  expect([old, fresh, join(other, 'open.html')].map((path) => existsSync(path))).toEqual([false, true, true]);
  expect(readdirSync(home)).toHaveLength(3);
});
