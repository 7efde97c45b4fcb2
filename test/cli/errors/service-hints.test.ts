import { describe, expect, test } from 'vitest';
import { ProxyError } from '../../../src/base/error-reasons.ts';
import { reportOf } from '../../../src/cli/errors/error-report.ts';
import { otherAddressHint, type ServiceNaming } from '../../../src/cli/errors/service-hints.ts';
import { NetworkError, ServiceError } from '../../../src/client/errors.ts';

const URL = 'https://skins.example.org';
const TYPED: ServiceNaming = {
  flags: { baseUrl: URL },
  env: { SKINSMITH_BASE_URL: 'https://other.example' },
};
const IN_ENV: ServiceNaming = { env: { SKINSMITH_BASE_URL: URL } };

function refused(code: string, message: string): ServiceError {
  const answer = { method: 'GET', path: '/v2/me', links: {}, rateLimit: undefined, retryAfter: undefined };
  return new ServiceError({ ...answer, status: 403, errors: [{ code, message }] });
}

describe('The hint', () => {
  test.each([
    ['unauthorized', `Sign in first: skinsmith login --base-url ${URL}`],
    ['job_not_found', `List the jobs that the service still knows: skinsmith jobs --base-url ${URL}`],
    ['invalid_cape', `List the capes: skinsmith capes list --base-url ${URL}`],
    ['not_found', 'Check the address given with --base-url.'],
  ])('for %s has a command for the service that was typed', (code, hint) => {
    expect(reportOf(refused(code, 'No.'), TYPED)?.hint).toBe(hint);
  });

  test.each(['unauthorized', 'invalid_api_key'])('for %s names the variable in CI', (code) => {
    expect(reportOf(refused(code, 'No.'), { env: { CI: 'true' } })?.hint).toMatch(
      /^Set SKINSMITH_API_KEY to /,
    );
  });

  test.each(['http://skins.test/$(id)', 'http://skins.test/;id', "http://skins.test/'"])(
    'has no address that a shell would not take for a word: %s',
    (baseUrl) => {
      const hint = 'Sign in first: skinsmith login --base-url <url>';
      expect(reportOf(refused('unauthorized', 'No.'), { flags: { baseUrl } })?.hint).toBe(hint);
    },
  );

  test.each([
    ['CERT_HAS_EXPIRED', /^It has expired: .* clock of this machine/],
    ['CERT_NOT_YET_VALID', /^It is not valid yet\. .* clock of this machine/],
    ['CERT_REVOKED', /^Its authority has revoked it/],
    [
      'ERR_TLS_CERT_ALTNAME_INVALID',
      /^It is for another host name\. Check the address given with --base-url/,
    ],
    ['SELF_SIGNED_CERT_IN_CHAIN', /^If you use your own certificate authority, set NODE_EXTRA_CA_CERTS/],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', /set NODE_EXTRA_CA_CERTS/],
  ])('for a bad certificate fits the problem: %s', (code, hint) => {
    const error = new NetworkError('cut', { cause: { code }, mayHaveArrived: true });
    expect(reportOf(error, TYPED)?.hint).toMatch(hint);
  });

  test('for an unknown authority says what NODE_EXTRA_CA_CERTS lacks, and that a proxy may be behind it', () => {
    const cause = Object.assign(new Error('x'), { code: 'SELF_SIGNED_CERT_IN_CHAIN' });
    const [direct, proxied] = [cause, new ProxyError('the proxy http://p (HTTPS_PROXY)', cause)].map(
      (one) => new NetworkError('cut', { cause: one, mayHaveArrived: true }),
    );
    const env = { NODE_EXTRA_CA_CERTS: '/etc/ca.pem' };
    expect(reportOf(direct, { env })?.hint).toMatch(/^The file in NODE_EXTRA_CA_CERTS does not have/);
    expect(reportOf(proxied, {})?.hint).toMatch(
      /^If the proxy inspects connections, set NODE_EXTRA_CA_CERTS/,
    );
  });

  test('for a bad key names the variable that it came from', () => {
    const error = refused('invalid_api_key', 'The API key is not valid.');
    expect(reportOf(error, { env: { SKINSMITH_API_KEY: 'abcd' } })?.hint).toBe(
      'SKINSMITH_API_KEY holds the key that was sent. Set it to a key of this service, or unset it and store one: ' +
        'skinsmith login',
    );
    expect(reportOf(error, { env: { SKINSMITH_API_KEY: ' ' } })?.hint).toBe(
      'Store a key that is valid for this service: skinsmith login',
    );
  });

  test('for a key that is bound to other places says so', () => {
    expect(reportOf(refused('invalid_api_key', 'Client not allowed'))).toMatchObject({
      message: 'The key is valid, but not from the address of this machine: Client not allowed.',
      hint: expect.stringContaining('skinsmith keys edit <id> --allow-ip <address>'),
      exit: 'notAllowed',
    });
  });

  test.each([
    [
      'This API key does not have the scope generate.',
      /with that scope\. .* scope account .*: skinsmith keys create --scope generate$/,
    ],
    ['This API key does not have the scope read or account.', /keys create --scope read$/],
    [
      'Only an operator of this service may do that, with a key that has the scope operator.',
      /^Use an operator's key with that scope\.$/,
    ],
    ['The plan free does not include capes.', /plan allows: skinsmith whoami$/],
  ])('for a refused action says how to get permission: %s', (message, hint) => {
    expect(reportOf(refused('insufficient_grants', message))?.hint).toMatch(hint);
  });

  test.each([
    [TYPED, /^Is the service running\? Check the address given with --base-url\.$/],
    [IN_ENV, /Check the address in SKINSMITH_BASE_URL\.$/],
    [{ env: {} }, /Check the address: skinsmith config get base-url$/],
  ])('for a service that cannot be reached says where its address is from: %#', (naming, hint) => {
    const lost = new NetworkError('cut', { cause: undefined, mayHaveArrived: false });
    expect(reportOf(lost, naming)?.hint).toMatch(hint);
  });

  test('for a service elsewhere is for the place where its address is from', () => {
    const hints = [TYPED, IN_ENV, {}].map((naming) => otherAddressHint('https://new.example', naming));
    expect(hints).toEqual([
      '--base-url https://new.example',
      'SKINSMITH_BASE_URL=https://new.example',
      'skinsmith config set base-url https://new.example',
    ]);
  });
});
