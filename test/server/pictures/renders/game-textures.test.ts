import { expect, test } from 'vitest';
import { GameTextures } from '../../../../src/server/pictures/renders.ts';
import { KnownAddresses } from '../../../../src/server/pools.ts';
import { anonymousCaller, type Caller } from '../../../../src/server/service/callers.ts';
import { Plans } from '../../../../src/server/service/plans.ts';
import { pixelHash } from '../../../../src/skin/read-skin.ts';
import { callGame } from '../../../support/fake-game/run-game.ts';
import { drawSkin } from '../../../support/server/drawn-skins.ts';
import { MovableClock } from '../../../support/server/movable-clock.ts';
import { ownFolder } from '../../../support/server/own-folder.ts';
import { openOwnStore } from '../../../support/server/running-server.ts';

const PLANS = new Plans();

function stranger(address: string): Caller {
  return anonymousCaller({ address, origin: undefined }, PLANS);
}

async function world() {
  const { fake, game } = await callGame();
  const clock = new MovableClock();
  const { db } = await openOwnStore(await ownFolder());
  const textures = new GameTextures({ db, game, clock, known: new KnownAddresses(() => clock.monotonic()) });
  const keep = (number: number) => `${fake.url}/texture/${fake.textures.keep(drawSkin(number))}`;
  const find = async (url: string, address = '127.0.0.1') =>
    await textures.find(textures.addressOf(url)!, stranger(address));
  return { fake, clock, textures, keep, find };
}

test('A texture is fetched once, for all concurrent and later requests', async () => {
  const { fake, textures, keep, find } = await world();
  const url = keep(1);
  expect(textures.kept(url)).toBeUndefined();
  const found = await Promise.all([find(url), find(url, '127.0.0.2'), find(url)]);
  expect(new Set([...found, await find(url), textures.kept(url)]).size).toBe(1);
  expect(found[0]?.hash).toBe(pixelHash(drawSkin(1)));
  expect(fake.calls).toHaveLength(1);
});

test('A caller with too many requests does not affect what others request too', async () => {
  const { keep, find } = await world();
  for (let number = 0; number < 40; number++) await find(keep(number));
  const url = keep(40);
  const [greedy, other] = await Promise.allSettled([find(url), find(url, '127.0.0.2')]);
  expect(greedy).toMatchObject({ status: 'rejected', reason: { code: 'service_unavailable' } });
  expect(other.status).toBe('fulfilled');
});

/** Asks for one of many textures that do not exist. @returns the code of the refusal */
async function askFor({ fake, textures }: Awaited<ReturnType<typeof world>>, number: number, caller: Caller) {
  const address = textures.addressOf(`${fake.url}/texture/${number.toString(16)}`)!;
  const plan = PLANS.named('pro');
  return await textures.find(address, { ...caller, plan }).catch(({ code }) => code);
}

test('All strangers together get 90 textures a minute from Mojang, all callers 120', async () => {
  const asked = await world();
  const codes: string[] = [];
  for (let number = 0; number < 95; number++)
    codes.push(await askFor(asked, number, stranger(`127.0.1.${number}`)));
  for (let number = 95; number < 126; number++)
    codes.push(await askFor(asked, number, stranger('127.0.0.1')));
  const [found, refused] = ['not_found', 'service_unavailable'];
  const ofStrangers = [...Array(90).fill(found), ...Array(5).fill(refused)];
  expect(codes).toEqual([...ofStrangers, ...Array(30).fill(found), refused]);
  asked.clock.forward(61_000);
  expect((await asked.find(asked.keep(1))).hash).toBe(pixelHash(drawSkin(1)));
});

test('A caller with too many requests is refused, and another still gets the same texture requested', async () => {
  const asked = await world();
  const [greedy, other] = [stranger('127.0.0.7'), stranger('127.0.0.8')];
  for (let number = 0; number < 40; number++) expect(await askFor(asked, number, greedy)).toBe('not_found');
  const both = await Promise.all([greedy, other].map(async (one) => await askFor(asked, 99, one)));
  expect(both).toEqual(['service_unavailable', 'not_found']);
});

test('Known pictures stay available while Mojang is down, and others are refused', async () => {
  const { fake, keep, find } = await world();
  const [seen, unseen] = [keep(1), keep(2)];
  await find(seen);
  await fake.close();
  expect((await find(seen)).hash).toBe(pixelHash(drawSkin(1)));
  await expect(find(unseen)).rejects.toMatchObject({ code: 'service_unavailable' });
});

test('Textures are fetched only from the textures host', async () => {
  const { fake, textures } = await world();
  for (const url of [`${fake.url}/session/1`, 'https://example.org/texture/1', 'Notch', ''])
    expect(textures.addressOf(url)).toBeUndefined();
});
