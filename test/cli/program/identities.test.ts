import { expect, test } from 'vitest';
import { identitiesDelete, identitiesList } from '../../../src/cli/commands/identities.ts';
import type { CommandContext } from '../../../src/cli/context/context.ts';
import { runCommand } from '../../support/cli/run-command.ts';
import { ISSUER, linkIdentity } from '../../support/server/linked-identity.ts';
import { guardAgainstLeaks, runServer, type ServerUnderTest } from '../../support/server/running-server.ts';

guardAgainstLeaks();

type DeleteOptions = Parameters<typeof identitiesDelete.run>[1] & { readonly ids: readonly string[] };

const runDelete = ({ ids, ...options }: DeleteOptions, { url, key }: Pick<ServerUnderTest, 'url' | 'key'>) =>
  runCommand((context) => identitiesDelete.run(ids, options, context), { url, key });

/** Ids of a user's identities, the one that was linked last first. */
async function idsOf({ url, key }: ServerUnderTest, user?: string): Promise<string[]> {
  const list = (context: CommandContext) => identitiesList.run({ ...(user && { user }) }, context);
  const { out } = await runCommand(list, { url, key, flags: { json: true } });
  return (JSON.parse(out) as { id: string }[]).map(({ id }) => id);
}

test('A user’s identities are listed for people and for programs, and one of them is deleted', async () => {
  const server = await runServer();
  const { url, key } = server;
  for (const subject of ['owner@work', 'owner@home']) await linkIdentity(server, 'owner', subject);
  const [home = '', work = ''] = await idsOf(server);
  const list = (isTTY: boolean) =>
    runCommand((context) => identitiesList.run({}, context), { url, key, isTTY });
  expect((await list(false)).out).toBe(
    [
      `${home}\towner@home\t${ISSUER}\t1970-01-01T00:00:00.000Z\t\n`,
      `${work}\towner@work\t${ISSUER}\t1970-01-01T00:00:00.000Z\t\n`,
    ].join(''),
  );
  const [header, first] = (await list(true)).out.split('\n').map((line) => line.split(/ {2,}/));
  expect(header?.slice(0, 4)).toEqual(['ID', 'SUBJECT', 'PROVIDER', 'SINCE']);
  expect(first?.slice(0, 3)).toEqual([home, 'owner@home', ISSUER]);
  expect(await runDelete({ ids: [home] }, server)).toMatchObject({ status: 0, out: '', told: undefined });
  expect(await idsOf(server)).toEqual([work]);
});

test('An operator can delete the only identity of a user only with --last', async () => {
  const server = await runServer();
  await server.owner.json('/v2/account/users', { name: 'bert' });
  await linkIdentity(server, 'bert', 'bert@work');
  const [id = ''] = await idsOf(server, 'bert');
  const { url, key } = server;
  const people = (context: CommandContext) => identitiesList.run({ user: 'bert' }, context);
  expect((await runCommand(people, { url, key, isTTY: true })).out).toContain('the only way to sign in');
  const refused = await runDelete({ ids: [id], user: 'bert' }, server);
  expect(refused.told).toMatchObject({
    code: 'only_way_in',
    message: `Identity ${id} is the only way for bert to sign in.`,
    hint: expect.stringContaining('skinsmith keys create --user bert'),
    exit: 'failed',
  });
  expect(await idsOf(server, 'bert')).toEqual([id]);
  const deleted = await runCommand(
    (context) => identitiesDelete.run([id], { user: 'bert', last: true }, context),
    { url, key, flags: { json: true } },
  );
  expect(JSON.parse(deleted.out)).toEqual([{ id, deleted: true }]);
  expect(await idsOf(server, 'bert')).toEqual([]);
});

test('If one identity of several is unknown, none is deleted', async () => {
  const server = await runServer();
  await linkIdentity(server, 'owner', 'owner@work');
  const ids = await idsOf(server);
  const { told } = await runDelete({ ids: [...ids, '0'.repeat(24)] }, server);
  expect(told).toMatchObject({
    code: 'identity_not_found',
    message: `No identity ${'0'.repeat(24)}.`,
    hint: 'List the identities: skinsmith identities list',
    exit: 'failed',
  });
  expect(await idsOf(server)).toEqual(ids);
});

test('Only operators can list and delete the identities of other users', async () => {
  const server = await runServer();
  const { body } = await server.owner.json('/v2/account/keys', { user: 'bob' });
  const { url } = server;
  const bob = { url, key: body.key?.secret };
  const list = (context: CommandContext) => identitiesList.run({ user: 'owner' }, context);
  expect((await runCommand(list, bob)).told).toMatchObject({
    code: 'insufficient_grants',
    exit: 'notAllowed',
  });
  const { told } = await runDelete({ ids: ['0'.repeat(24)], user: 'owner' }, bob);
  expect(told).toMatchObject({ code: 'insufficient_grants', exit: 'notAllowed' });
});
