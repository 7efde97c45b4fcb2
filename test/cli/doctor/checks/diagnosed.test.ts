import { describe, expect, test } from 'vitest';
import { CHECKS } from '../../../../src/cli/doctor/checks.ts';
import { diagnosis, errors, FOREIGN, NOT_FOUND, ok, READY, servedSetup } from '../../../support/cli/setup.ts';

describe('The checks of the store and of the generator', () => {
  test('report what the service says, the worst problem first and with a hint', async () => {
    const findings = [
      ok('It has a client id.'),
      { code: 'game_limits', result: 'warning', message: 'Too fast.' },
      { code: 'no_accounts', result: 'problem', message: 'No account is linked.' },
    ];
    const { setup } = await servedSetup([READY, diagnosis({ generator: { kind: 'accounts', findings } })]);
    expect(await CHECKS.generator.look(setup)).toEqual({
      result: 'problem',
      detail: 'accounts: No account is linked. Too fast. It has a client id.',
      hint: 'Link one: skinsmith accounts link',
    });
    expect(await CHECKS.store.look(setup)).toEqual({
      result: 'ok',
      detail: 'It is sound.',
      hint: undefined,
    });
  });

  test('report the provider for sign-ins, if the service has one', async () => {
    const findings = [
      ok('It answers.'),
      { code: 'claim_not_listed', result: 'warning', message: 'No claim groups.' },
    ];
    const { setup } = await servedSetup([READY, diagnosis({ openId: { findings } })]);
    expect(await CHECKS['sign-in'].look(setup)).toEqual({
      result: 'warning',
      detail: 'No claim groups. It answers.',
      hint: expect.stringContaining('--oidc-scopes'),
    });
    const { setup: without } = await servedSetup([READY, diagnosis()]);
    expect(await CHECKS['sign-in'].look(without)).toEqual({
      result: 'ok',
      detail: 'The service has no OpenID Connect provider.',
    });
  });

  test.each([
    ['another service', FOREIGN, [], /Only a skinsmith service/],
    ['an older skinsmith', READY, [{ expect: 'GET /v2/account/doctor', ...NOT_FOUND }], /Only a skinsmith/],
    [
      'a service of someone else',
      READY,
      [{ expect: 'GET /v2/account/doctor', status: 403, json: errors('insufficient_grants', 'No.') }],
      /Only the operator/,
    ],
    [
      'a service without a key',
      READY,
      [{ expect: 'GET /v2/account/doctor', status: 401, json: errors('unauthorized', 'No.') }],
      /Only the operator/,
    ],
  ] as const)('are left out for %s', async (_, ready, rest, why) => {
    const { setup } = await servedSetup([ready, ...rest]);
    const found = { result: 'skipped', detail: expect.stringMatching(why) };
    expect(await CHECKS.generator.look(setup)).toEqual(found);
    expect(await CHECKS.store.look(setup)).toEqual(found);
  });

  test.each([
    ['store_unreachable', /cannot reach its database/, /PostgreSQL is running/],
    ['store_too_new', /A newer skinsmith/, /Restart the service with the newer version/],
    ['store_replaced', /removed or replaced/, /Put the files back/],
  ])('name the store as the cause when the service cannot tell more: %s', async (reason, detail, hint) => {
    const reasons = ['stopping', reason, 'workers_in_trouble'];
    const ready = {
      expect: 'GET /ready',
      status: 503,
      json: { status: 'not_ready', reasons, version: '9.9.9' },
    };
    const { setup } = await servedSetup([ready]);
    expect(await CHECKS.store.look(setup)).toEqual({
      result: 'problem',
      detail: expect.stringMatching(detail),
      hint: expect.stringMatching(hint),
    });
    expect(CHECKS.store.needs).toEqual(['connection']); // with such a store no key can be checked
  });

  test('throw any other refusal of the service', async () => {
    const refused = { expect: 'GET /v2/account/doctor', status: 500, json: errors('internal_error', 'Oh.') };
    const { setup } = await servedSetup([READY, refused]);
    await expect(CHECKS.store.look(setup)).rejects.toMatchObject({ code: 'internal_error' });
  });
});
