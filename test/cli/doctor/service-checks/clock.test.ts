import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { CHECKS } from '../../../../src/cli/doctor/checks.ts';
import { KEY, me, NOBODY, rateLimit, servedSetup } from '../../../support/cli/setup.ts';
import type { Exchange } from '../../../support/client/scripted-server.ts';
import { SteppedClock } from '../../../support/game/stepped-clock.ts';

const ME = 'GET /v2/me';

describe('The check of the clock', () => {
  const clock = new SteppedClock();
  const at = (offset: number) => ({ date: new Date(clock.now() + offset).toUTCString() });
  test.each([
    ['right', 0, 'ok', /agrees/],
    ['slow', 90_000, 'warning', /is 2 minutes behind/],
    ['fast', -3_600_000, 'warning', /is 1 hour ahead of/],
  ])('finds that the clock is %s', async (_, offset, result, detail) => {
    const { setup } = await servedSetup([{ ...NOBODY, headers: at(offset) }], KEY, clock);
    expect(await CHECKS.clock.look(setup)).toMatchObject({ result, detail: expect.stringMatching(detail) });
  });

  test('finds the clock right although the answer takes half a minute', async () => {
    const act = async (response: ServerResponse) => {
      response.writeHead(404, { 'content-type': 'application/json', ...at(0) });
      await clock.forward(30_000);
      response.end(JSON.stringify(NOBODY.json));
    };
    const { setup } = await servedSetup([{ ...NOBODY, act: (response) => void act(response) }], KEY, clock);
    expect(await CHECKS.clock.look(setup)).toMatchObject({ result: 'ok' });
  });

  const dateless: Exchange = {
    expect: ME,
    act: (response) => {
      response.sendDate = false;
      response.writeHead(404, { 'content-type': 'application/json' });
      response.end(JSON.stringify(NOBODY.json));
    },
  };
  test('uses the times in the rate limits if answers have no date', async () => {
    const next = { absolute: clock.now() + 61_000, relative: 1_000 };
    const limited = { expect: ME, json: me({ rateLimit: rateLimit({ next }) }) };
    const { setup } = await servedSetup([dateless, limited], KEY, clock);
    expect((await CHECKS.clock.look(setup)).detail).toMatch(/is 1 minute behind/);
  });

  test('is skipped when the service does not tell the time', async () => {
    const { setup } = await servedSetup([dateless, { expect: ME, json: me() }]);
    expect((await CHECKS.clock.look(setup)).result).toBe('skipped');
  });
});
