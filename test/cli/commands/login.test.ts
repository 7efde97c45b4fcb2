import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { login as command, runLogin } from '../../../src/cli/commands/login.ts';
import type { CommandContext } from '../../../src/cli/context/context.ts';
import { describeParsing } from '../../support/cli/parsing.ts';
import { runCommand } from '../../support/cli/run-command.ts';
import { ownFolder } from '../../support/server/own-folder.ts';
import { runServer } from '../../support/server/running-server.ts';
import { webServer } from '../../support/server/web-server.ts';

const KEY = `key-${'k'.repeat(60)}`;

const login = async (context: CommandContext) => await runLogin(undefined, {}, context);

/** A service that knows one key. */
async function service() {
  return await webServer(({ headers, url }, response) => {
    const isKnown = headers.authorization === `Bearer ${KEY}`;
    const me = { success: true, user: 'u1', name: 'Ann', grants: {} };
    const refusal = { success: false, errors: [{ code: 'unauthorized', message: 'Who?' }] };
    const list = { success: true, jobs: [] };
    const json = url === '/v2/queue' ? list : isKnown ? me : refusal;
    response.writeHead(json === refusal ? 401 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(json));
  });
}

async function configIn(folder: string): Promise<Record<string, unknown>> {
  return JSON.parse(await readFile(join(folder, 'config.json'), 'utf8'));
}

describe('A person who signs in', () => {
  test('is asked for the key once the service has responded, and then whether to make the service the default', async () => {
    const { url, seen } = await service();
    const folder = await ownFolder();
    const env = { SKINSMITH_CONFIG_DIR: folder };
    const asked: string[] = [];
    const answers = (text: string) => {
      if (/API key for/.test(text)) {
        asked.push(`key after ${seen.length}`);
        return `${KEY}\r`;
      }
      if (!text.includes('[y/N]')) return undefined;
      asked.push('default');
      return 'y\n';
    };
    const ran = await runCommand(login, { url, env, answers, isTTY: true });
    expect([ran.status, asked]).toEqual([0, ['key after 1', 'default']]);
    expect(seen.map(({ headers }) => headers.authorization)).toEqual([undefined, `Bearer ${KEY}`]);
    expect(await configIn(folder)).toEqual({ 'base-url': url, 'api-keys': { [url]: KEY } });
    expect(ran.err).not.toContain(KEY);
  });

  test('learns how to make the service the default later', async () => {
    const { url } = await service();
    const folder = await ownFolder();
    const answers = (text: string) =>
      /API key for/.test(text) ? `${KEY}\r` : text.includes('[y/N]') ? 'n\n' : undefined;
    const ran = await runCommand(login, {
      url,
      env: { SKINSMITH_CONFIG_DIR: folder },
      answers,
      isTTY: true,
    });
    expect([ran.status, ran.err]).toEqual([
      0,
      expect.stringContaining(`skinsmith config set base-url ${url}`),
    ]);
    expect(await configIn(folder)).not.toHaveProperty('base-url');
  });

  test('is warned that a key in the environment is used instead of the stored one', async () => {
    const { url } = await service();
    const answers = (text: string) => (/API key/.test(text) ? `${KEY}\n` : 'n\n');
    const ran = await runCommand(login, { url, key: 'another', answers, isTTY: true });
    expect([ran.status, ran.err]).toEqual([0, expect.stringContaining('SKINSMITH_API_KEY is set')]);
    const without = await runCommand(login, { url, answers, isTTY: true });
    expect([without.status, without.err]).toEqual([0, expect.not.stringContaining('SKINSMITH_API_KEY')]);
  });

  test('gets no message about the key if the address is wrong', async () => {
    const { url } = await runServer();
    const from = async (context: CommandContext) => await runLogin('-', {}, context);
    const told = { code: 'not_found', hint: 'Check the address in SKINSMITH_BASE_URL.' };
    const wrong = { url: `${url}/skins` };
    expect((await runCommand(from, { ...wrong, stdin: KEY })).told).toMatchObject(told);
    expect((await runCommand(login, { ...wrong, answers: () => `${KEY}\r` })).told).toMatchObject(told);
  });

  test('is not prompted for the key of a service that does not respond', async () => {
    const answers = (text: string) => {
      throw new Error(`Nobody should be asked: ${text}`);
    };
    const ran = await runCommand(login, { url: 'http://127.0.0.1:1', answers });
    expect(ran.told).toMatchObject({ code: 'unreachable', exit: 'tryLater' });
  });

  test.each([
    ['Ctrl-C', '\u0003'],
    ['Ctrl-D', '\u0004'],
  ])('can interrupt the prompt with %s', async (_, key) => {
    const { url } = await service();
    const ran = await runCommand(login, { url, answers: (text) => (/API key/.test(text) ? key : undefined) });
    expect(ran.told).toMatchObject({ code: 'interrupted', exit: 'interrupted' });
  });
});

describeParsing('login', command, {
  taken: [
    [[], undefined, {}],
    [['-'], '-', {}],
    [['--key-file', 'key.txt'], undefined, { keyFile: 'key.txt' }],
    [['-', '--key-file', 'key.txt'], '-', { keyFile: 'key.txt' }],
  ],
  refused: [
    [['--key-file'], /argument missing/],
    [['--key', 'x'], /unknown option/],
    [['-', '-'], /too many arguments/],
  ],
});
