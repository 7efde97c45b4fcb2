import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { VERSION } from '../../src/base/version.ts';
import type { SkinClient } from '../../src/client/skin-client.ts';
import type { SkinFile, SkinOptions, SkinSource } from '../../src/client/types.ts';
import { makeJob, makeRateLimit, makeSkin } from '../support/client/answers.ts';
import type { Exchange, SeenRequest } from '../support/client/scripted-server.ts';
import { API_KEY, failureOf, testClient } from '../support/client/test-client.ts';

const file = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0, 255]);
const GENERATE = 'POST /v2/generate?timeout=30';
const skin = makeSkin();

const generated: Exchange = { expect: GENERATE, json: { success: true, skin } };
const queued: Exchange = { expect: 'POST /v2/queue', status: 202, json: { success: true, job: makeJob() } };

async function formOf({ headers, body }: SeenRequest): Promise<FormData> {
  const type = String(headers['content-type']);
  return await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData();
}

describe.each([
  ['generate', generated],
  ['queue', queued],
] as const)('SkinClient.%s', (method, exchange) => {
  test('uploads a file with the options as fields', async () => {
    const { client, server } = await testClient([exchange]);
    await client[method](
      { file, fileName: 'my skin.png' },
      { name: 'My Skin', variant: 'slim', visibility: 'unlisted' },
    );
    const form = await formOf(server.seen[0]!);
    const sent = form.get('file') as File;
    expect([...form.keys()].sort()).toEqual(['file', 'name', 'variant', 'visibility']);
    expect(new Uint8Array(await sent.arrayBuffer())).toEqual(file);
    expect(sent).toMatchObject({ name: 'my skin.png', type: 'image/png' });
    expect(form.get('name')).toBe('My Skin');
    expect(form.get('variant')).toBe('slim');
    expect(form.get('visibility')).toBe('unlisted');
  });

  test('leaves out options that are absent or undefined', async () => {
    const { client, server } = await testClient([exchange]);
    await client[method]({ file }, { name: undefined, variant: undefined });
    const form = await formOf(server.seen[0]!);
    expect([...form.keys()]).toEqual(['file']);
    expect((form.get('file') as File).name).toBe('skin.png');
  });

  const kinds: [what: string, file: SkinFile, name: string][] = [
    ['a Buffer', Buffer.from(file), 'skin.png'],
    ['an ArrayBuffer', file.buffer, 'skin.png'],
    ['a Blob', new Blob([file]), 'skin.png'],
    ["a form's File, with its name", new File([file], 'mine.png'), 'mine.png'],
  ];
  test.each(kinds)('uploads %s', async (_, bytes, name) => {
    const { client, server } = await testClient([exchange]);
    await client[method]({ file: bytes });
    const sent = (await formOf(server.seen[0]!)).get('file') as File;
    expect(new Uint8Array(await sent.arrayBuffer())).toEqual(file);
    expect(sent.name).toBe(name);
  });

  test.each([['skin.png'], [undefined], [Readable.from(['x'])], [[1, 2]]])(
    'sends nothing when the file is %j',
    async (wrong) => {
      const { client } = await testClient([]);
      const failure = await failureOf(client[method]({ file: wrong as unknown as Uint8Array }));
      expect(failure).toBeInstanceOf(TypeError);
      expect(String(failure)).toContain('file: must be');
    },
  );

  test('leaves out an option that is null, as plain JavaScript may pass it', async () => {
    const { client, server } = await testClient([exchange, exchange]);
    const options = { name: null } as unknown as SkinOptions;
    await client[method]({ file }, options);
    await client[method]({ url: 'https://skins.example/a.png' }, options);
    expect([...(await formOf(server.seen[0]!)).keys()]).toEqual(['file']);
    expect(JSON.parse(String(server.seen[1]?.body))).toEqual({ url: 'https://skins.example/a.png' });
  });

  const others: [what: string, source: SkinSource][] = [
    ['a URL', { url: 'https://skins.example/a.png?b=c&d' }],
    ['a player', { user: '61699b2ed3274a019f1e0ea8c3f06bc6' }],
  ];
  test.each(others)('sends %s as JSON', async (_, source) => {
    const { client, server } = await testClient([exchange]);
    await client[method](source, { name: 'Zoë', visibility: undefined });
    const [request] = server.seen;
    expect(request?.headers['content-type']).toBe('application/json');
    expect(JSON.parse(String(request?.body))).toEqual({ ...source, name: 'Zoë' });
  });

  test('says who is calling, with what', async () => {
    const { client, server } = await testClient([exchange], { userAgent: 'my-bot/1.0' });
    await client[method]({ file });
    expect(server.seen[0]?.headers).toMatchObject({
      authorization: `Bearer ${API_KEY}`,
      'user-agent': 'my-bot/1.0',
      accept: 'application/json',
    });
  });
});

