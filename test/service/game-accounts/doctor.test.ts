import { expect, test } from 'vitest';
import type { Diagnosis } from '../../../src/protocol/service.ts';
import { changeAccount } from '../../../src/server/store/accounts.ts';
import type { AccountRow } from '../../../src/server/store/schema/tables.ts';
import { type AccountServer, runAccountServer } from '../../support/server/account-server.ts';
import { guardAgainstLeaks, openOwnStore } from '../../support/server/running-server.ts';

guardAgainstLeaks();

/** What the generator says of itself: code, result and message of each finding. */
async function findings({ server }: AccountServer): Promise<string[][]> {
  const { body } = await server.owner.get('/v2/account/doctor');
  const { generator } = body as unknown as Diagnosis;
  expect(generator.kind).toBe('accounts');
  return generator.findings.map(({ code, result, message }) => [code, result, message]);
}

/** A service with as many accounts as there are changes, changed so. */
async function withAccounts(changes: readonly Partial<AccountRow>[]): Promise<AccountServer> {
  const world = await runAccountServer();
  const { db } = await openOwnStore(world.server.dataDir);
  for (const change of changes) {
    await changeAccount(db, await world.link(world.fake.addAccount()), change);
  }
  return world;
}

test('A service without accounts reports a problem, and still checks Mojang’s services', async () => {
  const world = await runAccountServer({ loginClientId: undefined });
  expect(await findings(world)).toEqual([
    ['no_accounts', 'problem', 'No game accounts linked.'],
    ['no_client_id', 'warning', 'The service has no client ID for linking accounts.'],
    ['game', 'ok', "Mojang's services respond."],
  ]);
});

const FAR = Date.now() + 3_600_000;

test.each<[string, Partial<AccountRow>[], code: string, result: string, message: string]>([
  ['ready', [{ state: 'active' }], 'accounts', 'ok', '1 game account linked: 1 ready.'],
  [
    'ready, resting, paused or in use',
    [{ state: 'active' }, { cool_until: FAR }, { state: 'paused' }, { lease_owner: 'x', lease_until: FAR }],
    'accounts',
    'ok',
    '4 game accounts linked: 1 ready, 1 resting, 1 paused, 1 in use.',
  ],
  ...(
    [
      [{ state: 'needs_login' }, 'waiting to be linked again'],
      [{ state: 'suspended' }, 'suspended'],
      [{ error_streak: 10 }, 'tired'],
    ] as const
  ).map(([change, word]): [string, Partial<AccountRow>[], string, string, string] => [
    `ready or ${word}`,
    [{ state: 'active' }, change],
    'accounts_need_care',
    'warning',
    `2 game accounts linked: 1 ready, 1 ${word}.`,
  ]),
  [
    'at rest, all that could work',
    [{ cool_until: FAR }, { cool_until: FAR + 600_000 }, { state: 'paused' }],
    'accounts_rest',
    'warning',
    `3 game accounts linked: 2 resting, 1 paused. None of them makes skins before ${new Date(FAR).toISOString().slice(11, 16)} UTC.`,
  ],
  [
    'not to be used, any of them',
    [{ state: 'needs_login' }, { state: 'paused' }],
    'no_usable_account',
    'problem',
    '2 game accounts linked: 1 waiting to be linked again, 1 paused.',
  ],
])('The report counts accounts that are %s', async (_, changes, code, result, message) => {
  const [standing, clientId] = await findings(await withAccounts(changes));
  expect([standing?.slice(0, 2), standing?.[2]?.split(/: |, |\./).toSorted()]).toEqual([
    [code, result],
    message.split(/: |, |\./).toSorted(),
  ]);
  expect(clientId?.[0]).toBe('client_id');
});

test.each([
  ['is broken', { kind: 'broken' }, 'game_unreachable', 'problem'],
  ['wants fewer requests', { kind: 'limited' }, 'game_limits', 'warning'],
] as const)('A game service that %s is reported', async (_, fault, code, result) => {
  const world = await runAccountServer();
  world.fake.order({ fault, on: ['profile'] });
  const [, , game] = await findings(world);
  expect(game).toEqual([code, result, expect.stringMatching(/\/session\/minecraft\/profile\/f+|Too many/)]);
});

test('A service is not ready while it has no account that may be used', async () => {
  const world = await withAccounts([{ state: 'paused' }]);
  const reasons = async () =>
    (await world.server.owner.get('/ready')).body as unknown as { reasons: string[] };
  expect(await reasons()).toMatchObject({ status: 'not_ready', reasons: ['generator_not_ready'] });
  await world.link(world.fake.addAccount());
  expect(await reasons()).toMatchObject({ status: 'ready', reasons: [] });
});
