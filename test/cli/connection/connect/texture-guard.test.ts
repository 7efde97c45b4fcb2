import { describe, expect, onTestFinished, test } from 'vitest';
import { makeTextureGuard, type TextureGuardOptions } from '../../../../src/cli/connection/connect.ts';
import { SkinClient } from '../../../../src/index.ts';
import { ANSWERS, LITERALS, LOCAL_NAMES } from '../../../support/server/ssrf-rows.ts';
import { trapServer, webServer } from '../../../support/server/web-server.ts';

const TEXTURE = `/textures/${'a'.repeat(64)}`;
const PNG = Buffer.from('89504e470d0a1a0a', 'hex');
const nowhere = async () => [];

/** A client of a service, as commands make it. */
function clientOf(service: string, resolve?: TextureGuardOptions['resolve']): SkinClient {
  const guard = makeTextureGuard({ service, proxies: undefined, ...(resolve && { resolve }) });
  const client = new SkinClient({ baseUrl: service, textureDispatcher: guard, retry: { budget: 0 } });
  onTestFinished(async () => void (await Promise.all([client.close(), guard.close()])));
  return client;
}

async function outcome(client: SkinClient, url: string): Promise<string> {
  try {
    return Buffer.from(await client.texture(url)).equals(PNG) ? 'fetched' : 'something else';
  } catch (error) {
    return String((error as { code?: string }).code);
  }
}

async function pictures() {
  return await webServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'image/png' }).end(PNG);
  });
}

describe('A texture address of a lockfile or a service leads', () => {
  test.each([...LITERALS, ...LOCAL_NAMES])('to nothing private: %s', async (host) => {
    const trap = await trapServer();
    expect(await outcome(clientOf('http://service.test', nowhere), `http://${host}:${trap.port}/x`)).toMatch(
      /^(?:private_address|unreachable)$/,
    );
    expect(trap.connections).toBe(0);
  });

  test.each(ANSWERS)('to nothing private by a name for %s', async (...addresses) => {
    const trap = await trapServer();
    const client = clientOf('http://service.test', async (name) => (name === 'sly.test' ? addresses : []));
    expect(await outcome(client, `http://sly.test:${trap.port}/x`)).toBe('private_address');
    expect(trap.connections).toBe(0);
  });

  test('to nothing private by a redirect of the service', async () => {
    const trap = await trapServer();
    const service = await webServer((_request, response) => {
      response.writeHead(302, { location: `http://127.0.0.1:${trap.port}/x` }).end();
    });
    expect(await outcome(clientOf(service.url), `${service.url}/x`)).toBe('private_address');
    expect(trap.connections).toBe(0);
  });

  test('to the service in use, by any name of its host, at any path', async () => {
    const { url, port } = await pictures();
    const client = clientOf(url, async (name) => (name === 'alias.test' ? ['127.0.0.1'] : []));
    expect(await outcome(client, `${url}/x`)).toBe('fetched');
    expect(await outcome(client, `http://alias.test:${port}/x`)).toBe('fetched');
  });

  test('to the textures of a service on this machine, and to nothing else there', async () => {
    const { url } = await pictures();
    const client = clientOf('http://service.test', nowhere);
    expect(await outcome(client, `${url}${TEXTURE}`)).toBe('fetched');
    expect(await outcome(client, `${url}${TEXTURE}?x`)).toBe('private_address');
    expect(await outcome(client, `${url}/admin`)).toBe('private_address');
  });
});
