import { expect, test } from 'vitest';
import { networkReason, ProxyError } from '../../src/base/error-reasons.ts';

const WITHOUT_TLS = 'there is no TLS connection (ERR_SSL_WRONG_VERSION_NUMBER)';

const rows: [why: string, error: unknown, reason: string][] = [
  ['a known code', Object.assign(new Error('x'), { code: 'ENOTFOUND' }), 'host not found'],
  ['an unknown code', Object.assign(new Error('x'), { code: 'EODD' }), 'EODD'],
  ...(['CERT_HAS_EXPIRED', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'] as const).map(
    (code): [string, unknown, string] => [code, { code }, `the certificate is not accepted (${code})`],
  ),
  ['an answer without TLS', { code: 'ERR_SSL_WRONG_VERSION_NUMBER' }, WITHOUT_TLS],
  ['another protocol', { name: 'HTTPParserError', code: 'HPE_INVALID_CONSTANT' }, 'the answer is not HTTP'],
  ['an odd one, without a code', { name: 'HTTPParserError' }, 'the answer is not HTTP'],
  ['a short answer', { code: 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH' }, 'the answer broke off'],
  ['a time limit', new DOMException('x', 'TimeoutError'), 'the request timed out'],
  ['no code', new TypeError('not supported'), 'TypeError: not supported'],
  ['neither code nor message', new TypeError(), 'TypeError'],
  [
    'a proxy',
    new ProxyError('the proxy http://p:3128 (HTTPS_PROXY)', { code: 'ECONNREFUSED' }),
    'connection refused (through the proxy http://p:3128 (HTTPS_PROXY))',
  ],
  ['nothing', undefined, 'undefined'],
];

test.each(rows)('an error with %s has a reason', (_why, error, reason) => {
  expect(networkReason(error)).toBe(reason);
});
