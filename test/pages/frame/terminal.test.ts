import { expect, test } from 'vitest';
import { linesFor } from '../../../src/pages/frame.ts';

const ORIGIN = 'https://skins.example.org';

test('The skinsmith command that a page shows names the address of this service', () => {
  const terminal = { command: 'skinsmith jobs', path: '/v2/queue' };
  const { skinsmith } = linesFor(terminal, { origin: ORIGIN, isSignedIn: false });
  expect(skinsmith).toBe(`skinsmith jobs --base-url ${ORIGIN}`);
});

test.each([
  ['for everyone', ['/v2/skins'], false, `curl ${ORIGIN}/v2/skins`],
  [
    'for someone who is signed in',
    ['/v2/queue/1'],
    true,
    `curl -H "Authorization: Bearer $SKINSMITH_API_KEY" ${ORIGIN}/v2/queue/1`,
  ],
  [
    'with options',
    ['/v2/skins/1', '-X DELETE'],
    true,
    `curl -X DELETE -H "Authorization: Bearer $SKINSMITH_API_KEY" ${ORIGIN}/v2/skins/1`,
  ],
  [
    'with a query, which a shell must not read',
    ['/v2/queue?size=50'],
    false,
    `curl '${ORIGIN}/v2/queue?size=50'`,
  ],
] as const)('A command line for curl %s', (_, [path, options], isSignedIn, line) => {
  const terminal = { command: 'skinsmith jobs', path, ...(options !== undefined && { options }) };
  expect(linesFor(terminal, { origin: ORIGIN, isSignedIn }).curl).toBe(line);
});
