import { expect, test } from 'vitest';
import { claimFindings, providerFault } from '../../../../src/server/openid/claims.ts';
import { OutboundError } from '../../../../src/server/outbound/target.ts';

const settings = {
  issuer: 'https://id.example.org/realm/',
  clientId: 'skinsmith',
  name: 'Example',
  scopes: 'openid',
  planClaim: 'plan',
  operatorClaim: { claim: 'realm_access.roles', value: 'admin' },
  requiredClaim: { claim: 'https://example.org/member', value: undefined },
};

const unlisted = (claims: unknown, arrived: readonly string[] = []) =>
  claimFindings(settings, { claims, arrived: new Set(arrived) })
    .filter(({ result }) => result === 'warning')
    .map(({ message }) => /the claim (\S+) among/.exec(message)?.[1]);

test.each([
  [undefined, []],
  ['plan', []],
  [['plan', 'realm_access', 'https://example.org/member'], []],
  [['plan'], ['realm_access.roles', 'https://example.org/member']],
  [[], ['plan', 'realm_access.roles', 'https://example.org/member']],
])('The check of a provider that lists %j reports these claims as missing: %j', (listed, missing) => {
  expect(unlisted(listed)).toEqual(missing);
});

test('A claim that has come with a sign-in is not missing', () => {
  expect(unlisted([], ['plan'])).toEqual(['realm_access.roles', 'https://example.org/member']);
});

test.each([
  [new OutboundError('address_refused', 'No.'), 'provider_private'],
  [new TypeError('fetch failed', { cause: new OutboundError('address_refused', 'No.') }), 'provider_private'],
  [new OutboundError('unreachable', 'Connection refused.'), 'provider_unreachable'],
  [
    Object.assign(new Error('unexpected issuer'), { code: 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED' }),
    'provider_wrong',
  ],
])('%s is reported as %s', (error, code) => {
  expect(providerFault(error, settings)).toMatchObject({ code, result: 'problem' });
});
