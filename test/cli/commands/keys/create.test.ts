import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type KeysCreateOptions, keysCreate } from '../../../../src/cli/commands/keys.ts';
import { type ApiKeyMade, SCOPES } from '../../../../src/protocol/api-key.ts';
import { bindings, bound } from '../../../support/cli/key-bindings.ts';
import { describeParsing } from '../../../support/cli/parsing.ts';
import { runCommand } from '../../../support/cli/run-command.ts';
import { ownFolder } from '../../../support/server/own-folder.ts';
import { guardAgainstLeaks, openOwnStore, runServer } from '../../../support/server/running-server.ts';
import { TestCaller } from '../../../support/server/test-caller.ts';

describeParsing('keys create', keysCreate, {
  taken: [
    [[], undefined, {}],
    [['my key'], 'my key', {}],
    [['--name', 'my key'], undefined, { name: 'my key' }],
    [['ci', '--user', 'zoe'], 'ci', { user: 'zoe' }],
    [bindings, undefined, bound],
    [['--no-v2-compat'], undefined, { v2Compat: false }],
    [['--import'], undefined, { import: true }],
  ],
  refused: [
    [['a', 'b'], /too many arguments/],
    [['--user'], /argument missing/],
    [['--allow-ip'], /argument missing/],
    [['--any-ip'], /unknown option/],
    [['--import', '--owner'], /cannot be used with/],
  ],
});

guardAgainstLeaks();

const asJson = { flags: { json: true } };

describe('keys create --owner', () => {
  const create = async (options: KeysCreateOptions, name?: string) =>
    await runCommand((context) => keysCreate.run(name, { owner: true, ...options }, context), asJson);
  const me = async (url: string, secret: string) =>
    (await new TestCaller(url, { key: secret }).get('/v2/account/me')).body;

  test('creates a key directly in the store, with every scope, even if all others were revoked', async () => {
    const server = await runServer({ workers: 0 });
    const { dataDir: data, url } = server;
    const store = await openOwnStore(data);
    await store.db.updateTable('api_keys').set({ revoked_at: 1 }).execute();
    await store.db.updateTable('users').set({ disabled_at: 1 }).execute();
    const ran = await create({ data }, 'rescue');
    expect([ran.status, ran.told]).toEqual([0, undefined]);
    const made = JSON.parse(ran.out) as ApiKeyMade;
    expect(made).toMatchObject({ user: 'owner', name: 'rescue', allowedIps: [], scopes: [...SCOPES] });
    expect(await me(url, made.secret)).toMatchObject({ name: 'owner', role: 'operator' });
  });

  test('needs no service, and ignores the maximum number of keys', async () => {
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

  test('creates no missing store, and refuses invalid values', async () => {
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
    const noOwner = await runCommand(
      (context) => keysCreate.run(undefined, { data: folder }, context),
      asJson,
    );
    expect(noOwner.told).toMatchObject({ code: 'data_without_owner', exit: 'usage' });
  });
});

describe('keys create --import', () => {
  const HOSTED_KEY = '0123456789abcdef'.repeat(4);
  const create = async (options: Parameters<typeof runCommand>[1]) =>
    await runCommand((context) => keysCreate.run('plugin', { user: 'bob', import: true }, context), options);

  test('makes the service accept the key from stdin', async () => {
    const { url, key } = await runServer();
    const ran = await create({ url, key, stdin: `${HOSTED_KEY}\n`, ...asJson });
    expect(JSON.parse(ran.out)).toMatchObject({ last4: 'cdef', name: 'plugin', user: 'bob' });
    const { body } = await new TestCaller(url, { key: HOSTED_KEY }).get('/v2/account/me');
    expect(body).toMatchObject({ name: 'bob' });
  });

  test.each([{}, { json: true }])('does not show the key to people who read the log (%j)', async (flags) => {
    const { url, key } = await runServer();
    const ran = await create({ url, key, stdin: HOSTED_KEY, flags: { ...flags, quiet: false } });
    expect(ran.out).toContain('cdef');
    expect(ran.out + ran.err).not.toContain(HOSTED_KEY);
  });

  test('asks for the key at a terminal, which does not show it', async () => {
    const { url, key } = await runServer();
    const ran = await create({ url, key, isTTY: true, answers: () => `${HOSTED_KEY}\n`, flags: {} });
    expect([ran.status, ran.out, ran.err]).toEqual([
      0,
      '',
      expect.stringContaining('The key (…cdef) is accepted'),
    ]);
    expect(ran.err).not.toContain(HOSTED_KEY);
  });

  test('creates no key for an empty answer', async () => {
    const { url, key } = await runServer();
    const ran = await create({ url, key, isTTY: true, answers: () => '\n' });
    expect(ran.told).toMatchObject({
      code: 'validation_error',
      message: expect.stringContaining('64 to 128'),
    });
  });
});
