import { describe, expect, test } from 'vitest';
import { CHECKS } from '../../../../src/cli/doctor/checks.ts';
import { makeSetup } from '../../../support/cli/setup.ts';

describe('The check of the service', () => {
  test.each([
    ['nothing is set', {}, {}, 'The embedded service, with its data in '],
    [
      '--local',
      { SKINSMITH_BASE_URL: 'https://a.example' },
      { local: true },
      'The embedded service (because of --local), with',
    ],
    [
      'a variable',
      { SKINSMITH_BASE_URL: 'https://a.example/v2/' },
      {},
      'https://a.example (from SKINSMITH_BASE_URL).',
    ],
    [
      'a flag',
      { SKINSMITH_BASE_URL: 'https://a.example' },
      { baseUrl: 'https://b.example' },
      'https://b.example (from --base-url).',
    ],
  ])('says which service is used, and why: %s', async (_, env, flags, detail) => {
    const { setup } = await makeSetup({ env: env as Record<string, string>, flags });
    expect(await CHECKS.service.look(setup)).toEqual({
      result: 'ok',
      detail: expect.stringContaining(detail),
    });
  });

  test('throws an error for an invalid address', async () => {
    const { setup } = await makeSetup({ env: { SKINSMITH_BASE_URL: 'ftp://a.example' } });
    await expect(CHECKS.service.look(setup)).rejects.toMatchObject({ code: 'invalid_setting' });
  });
});
