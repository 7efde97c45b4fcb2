import { describe, expect, test } from 'vitest';
import { runGame } from '../support/fake-game/run-game.ts';
import { runHosted } from '../support/hosted/run-hosted.ts';
import { connectProxy } from '../support/http/connect-proxy.ts';
import { SKINS_TEST_CA, tlsFront } from '../support/http/tls-front.ts';
import { FakeProvider } from '../support/openid/fake-provider.ts';
import { freshMachine } from '../support/program/program.ts';
import { skinPng } from '../support/server/drawn-skins.ts';
import { runServer } from '../support/server/running-server.ts';
import { webServer } from '../support/server/web-server.ts';
import { isWhole } from '../support/setup/whole-run.ts';

const SMITH = 'examples/smith.png';
const PASSWORD = 'hun/ter2@';
const WRITTEN = encodeURIComponent(PASSWORD);

function portOf({ url }: { readonly url: string }): number {
  return Number(new URL(url).port);
}

/** A service at https://skins.test, to which only a proxy leads, and a machine that is to use it. */
async function behindProxy(certificate?: 'skins-test-expired') {
  const { url, key = '' } = await runServer({ publicUrl: 'https://skins.test' });
  const port = await tlsFront({ url }, certificate);
  const proxy = await connectProxy({ hosts: { 'skins.test': port }, credentials: `anna:${PASSWORD}` });
  const env = {
    SKINSMITH_BASE_URL: 'https://skins.test',
    SKINSMITH_API_KEY: key,
    HTTPS_PROXY: proxy.url.replace('//', `//anna:${WRITTEN}@`),
    NODE_EXTRA_CA_CERTS: SKINS_TEST_CA,
  };
  return { machine: await freshMachine(), proxy, env };
}

describe('Through an https proxy that wants a password', () => {
  test('a skin is made, verified and examined, with a certificate authority of its own', async () => {
    const { machine, proxy, env } = await behindProxy();
    const made = await machine.start(['generate', SMITH, '--json'], { env });
    expect([made.exitCode, made.stderr]).toEqual([0, expect.not.stringContaining('hun')]);
    const { uuid } = JSON.parse(String(made.stdout));
    const view = `${machine.folder}/view.png`;
    const drawn = await machine.start(['render', uuid, '--out', view], { env });
    expect([drawn.exitCode, drawn.stderr]).toEqual([0, expect.anything()]);
    const doctor = await machine.start(['doctor'], { env });
    expect(String(doctor.stdout)).toMatch(
      /https:\/\/skins\.test answers in \d+ ms through the proxy http:\/\/127\.0\.0\.1:\d+ \(HTTPS_PROXY\)\./,
    );
    expect(`${doctor.stdout}${doctor.stderr}`).not.toMatch(/hun|ter2/);
    expect(new Set(proxy.seen)).toEqual(new Set(['CONNECT skins.test:443']));
  });

  test('an expired certificate is not explained by a missing authority', async () => {
    const { machine, env } = await behindProxy('skins-test-expired');
    const { exitCode, stderr } = await machine.start(['whoami'], { env });
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringMatching(/CERT_HAS_EXPIRED(?:.|\n)*hint: It has expired/),
    ]);
    expect(stderr).not.toContain('NODE_EXTRA_CA_CERTS');
  });
});

test.each([
  [
    'is not there',
    // The second tries for seconds; what both say comes from one table of reasons.
    isWhole ? ['doctor', 'whoami'] : ['doctor'],
    'http://anna:hunter2@127.0.0.1:1',
    /connection refused \(through the proxy http:\/\/127/,
  ],
  ['refuses the password', ['doctor'], undefined, /407.*\(through the proxy http:\/\/127/],
])('An error names a proxy that %s, and never its password', async (_, commands, named, message) => {
  const machine = await freshMachine();
  const { url } = await connectProxy({ hosts: {}, credentials: 'anna:right' });
  const https_proxy = named ?? url.replace('//', '//anna:hunter2@');
  const env = { SKINSMITH_BASE_URL: 'https://skins.test', https_proxy, HTTPS_PROXY: 'http://127.0.0.1:2' };
  for (const command of commands) {
    const { stdout, stderr } = await machine.run([command], { env });
    expect(`${stdout}${stderr}`).toMatch(message);
    expect(`${stdout}${stderr}`).toMatch(/\(https_proxy\)(?:.|\n)*NO_PROXY/);
    expect(`${stdout}${stderr}`).not.toContain('hunter2');
  }
});

test.each(['http://anna:hun/ter2@127.0.0.1:1', 'socks5://anna:hunter2@127.0.0.1', 'anna:12/hunter2@[', '%'])(
  'An invalid proxy address is refused, and not shown: %s',
  async (HTTP_PROXY) => {
    const env = { SKINSMITH_BASE_URL: 'http://skins.test', HTTP_PROXY };
    const { exitCode, stderr } = await (await freshMachine()).run(['whoami'], { env });
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/^error: HTTP_PROXY must be the address/)]);
    expect(stderr).not.toMatch(/anna|hun|ter2/);
  },
);

test('An invalid proxy address stops no command that needs no proxy', async () => {
  const hosted = await runHosted();
  const machine = await freshMachine();
  const env = { HTTP_PROXY: 'socks5://anna:hunter2@127.0.0.1:1', SKINSMITH_API_KEY: hosted.key };
  const signed = ['generate', SMITH, '--out', `${machine.folder}/signed/`];
  for (const line of [signed, [...signed, '--frozen'], ['whoami', '--base-url', hosted.url]])
    expect(await machine.run(line, { env })).toMatchObject({ exitCode: 0 });
  const fetched = ['render', 'http://pictures.test/skin.png', '--out', '-'];
  const { exitCode, stderr } = await machine.run(fetched, { env });
  expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/the proxy in HTTP_PROXY/)]);
  expect(stderr).not.toContain('hunter2');
});

