import { buffer } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { refusal } from '../../support/client/answers.ts';
import { cutWithin } from '../../support/client/scripted-server.ts';
import { API_KEY, failureOf, testClient } from '../../support/client/test-client.ts';

const ZIP = 'GET /v2/me/skins.zip?';
const LOCK = 'GET /v2/me/skins.lock?';
const zip = { 'content-type': 'application/zip' };
const lock = { 'content-type': 'application/x-ndjson' };

describe('AccountClient.exportSkins', () => {
  test('reads the file of each format with the requested skins', async () => {
    const { client, server } = await testClient([
      { expect: ZIP, headers: zip, text: 'a zip' },
      { expect: `${LOCK}filter=a%26b&visibility=private&after=17`, headers: lock, text: 'lines' },
    ]);
    expect(String(await buffer(client.account.exportSkins('zip')))).toBe('a zip');
    const query = { filter: 'a&b', visibility: 'private', after: '17' } as const;
    expect(String(await buffer(client.account.exportSkins('lock', query)))).toBe('lines');
    expect(server.seen.map(({ headers }) => headers)).toEqual([
      expect.objectContaining({
        accept: 'application/zip, application/json',
        authorization: `Bearer ${API_KEY}`,
      }),
      expect.objectContaining({ accept: 'application/x-ndjson, application/json' }),
    ]);
  });

  test('requests nothing before it is read', async () => {
    const { client } = await testClient([]);
    client.account.exportSkins('zip');
  });

  test('opens the file again after a temporary failure', async () => {
    const { client } = await testClient([
      { expect: ZIP, status: 503, json: refusal('service_unavailable') },
      { expect: ZIP, headers: zip, text: 'a zip' },
    ]);
    expect(String(await buffer(client.account.exportSkins('zip')))).toBe('a zip');
  });

  test('does not begin again once a part was read', async () => {
    const { client } = await testClient([
      {
        expect: ZIP,
        act: (response) => {
          response.setHeader('content-type', 'application/zip');
          response.write('PK', () => response.socket?.resetAndDestroy());
        },
      },
    ]);
    expect(await failureOf(buffer(client.account.exportSkins('zip')))).toMatchObject({
      name: 'NetworkError',
    });
  });

  test('does not mistake another answer for the file', async () => {
    const { client } = await testClient([
      { expect: ZIP, headers: { 'content-type': 'text/html' }, json: {} },
      { expect: LOCK, status: 404, json: refusal('not_found') },
      { expect: LOCK, act: cutWithin },
    ]);
    const policy = { retry: { budget: 0 } };
    const read = async (format: 'zip' | 'lock') =>
      await failureOf(buffer(client.account.exportSkins(format, {}, policy)));
    expect(await read('zip')).toMatchObject({
      name: 'UnreadableAnswerError',
      message: expect.stringContaining('200 without application/zip'),
    });
    expect(await read('lock')).toMatchObject({ name: 'ServiceError', code: 'not_found' });
    expect(await read('lock')).toMatchObject({ name: 'NetworkError' });
  });

  test('ends with the reason of its signal while it is read', async () => {
    const { client } = await testClient([
      {
        expect: ZIP,
        act: (response) => {
          response.setHeader('content-type', 'application/zip');
          response.write('PK');
        },
      },
    ]);
    const stop = new AbortController();
    const chunks = client.account.exportSkins('zip', {}, { signal: stop.signal })[Symbol.asyncIterator]();
    expect(String((await chunks.next()).value)).toBe('PK');
    stop.abort(new Error('enough'));
    expect(await failureOf(chunks.next())).toMatchObject({ message: 'enough' });
  });
});
