import { expect, test } from 'vitest';
import { guardAgainstLeaks, runServer } from '../../support/server/running-server.ts';

guardAgainstLeaks();

/** Addresses with numbers that no store has given, and how they are answered. */
const ADDRESSES = [
  ['GET', '/v2/skins?sort=popular&after=560294517332.1', 200],
  ['GET', '/v2/skins?sort=popular&after=560294517332.1&filter=smith', 200],
  ['GET', '/v2/me/skins?sort=popular&after=999999999999999.999999999999999', 200],
  ['GET', '/v2/skins?after=999999999999999', 200],
  ['GET', '/v2/queue?after=999999999999999', 200],
  ['GET', '/v2/account/reports?after=9007199254740991', 200],
  ['GET', '/v2/account/log?after=9007199254740991', 200],
  ['POST', '/v2/account/reports/9007199254740991/close', 404],
  ['GET', '/get/id/9007199254740991', 404],
  ['GET', '/get/list/999999999', 200],
] as const;

test('Numbers of more than 32 bits are answered as others are, although PostgreSQL has columns of 32', async () => {
  const { owner } = await runServer();
  const answers = [];
  for (const [method, address] of ADDRESSES) {
    const { status } = await owner.send(method, address);
    answers.push([method, address, status]);
  }
  expect(answers).toEqual(ADDRESSES);
});
