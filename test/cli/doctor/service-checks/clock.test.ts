import { describe, expect, test } from 'vitest';
import { CHECKS } from '../../../../src/cli/doctor/checks.ts';
import { me, NOBODY, rateLimit, servedSetup } from '../../../support/cli/setup.ts';
import type { Exchange } from '../../../support/client/scripted-server.ts';

const ME = 'GET /v2/me';

describe('The check of the clock', () => {
  const at = (offset: number) => ({ date: new Date(Date.now() + offset).toUTCString() });
  test.each([
    ['right', 0, 'ok', /agrees/],
    ['slow', 90_000, 'warning', /is (2 minutes|(?:89|90|91) seconds) behind/],
    ['fast', -3_600_000, 'warning', /is (1 hour|60 minutes) ahead of/],
  ])('finds one %s', async (_, offset, result, detail) => {
    const { setup } = await servedSetup([{ ...NOBODY, headers: at(offset) }]);
    expect(await CHECKS.clock.look(setup)).toMatchObject({ result, detail: expect.stringMatching(detail) });
  });

  const dateless: Exchange = {
    expect: ME,
    act: (response) => {
      response.sendDate = false;
      response.writeHead(404, { 'content-type': 'application/json' });
      response.end(JSON.stringify(NOBODY.json));
    },
  };
  test('uses the limits if answers have no date', async () => {
    const next = { absolute: Date.now() + 61_000, relative: 1_000 };
    const { setup } = await servedSetup([
      dateless,
      { expect: ME, json: me({ rateLimit: rateLimit({ next }) }) },
    ]);
    expect((await CHECKS.clock.look(setup)).detail).toMatch(/is (59 seconds|1 minute|61 seconds) behind/);
  });

  test('says when the service does not tell', async () => {
    const { setup } = await servedSetup([dateless, { expect: ME, json: me() }]);
    expect((await CHECKS.clock.look(setup)).result).toBe('skipped');
  });
});