describe('SkinClient', () => {
  test('names itself when the program does not, and sends no empty key', async () => {
    const { client, server } = await testClient([generated], { apiKey: undefined });
    await client.generate({ file });
    expect(server.seen[0]?.headers['user-agent']).toBe(`skinsmith/${VERSION}`);
    expect(server.seen[0]?.headers).not.toHaveProperty('authorization');
  });

  test('returns the skin with the messages of the answer', async () => {
    const rateLimit = makeRateLimit();
    const warnings = [{ code: 'no_api_key', message: 'No key.' }];
    const links = { self: '/v2/generate', job: '/v2/queue/j1', skin: '/v2/skins/s1' };
    const json = { success: true, skin, warnings, rateLimit, links, usage: {} };
    const { client } = await testClient([{ expect: GENERATE, json }]);
    expect(await client.generate({ file })).toEqual({
      skin,
      job: 'j1',
      warnings,
      messages: [],
      links,
      rateLimit,
    });
  });

  test('returns a job when the queue accepts it', async () => {
    const job = makeJob({ eta: 1_767_225_605_000 });
    const messages = [{ code: 'job_queued', message: 'Queued.' }];
    const json = { success: true, job, messages, links: { events: '/v2/queue/events' } };
    const { client } = await testClient([{ expect: 'POST /v2/queue', status: 202, json }]);
    expect(await client.queue({ file })).toEqual({
      job,
      skin: undefined,
      errors: [],
      warnings: [],
      messages,
      links: { events: '/v2/queue/events' },
      rateLimit: undefined,
    });
  });

  test('returns the skin at once when the queue already has it', async () => {
    const job = makeJob({ status: 'completed', result: skin.uuid });
    const json = { success: true, job, skin, messages: [{ code: 'skin_found', message: 'Found.' }] };
    const { client } = await testClient([{ expect: 'POST /v2/queue', status: 200, json }]);
    expect(await client.queue({ file })).toMatchObject({ job: { status: 'completed' }, skin });
  });

  test('lists jobs, with whatever status they have', async () => {
    const jobs = [
      { id: 'c', status: 'delayed' },
      { id: 'b', status: 'active', timestamp: 5 },
      { id: 'a', status: 'completed', result: skin.uuid },
    ];
    const { client } = await testClient([{ expect: 'GET /v2/queue', json: { success: true, jobs } }]);
    expect(await client.jobs()).toEqual([
      { id: 'c', status: 'unknown' },
      { id: 'b', status: 'processing', timestamp: 5 },
      { id: 'a', status: 'completed', result: skin.uuid },
    ]);
  });

  const me = { user: 'aa', grants: { per_minute: 20, plan: 'free', later: true } };
  const document = { meta: { serverName: 'x' }, skinDomains: ['example.org'], signaturePublickey: 'PEM' };
  const calls: [line: string, json: object, call: (client: SkinClient) => Promise<unknown>, read: unknown][] =
    [
      ['GET /v2/skins/abc', { skin }, (client) => client.skin('abc'), skin],
      ['GET /v2/skins/a%2F..%3Fb', { skin }, (client) => client.skin('a/..?b'), skin],
      ['GET /v2/queue/a%2Fb', { job: makeJob() }, async (client) => (await client.job('a/b')).job, makeJob()],
      ['GET /v2/me', me, (client) => client.me(), me],
      [
        'GET /v2/delay',
        makeRateLimit({ relative: 5 }),
        async (client) => (await client.delay()).next,
        { absolute: 0, relative: 5 },
      ],
      ['GET /', document, (client) => client.keyDocument(), document],
    ];
  test.each(calls)('asks %s and reads the answer', async (line, json, call, read) => {
    const { client } = await testClient([{ expect: line, json: { success: true, ...json } }]);
    expect(await call(client)).toEqual(read);
  });

  test('pages through skins as the service names the next page', async () => {
    const item = { uuid: 'a', visibility: 'public', variant: 'slim', views: 0 };
    const { client } = await testClient([
      {
        expect: 'GET /v2/skins?size=1&filter=my+skin',
        json: { success: true, skins: [item], links: { next: '/v2/skins?after=a%2B1&size=1' } },
      },
      { expect: 'GET /v2/me/skins?after=a%2B1', json: { success: true, skins: [], links: {} } },
      { expect: 'GET /v2/me/skins?', json: { success: true, skins: [] } },
    ]);
    const first = await client.publicSkins({ size: 1, filter: 'my skin' });
    expect(first).toEqual({ skins: [item], next: 'a+1' });
    expect(await client.ownSkins({ after: first.next })).toEqual({ skins: [], next: undefined });
    expect(await client.ownSkins()).toEqual({ skins: [], next: undefined });
  });

  const roots: [below: string, asked: string][] = [
    ['/', '/v2/me'],
    ['/v2', '/v2/me'],
    ['/v2/', '/v2/me'],
    ['/skins', '/skins/v2/me'],
    ['/skins/v2/', '/skins/v2/me'],
  ];
  test.each(roots)('finds the service below %s', async (below, asked) => {
    const { client } = await testClient([{ expect: `GET ${asked}`, json: { success: true, ...me } }], {
      below,
    });
    await client.me();
    expect(client.baseUrl).not.toMatch(/\/(v2)?$/);
  });
});
