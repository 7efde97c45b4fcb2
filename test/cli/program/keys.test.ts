import { describe, expect, test } from 'vitest';
import { keysCreate, keysEdit, keysList, keysRevoke } from '../../../src/cli/commands/keys.ts';
import type { CommandContext } from '../../../src/cli/context/context.ts';
import type { ApiKeyMade } from '../../../src/protocol/api-key.ts';
import { runCommand } from '../../support/cli/run-command.ts';
import { guardAgainstLeaks, runServer } from '../../support/server/running-server.ts';

guardAgainstLeaks();

const asJson = { flags: { json: true } };

async function makeKey(at: { url: string; key: string | undefined }, name = 'ci'): Promise<ApiKeyMade> {
  const ran = await runCommand((context) => keysCreate.run(name, {}, context), { ...at, ...asJson });
  return JSON.parse(ran.out) as ApiKeyMade;
}

describe('keys', () => {
  test('are created with restrictions, and listed with them', async () => {
    const { url, key } = await runServer();
    const options = {
      allowIp: ['203.0.113.0/24'],
      allowOrigin: ['https://a.example/'],
      v2Compat: true,
    };
    const made = await runCommand((context) => keysCreate.run('ci', options, context), { url, key });
    expect([made.status, made.err]).toEqual([0, '']);
    expect(made.out).toMatch(/^sksm_[0-9a-f]{64}\t[0-9a-f]{24}\tci\towner\n$/);
    const secret = made.out.split('\t')[0] ?? '';
    const listed = await runCommand((context) => keysList.run({}, context), { url, key });
    expect(listed.out.split('\n')[1]?.split('\t').slice(1)).toEqual([
      secret.slice(-4),
      'owner',
      expect.stringMatching(/Z$/),
      '',
      'ci',
      '203.0.113.0/24',
      'https://a.example',
      '',
      'v2-compat',
      'read,generate,skins',
      '0',
    ]);
  });

  test('are shown with their restrictions and only the end of the secret', async () => {
    const { url, key } = await runServer();
    const { id, secret } = await makeKey({ url, key }, 'my key');
    const change = { allowAgent: ['MyApp', 'Bot'] };
    const { out } = await runCommand((context) => keysEdit.run(id, change, context), {
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

  test('are changed only in the given fields, and their restrictions can be removed', async () => {
    const { url, key } = await runServer();
    const { id } = await makeKey({ url, key });
    const change = async (typed: Parameters<typeof keysEdit.run>[1]) =>
      JSON.parse(
        (await runCommand((context) => keysEdit.run(id, typed, context), { url, key, ...asJson })).out,
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

  test('cannot be given two names or an empty change', async () => {
    const twice = await runCommand((context) => keysCreate.run('a', { name: 'b' }, context), {});
    expect(twice.told).toMatchObject({ code: 'two_names', exit: 'usage' });
    const nothing = await runCommand((context) => keysEdit.run('k', {}, context), {});
    expect(nothing.told).toMatchObject({ code: 'nothing_to_change', exit: 'usage' });
  });

  test('that do not exist are reported as missing', async () => {
    const { url, key } = await runServer();
    for (const run of [
      (context: CommandContext) => keysRevoke.run(['abc'], context),
      (context: CommandContext) => keysEdit.run('abc', { name: 'x' }, context),
    ]) {
      const { told } = await runCommand(run, { url, key });
      expect(told).toMatchObject({ code: 'not_found', message: 'No key abc.', exit: 'failed' });
    }
  });

  test('can be managed only with a key of the service', async () => {
    const { url } = await runServer();
    const { told } = await runCommand((context) => keysList.run({}, context), { url });
    expect(told).toMatchObject({
      code: 'unauthorized',
      exit: 'notAllowed',
      hint: expect.stringContaining('login'),
    });
  });
});