test('Plain http goes through HTTP_PROXY, except to hosts in NO_PROXY and to this machine', async () => {
  const { url: address, key = '' } = await runServer();
  const proxy = await connectProxy({ hosts: { 'skins.test': portOf({ url: address }) } });
  const machine = await freshMachine();
  const run = async (url: string, env: Record<string, string> = {}) =>
    await machine.run(['whoami', '--insecure-http'], {
      env: { SKINSMITH_BASE_URL: url, SKINSMITH_API_KEY: key, http_proxy: proxy.url, ...env },
    });
  expect(await run('http://skins.test')).toMatchObject({ exitCode: 0 });
  expect(proxy.seen).toContain('GET http://skins.test/v2/me');
  const { length } = proxy.seen;
  expect(await run(address)).toMatchObject({ exitCode: 0 });
  expect(await run(address.replace('127.0.0.1', 'localhost'))).toMatchObject({ exitCode: 0 });
  // It tries for seconds. Otherwise base/proxies knows what NO_PROXY names.
  if (isWhole) expect(await run('http://a..b', { no_proxy: '.b' })).toMatchObject({ exitCode: 75 });
  expect(proxy.seen).toHaveLength(length);
});

test('Player look-ups and picture downloads of a command go through the proxy', async () => {
  const game = await runGame({ accounts: 1 });
  const pictures = await webServer((_, response) => void response.end(skinPng(1)));
  const hosts = { 'game.test': portOf(game), 'pictures.test': pictures.port };
  const proxy = await connectProxy({ hosts });
  const addresses = JSON.stringify(game.addresses).replaceAll(game.url, 'http://game.test');
  const env = { SKINSMITH_GAME_ADDRESSES: addresses, HTTP_PROXY: proxy.url };
  const machine = await freshMachine();
  const name = game.accounts[0]?.name ?? '';
  await machine.run(['render', name, '--out', '-'], { env }); // its texture is nowhere
  const fetched = ['render', 'http://pictures.test/skin.png', '--out', '-'];
  expect(await machine.run(fetched, { env })).toMatchObject({ exitCode: 0 });
  expect(proxy.seen).toContain('GET http://pictures.test/skin.png');
  expect(proxy.seen).toContainEqual(expect.stringMatching(/^GET http:\/\/game\.test\/sessionserver\//));
  const embedded = await machine.run(['generate', 'http://pictures.test/skin.png'], { env });
  expect(embedded).toMatchObject({ exitCode: 0 });
});

describe('A server', () => {
  test('asks the provider that people sign in with, and the other service, through the proxy, and fetches no pictures that callers name through it', async () => {
    const [provider, hosted] = [await FakeProvider.start(), await runHosted()];
    const hosts = { 'id.test': portOf(provider), 'skins.test': portOf(hosted) };
    const proxy = await connectProxy({ hosts });
    provider.url = 'http://id.test';
    const machine = await freshMachine();
    Object.assign(machine.env, { HTTP_PROXY: proxy.url, SKINSMITH_UPSTREAM_KEY: hosted.key });
    const { url, caller } = await machine.serve([
      ...['--oidc-issuer', provider.url, '--oidc-client-id', 'skinsmith', '--insecure-http'],
      ...['--generator', 'upstream', '--upstream', 'http://skins.test'],
    ]);
    expect(proxy.seen).toContain('GET http://skins.test/v2/me');
    const answer = await fetch(`${url}/ui/sign-in/provider`, { redirect: 'manual' });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, expect.stringMatching(/id\.test/)]);
    expect(proxy.seen).toContain('GET http://id.test/.well-known/openid-configuration');
    const refused = await caller().json('/v2/queue', { url: 'http://pictures..test/skin.png' });
    expect([refused.status, refused.body.errors?.[0]?.message]).toEqual([
      400,
      expect.stringContaining('No host'),
    ]);
    expect(proxy.seen.join()).not.toContain('pictures');
  });

  test('fetches the pictures that callers name through a proxy of its own, and through no other', async () => {
    const pictures = await webServer((_, response) => void response.end(skinPng(1)));
    const options = { hosts: { 'pictures.test': pictures.port }, credentials: `anna:${PASSWORD}` };
    const [usual, own] = [await connectProxy(options), await connectProxy(options)];
    const machine = await freshMachine();
    Object.assign(machine.env, {
      HTTP_PROXY: usual.url.replace('//', `//anna:${WRITTEN}@`),
      SKINSMITH_FETCH_PROXY: own.url.replace('//', `//anna:${WRITTEN}@`),
    });
    const caller = (await machine.serve()).caller();
    const taken = await caller.json('/v2/queue', { url: 'http://pictures.test/skin.png' });
    expect(taken.status).toBe(202);
    expect((await caller.json('/v2/queue', { url: 'http://10.0.0.1/skin.png' })).status).toBe(400);
    expect([usual.seen, own.seen]).toEqual([[], ['GET http://pictures.test/skin.png']]);
  });

  test('takes no password of a proxy from its command line', async () => {
    const machine = await freshMachine();
    const { exitCode, stderr } = await machine.run(['serve', '--fetch-proxy', 'http://anna:hunter2@proxy']);
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/SKINSMITH_FETCH_PROXY/)]);
    expect(stderr).not.toContain('hunter2');
  });
});
