import type { Browser } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { workersChromium } from '../support/chromium/chromium.ts';
import { runGame } from '../support/fake-game/run-game.ts';
import { openPage } from '../support/pages/watched-page.ts';
import { freshMachine, type Serving } from '../support/program/program.ts';
import { drawSkin, skinPng } from '../support/server/drawn-skins.ts';
import { webServer } from '../support/server/web-server.ts';

/** Pictures of the built program on pages of other sites. */

let browser: Browser;
beforeAll(async () => {
  browser = await workersChromium();
});

async function serveWithGame() {
  const game = await runGame();
  const machine = await freshMachine();
  machine.env['SKINSMITH_GAME_ADDRESSES'] = JSON.stringify(game.addresses);
  return { game, serving: await machine.serve() };
}

interface Shown {
  readonly address: string;
  readonly isShown: boolean;
}

/** Shows pictures on a page of another origin. */
async function show({ url }: Serving, addresses: readonly string[]): Promise<Shown[]> {
  const images = addresses.map((address) => `<img alt="" src="${url}${address}">`).join('');
  const site = await webServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end(`<!doctype html><title>x</title>${images}`);
  });
  const { page } = await openPage(browser);
  await page.goto(site.url, { waitUntil: 'load' });
  const shown = await page.evaluate(
    `[...document.images].map((one) => one.complete && one.naturalWidth > 0)`,
  );
  return addresses.map((address, at) => ({ address, isShown: (shown as boolean[])[at] === true }));
}

test('A page of another site shows redirected pictures and sixty new heads, and its visitor can still make skins at once', async () => {
  const { game, serving } = await serveWithGame();
  const { id } = game.addPlayer({ name: 'Jeb', skin: { picture: drawSkin(3), variant: 'slim' } });
  const bare = game.addPlayer({ name: 'Bare' });
  const dashed = id.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  const { body } = await serving.caller().upload('/v2/generate', skinPng(1));
  const addresses = [
    `/v2/skins/${body.skin?.uuid}/texture`,
    `/avatar/${dashed}/64`,
    `/skin/${dashed}`,
    `/avatars/${bare.id}?default=${id}`,
    `/skins/${bare.id}?default=${dashed}`,
  ];
  expect(await show(serving, addresses)).toEqual(addresses.map((address) => ({ address, isShown: true })));

  const players = Array.from({ length: 60 }, (_, at) =>
    game.addPlayer({ name: `Player_${at}`, skin: { picture: drawSkin(at), variant: 'classic' } }),
  );
  const heads = players.map(({ id, name }, at) => (at % 2 === 0 ? `/avatars/${id}` : `/helm/${name}/64`));
  expect(await show(serving, heads)).toEqual(heads.map((address) => ({ address, isShown: true })));
  const made = await serving.caller('').json('/v2/generate', { user: players[0]?.id });
  expect(made.status).toBe(200);
});
