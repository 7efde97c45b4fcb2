import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { serve } from '../../../../src/cli/commands/serve.ts';
import { chooseOpenId } from '../../../../src/cli/serve/server-options.ts';
import { describeParsing } from '../../../support/cli/parsing.ts';
import { ownFolder } from '../../../support/server/own-folder.ts';

const ISSUER = 'https://id.example.org/realms/skins/';
const USUAL = { webhooks: true, pages: true, anonymous: true, userAccounts: true, ownerKey: true };
const TYPED = { oidcIssuer: ISSUER, oidcClientId: 'skinsmith' };

describeParsing('serve, for sign-in by OpenID Connect', serve, {
  taken: [
    [['--oidc-issuer', ISSUER], { oidcIssuer: ISSUER, ...USUAL }],
    [
      ['--oidc-operator-claim', 'groups=a=b', '--oidc-require-claim', 'verified'],
      {
        oidcOperatorClaim: { claim: 'groups', value: 'a=b' },
        oidcRequireClaim: { claim: 'verified', value: undefined },
        ...USUAL,
      },
    ],
  ],
  refused: [
    [['--oidc-issuer', 'id.example.org'], /must be an address/],
    [['--oidc-operator-claim', 'groups='], /name of a claim/],
    [['--oidc-secret', 'secret'], /unknown option/],
  ],
});

test('Without an issuer, there is no provider for sign-ins', async () => {
  expect(await chooseOpenId({ pages: false }, { env: {} })).toBeUndefined();
});

test('Options override the environment, and the secret comes from a file or the environment', async () => {
  const env = {
    SKINSMITH_OIDC_ISSUER: 'https://other.example.org',
    SKINSMITH_OIDC_CLIENT_ID: 'other',
    SKINSMITH_OIDC_SECRET: 's3cret\n',
  };
  const fromEnvironment = await chooseOpenId({}, { env });
  expect(fromEnvironment).toMatchObject({
    issuer: 'https://other.example.org',
    clientId: 'other',
    clientSecret: 's3cret',
    name: 'other.example.org',
    scopes: 'openid profile email',
  });
  const file = join(await ownFolder(), 'secret');
  await writeFile(file, 'from a file\n');
  const typed = await chooseOpenId({ ...TYPED, oidcSecretFile: file, oidcName: 'Example' }, { env });
  expect(typed).toMatchObject({
    issuer: ISSUER,
    clientId: 'skinsmith',
    clientSecret: 'from a file',
    name: 'Example',
  });
});

test.each([
  [{ oidcPlanClaim: 'plan' }, {}, 'need the address of the provider'],
  [{ oidcIssuer: ISSUER }, {}, 'needs a client ID'],
  [{ ...TYPED, pages: false }, {}, 'needs the pages'],
  [{ ...TYPED, oidcScopes: 'profile' }, {}, 'must include openid'],
  [{ ...TYPED, oidcIssuer: 'http://id.example.org' }, {}, 'is not encrypted'],
  [TYPED, { SKINSMITH_OIDC_SECRET: 'a\nb' }, 'does not contain a client secret'],
  [{}, { SKINSMITH_OIDC_ISSUER: 'id.example.org' }, 'must be an address'],
])('%j with %j is refused', async (typed, env, message) => {
  await expect(chooseOpenId(typed, { env })).rejects.toThrow(message);
});

test.each(['http://localhost:8080', 'http://127.0.0.1:8080/realm'])(
  '%s never leaves this machine, so it need not be encrypted',
  async (oidcIssuer) => {
    expect(await chooseOpenId({ ...TYPED, oidcIssuer }, { env: {} })).toMatchObject({ issuer: oidcIssuer });
  },
);
