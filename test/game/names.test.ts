import { describe, expect, test } from 'vitest';
import { resolveNames } from '../../src/game/names.ts';
import { callGame } from '../support/fake-game/run-game.ts';
import { gameErrorOf } from '../support/game/told.ts';

describe('A name', () => {
  test('becomes a UUID, in whatever case it is written', async () => {
    const { fake, game } = await callGame();
    const { id } = fake.addPlayer({ name: 'Steve' });
    expect([...(await resolveNames(game.http, ['sTEVE']))]).toEqual([['sTEVE', { id, name: 'Steve' }]]);
  });

  test.each(['Nobody', 'x', 'not a name', '', '../session', 'a'.repeat(17), 'Stève'])(
    'that nobody has is absent: %j',
    async (name) => {
      const { game } = await callGame();
      expect((await resolveNames(game.http, [name])).size).toBe(0);
    },
  );
});

describe('Many names', () => {
  test('become UUIDs ten at a time, each asked for once', async () => {
    const { fake, game } = await callGame();
    const players = Array.from({ length: 23 }, (_, number) => fake.addPlayer({ name: `Some_${number}` }));
    const names = [...players.map(({ name }) => name), 'some_3', 'SOME_3', 'Nobody', 'not a name'];
    const found = await resolveNames(game.http, names);
    expect(found.size).toBe(25);
    expect(found.get('SOME_3')).toEqual({ id: players[3]!.id, name: 'Some_3' });
    expect([...found.keys()]).toEqual(names.slice(0, 25));
    expect(fake.calls.map(({ kind }) => kind)).toEqual(['names', 'names', 'names']);
  });

  test('are requested one by one if the services refuse one of them', async () => {
    const { fake, game } = await callGame();
    const { id } = fake.addPlayer({ name: 'Steve' });
    const found = await resolveNames(game.http, ['x', 'Steve']);
    expect([...found]).toEqual([['Steve', { id, name: 'Steve' }]]);
    expect(fake.calls.map(({ kind, status }) => [kind, status])).toEqual([
      ['names', 400],
      ['name', 400],
      ['name', 200],
    ]);
  });

  test('may be an empty list', async () => {
    const { fake, game } = await callGame();
    expect((await resolveNames(game.http, [])).size).toBe(0);
    expect(fake.calls).toEqual([]);
  });

  test('are refused together when the services do not answer', async () => {
    const { fake, game } = await callGame();
    fake.order({ fault: { kind: 'limited', body: 'html' }, on: ['names'] });
    expect((await gameErrorOf(resolveNames(game.http, ['Steve']))).kind).toBe('rate_limited');
  });

  test('are refused together when the services stop answering between single names', async () => {
    const { fake, game } = await callGame();
    fake.order({ fault: { kind: 'broken' }, on: ['name'] });
    expect((await gameErrorOf(resolveNames(game.http, ['x', 'Steve']))).kind).toBe('unreachable');
  });
});
