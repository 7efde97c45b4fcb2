import { expect, test } from 'vitest';
import { nameIn, passes, rightsIn } from '../../../src/server/openid/claims.ts';

const knowsPlan = (name: string) => ['free', 'plus', 'pro'].includes(name);

test.each([
  [{ plan: 'pro' }, 'pro'],
  [{ plan: ['staff', 'plus', 'pro'] }, 'plus'],
  [{ plan: 'platinum' }, 'free'],
  [{ plan: 7 }, 'free'],
  [{}, 'free'],
])('The plan of %j is %s', (claims, plan) => {
  expect(rightsIn(claims, { planClaim: 'plan' }, knowsPlan)).toEqual({ plan });
});

test('A role without a claim stays undecided', () => {
  expect(rightsIn({ plan: 'pro', admin: true }, {}, knowsPlan)).toEqual({});
});

test.each([
  [{ claim: 'admin', value: undefined }, { admin: true }, true],
  [{ claim: 'admin', value: undefined }, { admin: 'true' }, false],
  [{ claim: 'groups', value: 'skins' }, { groups: ['a', 'skins'] }, true],
  [{ claim: 'groups', value: 'skins' }, { groups: 'skins' }, true],
  [{ claim: 'groups', value: 'skins' }, { groups: 'a skins' }, false],
  [{ claim: 'realm.roles', value: 'x' }, { realm: { roles: ['x'] } }, true],
  [{ claim: 'https://example.org/roles', value: 'x' }, { 'https://example.org/roles': ['x'] }, true],
  [{ claim: 'constructor.name', value: 'Object' }, {}, false],
])('The condition %j is met by the claims %j: %s', (test, claims, does) => {
  expect(passes(claims, test)).toBe(does);
});

test.each([
  [{ preferred_username: 'Anna.B', name: 'Other' }, 'Anna.B'],
  [{ email: 'anna@example.org' }, 'anna'],
  [{ name: 'Ännä  Müller <b>' }, 'Anna-Muller-b'],
  [{ preferred_username: '***', name: '' }, 'user'],
  [{ preferred_username: 'x'.repeat(5_000) }, 'x'.repeat(32)],
  [{ preferred_username: { toString: 'no' } }, 'user'],
])('A new user with the claims %j is named %s', (claims, name) => {
  expect(nameIn(claims)).toBe(name);
});
