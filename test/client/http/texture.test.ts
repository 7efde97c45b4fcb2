import { describe, expect, test } from 'vitest';
import type { RequestReport } from '../../../src/client/types.ts';
import { refusal } from '../../support/client/answers.ts';
import { cutBefore, cutWithin, type Exchange, scriptedServer } from '../../support/client/scripted-server.ts';
import { failureOf, testClient } from '../../support/client/test-client.ts';

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 255, 13, 10]);
const texture: Exchange = {
  expect: 'GET /textures/aa11',
  act: (response) => void response.writeHead(200, { 'content-type': 'image/png' }).end(PNG),
};
const redirect = (location: string, line = 'GET /textures/aa11'): Exchange => ({
  expect: line,
  status: 302,
  headers: { location },
  text: 'moved',
});

describe('SkinClient.texture', () => {
  test('returns the bytes from the service or another host, and sends no key to either', async () => {
    const elsewhere = await scriptedServer([texture]);
    const { client, server } = await testClient([texture], { below: '/below' });
    for (const { url, seen } of [server, elsewhere]) {
      const bytes = await client.texture(`${url}/textures/aa11`);
      expect(Buffer.from(bytes)).toEqual(PNG);
      expect(seen[0]?.headers).toMatchObject({ 'user-agent': expect.stringContaining('skinsmith') });
      expect(seen[0]?.headers).not.toHaveProperty('authorization');
    }
  });

  test('sends neither the name nor the password of a URL', async () => {
    const { client, server } = await testClient([texture]);
    await client.texture(`${server.url.replace('//', '//user:secret@')}/textures/aa11`);
    expect(server.seen[0]?.headers).not.toHaveProperty('authorization');
  });

  test('follows three redirects, to other hosts too, and no more', async () => {
    const elsewhere = await scriptedServer([
      redirect('/two', 'GET /one'),
      redirect('/textures/aa11?x=1', 'GET /two'),
      { ...texture, expect: 'GET /textures/aa11?x=1' },
      redirect('/two', 'GET /one'),
      redirect('/three', 'GET /two'),
      redirect('/four', 'GET /three'),
    ]);
    const toElsewhere = redirect(`${elsewhere.url}/one`);
    const { client, server } = await testClient([toElsewhere, toElsewhere]);
    const url = `${server.url}/textures/aa11`;
    expect(Buffer.from(await client.texture(url))).toEqual(PNG);
    expect(await failureOf(client.texture(url))).toMatchObject({
      name: 'UnreadableAnswerError',
      message: `${url} redirects more than 3 times.`,
    });
  });

  test.each(['ftp://a.example/x', 'file:///etc/passwd', 'data:image/png;base64,AAAA', '/textures/aa11', ''])(
    'does not look at %j',
    async (url) => {
      const { client } = await testClient([]);
      expect(await failureOf(client.texture(url))).toMatchObject({ name: 'UnreadableAnswerError' });
    },
  );

  test('does not follow a redirect out of the web', async () => {
    const { client, server } = await testClient([redirect('file:///etc/passwd')]);
    expect(await failureOf(client.texture(`${server.url}/textures/aa11`))).toMatchObject({
      code: 'unreadable_answer',
    });
  });

  test.each([
    ['256 KiB', 256 * 1024, true],
    ['a byte more', 256 * 1024 + 1, false],
  ])('reads %s: %s', async (_, size, isRead) => {
    const act: Exchange['act'] = (response) => void response.writeHead(200).end(Buffer.alloc(size));
    const { client, server } = await testClient([{ ...texture, act }]);
    const read = client.texture(`${server.url}/textures/aa11`);
    if (isRead) expect(await read).toHaveLength(size);
    else
      expect(await failureOf(read)).toMatchObject({
        message: expect.stringMatching(/answered with more than 256 KiB\.$/),
      });
  });

  const troubles: [what: string, answer: Partial<Exchange>, failure: object][] = [
    ['a page', { status: 404, text: '<html>' }, { name: 'ServiceError', code: 'http_404', status: 404 }],
    ['JSON', { status: 404, json: refusal('not_found') }, { name: 'ServiceError', code: 'not_found' }],
    ['nothing', { status: 204 }, { name: 'UnreadableAnswerError', status: 204 }],
    ['a redirect to nowhere', { status: 302 }, { name: 'UnreadableAnswerError', status: 302 }],
  ];
  test.each(troubles)('throws when it is answered with %s', async (_, answer, failure) => {
    const { client, server } = await testClient([{ expect: texture.expect, ...answer }]);
    expect(await failureOf(client.texture(`${server.url}/textures/aa11`))).toMatchObject(failure);
  });

  test.each([
    ['a 503', { status: 503, text: 'busy' }],
    ['a connection cut before the answer', { act: cutBefore }],
    ['a connection cut within the answer', { act: cutWithin }],
  ] as [string, Partial<Exchange>][])('is repeated after %s', async (_, answer) => {
    const { client, server, clock } = await testClient([{ expect: texture.expect, ...answer }, texture]);
    expect(await client.texture(`${server.url}/textures/aa11`)).toHaveLength(PNG.length);
    expect(clock.sleeps).toEqual([250]);
  });

  test('reports every request, with the host where it is another', async () => {
    const reports: RequestReport[] = [];
    const elsewhere = await scriptedServer([texture]);
    const { client, server } = await testClient([redirect(`${elsewhere.url}/textures/aa11`)], {
      onRequest: (report) => void reports.push(report),
    });
    await client.texture(`${server.url}/textures/aa11`);
    expect(reports).toMatchObject([
      { method: 'GET', path: '/textures/aa11', status: 302 },
      { method: 'GET', path: `${elsewhere.url}/textures/aa11`, status: 200 },
    ]);
  });
});
