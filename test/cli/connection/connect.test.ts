import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runGenerate } from '../../../src/cli/commands/generate.ts';
import { runLogin, runWhoami } from '../../../src/cli/commands/login.ts';
import { runServe } from '../../../src/cli/commands/serve.ts';
import { allowsInsecureHttp } from '../../../src/cli/connection/connect.ts';
import { verifierClients } from '../../../src/cli/connection/verifiers.ts';
import type { CommandContext } from '../../../src/cli/context/context.ts';
import { runCommand } from '../../support/cli/run-command.ts';
import { ownFolder } from '../../support/server/own-folder.ts';
import { trapServer, webServer } from '../../support/server/web-server.ts';

/** An address of a network for documentation: nothing is there, and nothing must be sent there. */
const url = 'http://203.0.113.7';
const key = 'k'.repeat(64);
const refused = {
  status: undefined,
  told: { code: 'insecure_http', exit: 'usage', hint: expect.stringContaining('--insecure-http') },
};

describe('An API key for a public http address is not sent', () => {
  test('when it comes from the environment', async () => {
    expect(await runCommand(runWhoami, { url, key })).toMatchObject(refused);
    const sources = ['examples/smith.png'];
    expect(
      await runCommand(async (context) => await runGenerate(sources, {}, context), { url, key }),
    ).toMatchObject(refused);
  });

  test('when it was stored, and the address is in the config file', async () => {
    const folder = await ownFolder();
    await mkdir(join(folder, 'config'));
    const config = { 'base-url': url, 'api-keys': { [url]: key } };
    await writeFile(join(folder, 'config/config.json'), JSON.stringify(config));
    const env = { SKINSMITH_CONFIG_DIR: join(folder, 'config') };
    expect(await runCommand(runWhoami, { env })).toMatchObject(refused);
  });

  test('when login is to store it', async () => {
    const file = join(await ownFolder(), 'key');
    await writeFile(file, key);
    const login = async (context: Parameters<typeof runLogin>[2]) =>
      await runLogin(undefined, { keyFile: file }, context);
    expect(await runCommand(login, { url })).toMatchObject(refused);
  });

  test('when it is for the service behind a gateway', async () => {
    const env = { SKINSMITH_GENERATOR: 'upstream', SKINSMITH_UPSTREAM: url, SKINSMITH_UPSTREAM_KEY: key };
    const serve = async (context: Parameters<typeof runServe>[1]) => await runServe({ port: 0 }, context);
    expect(await runCommand(serve, { env })).toMatchObject(refused);
  });
});

test('A command does not mistake data in a folder for the data of the service on PostgreSQL', async () => {
  const env = { SKINSMITH_STORE: 'postgres://ann:secret@db.example.org/skins' };
  expect(await runCommand(runWhoami, { env })).toMatchObject({
    status: undefined,
    told: { code: 'store_elsewhere', exit: 'usage', hint: expect.stringContaining('--base-url') },
  });
});

test.each([`${key} ${key}`, `${key}\n#`, 'schlüssel→'])(
  'A text like %j is no key and is sent nowhere',
  async (text) => {
    expect(await runCommand(runWhoami, { url: 'http://127.0.0.1:9', key: text })).toMatchObject({
      told: { code: 'not_a_key', exit: 'usage', message: expect.stringContaining('SKINSMITH_API_KEY') },
    });
  },
);

test.each([
  [{ insecureHttp: true }, {}, true],
  [{}, { SKINSMITH_INSECURE_HTTP: '1' }, true],
  [{}, { SKINSMITH_INSECURE_HTTP: '0' }, false],
  [{}, {}, false],
])(
  'A flag or the environment decides whether keys may be sent over plain http: %j %j',
  (flags, env, isAllowed) => {
    expect(allowsInsecureHttp({ flags, env })).toBe(isAllowed);
  },
);

describe('Commands connect to no private address', () => {
  const textureAt = async (context: CommandContext, address: string) => {
    const { client } = await context.connect(await context.settings());
    await client.texture(address);
    return 0;
  };
  const hint = expect.stringMatching(/--base-url.*--allow-network 127\.0\.0\.1/);
  const told = { code: 'private_address', exit: 'failed', hint };

  test('that a service names for a texture', async () => {
    const trap = await trapServer();
    const command = async (context: CommandContext) =>
      await textureAt(context, `http://127.0.0.1:${trap.port}/x`);
    expect(await runCommand(command, { url: 'http://127.0.0.1:1' })).toMatchObject({ told });
    expect(trap.connections).toBe(0);
  });

  test('unless the user allows its network', async () => {
    const asked: (string | undefined)[] = [];
    const { url: place } = await webServer(({ url: path }, response) => {
      asked.push(path);
      response.writeHead(404).end();
    });
    const command = async (context: CommandContext) => await textureAt(context, `${place}/x`);
    const allowed = {
      url: 'http://127.0.0.1:1',
      env: { SKINSMITH_ALLOW_NETWORK: '10.0.0.0/8, 127.0.0.0/8' },
    };
    expect((await runCommand(command, allowed)).told?.code).not.toBe('private_address');
    expect(asked).toEqual(['/x']);
  });

  test('that a lockfile names for a texture, or as its service', async () => {
    const trap = await trapServer();
    const place = `http://127.0.0.1:${trap.port}/x`;
    const command = async (context: CommandContext) => {
      const verifiers = await verifierClients({ context, isOffline: false });
      try {
        expect(await verifiers.keyOf(place)).toBeUndefined();
        await verifiers.textures?.texture(place);
      } finally {
        await verifiers.close();
      }
      return 0;
    };
    expect(await runCommand(command, { url: 'http://127.0.0.1:1' })).toMatchObject({ told });
    expect(trap.connections).toBe(0);
  });
});
