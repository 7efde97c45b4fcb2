import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type GenerateCommandOptions, runGenerate } from '../../../../src/cli/commands/generate.ts';
import { runVerify } from '../../../../src/cli/commands/verify.ts';
import type { ServerOptions } from '../../../../src/server/server.ts';
import { pixelHash } from '../../../../src/skin/read-skin.ts';
import { runCommand } from '../../../support/cli/run-command.ts';
import type { FakeGame } from '../../../support/fake-game/fake-game.ts';
import { NO_GAME } from '../../../support/fake-game/nowhere.ts';
import type { FakeGameOptions } from '../../../support/fake-game/options.ts';
import { runGame } from '../../../support/fake-game/run-game.ts';
import { drawSkin, skinPng } from '../../../support/server/drawn-skins.ts';
import { ownFolder } from '../../../support/server/own-folder.ts';
import { runServer, type ServerUnderTest } from '../../../support/server/running-server.ts';
import { type WebServer, webServer } from '../../../support/server/web-server.ts';

interface World {
  readonly game: FakeGame;
  readonly site: WebServer;
  readonly server: ServerUnderTest;
  readonly folder: string;
  /** Of the player Ann_B, who wears skin 9. */
  readonly ann: string;
  generate(typed: GenerateCommandOptions): ReturnType<typeof runCommand>;
}

const LOCAL = { allowedNetworks: ['127.0.0.0/8'] };

/** The game signs with a key of its own, not with the one that all tests share, as the service does. */
const OTHER_KEY = { signingKeyPath: undefined };

/** The service, a site with pictures and the game; the site has the skin of the number in its path. */
async function world(
  options: Partial<ServerOptions> = LOCAL,
  gameOptions: FakeGameOptions = {},
): Promise<World> {
  const game = await runGame(gameOptions);
  const { id: ann } = game.addPlayer({ name: 'Ann_B', skin: { picture: drawSkin(9), variant: 'slim' } });
  const site = await webServer((request, response) => {
    const number = /\d+/.exec(request.url ?? '')?.[0];
    if (number) response.end(skinPng(Number(number)));
    else response.writeHead(404).end();
  });
  // The service knows no names: it is sent UUIDs.
  const gameAddresses = { ...game.addresses, services: NO_GAME.services };
  const server = await runServer({ gameAddresses, ...options });
  const env = { SKINSMITH_GAME_ADDRESSES: JSON.stringify(game.addresses) };
  const machine = { url: server.url, key: server.key, flags: { json: true, quiet: false }, env };
  const generate: World['generate'] = async ({ sources, ...typed }) =>
    await runCommand(async (context) => await runGenerate(sources, typed, context), machine);
  return { game, site, server, folder: await ownFolder(), ann, generate };
}

const kindsOf = (game: FakeGame) => game.calls.map(({ kind }) => kind);

test('A URL or a player, by UUID or name, becomes a skin as a file does', async () => {
  const { site, ann, generate } = await world();
  const one = await generate({ sources: [`${site.url}/1.png`] });
  expect([one.status, JSON.parse(one.out)]).toMatchObject([0, { name: '1', duplicate: false }]);
  const player = await generate({ sources: [ann], name: 'Ann' });
  expect(JSON.parse(player.out)).toMatchObject({ name: 'Ann', variant: 'slim', job: expect.any(String) });
  for (const typed of [
    { sources: ['ann_b'], as: 'user' },
    { sources: ['Ann_B'], variant: 'classic' },
  ] as const) {
    const named = await generate(typed);
    expect([named.status, JSON.parse(named.out).value]).toEqual([0, JSON.parse(player.out).value]);
  }
});

test('A word that is not a path counts as a player, with a warning; --as file prevents that', async () => {
  const { generate } = await world();
  const guessed = await generate({ sources: ['Ann_B'] });
  expect(JSON.parse(guessed.out).warnings).toMatchObject([{ code: 'taken_for_player' }]);
  const said = await generate({ sources: ['Ann_B'], as: 'user' });
  expect(JSON.parse(said.out)).not.toHaveProperty('warnings.0');
  const file = await generate({ sources: ['Ann_B'], as: 'file' });
  expect([file.status, JSON.parse(file.out).error.code]).toEqual([1, 'no_such_file']);
  const nobody = await generate({ sources: ['skins'] });
  expect([nobody.status, JSON.parse(nobody.out).error]).toMatchObject([
    1,
    { message: 'No file, folder or player is called skins.' },
  ]);
});

