import { describe, expect, test } from 'vitest';
import { PlayerLooks } from '../../../src/server/pictures/player-looks.ts';
import { GameTextures } from '../../../src/server/pictures/renders.ts';
import { KnownAddresses } from '../../../src/server/pools.ts';
import { anonymousCaller } from '../../../src/server/service/callers.ts';
import { Plans } from '../../../src/server/service/plans.ts';
import { callGame } from '../../support/fake-game/run-game.ts';
import { drawSkin } from '../../support/server/drawn-skins.ts';
import { MovableClock } from '../../support/server/movable-clock.ts';
import { ownFolder } from '../../support/server/own-folder.ts';
import { openOwnStore } from '../../support/server/running-server.ts';

const MINUTE = 60_000;
const PLANS = new Plans();

async function world() {
  const { fake, game } = await callGame();
  const clock = new MovableClock();
  const { db } = await openOwnStore(await ownFolder());
  const options = { db, game, clock, known: new KnownAddresses(() => clock.monotonic()) };
  const looks = new PlayerLooks({ ...options, gameTextures: new GameTextures(options) });
  const caller = (address = '127.0.0.1') => anonymousCaller({ address, origin: undefined }, PLANS);
  const { id } = fake.addPlayer({ name: 'Jeb', skin: { picture: drawSkin(1), variant: 'slim' } });
  const find = async (who = id, address?: string) => await looks.find({ id: who }, 'skin', caller(address));
  return { fake, clock, looks, caller, id, find };
}

describe('a player', () => {
  test('is requested once in twenty minutes, whoever wants to see it', async () => {
    const { fake, clock, find } = await world();
    const all = await Promise.all([find(), find(), find()]);
    expect(all.map(({ origin }) => origin)).toEqual(['downloaded', 'downloaded', 'downloaded']);
    clock.forward(19 * MINUTE);
    expect((await find()).origin).toBe('cached');
    expect(fake.calls.map(({ kind }) => kind)).toEqual(['profile', 'texture']);
    clock.forward(2 * MINUTE);
    expect((await find()).origin).toBe('checked');
    expect(fake.calls.map(({ kind }) => kind)).toEqual(['profile', 'texture', 'profile']);
  });

  test('is found by its name too once it was looked up', async () => {
    const { fake, looks, caller, find } = await world();
    const named = await looks.find({ name: 'jeb' }, 'skin', caller());
    expect(named).toMatchObject({ origin: 'downloaded', variant: 'slim' });
    expect((await find()).origin).toBe('cached');
    expect((await looks.find({ name: 'JEB' }, 'skin', caller())).origin).toBe('cached');
    expect(fake.calls.filter(({ kind }) => kind === 'profile')).toHaveLength(1);
  });

  test('that does not exist is not asked for again', async () => {
    const { fake, looks, caller, find } = await world();
    expect((await find('a'.repeat(32))).origin).toBe('checked');
    expect((await find('a'.repeat(32))).origin).toBe('none');
    expect((await looks.find({ name: 'Nobody' }, 'skin', caller())).id).toBeUndefined();
    expect((await looks.find({ name: 'Nobody' }, 'skin', caller())).origin).toBe('none');
    expect(fake.calls.filter(({ kind }) => kind === 'profile')).toHaveLength(1);
  });

  test('of a server in offline mode is not asked for', async () => {
    const { fake, find } = await world();
    expect(await find(`${'a'.repeat(12)}3${'a'.repeat(19)}`)).toMatchObject({ texture: undefined });
    expect(fake.calls).toEqual([]);
  });

  test('is shown as it was while Mojang is down, without asking each time', async () => {
    const { fake, clock, find } = await world();
    await find();
    clock.forward(60 * MINUTE);
    await fake.close();
    expect(await find()).toMatchObject({
      origin: 'stale',
      variant: 'slim',
      texture: { hash: expect.any(String) },
    });
    expect((await find()).origin).toBe('stale');
    expect((await find('b'.repeat(32))).origin).toBe('failed');
  });
});

describe('the game is spared', () => {
  test('22 players a minute are looked up for all strangers together, 27 for all callers', async () => {
    const { fake, clock, find } = await world();
    const origins = [];
    for (let at = 0; at < 24; at++)
      origins.push((await find(at.toString(16).padStart(32, 'a'), `127.0.0.${at + 2}`)).origin);
    expect(origins).toEqual([...Array(22).fill('checked'), ...Array(2).fill('failed')]);
    for (let at = 0; at < 6; at++) await find(at.toString(16).padStart(32, 'b'));
    expect(fake.calls).toHaveLength(27);
    clock.forward(2 * MINUTE);
    expect((await find('c'.repeat(32))).origin).toBe('checked');
  });

  test('one caller gets only a part of the look-ups', async () => {
    const { fake, find } = await world();
    for (let at = 0; at < 25; at++) await find(at.toString(16).padStart(32, 'a'), '127.0.0.7');
    expect(fake.calls).toHaveLength(20);
    expect((await find()).origin).toBe('downloaded');
  });

  test('a refused caller does not affect others who request the same player', async () => {
    const { find, id } = await world();
    for (let at = 0; at < 20; at++) await find(at.toString(16).padStart(32, 'a'), '127.0.0.7');
    const both = await Promise.all([find(id, '127.0.0.7'), find(id, '127.0.0.8')]);
    expect(both.map(({ origin }) => origin)).toEqual(['failed', 'downloaded']);
    const again = 'c'.repeat(32);
    const joined = await Promise.all([find(again, '127.0.0.8'), find(again, '127.0.0.7')]);
    expect(joined.map(({ origin }) => origin)).toEqual(['checked', 'checked']);
  });
});
