import type { RequestListener, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import {
  fetchGuarded,
  type GuardedAgent,
  type GuardedRequest,
  makeGuardedAgent,
} from '../../../../src/server/outbound/guarded-agent.ts';
import { parseNetwork } from '../../../../src/server/outbound/target.ts';
import { poll } from '../../../support/server/poll.ts';
import { trapServer, webServer } from '../../../support/server/web-server.ts';

function ownAgent(): GuardedAgent {
  const policy = { networks: [parseNetwork('127.0.0.0/8')], ports: [80, 443] };
  const agent = makeGuardedAgent({ policy });
  onTestFinished(async () => await agent.close());
  return agent;
}

const LIMITS = { method: 'GET', answer: 'whole', timeout: 60_000, maxBytes: 1_000, maxRedirects: 0 } as const;

async function ask(answer: RequestListener, input: Partial<GuardedRequest> = {}) {
  const { url } = await webServer(answer);
  return await fetchGuarded(ownAgent(), { ...LIMITS, url, ...input });
}

/** Writes again and again until the other side hangs up; answers how many times it has. */
function writeForEver(response: ServerResponse, chunk: Buffer | string, pause: number): { count: number } {
  const written = { count: 0 };
  const timer = setInterval(() => {
    written.count++;
    response.write(chunk);
  }, pause);
  response.on('close', () => clearInterval(timer));
  return written;
}

test('An answer comes with its status, type and bytes', async () => {
  const bytes = Buffer.from([0, 1, 2, 255]);
  const answer = await ask((_request, response) => {
    response.writeHead(404, { 'content-type': 'image/png', 'content-encoding': 'identity' }).end(bytes);
  });
  expect(answer).toEqual({ status: 404, contentType: 'image/png', bytes, url: expect.stringMatching(/\/$/) });
});

test('A body of exactly the limit is whole, and one byte more is too much, announced or not', async () => {
  const body = Buffer.alloc(1_000, 'x');
  expect((await ask((_request, response) => void response.end(body))).bytes).toEqual(body);
  const longer = Buffer.alloc(1_001);
  const announced = ask((_request, response) => void response.end(longer));
  const streamed = ask((_request, response) => {
    response.write(longer.subarray(500));
    response.end(longer.subarray(0, 500));
  });
  for (const asked of [announced, streamed]) {
    await expect(asked).rejects.toMatchObject({ code: 'too_large', message: /more than 1000 bytes\.$/ });
  }
});

test('An endless body is cut off at the limit, and the connection is closed', async () => {
  let isClosed = false;
  const asked = ask((_request, response) => {
    writeForEver(response, Buffer.alloc(300), 1);
    response.on('close', () => {
      isClosed = true;
    });
  });
  await expect(asked).rejects.toMatchObject({ code: 'too_large' });
  await poll(() => isClosed, Boolean);
});

test.each<[string, RequestListener]>([
  ['never answers', () => {}],
  ['sends a body byte by byte', (_request, response) => void writeForEver(response, 'x', 20)],
  ['sends informational heads for ever', (_request, response) => sayProcessing(response)],
  ['stops in the middle of the body', (_request, response) => void response.write('half')],
])('A server that %s is waited for until the time limit, and no longer', async (_what, answer) => {
  const asked = ask(answer, { timeout: 150 });
  await expect(asked).rejects.toMatchObject({ code: 'timeout', message: /not done within 0\.15 seconds/ });
});

function sayProcessing(response: ServerResponse): void {
  const timer = setInterval(() => response.writeProcessing(), 5);
  response.on('close', () => clearInterval(timer));
}

test('A host that accepts the connection and stays silent is awaited for the given time', async () => {
  const silent = await trapServer();
  const url = `http://127.0.0.1:${silent.port}/`;
  const asked = fetchGuarded(ownAgent(), { ...LIMITS, url, timeout: 150 });
  await expect(asked).rejects.toMatchObject({ code: 'timeout' });
});

test('The time limit holds for all redirects together', async () => {
  const asked = ask(
    (_request, response) => {
      setTimeout(() => response.writeHead(302, { location: '/' }).end(), 40);
    },
    { timeout: 150, maxRedirects: 100 },
  );
  await expect(asked).rejects.toMatchObject({ code: 'timeout' });
});

test.each(['gzip', 'br', 'deflate', 'GZIP', 'gzip, gzip', 'zstd', `a${' \t'.repeat(7_000)}b`])(
  'A body that is compressed (%s) is refused before a byte of it is read',
  async (encoding) => {
    const bomb = gzipSync(Buffer.alloc(1024 * 1024));
    const asked = ask(
      (_request, response) => void response.writeHead(200, { 'content-encoding': encoding }).end(bomb),
      { maxBytes: 10_000 },
    );
    await expect(asked).rejects.toMatchObject({ code: 'encoded' });
  },
);

test('An endless head is cut off', async () => {
  const asked = ask((_request, response) => {
    const line = `x: ${'a'.repeat(1_000)}\r\n`;
    response.socket?.end(`HTTP/1.1 200 OK\r\n${line.repeat(100)}\r\n`);
  });
  await expect(asked).rejects.toMatchObject({ code: 'too_large' });
});

test.each<[string, RequestListener, string]>([
  ['is cut off', (_request, response) => void response.socket?.resetAndDestroy(), 'the connection was reset'],
  [
    'is not HTTP',
    (_request, response) => void response.socket?.end('SSH-2.0-x\r\n'),
    'its answer is not HTTP',
  ],
])('An answer that %s is reported as such', async (_what, answer, reason) => {
  await expect(ask(answer)).rejects.toMatchObject({
    code: 'broken_off',
    message: expect.stringContaining(reason),
  });
});

test('A closed port is reported without the address behind its name', async () => {
  const { port } = await trapServer();
  const free = port === 65_535 ? port - 1 : port + 1;
  const asked = fetchGuarded(ownAgent(), { ...LIMITS, url: `http://a.localhost:${free}/` });
  const message = `a.localhost:${free} could not be reached: connection refused.`;
  await expect(asked).rejects.toMatchObject({ code: 'unreachable', message });
});

test('TLS is enforced if requested', async () => {
  const { port } = await webServer((_request, response) => void response.end());
  const asked = fetchGuarded(ownAgent(), { ...LIMITS, url: `https://127.0.0.1:${port}/` });
  await expect(asked).rejects.toMatchObject({ code: 'broken_off' });
});

test('An ignored body is read up to the limit and then abandoned, and the status counts', async () => {
  for (const chunk of ['short', Buffer.alloc(5_000)]) {
    const answer = await ask(
      (_request, response) => {
        response.writeHead(201, { 'content-encoding': 'gzip' });
        if (chunk === 'short') response.end(chunk);
        else writeForEver(response, chunk, 1);
      },
      { method: 'POST', body: '{}', answer: 'ignored', timeout: 600_000 },
    );
    expect(answer.status).toBe(201);
  }
});

test('A redirect is returned if none may be followed, and always after a POST', async () => {
  const redirect: RequestListener = (_request, response) =>
    void response.writeHead(303, { location: '/a' }).end();
  expect((await ask(redirect)).status).toBe(303);
  expect((await ask(redirect, { method: 'POST', body: '', maxRedirects: 5 })).status).toBe(303);
});

test('A caller can abort the fetch, and gets its own reason back', async () => {
  const stop = new AbortController();
  const asked = ask(() => stop.abort(new Error('enough')), { signal: stop.signal });
  await expect(asked).rejects.toThrow('enough');
});

test('If the name servers cannot answer, the host is not reported as nonexistent', async () => {
  const trouble = Object.assign(new Error('queryA ESERVFAIL'), { code: 'ESERVFAIL' });
  const resolve = async () => Promise.reject(trouble);
  const agent = makeGuardedAgent({ policy: { networks: [], ports: [80] }, resolve });
  onTestFinished(async () => await agent.close());
  const asked = fetchGuarded(agent, { ...LIMITS, url: 'http://skins.example/a.png' });
  const message = 'The name servers could not look up skins.example.';
  await expect(asked).rejects.toMatchObject({ code: 'unreachable', message, cause: trouble });
});
