import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { systemClock } from '../../../../src/base/clock.ts';
import { makeLinkOfOwner } from '../../../../src/server/assembly/owner.ts';
import type { ServerOptions } from '../../../../src/server/server.ts';
import { readMeta, writeMeta } from '../../../../src/server/store/meta.ts';
import { storeFor } from '../../../support/server/chosen-store.ts';
import {
  guardAgainstLeaks,
  openOwnStore,
  runServer,
  type ServerUnderTest,
} from '../../../support/server/running-server.ts';

guardAgainstLeaks();

/** What a command over the store would ask at the address that is remembered, and the answer that it wants. */
async function questionFor({ dataDir }: ServerUnderTest, remembered: string) {
  const { db } = await openOwnStore(dataDir);
  await writeMeta(db, 'public-url', remembered);
  const link = await makeLinkOfOwner({ dataDir, ...(await storeFor(dataDir)) }, systemClock);
  return link!.services[0]!;
}

async function ask(url: string, question: string) {
  const answer = await fetch(`${url}${question}`);
  return { status: answer.status, proof: answer.headers.get('skinsmith-proof') };
}

test('A service proves that it listens at the address and uses the store', async () => {
  const server = await runServer();
  const { url, question, proof } = await questionFor(server, server.url);
  expect(url).toBe(server.url);
  expect(await ask(url, question)).toEqual({ status: 204, proof });
  expect((await questionFor(server, server.url)).proof).not.toBe(proof);
});

test('A service over another store proves something else', async () => {
  const [server, other] = [await runServer(), await runServer()];
  await questionFor(other, other.url); // so that it has a key, too
  const { question, proof } = await questionFor(server, other.url);
  const { status, proof: given } = await ask(other.url, question);
  expect([status, given === proof]).toEqual([204, false]);
});

test('A service of a store without requests proves nothing', async () => {
  const [server, other] = [await runServer(), await runServer()];
  const { question } = await questionFor(server, other.url);
  expect(await ask(other.url, question)).toEqual({ status: 404, proof: null });
});

const elsewhere: [what: string, options: Partial<ServerOptions>, address: (port: string) => string][] = [
  ['another port, where someone passes questions on', {}, () => 'http://127.0.0.1:1'],
  ['a name that leads to other addresses as well', {}, (port) => `http://localhost:${port}`],
  ['an address where it does not listen', {}, (port) => `http://[::1]:${port}`],
  ['another site', {}, () => 'https://skins.example.org'],
  [
    'an address of this machine that is said to be public',
    { publicUrl: 'http://127.0.0.1:1' },
    () => 'http://127.0.0.1:1',
  ],
];
test.each(elsewhere)('A service does not prove that it is at %s', async (_, options, address) => {
  const server = await runServer(options);
  await questionFor(server, server.url);
  const question = new URLSearchParams({ address: address(new URL(server.url).port), nonce: 'n' });
  expect(await ask(server.url, `/ui/sign-in/proof?${question}`)).toEqual({ status: 404, proof: null });
});

test('A service with a public address also proves that it listens at that address', async () => {
  const server = await runServer({ publicUrl: 'https://skins.example.org' });
  const { question, proof } = await questionFor(server, 'https://skins.example.org');
  expect(await ask(server.url, question)).toEqual({ status: 204, proof });
});

test('No request goes to localhost, where others may listen as well', async () => {
  const server = await runServer({ host: '0.0.0.0' });
  expect(server.url).toMatch(/^http:\/\/localhost:/);
  const { url, question, proof } = await questionFor(server, server.url);
  expect(url).toBe(server.url.replace('localhost', '127.0.0.1'));
  expect(await ask(url, question)).toEqual({ status: 204, proof });
});

test('A server that has ended is forgotten, and its successor is remembered', async () => {
  const one = await runServer();
  const { db } = await openOwnStore(one.dataDir);
  expect(await readMeta(db, 'local-url')).toBe(one.url);
  const other = await runServer({ dataDir: one.dataDir });
  await one.close();
  expect(await readMeta(db, 'local-url')).toBe(other.url);
  await other.close();
  expect(await readMeta(db, 'local-url')).toBeUndefined();
});

test('A server is remembered when it takes the port of another that still answers its last requests', async () => {
  const one = await runServer();
  const port = Number(new URL(one.url).port);
  const unfinished = connect(port, '127.0.0.1');
  unfinished.on('error', () => {}).write('POST /v2/queue HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n');
  await one.anonymous().get('/health'); // by then it has the other request, too
  const ended = one.close({ limit: 1_000 });
  const other = await takePort(one.dataDir, port);
  unfinished.destroy();
  await ended;
  const { db } = await openOwnStore(one.dataDir);
  expect(await readMeta(db, 'local-url')).toBe(other.url);
});

/** Starts a server as soon as the port is free. */
async function takePort(dataDir: string, port: number): Promise<ServerUnderTest> {
  for (;;) {
    try {
      return await runServer({ dataDir, port });
    } catch (error) {
      expect(error).toMatchObject({ code: 'EADDRINUSE' });
    }
  }
}
