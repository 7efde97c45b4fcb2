import { expect, test } from 'vitest';
import { guardAgainstLeaks, runServer } from '../../support/server/running-server.ts';

guardAgainstLeaks();

/** Addresses with a text that is looked for in the store as it comes, and how they are answered. */
const ADDRESSES = [
  ['GET', '/v2/queue/a%00b', 404],
  ['GET', '/v2/queue?after=a%00b', 400],
  ['POST', '/v2/queue/a%00b/retry', 404],
  ['DELETE', '/v2/account/keys/a%00b', 404],
  ['GET', '/v2/account/users?after=a%00b', 200],
  ['GET', '/v2/account/users?filter=a%00b', 200],
] as const;

test('Nothing is found by the character 0, which PostgreSQL does not take', async () => {
  const { owner } = await runServer();
  const answers = [];
  for (const [method, address] of ADDRESSES) {
    const { status } = await owner.send(method, address);
    answers.push([method, address, status]);
  }
  expect(answers).toEqual(ADDRESSES);
});
