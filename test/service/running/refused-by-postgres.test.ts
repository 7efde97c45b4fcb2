import { expect, test } from 'vitest';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { guardAgainstLeaks, runServer } from '../../support/server/running-server.ts';

guardAgainstLeaks();

/** Addresses with a text that is looked for in the store as it comes, and how they are answered. */
const CHARACTER_ZERO = [
  ['GET', '/v2/queue/a%00b', 404],
  ['GET', '/v2/queue?after=a%00b', 400],
  ['POST', '/v2/queue/a%00b/retry', 404],
  ['DELETE', '/v2/account/keys/a%00b', 404],
  ['GET', '/v2/account/users?after=a%00b', 200],
  ['GET', '/v2/account/users?filter=a%00b', 200],
] as const;

/** Addresses with numbers that no store has given. Columns of numbers have 32 bits in part. */
const LARGE_NUMBERS = [
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

test.each([
  { what: 'the character 0', addresses: CHARACTER_ZERO },
  { what: 'numbers of more than 32 bits', addresses: LARGE_NUMBERS },
])('A search by $what, which PostgreSQL refuses, finds nothing', async ({ addresses }) => {
  const { owner } = await runServer();
  const answers = [];
  for (const [method, address] of addresses) {
    const { status } = await owner.send(method, address);
    answers.push([method, address, status]);
  }
  expect(answers).toEqual(addresses);
});

test('A list requested from an impossible place starts at its first skin', async () => {
  const { owner } = await runServer();
  const { body } = await owner.upload('/v2/generate', skinPng(1));
  const list = await owner.get('/v2/skins?sort=popular&after=560294517332.1');
  expect(list.body.skins?.map(({ uuid }) => uuid)).toEqual([body.skin?.uuid]);
});
