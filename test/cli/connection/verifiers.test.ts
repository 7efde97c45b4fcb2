import { expect, test } from 'vitest';
import { TextureHosts } from '../../../src/cli/connection/verifiers.ts';
import { PrivateAddressError } from '../../../src/dispatch/proof.ts';
import { NetworkError, ServiceError } from '../../../src/index.ts';

const AWAY = new NetworkError('connection refused', { cause: undefined, mayHaveArrived: false });
const MISSING = new ServiceError({
  method: 'GET',
  path: '/textures/1',
  status: 404,
  errors: [],
  links: {},
  rateLimit: undefined,
  retryAfter: undefined,
});

test('An unreachable host gets one request, and other hosts still get theirs', async () => {
  const asked: string[] = [];
  const hosts = new TextureHosts(async (url) => {
    asked.push(url);
    if (url.startsWith('http://away')) throw AWAY;
    return new Uint8Array([1]);
  });
  for (const url of ['http://away/1', 'http://away/2', 'http://away/3'])
    await expect(hosts.texture(url)).rejects.toBe(AWAY);
  expect(await hosts.texture('http://there/1')).toEqual(new Uint8Array([1]));
  expect(asked).toEqual(['http://away/1', 'http://there/1']);
  expect(hosts.notes).toEqual(['3 textures could not be fetched from http://away.']);
});

test('After a texture that is missing, the next one is requested from the same host', async () => {
  const asked: string[] = [];
  const hosts = new TextureHosts(async (url) => {
    asked.push(url);
    throw MISSING;
  });
  for (const url of ['http://there/1', 'http://there/2'])
    await expect(hosts.texture(url)).rejects.toBe(MISSING);
  expect([asked, hosts.notes]).toEqual([['http://there/1', 'http://there/2'], []]);
});

test('A private address is named once, and its other paths are still tried', async () => {
  const refused = new PrivateAddressError('http://10.0.0.1', '10.0.0.1', undefined);
  const hosts = new TextureHosts(async (url) => {
    if (url.endsWith('/open')) return new Uint8Array([1]);
    throw refused;
  });
  for (const url of ['http://10.0.0.1/1', 'http://10.0.0.1/2'])
    await expect(hosts.texture(url)).rejects.toBe(refused);
  expect(await hosts.texture('http://10.0.0.1/open')).toEqual(new Uint8Array([1]));
  expect(hosts.notes).toEqual([
    '2 textures could not be fetched from http://10.0.0.1, a private address that is not the service in use.',
  ]);
});
