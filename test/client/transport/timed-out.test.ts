import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { NetworkTransport } from '../../../src/client/transport.ts';

/** A server that answers when it is told to. */
async function heldServer() {
  const requests: ServerResponse[] = [];
  const server = createServer((_, response) => void requests.push(response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${port}`, requests };
}

/** A transport to it whose two connections have each answered a request. */
async function withTwoConnections() {
  const { origin, requests } = await heldServer();
  const transport = new NetworkTransport();
  onTestFinished(async () => await transport.close());
  const send = (signal = new AbortController().signal) =>
    transport.send({ method: 'GET', origin, path: '/', headers: {}, signal });
  /** @returns the connections of two requests at once */
  const sendTwo = async (): Promise<(Socket | null)[]> => {
    const both = Promise.all([send(), send()]);
    await expect.poll(() => requests.length).toBe(2);
    const sockets = requests.map(({ socket }) => socket);
    for (const response of requests.splice(0)) response.end();
    for (const { body } of await both) for await (const _ of body); // until its end
    return sockets;
  };
  const old = new Set(await sendTwo());
  expect(old.size).toBe(2);
  /** One request is sent and aborted. */
  const abort = async (reason: unknown) => {
    const controller = new AbortController();
    const failed = send(controller.signal).catch((error: unknown) => error);
    await expect.poll(() => requests.length).toBe(1);
    controller.abort(reason);
    requests.pop();
    return await failed;
  };
  const oldUsed = async () => (await sendTwo()).filter((socket) => old.has(socket)).length;
  return { abort, oldUsed };
}

test('After a request timed out, no connection of that age is used again', async () => {
  const { abort, oldUsed } = await withTwoConnections();
  const late = new DOMException('no answer', 'TimeoutError');
  expect(await abort(late)).toBe(late);
  expect(await oldUsed()).toBe(0);
});

test('After a request was aborted for another reason, connections are used again', async () => {
  const { abort, oldUsed } = await withTwoConnections();
  const reason = new Error('no longer wanted');
  expect(await abort(reason)).toBe(reason);
  expect(await oldUsed()).toBeGreaterThan(0);
});
