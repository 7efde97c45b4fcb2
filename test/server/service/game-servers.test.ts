import { describe, expect, test } from 'vitest';
import { KnownAddresses } from '../../../src/server/pools.ts';
import { anonymousCaller } from '../../../src/server/service/callers.ts';
import { GameServers } from '../../../src/server/service/game-servers.ts';
import { Plans } from '../../../src/server/service/plans.ts';
import { callGame } from '../../support/fake-game/run-game.ts';
import { drawSkin } from '../../support/server/drawn-skins.ts';
import { MovableClock } from '../../support/server/movable-clock.ts';
import { ownFolder } from '../../support/server/own-folder.ts';
import { openOwnStore } from '../../support/server/running-server.ts';

const PLANS = new Plans();
const SKIN = { picture: drawSkin(1), variant: 'slim' } as const;
/** No pace, so that only the service's own limits count. */
const RULES = { joins: { burst: 1_000, interval: 1 } };

async function world() {
  const { fake, game } = await callGame({}, { rules: RULES });
  const clock = new MovableClock();
  const { db } = await openOwnStore(await ownFolder());
  const servers = new GameServers({ db, game, clock, known: new KnownAddresses(() => clock.monotonic()) });
  const jeb = fake.addPlayer({ name: 'Jeb', skin: SKIN });
  fake.join(jeb, 'abc');
  const callerAt = (address: string) => anonymousCaller({ address, origin: undefined }, PLANS);
  const join = async (address: string, serverId = 'abc', username = 'Jeb') =>
    await servers.hasJoined({ username, serverId }, callerAt(address)).then(
      ({ status }) => status,
      ({ code }) => code,
    );
  const callsOf = (kind: string) => fake.calls.filter((call) => call.kind === kind).length;
  return { fake, clock, servers, jeb, join, callsOf, callerAt };
}

/** As many look-ups of players as strangers may have. */
async function spendLookups({ servers, callerAt }: Awaited<ReturnType<typeof world>>): Promise<void> {
  for (let n = 0; n < 30; n++)
    await servers.profile(n.toString(16).padStart(32, 'a'), callerAt(`198.51.100.${n}`)).catch(() => {});
}

describe('Joins', () => {
  test('are looked up for a game server with players, even after strangers have used up their share', async () => {
    const { join } = await world();
    expect(await join('192.0.2.1')).toBe(200);
    for (let n = 0; n < 210; n++) await join(`198.51.100.${n}`, 'other');
    expect(await join('192.0.2.2')).toBe('service_unavailable');
    expect(await join('192.0.2.1')).toBe(200);
  });

  test('of 45 players at once are all looked up, even for an unknown server', async () => {
    const { fake, join } = await world();
    const names = Array.from({ length: 45 }, (_, at) => `Player_${at}`);
    for (const name of names) fake.join(fake.addPlayer({ name, skin: SKIN }), name);
    const joined = await Promise.all(names.map(async (name) => await join('192.0.2.1', name, name)));
    expect(joined).toEqual(names.map(() => 200));
  });

  test('that fail are looked up for one stranger only up to a tenth of all look-ups', async () => {
    const { join, callsOf } = await world();
    const answers = await Promise.all(
      Array.from({ length: 45 }, async () => await join('192.0.2.1', 'other')),
    );
    expect(answers.filter((answer) => answer === 204)).toHaveLength(30);
    expect(answers.filter((answer) => answer === 'service_unavailable')).toHaveLength(15);
    expect(callsOf('joined')).toBe(30);
    expect(await join('192.0.2.2')).toBe(200);
  });

  test('wait while Mojang limits them, unless that takes long', async () => {
    const { fake, join, callsOf } = await world();
    fake.order({ fault: { kind: 'limited', retryAfter: 0 }, on: ['joined'] });
    expect([await join('192.0.2.1'), callsOf('joined')]).toEqual([200, 2]);
    fake.order({ fault: { kind: 'limited', retryAfter: 60 }, on: ['joined'] });
    expect([await join('192.0.2.1'), callsOf('joined')]).toEqual(['service_unavailable', 3]);
  });

  test('are looked up when strangers have used up the look-ups of players', async () => {
    const here = await world();
    await spendLookups(here);
    expect(await here.join('192.0.2.1')).toBe(200);
  });
});

describe('A player who joined', () => {
  test('is looked up by UUID and name without a request for a minute', async () => {
    const { servers, clock, jeb, join, callsOf, callerAt } = await world();
    await join('192.0.2.1');
    const caller = callerAt('192.0.2.1');
    const looked = async () => [
      (await servers.profile(jeb.id, caller))?.signature,
      (await servers.named(['jeb'], caller)).map(({ id }) => id),
    ];
    expect(await looked()).toEqual([expect.any(String), [jeb.id]]);
    expect([callsOf('profile'), callsOf('names')]).toEqual([0, 0]);
    clock.forward(60_000);
    expect(await looked()).toEqual([expect.any(String), [jeb.id]]);
    expect([callsOf('profile'), callsOf('names')]).toEqual([1, 1]);
  });

  test('is found when strangers have used up the look-ups or Mojang is down, and other players are not', async () => {
    const here = await world();
    const { fake, servers, clock, jeb, join, callerAt } = here;
    await join('192.0.2.1');
    clock.forward(3_600_000);
    await spendLookups(here);
    const stranger = callerAt('203.0.113.1');
    expect(await servers.profile(jeb.id, stranger)).toMatchObject({ id: jeb.id, name: 'Jeb' });
    expect(await servers.named(['Jeb'], stranger)).toMatchObject([{ id: jeb.id, name: 'Jeb' }]);
    await fake.close();
    const server = callerAt('192.0.2.1');
    expect(await servers.profile(jeb.id, server)).toMatchObject({ id: jeb.id });
    await expect(servers.profile('b'.repeat(32), server)).rejects.toMatchObject({
      code: 'service_unavailable',
    });
    await expect(servers.named(['Jeb', 'Notch'], server)).rejects.toMatchObject({
      code: 'service_unavailable',
    });
  });
});
