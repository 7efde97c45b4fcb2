/**
 * Takes screenshots of every page of the running program, at two widths and in both colour schemes: `npm run
 * screenshots`. All pictures go to dist/screenshots/, a few small ones to this folder. With `--check`, this folder
 * stays unchanged; with `--language de`, too, and the pages are in that language.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Browser } from 'playwright-core';
import { PAGES } from '../../src/pages/page-routes.ts';
import { startServer } from '../../src/server/server.ts';
import { startChromium } from '../../test/support/chromium/chromium.ts';
import { FakeGame } from '../../test/support/fake-game/fake-game.ts';
import { digestOfInputs, RECORD } from './inputs.ts';
import { CLIENT_ID, ISSUER } from './people.ts';
import { type Photograph, photographAll } from './photographs.ts';
import { fillServer } from './seed.ts';
import { writeSmall } from './small.ts';

const FOLDER = import.meta.dirname;
const ROOT = join(FOLDER, '../..');
const RESULTS = join(ROOT, 'dist/screenshots');

const { values: options } = parseArgs({
  options: { check: { type: 'boolean', default: false }, language: { type: 'string' } },
});
const { check, language } = options;

await photograph(check || language !== undefined ? async () => {} : keepSmall);

async function keepSmall(browser: Browser, taken: readonly Photograph[]): Promise<void> {
  await writeSmall(browser, taken, FOLDER);
  await writeFile(RECORD, `${await digestOfInputs()}\n`);
}

async function photograph(finish: typeof keepSmall): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'skinsmith-screenshots-'));
  await rm(RESULTS, { recursive: true, force: true });
  await mkdir(RESULTS, { recursive: true });
  const openId = {
    issuer: ISSUER,
    clientId: 'skinsmith',
    name: 'Team account',
    scopes: 'openid',
  };
  const game = await FakeGame.start();
  const games = { gameAddresses: game.addresses, loginClientId: CLIENT_ID };
  const server = await startServer({ dataDir, port: 0, pages: PAGES, openId, ...games });
  const browser = await startChromium();
  try {
    const seeded = await fillServer({ server, dataDir, game });
    const taken = await photographAll(browser, { server, seeded, folder: RESULTS, language });
    await finish(browser, taken);
    process.stdout.write(`${taken.length} pictures in ${RESULTS}\n`);
  } finally {
    await browser.close();
    await server.close();
    await game.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}
