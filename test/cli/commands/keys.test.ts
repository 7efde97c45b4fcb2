import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runKeysCreate } from '../../../src/cli/commands/keys/create.ts';
import { runKeysEdit } from '../../../src/cli/commands/keys/edit.ts';
import { runKeysList } from '../../../src/cli/commands/keys/list.ts';
import { runKeysRevoke } from '../../../src/cli/commands/keys/revoke.ts';
import type { CommandContext } from '../../../src/cli/context/context.ts';
import { type ApiKeyMade, SCOPES } from '../../../src/protocol/api-key.ts';
import { runCommand } from '../../support/cli/run-command.ts';
import { ownFolder } from '../../support/server/own-folder.ts';
import { guardAgainstLeaks, openOwnStore, runServer } from '../../support/server/running-server.ts';
import { TestCaller } from '../../support/server/test-caller.ts';

guardAgainstLeaks();

const asJson = { flags: { json: true } };

async function makeKey(at: { url: string; key: string | undefined }, name = 'ci'): Promise<ApiKeyMade> {
  const ran = await runCommand((context) => runKeysCreate({ called: name }, context), { ...at, ...asJson });
  return JSON.parse(ran.out) as ApiKeyMade;
}

describe('keys', () => {
  test('are made with what they are bound to, and listed with it', async () => {
    const { url, key } = await runServer();
    const options = {
      called: 'ci',
      allowIp: ['203.0.113.0/24'],
      allowOrigin: ['https://a.example/'],
      v2Compat: true,
    };
    const made = await runCommand((context) => runKeysCreate(options, context), { url, key });
    expect([made.status, made.err]).toEqual([0, '']);
    expect(made.out).toMatch(/^sksm_[0-9a-f]{64}\t[0-9a-f]{24}\tci\towner\n$/);
    const secret = made.out.split('\t')[0] ?? '';
    const listed = await runCommand((context) => runKeysList({}, context), { url, key });
    expect(listed.out.split('\n')[1]?.split('\t').slice(1)).toEqual([
      `…${secret.slice(-4)}`,
      'owner',
      expect.stringMatching(/Z$/),
      '',
      'ci',
      '203.0.113.0/24',
      'https://a.example',
      '',
      'v2-compat',
      'read,generate,skins',
    ]);
  });

  test('are shown to people with what binds them, and no more of the secret than its end', async () => {
    const { url, key } = await runServer();
    const { id, secret } = await makeKey({ url, key }, 'my key');
    const change = { allowAgent: ['MyApp', 'Bot'] };
    const { out } = await runCommand((context) => runKeysEdit(id, change, context), {
      url,
      key,
      isTTY: true,
    });
    expect(out.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['ID', 'KEY', 'USER', 'CREATED', 'LAST USED', 'NAME', 'SCOPES', 'BOUND TO'],
      [
        id,
        `…${secret.slice(-4)}`,
        'owner',
        '0 s ago',
        'never',
        'my key',
        expect.stringContaining('operator'),
        'MyApp, Bot',
      ],
      [''],
    ]);
  });

  test('are changed in what is named and nothing else, and freed again', async () => {
    const { url, key } = await runServer();
    const { id } = await makeKey({ url, key });
    const change = async (typed: Parameters<typeof runKeysEdit>[1]) =>
      JSON.parse(
        (await runCommand((context) => runKeysEdit(id, typed, context), { url, key, ...asJson })).out,
      );
    expect(await change({ name: 'cd', allowIp: ['::1'], allowOrigin: ['https://a.example'] })).toMatchObject({
      name: 'cd',
      allowedIps: ['::1'],
      allowedOrigins: ['https://a.example'],
      v2Compat: false,
    });
    expect(await change({ anyIp: true, v2Compat: true })).toMatchObject({
      name: 'cd',
      allowedIps: [],
      allowedOrigins: ['https://a.example'],
      v2Compat: true,
    });
    const freed = await change({ anyOrigin: true, anyAgent: true, v2Compat: false });
    expect(freed).toMatchObject({ allowedOrigins: [], allowedAgents: [], v2Compat: false });
  });

  test('cannot be called two things, or changed in nothing', async () => {
    const twice = await runCommand((context) => runKeysCreate({ called: 'a', name: 'b' }, context), {});
    expect(twice.told).toMatchObject({ code: 'two_names', exit: 'usage' });
    const nothing = await runCommand((context) => runKeysEdit('k', {}, context), {});
    expect(nothing.told).toMatchObject({ code: 'nothing_to_change', exit: 'usage' });
  });

  test('that are not there are an error, which says so', async () => {
    const { url, key } = await runServer();
    for (const run of [
      (context: CommandContext) => runKeysRevoke(['abc'], context),
      (context: CommandContext) => runKeysEdit('abc', { name: 'x' }, context),
    ]) {
      const { told } = await runCommand(run, { url, key });
      expect(told).toMatchObject({ code: 'not_found', message: 'There is no key abc.', exit: 'failed' });
    }
  });

  test('of the service are for who has one', async () => {
    const { url } = await runServer();
    const { told } = await runCommand((context) => runKeysList({}, context), { url });
    expect(told).toMatchObject({
      code: 'unauthorized',
      exit: 'notAllowed',
      hint: expect.stringContaining('login'),
    });
  });
});

