import { expect, test } from 'vitest';
import { decodeCape, pixelHash } from '../../../src/skin/read-skin.ts';
import { runGame } from '../../support/fake-game/run-game.ts';
import { addCape, capePng } from '../../support/server/drawn-capes.ts';
import { drawSkin, skinPng } from '../../support/server/drawn-skins.ts';
import { jobAt } from '../../support/server/job-at.ts';
import { guardAgainstLeaks, runServer, type ServerUnderTest } from '../../support/server/running-server.ts';
import { expectRefusal, type Heard } from '../../support/server/test-caller.ts';
import { webServer } from '../../support/server/web-server.ts';

guardAgainstLeaks();

const OPTIONS = { name: 'Smith', visibility: 'private', variant: 'slim' } as const;
const SKIN = pixelHash(drawSkin(1));

/** Sends a request with these options and a cape to an address of the service. */
type Ask = (server: ServerUnderTest, path: string, cape: string) => Promise<Heard>;

const ASKS: readonly [source: string, ask: Ask][] = [
  ['a file', async ({ owner }, path, cape) => await owner.upload(path, skinPng(1), { ...OPTIONS, cape })],
  [
    'a URL',
    async ({ owner }, path, cape) => {
      const site = await webServer((_, response) => response.end(skinPng(1)));
      return await owner.json(path, { ...OPTIONS, cape, url: `${site.url}/skin.png` });
    },
  ],
];

const allowedNetworks = ['127.0.0.0/8'];

/** The skin of a request that is queued, once its job is completed. */
async function queuedSkin({ owner }: ServerUnderTest, { status, body }: Heard) {
  expect(status).toBe(202);
  return (await jobAt(owner, body.job?.id, 'completed')).body.skin;
}

test.each(ASKS)('With %s the queue takes all options that POST /v2/generate takes', async (_, ask) => {
  const [server, other] = [await runServer({ allowedNetworks }), await runServer({ allowedNetworks })];
  const queued = await queuedSkin(server, await ask(server, '/v2/queue', await addCape(server, 'red')));
  const waited = (await ask(other, '/v2/generate', await addCape(other, 'red'))).body.skin;
  for (const skin of [queued, waited])
    expect(skin).toMatchObject({
      ...OPTIONS,
      texture: { hash: { skin: SKIN, cape: pixelHash(decodeCape(capePng(1))) } },
    });
});

test.each(['/v2/queue', '/v2/generate'])('POST %s takes a player, by UUID or name', async (path) => {
  const fake = await runGame();
  const { id } = fake.addPlayer({ name: 'Ann_B', skin: { picture: drawSkin(1), variant: 'classic' } });
  const { owner } = await runServer({ gameAddresses: fake.addresses });
  for (const user of [id, 'Ann_B']) {
    const { status, body } = await owner.json(path, { user, name: 'Ann', visibility: 'unlisted' });
    expect([status, body.skin]).toMatchObject([
      200,
      { name: 'Ann', visibility: 'unlisted', texture: { hash: { skin: fake.textures.keep(drawSkin(1)) } } },
    ]);
  }
});

test.each(['/v2/queue', '/v2/generate'])('POST %s refuses a request without a picture', async (path) => {
  const { owner } = await runServer();
  const form = new FormData();
  form.set('name', 'Smith');
  expectRefusal(await owner.form(path, form), 'missing_file');
  expectRefusal(await owner.upload(path, Buffer.alloc(0)), 'invalid_file');
});
