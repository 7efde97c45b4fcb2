import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { classifyFailure } from '../../../src/client/errors.ts';
import { makeSkin } from '../../support/client/answers.ts';
import type { Exchange } from '../../support/client/scripted-server.ts';
import { failureOf, testClient } from '../../support/client/test-client.ts';

const skin = makeSkin();

/** What is said around a skin, or beside its data, as no contract has it. */
const oddities: [what: string, answer: object][] = [
  ['a note without its fields', { skin, warnings: [{}], messages: [{ code: 7 }] }],
  ['notes that are no list', { skin, warnings: 'deprecated', errors: null }],
  ['a rate limit of another shape', { skin, rateLimit: { next: 'soon' } }],
  ['a link that is null', { skin, links: { job: null, self: '/v2/skins/a' } }],
  ['a name that is null', { skin: { ...skin, name: null } }],
  ['a generator of another shape', { skin: { ...skin, generator: 'v2' } }],
  ['no views and no duplicate', { skin: { ...skin, views: undefined, duplicate: undefined } }],
  ['no envelope', { skin }],
];

describe('A skin that was made is not lost to', () => {
  test.each(oddities)('%s', async (_, json) => {
    const { client } = await testClient([{ expect: 'POST /v2/generate?timeout=30', json }]);
    const made = await client.generate({ url: 'https://a.example/' });
    expect(made.skin.texture.data).toEqual(skin.texture.data);
  });
});

describe('A compressed answer', () => {
  const answer = JSON.stringify({ success: true, job: { id: 'j1', status: 'waiting' } });
  const compressed = (encoding: string, bytes: Buffer): Exchange => ({
    expect: 'GET /v2/queue/j1',
    act: (response) => void response.writeHead(200, { 'content-encoding': encoding }).end(bytes),
  });

  test.each([
    ['gzip', gzipSync(answer)],
    ['GZIP', gzipSync(answer)],
    ['deflate', deflateSync(answer)],
    ['deflate', deflateRawSync(answer)],
    ['br', brotliCompressSync(answer)],
    ['zstd', zstdCompressSync(answer)],
    ['identity', Buffer.from(answer)],
  ])('that nobody asked for is read (%s)', async (encoding, bytes) => {
    const { client, server } = await testClient([compressed(encoding, bytes)]);
    expect((await client.job('j1')).job).toMatchObject({ id: 'j1', status: 'waiting' });
    expect(server.seen[0]?.headers['accept-encoding']).toBe('identity');
  });

  test.each(['gzip', 'deflate', 'br', 'zstd'])(
    'without content (%s) is what its status says',
    async (encoding) => {
      const refused: Exchange = {
        expect: 'GET /v2/queue/j1',
        act: (response) => void response.writeHead(401, { 'content-encoding': encoding }).end(),
      };
      const { client } = await testClient([refused], { retry: { budget: 0 } });
      expect(classifyFailure(await failureOf(client.job('j1')))).toMatchObject({ kind: 'key_refused' });
    },
  );

  test.each([
    ['is cut off', gzipSync(answer).subarray(0, -12)],
    ['is something else', Buffer.from(answer)],
    ['is too long', gzipSync(Buffer.alloc(33 * 1024 * 1024, ' '), { level: 1 })],
  ])('that %s is an answer that cannot be used', async (_, bytes) => {
    const { client } = await testClient([compressed('gzip', bytes)], { retry: { budget: 0 } });
    expect(classifyFailure(await failureOf(client.job('j1')))).toMatchObject({ isTemporary: true });
  });
});

describe('An answer in a form that proxies and programs on Windows use', () => {
  const job = { id: 'j1', status: 'waiting' };
  const answer = JSON.stringify({ success: true, job });
  const askedFor = async (act: Exchange['act']) => {
    const { client } = await testClient([{ expect: 'GET /v2/queue/j1', ...(act && { act }) }], {
      retry: { budget: 0 },
    });
    return client.job('j1');
  };

  test.each([
    ['a byte order mark', Buffer.from(`\uFEFF${answer}`)],
    ['UTF-16', Buffer.from(`\uFEFF${answer}`, 'utf16le')],
    ['UTF-16, the other way round', Buffer.from(`\uFEFF${answer}`, 'utf16le').swap16()],
  ])('is read with %s', async (_what, bytes) => {
    const read = await askedFor((response) => void response.writeHead(200).end(bytes));
    expect(read.job).toMatchObject(job);
  });

  test('is reported if it is compressed in an unknown way', async () => {
    const act: Exchange['act'] = (response) =>
      void response.writeHead(200, { 'content-encoding': 'dcb' }).end(Buffer.alloc(20));
    expect(await failureOf(askedFor(act))).toMatchObject({
      message: 'GET /v2/queue/j1 answered 200 with a body compressed as dcb, which was not requested.',
    });
  });

  test('is reported if a 100 Continue that belongs to no request comes before it', async () => {
    const act: Exchange['act'] = (response) => {
      response.writeContinue();
      response.writeHead(200).end(answer);
    };
    const failure = await failureOf(askedFor(act));
    expect(failure).toMatchObject({ message: expect.stringContaining('such as 100 Continue') });
    expect(classifyFailure(failure)).toMatchObject({ kind: 'unreachable' });
  });

  test('is read if it is a list of 20 MiB, and reported if it is too long', async () => {
    const list = (bytes: number) => `{"success":true,"jobs":[]}${' '.repeat(bytes)}`;
    const { client } = await testClient(
      [
        { expect: 'GET /v2/queue', text: list(20 * 1024 * 1024) },
        { expect: 'GET /v2/queue', text: list(32 * 1024 * 1024) },
      ],
      { retry: { budget: 0 } },
    );
    expect(await client.jobs()).toEqual([]);
    expect(await failureOf(client.jobs())).toMatchObject({
      message: 'GET /v2/queue answered with more than 32768 KiB.',
    });
  });
});

describe('An answer to a submission without a job', () => {
  const answered = (location: string, status = 202): Exchange => ({
    expect: 'POST /v2/queue',
    status,
    headers: { location },
    text: '',
  });

  test.each(['/v2/queue/j1', '/below/v2/queue/j1/'])('names the job in Location (%s)', async (location) => {
    const { client } = await testClient([answered(location)]);
    expect((await client.queue({ url: 'https://a.example/' })).job).toMatchObject({
      id: 'j1',
      status: 'waiting',
    });
  });

  test.each(['/v2/skins/j1', 'https://other.example/v2/queue/j1', 'nonsense'])(
    'that names something else (%s) is unreadable',
    async (location) => {
      const { client } = await testClient([answered(location)]);
      const failure = await failureOf(client.queue({ url: 'https://a.example/' }));
      expect(failure).toMatchObject({ code: 'unreadable_answer', status: 202 });
    },
  );
});
