import type { RequestListener, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { runGame } from '../../support/fake-game/run-game.ts';
import { bodyOf } from '../../support/http/v1/old-format.ts';
import { drawSkin, skinPng } from '../../support/server/drawn-skins.ts';
import { MovableClock } from '../../support/server/movable-clock.ts';
import { poll } from '../../support/server/poll.ts';
import { guardAgainstLeaks, runServer } from '../../support/server/running-server.ts';
import { expectRefusal } from '../../support/server/test-caller.ts';
import { webServer } from '../../support/server/web-server.ts';

guardAgainstLeaks();

const LOCAL = { allowedNetworks: ['127.0.0.0/8'] };

function answers(status: number, body: string | Buffer = '', headers = {}): RequestListener {
  return (_request, response) => void response.writeHead(status, headers).end(body);
}

function pours(response: ServerResponse): void {
  const timer = setInterval(() => response.write(Buffer.alloc(64 * 1024)), 1);
  response.on('close', () => clearInterval(timer));
}

const PAGE = '<!DOCTYPE html><html><head><title>A fine skin</title></head></html>';

type Row = [
  what: string,
  code: 'invalid_image_url' | 'invalid_image',
  says: string | RegExp,
  listener: RequestListener,
];

const ROWS: readonly Row[] = [
  ['nothing there', 'invalid_image_url', '404: there is nothing at this address', answers(404, PAGE)],
  ['a door that is shut', 'invalid_image_url', '403: it denies access', answers(403)],
  ['a server in trouble', 'invalid_image_url', /answered 502\.$/, answers(502, PAGE)],
  [
    'a web page',
    'invalid_image_url',
    /a web page \(HTML\), not with a PNG\. Give the address of the picture/,
    answers(200, PAGE),
  ],
  [
    'a JPEG that says it is a PNG',
    'invalid_image_url',
    'a JPEG picture',
    answers(200, Buffer.from('ffd8ffe0', 'hex'), { 'content-type': 'image/png' }),
  ],
  ['nothing at all', 'invalid_image_url', 'sent an empty answer', answers(200)],
  ['a redirect without end', 'invalid_image_url', 'too many redirects', answers(302, '', { location: '/' })],
  [
    'a redirect to a private address',
    'invalid_image_url',
    '10.1.2.3 is a private address',
    answers(302, '', { location: 'http://10.1.2.3/' }),
  ],
  [
    'a redirect to another scheme',
    'invalid_image_url',
    'Only http and https',
    answers(302, '', { location: 'file:///etc/passwd' }),
  ],
  ['an endless body', 'invalid_image_url', /more than 262144 bytes/, (_request, response) => pours(response)],
  [
    'a compressed body',
    'invalid_image_url',
    'compressed',
    answers(200, gzipSync(Buffer.alloc(1 << 20)), { 'content-encoding': 'gzip' }),
  ],
  [
    'a connection that is cut',
    'invalid_image_url',
    'the connection was reset',
    (_request, response) => void response.socket?.resetAndDestroy(),
  ],
  ['a PNG that is no skin', 'invalid_image', /./, answers(200, skinPng(1).subarray(0, 100))],
  [
    'a PNG of too many bytes',
    'invalid_image',
    '20000 bytes',
    answers(200, Buffer.concat([skinPng(1), Buffer.alloc(20_000)])),
  ],
];

test('A URL is refused with the reason: a wrong status, a page, another format, redirects, bodies without end', async () => {
  const { owner } = await runServer(LOCAL);
  for (const [what, code, says, listener] of ROWS) {
    const site = await webServer(listener);
    const heard = await owner.json('/v2/queue', { url: `${site.url}/skin.png` });
    expectRefusal(heard, code);
    expect(heard.body.errors[0]?.message, what).toMatch(says);
  }
});

test('A private address is refused without a byte sent there, and the caller learns that it may send the picture', async () => {
  const site = await webServer(answers(200, skinPng(1)));
  const { owner } = await runServer();
  const heard = await owner.json('/v2/queue', { url: `${site.url}/skin.png` });
  expectRefusal(heard, 'invalid_image_url');
  expect(heard.body.errors[0]?.message).toContain('127.0.0.1 is a loopback address');
  expect(heard.body.errors[1]).toEqual({
    code: 'address_refused',
    message: expect.stringContaining('Send the picture itself'),
  });
  expect(site.seen).toEqual([]);
  const odd = await owner.json('/v2/queue', { url: 'http://93.184.216.34:8080/skin.png' });
  expect(odd.body.errors[1]?.code).toBe('port_refused');
  const secret = await owner.json('/v2/queue', { url: 'http://ann:secret@example.org/skin.png' });
  expect(secret.body.errors[0]?.message).toContain('user name or password');
});

test('The service fetches at most as many URLs at once as the caller has slots, within the limit per minute', async () => {
  const waiting: ServerResponse[] = [];
  const site = await webServer((_request, response) => void waiting.push(response));
  const clock = new MovableClock();
  const { anonymous } = await runServer({ ...LOCAL, clock });
  const caller = anonymous();
  const ask = async () => await caller.json('/v2/queue', { url: `${site.url}/skin.png` });
  const first = Array.from({ length: 8 }, ask);
  await poll(
    () => waiting.length,
    (count) => count === 5,
  );
  const other = anonymous('127.0.0.2').json('/v2/queue', { url: `${site.url}/skin.png` });
  await poll(
    () => waiting.length,
    (count) => count === 6,
  );
  const isOpen = (response: ServerResponse) => !response.headersSent;
  // Where nothing comes of one picture the next is fetched.
  for (let answered = 0; answered < 9; answered++) {
    (await poll(() => waiting.find(isOpen), Boolean))?.writeHead(404).end();
  }
  for (const heard of await Promise.all([...first, other])) expectRefusal(heard, 'invalid_image_url');
  // An anonymous caller has 20 a minute, and pictures that are none count as well.
  const answer = async () => {
    const asked = ask();
    (await poll(() => waiting.find(isOpen), Boolean))?.writeHead(404).end();
    return await asked;
  };
  for (let more = 8; more < 20; more++) expectRefusal(await answer(), 'invalid_image_url');
  clock.forward(5_000);
  const over = await ask();
  expectRefusal(over, 'rate_limit');
  const old = await caller.json('/generate/url', { url: `${site.url}/skin.png` });
  const wait = Math.ceil(Number(over.body.rateLimit?.next.relative) / 1000);
  expect(wait).toBeGreaterThan(50);
  expect([old.status, bodyOf(old)]).toMatchObject([429, { delay: wait, delayInfo: { seconds: wait } }]);
  clock.forward(Number(over.body.rateLimit?.next.relative));
  expectRefusal(await answer(), 'invalid_image_url');
});

test('A texture that Mojang cannot deliver is a temporary problem', async () => {
  const fake = await runGame();
  const hash = fake.textures.keep(drawSkin(1));
  fake.order({ fault: { kind: 'broken' }, on: ['texture'] });
  const { owner } = await runServer({ gameAddresses: fake.addresses });
  const heard = await owner.json('/v2/queue', { url: `${fake.url}/texture/${hash}` });
  expectRefusal(heard, 'service_unavailable');
  expect(heard.headers['retry-after']).toBe('10');
});
