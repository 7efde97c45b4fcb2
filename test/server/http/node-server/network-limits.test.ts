import { describe, expect, test } from 'vitest';
import { dataUrl, skinPng } from '../../../support/server/drawn-skins.ts';
import { poll } from '../../../support/server/poll.ts';
import { parseAnswer, RawSocket } from '../../../support/server/raw-socket.ts';
import { guardAgainstLeaks, runServer } from '../../../support/server/running-server.ts';
import { expectRefusal } from '../../../support/server/test-caller.ts';

guardAgainstLeaks();

const HEAD = 'GET /health HTTP/1.1\r\nHost: a\r\n';
const POST = 'POST /v2/queue HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n';

/** What the service says to these bytes before it closes the connection. */
async function say(url: string, text: string) {
  const socket = await RawSocket.open(url);
  socket.write(text);
  return parseAnswer(await socket.untilClosed());
}

const refusal = {
  success: false,
  errors: [{ code: 'invalid_request', message: expect.stringMatching(/\S/) }],
  warnings: [],
  messages: [],
  links: {},
};

describe('A malformed request is answered in our envelope, and its connection is closed', () => {
  test.each([
    ['no HTTP', 'nonsense\r\n\r\n', 400],
    ['a header that is none', `${HEAD}a b: c\r\n\r\n`, 400],
    ['a length and chunks', `${POST}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}`, 400],
    ['two lengths', `${POST}Content-Length: 1\r\nContent-Length: 2\r\n\r\n{}`, 400],
    ['headers of more than 16 KB', `${HEAD}X-A: ${'a'.repeat(17_000)}\r\n\r\n`, 431],
    ['an address of more than 16 KB', `GET /${'a'.repeat(17_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, 431],
  ])('%s', async (_, text, status) => {
    const { url } = await runServer();
    const answer = await say(url, text);
    expect([answer.status, answer.body]).toEqual([status, refusal]);
    expect(answer.headers).toMatchObject({
      'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
      'mineskin-server': 'skinsmith',
      'mineskin-api-version': 'v2',
      'mineskin-breadcrumb': expect.stringMatching(/^[0-9a-f]{8}$/),
      'cache-control': 'no-store',
      connection: 'close',
    });
  });

  test('chunks of HTTP/1.0 end the connection after the answer', async () => {
    const { url } = await runServer();
    const head =
      'POST /v2/queue HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\nContent-Type: application/json\r\n';
    const { headers } = await say(url, `${head}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`);
    expect(headers).toMatchObject({ connection: 'close' });
  });

  test('but not in the middle of an answer under way', async () => {
    const { url, key } = await runServer();
    const socket = await RawSocket.open(url);
    socket.write(`GET /v2/queue/events HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n\r\n`);
    await poll(
      () => socket.heard,
      (heard) => heard.includes('retry:'),
    );
    socket.write('nonsense\r\n\r\n');
    expect(await socket.untilClosed()).not.toContain('invalid_request');
  });
});

test.each(['Host: a', 'host: b'])('Two Host headers (%s) are refused', async (second) => {
  const { url } = await runServer();
  const answer = await say(url, `${HEAD}${second}\r\nConnection: close\r\n\r\n`);
  expect([answer.status, answer.body]).toEqual([400, refusal]);
});

test.each([
  ['none', ''],
  ['one that is no host', 'Host: a b\r\n'],
])('A request whose host is %s is refused', async (_, host) => {
  const { url } = await runServer();
  const answer = await say(url, `GET /health HTTP/1.1\r\n${host}Connection: close\r\n\r\n`);
  expect([answer.status, answer.body]).toEqual([400, refusal]);
});

describe('A valid but unusual request', () => {
  test.each([
    ['an expectation that nobody knows goes unheard', '/v2/me', 'Expect: 200-ok\r\n', 404, 'user_not_found'],
    ['a whole URL means its path', 'http://a/v2/queue/none', '', 404, 'job_not_found'],
    ['a star is no address', '*', '', 400, 'invalid_request'],
  ])('is answered in our envelope: %s', async (_, address, header, status, code) => {
    const { url } = await runServer();
    const answer = await say(url, `GET ${address} HTTP/1.1\r\nHost: a\r\n${header}Connection: close\r\n\r\n`);
    expect(answer).toMatchObject({ status, body: { success: false, errors: [{ code }] } });
  });

  test('is answered in the old format at an address of version 1: a whole URL', async () => {
    const { url } = await runServer();
    const answer = await say(
      url,
      'GET http://a/get/id/none HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
    );
    expect(answer).toMatchObject({ status: 400, body: { success: false, errorCode: 'validation_error' } });
  });
});

describe('A request that is too large is refused', () => {
  test('an address of more than 8 KB', async () => {
    const { owner } = await runServer();
    expectRefusal(await owner.get(`/v2/skins?a=${'a'.repeat(8_200)}`), 'invalid_request', 414);
    expect((await owner.get(`/v2/skins?a=${'a'.repeat(8_100)}`)).status).toBe(200);
  });

  test('an overlong part of an address', async () => {
    const { owner } = await runServer();
    expectRefusal(await owner.get(`/v2/queue/${'a'.repeat(200)}`), 'invalid_request', 414);
  });

  test('more than 100 headers', async () => {
    const { url } = await runServer();
    const headers = (count: number) => Array.from({ length: count }, (_, n) => `X-${n}: 1\r\n`).join('');
    const end = 'Connection: close\r\n\r\n';
    expect((await say(url, `${HEAD}${headers(98)}${end}`)).status).toBe(200);
    const answer = await say(url, `${HEAD}${headers(99)}${end}`);
    expect([answer.status, answer.body]).toEqual([431, refusal]);
  });

  test('a body of more than 128 KB, by its length or as it comes', async () => {
    const { owner, url } = await runServer();
    const content = { url: 'a'.repeat(140_000) };
    expectRefusal(await owner.json('/v2/queue', content), 'invalid_file', 413);
    const chunk = `${(70_000).toString(16)}\r\n${' '.repeat(70_000)}\r\n`;
    const socket = await RawSocket.open(url);
    socket.write(`${POST}Transfer-Encoding: chunked\r\n\r\n${chunk}${chunk}`);
    const heard = await poll(
      () => socket.heard,
      (text) => text.includes('"links"'),
    );
    expect(parseAnswer(heard).status).toBe(413);
  });
});

describe('A slow connection is closed', () => {
  const networkLimits = { headersTimeout: 200, requestTimeout: 400, keepAliveTimeout: 100 };

  test.each([
    ['no word at all', ''],
    ['headers that do not end', HEAD],
    ['a body that does not come', `${POST}Content-Length: 100\r\n\r\n{`],
  ])('%s: 408', async (_, text) => {
    const { url } = await runServer({ networkLimits });
    const answer = await say(url, text);
    expect([answer.status, answer.body]).toEqual([408, refusal]);
    expect(answer.headers['retry-after']).toBe('1');
  });

  test('when it sends nothing after an answer', async () => {
    const { url } = await runServer({
      networkLimits: { ...networkLimits, headersTimeout: 10_000, requestTimeout: 10_000 },
    });
    const answer = await say(url, `${HEAD}\r\n`);
    expect(answer).toMatchObject({ status: 200, headers: { connection: 'keep-alive' } });
  });

  test('when the service stops', async () => {
    const server = await runServer();
    const socket = await RawSocket.open(server.url);
    socket.write(HEAD);
    await server.close({ limit: 100 });
    await socket.untilClosed();
  });
});

test('Beyond the maximum number of connections, the one that was silent longest is closed', async () => {
  const { url, owner } = await runServer({ networkLimits: { maxConnections: 2 } });
  const first = await RawSocket.open(url);
  const second = await RawSocket.open(url);
  await RawSocket.open(url);
  expect(await first.untilClosed()).toBe('');
  expect((await owner.get('/health')).status).toBe(200);
  expect(await second.untilClosed()).toBe('');
});

describe('Bodies that do not end', () => {
  const BODY = `Content-Length: 120000\r\n\r\n${' '.repeat(70_000)}`;
  const FORM = 'Content-Type: application/x-www-form-urlencoded\r\nSec-Fetch-Site: same-origin\r\n';

  test.each([
    ['the API', POST],
    ['a page', `POST /ui/make HTTP/1.1\r\nHost: localhost\r\n${FORM}`],
  ])('take a bounded amount of memory without a key: the largest is cut off (%s)', async (_, head) => {
    const { url, anonymous } = await runServer({ networkLimits: { maxUnfinished: 130_000 } });
    const first = await RawSocket.open(url);
    first.write(`${head}${BODY}   `);
    const second = await RawSocket.open(url);
    second.write(`${head}${BODY}`);
    expect(await first.untilClosed()).toBe('');
    expect((await anonymous().json('/v2/queue', {})).status).toBe(400);
    second.write(' '.repeat(50_000));
    await poll(
      () => second.heard,
      (heard) => heard.startsWith('HTTP/1.1 4'),
    );
  });

  test.each(['GET', 'POST', 'PUT', 'QUERY'])('are not read if no route needs them: %s', async (method) => {
    const { url } = await runServer();
    const socket = await RawSocket.open(url);
    const head = `${method} /nothing HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n`;
    socket.write(`${head}${BODY}`);
    await poll(
      () => socket.heard,
      (heard) => heard.startsWith('HTTP/1.1 404'),
    );
  });

  test('of a user are not counted among the bodies of anonymous callers', async () => {
    const { url, key } = await runServer({ networkLimits: { maxUnfinished: 130_000 } });
    const keyed = `${POST}Authorization: Bearer ${key}\r\n`;
    const sockets = [await RawSocket.open(url), await RawSocket.open(url)];
    for (const socket of sockets) socket.write(`${keyed}${BODY}`);
    for (const socket of sockets) {
      socket.write(' '.repeat(50_000));
      await poll(
        () => socket.heard,
        (heard) => heard.startsWith('HTTP/1.1 4'),
      );
    }
  });
});

test('Many requests over one connection do not delay other callers', async () => {
  const { url, key, owner } = await runServer({ workers: 0 });
  const [flood, other] = [await RawSocket.open(url), await RawSocket.open(url)];
  const authorization = `Authorization: Bearer ${key}\r\n`;
  const body = JSON.stringify({ url: dataUrl(skinPng(1)) });
  const post = `${POST}${authorization}Content-Length: ${body.length}\r\n\r\n${body}`;
  // The first one never ends, so that the others are not begun.
  flood.write(`GET /v2/queue/events HTTP/1.1\r\nHost: a\r\n${authorization}\r\n${post.repeat(30)}`);
  await poll(
    () => flood.heard,
    (heard) => heard.startsWith('HTTP/1.1 200'),
  );
  other.write(`${HEAD}Connection: close\r\n\r\n`);
  expect(parseAnswer(await other.untilClosed()).status).toBe(200);
  expect((await owner.get('/v2/queue')).body.jobs).toEqual([]);
});

test('An unknown key ends its connection, and further requests on it are not answered', async () => {
  const { url, key } = await runServer();
  const get = (sent: string | undefined) =>
    `GET /v2/me HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${sent}\r\n\r\n`;
  const socket = await RawSocket.open(url);
  socket.write(get(key) + get('0'.repeat(69)) + get(key));
  const [, first, second, ...others] = (await socket.untilClosed()).split('HTTP/1.1 ');
  expect(first).toMatch(/^200 .*\r\nConnection: keep-alive\r\n/is);
  expect(second).toMatch(/^403 .*\r\nConnection: close\r\n/is);
  expect(others).toEqual([]);
});
