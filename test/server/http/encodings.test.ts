import { expect, test } from 'vitest';
import { encodedFor, takesGzip } from '../../../src/server/http/encodings.ts';

const asking = (accepted: string) => ({ headers: { 'accept-encoding': accepted } });

test.each([
  ['gzip', true],
  ['deflate, gzip;q=0.5, br', true],
  ['gzip;q=0.001', true],
  ['', false],
  ['br', false],
  ['gzip;q=0', false],
  ['gzip; q=0.00, br', false],
])('Who accepts %j takes gzip: %s', (accepted, takes) => {
  expect(takesGzip(asking(accepted))).toBe(takes);
});

test('All who take the same form get the very same bytes', () => {
  const bytes = { plain: Buffer.from('plain'), gzipped: Buffer.from('gzipped') };
  expect(encodedFor({ headers: {} }, bytes).body).toBe(bytes.plain);
  expect(encodedFor(asking('gzip'), bytes, ['Origin'])).toEqual({
    body: bytes.gzipped,
    headers: { Vary: 'Origin, Accept-Encoding', 'Content-Encoding': 'gzip' },
  });
});