describe('keys create --owner', () => {
  const create = async (options: Parameters<typeof runKeysCreate>[0]) =>
    await runCommand((context) => runKeysCreate({ owner: true, ...options }, context), asJson);
  const me = async (url: string, secret: string) =>
    (await new TestCaller(url, { key: secret }).get('/v2/account/me')).body;

  test('makes one straight in the store, with every scope, whatever became of the others', async () => {
    const server = await runServer({ workers: 0 });
    const { dataDir: data, url } = server;
    const store = await openOwnStore(data);
    await store.db.updateTable('api_keys').set({ revoked_at: 1 }).execute();
    await store.db.updateTable('users').set({ disabled_at: 1 }).execute();
    const ran = await create({ data, called: 'rescue' });
    expect([ran.status, ran.told]).toEqual([0, undefined]);
    const made = JSON.parse(ran.out) as ApiKeyMade;
    expect(made).toMatchObject({ user: 'owner', name: 'rescue', allowedIps: [], scopes: [...SCOPES] });
    expect(await me(url, made.secret)).toMatchObject({ name: 'owner', role: 'operator' });
  });

  test('needs no service that could start, and goes beyond the number of keys that a user may have', async () => {
    const server = await runServer();
    const { dataDir: data } = server;
    await server.close();
    await writeFile(join(data, 'signing-key.pem'), 'spoilt');
    const store = await openOwnStore(data);
    const row = await store.db.selectFrom('api_keys').selectAll().executeTakeFirstOrThrow();
    const more = Array.from({ length: 100 }, (_, n) => ({ ...row, id: `id${n}`, hash: `hash${n}` }));
    await store.db.insertInto('api_keys').values(more).execute();
    const ran = await create({ data, scope: ['read'], allowIp: ['127.0.0.1'] });
    expect(JSON.parse(ran.out)).toMatchObject({ scopes: ['read'], allowedIps: ['127.0.0.1'] });
  });

  test('makes no store where there is none, and refuses what is not valid', async () => {
    const folder = await ownFolder();
    expect((await create({ data: folder })).told).toMatchObject({
      code: 'no_store',
      hint: expect.stringContaining('--data'),
    });
    expect(await readdir(folder)).toEqual([]);
    expect((await create({ data: folder, allowOrigin: ['nonsense'] })).told).toMatchObject({
      code: 'invalid_key',
      exit: 'usage',
    });
    const noOwner = await runCommand((context) => runKeysCreate({ data: folder }, context), asJson);
    expect(noOwner.told).toMatchObject({ code: 'data_without_owner', exit: 'usage' });
  });
});