test('A list mixes files, URLs and players; names are looked up together; the same list again needs no request', async () => {
  const { game, site, server, folder, ann, generate } = await world(LOCAL, OTHER_KEY);
  for (const name of ['Cid', 'Dora']) game.addPlayer({ name, skin: { picture: drawSkin(8) } });
  await writeFile(join(folder, 'smith.png'), skinPng(2));
  const rows = [
    'smith.png',
    `${site.url}/1.png`,
    ann,
    'Cid',
    'Dora',
    'Nobody_1',
    `${site.url}/none`,
    `${site.url}/2`,
  ];
  await writeFile(join(folder, 'all.txt'), rows.join('\n'));
  const typed = { sources: [], from: [join(folder, 'all.txt')], out: join(folder, 'out') };
  const first = await generate(typed);
  expect(first.status).toBe(1);
  const results = JSON.parse(first.out) as { source: string; error?: { code: string; message: string } }[];
  expect(results.map(({ source, error }) => [source, error?.code])).toEqual([
    ['smith.png', undefined],
    [`${site.url}/1.png`, undefined],
    [ann, undefined],
    ['Cid', undefined],
    ['Dora', undefined],
    ['Nobody_1', 'invalid_user'],
    [`${site.url}/none`, 'invalid_image_url'],
    [`${site.url}/2`, undefined],
  ]);
  expect(results[6]?.error?.message).toContain('answered 404');
  // The first goes out while the list is still being read.
  expect(kindsOf(game).filter((kind) => kind === 'names').length).toBeLessThanOrEqual(2);
  const lock = (await readFile(join(folder, 'out/skins.lock'), 'utf8')).split('\n');
  const sources = lock.filter(Boolean).map((line) => JSON.parse(line).source as string);
  expect(sources).toEqual(
    [`${site.url}/1.png`, `${site.url}/2`, '../smith.png', 'user:cid', 'user:dora', `user:${ann}`].toSorted(),
  );
  await writeFile(join(folder, 'all.txt'), rows.filter((row) => !/no/i.test(row)).join('\n'));
  const before = [game.calls.length, site.seen.length];
  await server.close();
  const again = await generate(typed);
  expect([again.status, JSON.parse(again.out)]).toEqual([0, expect.arrayContaining([])]);
  expect([game.calls.length, site.seen.length]).toEqual(before);
  const frozen = await generate({ ...typed, frozen: true });
  expect(frozen.status).toBe(0);
});

test("A lockfile with a player's skin is verified with Mojang's keys, and stays unverified if Mojang is unreachable", async () => {
  const { game, server, folder, ann, generate } = await world(LOCAL, OTHER_KEY);
  const made = await generate({ sources: [ann], lock: join(folder, 'skins.lock'), variant: 'classic' });
  expect([made.status, JSON.parse(made.out).variant]).toEqual([0, 'slim']);
  const lock = await readFile(join(folder, 'skins.lock'), 'utf8');
  expect(JSON.parse(lock)).not.toHaveProperty('key');
  const verify = async (addresses: object) =>
    await runCommand(async (context) => await runVerify([join(folder, 'skins.lock')], {}, context), {
      url: server.url,
      env: { SKINSMITH_GAME_ADDRESSES: JSON.stringify(addresses) },
      flags: { json: true },
    });
  const good = await verify(game.addresses);
  expect([good.status, JSON.parse(good.out)]).toMatchObject([0, [{ signature: 'good' }]]);
  const alone = await verify(NO_GAME);
  expect([alone.status, JSON.parse(alone.out)]).toMatchObject([1, [{ signature: 'bad' }]]);
});

test('A URL that the service may not fetch is refused with a hint at --fetch-locally, which works', async () => {
  const { site, folder, generate } = await world({});
  const url = `${site.url}/3.png`;
  const refused = await generate({ sources: [url] });
  expect([refused.status, JSON.parse(refused.out).error.code]).toEqual([1, 'invalid_image_url']);
  expect(refused.err).toContain('--fetch-locally');
  const many = await generate({ sources: [url, `${site.url}/4.png`] });
  expect(many.err.match(/--fetch-locally/g)).toHaveLength(2);
  expect(site.seen).toEqual([]);
  const list = [url, `${site.url}/4.png`, `${site.url}/3.png?again`];
  const lock = join(folder, 'skins.lock');
  const fetched = await generate({ sources: list, fetchLocally: true, lock });
  const results = JSON.parse(fetched.out) as { texture: { hash: string } }[];
  expect(results.map(({ texture }) => texture.hash)).toEqual([3, 4, 3].map((n) => pixelHash(drawSkin(n))));
  expect(await readFile(lock, 'utf8')).toContain(`"bytes:${pixelHash(drawSkin(3))}"`);
  const frozen = await generate({ sources: list, fetchLocally: true, lock, frozen: true });
  expect(frozen.told?.code).toBe('frozen_fetches_nothing');
});

test("A service gets a player's UUID, even if a name was typed, because other services accept no names", async () => {
  const game = await runGame();
  const { id } = game.addPlayer({ name: 'Ann_B', skin: { picture: drawSkin(9) } });
  const service = await webServer(({ method, url }, response) => {
    if (url === '/v2/queue' && method === 'GET') {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"success":true,"jobs":[]}');
      return;
    }
    const errors = [{ code: 'invalid_user', message: 'No such player here.' }];
    response
      .writeHead(method === 'POST' ? 400 : 404, { 'content-type': 'application/json' })
      .end(JSON.stringify({ success: false, errors }));
  });
  const env = { SKINSMITH_GAME_ADDRESSES: JSON.stringify(game.addresses) };
  const ran = await runCommand(
    async (context) => await runGenerate(['Ann_B'], { visibility: 'unlisted' }, context),
    { url: service.url, env },
  );
  expect(ran.status).toBe(1);
  const sent = service.seen.find(({ line }) => line.startsWith('POST'));
  expect(JSON.parse(sent?.body ?? '')).toMatchObject({ user: id, visibility: 'unlisted' });
});
