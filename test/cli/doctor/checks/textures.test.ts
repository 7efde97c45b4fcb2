import { describe, expect, test } from 'vitest';
import { CHECKS } from '../../../../src/cli/doctor/checks.ts';
import { diagnosis, FOREIGN, makeSetup, READY, servedSetup } from '../../../support/cli/setup.ts';
import type { Exchange } from '../../../support/client/scripted-server.ts';
import { webServer } from '../../../support/server/web-server.ts';

/** Of a texture, as services of ours name it. */
const PATH = `/textures/${'0'.repeat(64)}`;

describe('The check of the textures', () => {
  const publicAt = (publicUrl: string) => [READY, diagnosis({ publicUrl })];

  test('tries the address that the service gives for its textures', async () => {
    const skinsmith = await webServer((_, response) => response.end(JSON.stringify(READY.json)));
    const other = await webServer((_, response) => response.end('hello'));
    const nowhere = 'http://127.0.0.1:1';
    const rows = [
      [skinsmith.url, 'ok', 'where a skinsmith service answers'],
      [other.url, 'problem', 'where another program answers'],
      [nowhere, 'warning', 'where nothing answers from here'],
    ] as const;
    for (const [url, result, words] of rows) {
      const { setup } = await servedSetup(publicAt(url));
      const detail = `Texture URLs of new skins start with ${url}, ${words}.`;
      expect(await CHECKS.textures.look(setup)).toMatchObject({ result, detail });
    }
    expect(skinsmith.seen.map(({ line }) => line)).toEqual(['GET /ready', `GET ${PATH}`]);
  });

  test('reports an address that commands do not fetch textures from, with the option that allows it', async () => {
    const { setup } = await servedSetup([FOREIGN, newest, shown('http://10.255.255.1/x')]);
    expect(await CHECKS.textures.look(setup)).toMatchObject({
      result: 'problem',
      detail: expect.stringContaining('is in a private network'),
      hint: expect.stringContaining('skinsmith config set allow-network 10.255.255.1'),
    });
  });

  test('passes when the address of the textures is the service itself', async () => {
    const { url } = await webServer((request, response) => {
      const answer =
        request.url === '/ready' ? READY.json : { ...(diagnosis().json as object), publicUrl: url };
      response.end(JSON.stringify(answer));
    });
    const { setup } = await makeSetup({ env: { SKINSMITH_BASE_URL: url } });
    expect((await CHECKS.textures.look(setup)).detail).toMatch(/, the address of the service\.$/);
  });

  const skin = (url: string) => ({
    uuid: 'aa',
    visibility: 'public',
    variant: 'slim',
    texture: { data: { value: 'v', signature: 's' }, hash: { skin: 'h' }, url: { skin: url } },
  });
  const newest: Exchange = {
    expect: 'GET /v2/skins?size=1',
    json: { success: true, skins: [{ ...skin(''), views: 0, texture: 'h' }] },
  };
  const shown = (url: string): Exchange => ({
    expect: 'GET /v2/skins/aa',
    json: { success: true, skin: skin(url) },
  });

  test('tries the texture of a public skin, without a key, if the service gives no address for textures', async () => {
    const pictures = await webServer((_, response) => response.end('picture'));
    const { setup } = await servedSetup([FOREIGN, newest, shown(`${pictures.url}${PATH}`)]);
    expect(await CHECKS.textures.look(setup)).toEqual({
      result: 'ok',
      detail: `The texture of the newest public skin can be fetched from ${pictures.url}.`,
    });
    expect(pictures.seen[0]?.headers.authorization).toBeUndefined();
  });

  test('finds a texture that nobody can reach', async () => {
    const { setup } = await servedSetup([FOREIGN, newest, shown(`http://127.0.0.1:1${PATH}`)]);
    expect(await CHECKS.textures.look(setup)).toMatchObject({
      result: 'problem',
      detail: expect.stringContaining(`http://127.0.0.1:1${PATH}: connection refused`),
    });
  });

  test('is skipped if there is no public skin', async () => {
    const none = { expect: 'GET /v2/skins?size=1', json: { success: true, skins: [] } };
    const { setup } = await servedSetup([FOREIGN, none]);
    expect((await CHECKS.textures.look(setup)).result).toBe('skipped');
  });
});
