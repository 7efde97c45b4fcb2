import { expect, onTestFinished, test, vi } from 'vitest';
import { Turns } from '../../../src/server/pools.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { guardAgainstLeaks, runServer } from '../../support/server/running-server.ts';
import type { TestCaller } from '../../support/server/test-caller.ts';

guardAgainstLeaks();

/** More than are read in one turn of the event loop. */
const MANY = 17;

async function makeMany(owner: TestCaller): Promise<string> {
  const skins: string[] = [];
  // One after the other: a user has five slots.
  for (let number = 0; number < MANY; number++) {
    const { body } = await owner.upload('/v2/generate', skinPng(number));
    expect(body.errors).toBeUndefined();
    skins.push(body.skin!.uuid);
  }
  let uuid = '';
  for (let number = 0; number < MANY; number++) {
    const { body } = await owner.json('/v2/sets', { name: `Set ${number}`, visibility: 'public', skins });
    expect(body.errors).toBeUndefined();
    uuid = body.set!.uuid;
  }
  return uuid;
}

test('Requests that touch many rows let other requests run in between', async () => {
  const { owner } = await runServer();
  const set = await makeMany(owner);
  const next = vi.spyOn(Turns.prototype, 'next');
  const add = vi.spyOn(Turns.prototype, 'add');
  onTestFinished(() => void vi.restoreAllMocks());
  const turnsOf = async (ask: () => Promise<{ readonly status: number }>) => {
    next.mockClear();
    add.mockClear();
    expect((await ask()).status).toBe(200);
    return { begun: add.mock.calls.length - next.mock.calls.length, further: next.mock.calls.length };
  };
  const get = (path: string) => async () => await owner.get(path);
  const asked: Record<string, () => Promise<{ readonly status: number }>> = {
    'a lockfile of a set': get(`/v2/sets/${set}/skins.lock`),
    'a zip of a set': get(`/v2/sets/${set}/skins.zip`),
    'a lockfile of own skins': get('/v2/me/skins.lock'),
    'a zip of own skins': get('/v2/me/skins.zip'),
    'the list of sets': get('/v2/sets?size=64'),
    'own sets': get('/v2/me/sets?size=64'),
    'one skin': get('/v2/skins?size=1'),
    'a body': async () => await owner.patch(`/v2/sets/${set}`, { name: 'Other' }),
  };
  const found: Record<string, unknown> = {};
  for (const [what, ask] of Object.entries(asked)) found[what] = await turnsOf(ask);
  expect(found).toEqual({
    'a lockfile of a set': { begun: 1, further: 3 },
    'a zip of a set': { begun: 1, further: 3 },
    'a lockfile of own skins': { begun: 1, further: 3 },
    'a zip of own skins': { begun: 1, further: 3 },
    'the list of sets': { begun: 1, further: 1 },
    'own sets': { begun: 1, further: 1 },
    'one skin': { begun: 1, further: 0 },
    'a body': { begun: 1, further: 1 },
  });
});
