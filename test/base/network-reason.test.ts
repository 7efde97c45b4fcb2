import { expect, test } from 'vitest';
import { networkReason } from '../../src/base/network-reason.ts';

const rows: [why: string, error: unknown, reason: string][] = [
  ['a known code', Object.assign(new Error('x'), { code: 'ENOTFOUND' }), 'host not found'],
  ['an unknown code', Object.assign(new Error('x'), { code: 'CERT_HAS_EXPIRED' }), 'CERT_HAS_EXPIRED'],
  ['a time limit', new DOMException('x', 'TimeoutError'), 'the request timed out'],
  ['no code', new TypeError('x'), 'TypeError'],
  ['nothing', undefined, 'undefined'],
];

test.each(rows)('an error with %s has a reason', (_why, error, reason) => {
  expect(networkReason(error)).toBe(reason);
});
