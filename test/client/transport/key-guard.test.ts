import { Agent } from 'undici';
import { describe, expect, onTestFinished, test } from 'vitest';
import { InsecureHttpError, NetworkError } from '../../../src/client/errors.ts';
import { SkinClient } from '../../../src/client/skin-client.ts';
import { isPublicAddress, type ResolveHost } from '../../../src/client/transport.ts';
import type { SkinClientOptions } from '../../../src/client/types.ts';
import { scriptedServer } from '../../support/client/scripted-server.ts';
import { API_KEY, failureOf } from '../../support/client/test-client.ts';

const PUBLIC = '203.0.113.7';

describe('An address', () => {
  test.each(['127.0.0.1', '127.9.9.9', '10.1.2.3', '172.31.0.1', '192.168.1.1', '169.254.1.1', '100.64.0.1'])(
    '%s is not public',
    (address) => expect(isPublicAddress(address)).toBe(false),
  );
  test.each(['::1', '::', 'fd12::1', 'fe80::1%eth0', '::ffff:192.168.1.1', '0.0.0.0'])(
    '%s is not public',
    (address) => expect(isPublicAddress(address)).toBe(false),
  );
  test.each([PUBLIC, '172.32.0.1', '100.128.0.1', '2001:db8::1', '::ffff:203.0.113.7', '0.0.0.1'])(
    '%s is public',
    (address) => expect(isPublicAddress(address)).toBe(true),
  );
});

function client(baseUrl: string, options: Partial<SkinClientOptions>): SkinClient {
  const made = new SkinClient({ baseUrl, apiKey: API_KEY, retry: { budget: 0, patience: 0 }, ...options });
  onTestFinished(async () => await made.close());
  return made;
}

function resolving(...addresses: readonly string[]): ResolveHost {
  return async () => addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
}

/** A service on this machine, and an address by which it is called. */
async function named(script: Parameters<typeof scriptedServer>[0], host = 'skins.example') {
  const server = await scriptedServer(script);
  return { server, url: server.url.replace('127.0.0.1', host) };
}

const LIST = { expect: 'GET /v2/queue', json: { success: true, jobs: [] } };

describe('Over plain http a key', () => {
  test('is not sent to a public IP address', () => {
    for (const url of [`http://${PUBLIC}`, 'http://[2001:db8::1]:8080/below/v2'])
      expect(() => client(url, {})).toThrow(InsecureHttpError);
  });

  test.each([
    ['its own connections', undefined],
    ['a dispatcher that was given', new Agent()],
  ])('is not sent to a name with one public address among its addresses, over %s', async (_, dispatcher) => {
    const { url } = await named([]);
    const options = { resolve: resolving('127.0.0.1', PUBLIC), ...(dispatcher && { dispatcher }) };
    const skins = client(url, options);
    for (const call of [
      skins.jobs(),
      skins.skinTexture('a'),
      skins.queue({ user: 'b' }),
      skins.account.keys(),
    ])
      expect(await failureOf(call)).toMatchObject({
        code: 'insecure_http',
        isPassing: false,
        message: `The API key is not sent to ${url}, which is public (${PUBLIC}): anyone on the network path can read plain http.`,
      });
    await expect(skins.events()[Symbol.asyncIterator]().next()).rejects.toThrow(InsecureHttpError);
  });

  test('is sent to a local name, and to a public one on request', async () => {
    const local = await named([LIST]);
    expect(await client(local.url, { resolve: resolving('127.0.0.1') }).jobs()).toEqual([]);
    const wanted = await named([LIST], 'localhost');
    expect(await client(wanted.url, { resolve: resolving(PUBLIC), insecureHttp: true }).jobs()).toEqual([]);
    for (const { server } of [local, wanted])
      expect(server.seen[0]?.headers.authorization).toBe(`Bearer ${API_KEY}`);
  });

  test('is the only reason for a check: none is made without a key, or over https', async () => {
    const { url } = await named([LIST], 'localhost');
    expect(await client(url, { apiKey: undefined, resolve: resolving(PUBLIC) }).jobs()).toEqual([]);
    const https = client('https://skins.example:1', { resolve: resolving(PUBLIC) });
    expect(https.baseUrl).toBe('https://skins.example:1');
  });

  test('is not sent when the name cannot be looked up; the dispatcher decides whether that is a network error', async () => {
    const unknown: ResolveHost = async () => {
      throw Object.assign(new Error('no such host'), { code: 'ENOTFOUND' });
    };
    const own = client('http://skins.example', { resolve: unknown });
    expect(await failureOf(own.jobs())).toBeInstanceOf(NetworkError);
    const given = client('http://skins.example', { resolve: unknown, dispatcher: new Agent() });
    expect(await failureOf(given.jobs())).toBeInstanceOf(InsecureHttpError);
  });

  test('does not prevent fetching a texture elsewhere, without the key', async () => {
    const place = await named([{ expect: 'GET /texture/a', text: 'png' }]);
    const skins = client('http://service.example', {
      resolve: async (host) => await resolving(host === 'skins.example' ? '127.0.0.1' : PUBLIC)(host),
    });
    expect(Buffer.from(await skins.texture(`${place.url}/texture/a`)).toString()).toBe('png');
    expect(place.server.seen[0]?.headers.authorization).toBeUndefined();
  });
});
