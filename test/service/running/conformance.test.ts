import { expect, test } from 'vitest';
import { CHECKS, type Judgement, openConformance, type Part, planOf } from '../../../src/conformance/run.ts';
import { runGame } from '../../support/fake-game/run-game.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { hurriedClock } from '../../support/server/hurried-clock.ts';
import { guardAgainstLeaks, runServer } from '../../support/server/running-server.ts';

guardAgainstLeaks();

const JEB = { name: 'jeb_', id: '853c80ef3c3749fdaa49938b674adae6' };

test('The service passes every check of `skinsmith conformance`', async () => {
  const fake = await runGame();
  fake.addPlayer(JEB);
  let isFirst = true;
  const { promise: whileFull, resolve: release } = Promise.withResolvers<void>();
  let holds = false;
  const { url, key, owner } = await runServer({
    gameAddresses: fake.addresses,
    rehearse: async () => {
      if (holds) await whileFull;
      if (!isFirst) return undefined;
      isFirst = false;
      return 'skin_change_failed';
    },
  });
  await owner.upload('/v2/generate', skinPng(1)); // fails
  await owner.upload('/v2/generate', skinPng(2)); // public
  const judgements: Judgement[] = [];
  const clock = hurriedClock(100);
  const judge = async (only: Part) => {
    const signal = new AbortController().signal;
    const options = { baseUrl: url, apiKey: key, clock, signal, pause: 0 };
    const run = openConformance({ ...options, plan: planOf(only)!, generations: 7 });
    for await (const judgement of run.judge()) {
      judgements.push(judgement);
      if (judgement.check.id === 'queue-full') release();
    }
    expect(await run.making.cleanUp()).toEqual([]);
    await run.session.close();
  };
  await judge('read');
  holds = true;
  await judge('write');
  const others = judgements.filter(({ verdict }) => verdict !== 'pass');
  // Its requests are too careful for a limit on them.
  expect(others.filter(({ check }) => check.id !== 'answers-waits')).toEqual(
    others.filter(
      ({ reason }) => reason === 'No submission was accepted.' || reason === 'No request was refused.',
    ),
  );
  const passed = new Set(judgements.filter(({ verdict }) => verdict === 'pass').map(({ check }) => check.id));
  const all = Object.values(CHECKS).flatMap((checks) => checks.map(({ id }) => id));
  expect(new Set(all).difference(passed)).toEqual(new Set(['answers-waits']));
});
