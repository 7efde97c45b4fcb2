import { describe, expect, test } from 'vitest';
import { CHECKS } from '../../../../src/cli/doctor/checks.ts';
import { me, NOBODY, rateLimit, servedSetup } from '../../../support/cli/setup.ts';

const ME = 'GET /v2/me';

describe('The check of the limits', () => {
  test('says the plan and what is left', async () => {
    const { setup } = await servedSetup([{ expect: ME, json: me() }]);
    expect(await CHECKS.limits.look(setup)).toEqual({
      result: 'ok',
      detail: 'Plan pro: 40 of 60 skins left this minute, 90 of 100 skins left this hour.',
    });
  });

  test('requests the limits separately if the caller has no account', async () => {
    const minute = { limit: 10, remaining: 0 };
    const spent = rateLimit({ limit: { ...minute, minute } });
    const { setup } = await servedSetup([
      NOBODY,
      { expect: 'GET /v2/delay', json: { success: true, ...spent } },
    ]);
    expect(await CHECKS.limits.look(setup)).toEqual({
      result: 'warning',
      detail: 'Plan anonymous: 0 of 10 skins left this minute.',
      hint: expect.stringContaining('wait'),
    });
  });
});
