import { expect, test } from 'vitest';
import { curlLine, terminalOf } from '../../../../src/server/pages/frame.ts';

const ORIGIN = 'https://skins.example.org';

test('A line for skinsmith goes to this service', () => {
  const { skinsmith } = terminalOf('skinsmith jobs', ORIGIN, '/v2/queue');
  expect(skinsmith).toBe(`skinsmith jobs --base-url ${ORIGIN}`);
});

test.each([
  ['for everybody', ['/v2/skins'], false, `curl ${ORIGIN}/v2/skins`],
  [
    'for somebody who is signed in',
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
] as const)('A line for curl %s', (_, [path, options], isSignedIn, line) => {
  expect(curlLine(terminalOf('skinsmith', ORIGIN, path, options), isSignedIn)).toBe(line);
});
