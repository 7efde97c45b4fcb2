import { expect, test } from 'vitest';
import { parseAddress, parseUnmapped } from '../../../../src/server/outbound/target.ts';

test.each([
  ['192.0.2.1', '192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '::ffff:c000:201', '192.0.2.1'],
  ['::8.8.8.8', '::808:808', '::808:808'],
  ['2001:db8::1%eth0', '2001:db8::1', '2001:db8::1'],
])('%s is parsed as %s, and without its IPv4 mapping as %s', (text, address, unmapped) => {
  expect([parseAddress(text), parseUnmapped(text)].map(String)).toEqual([address, unmapped]);
});
