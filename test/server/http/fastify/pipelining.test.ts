import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { handleOneByOne } from '../../../../src/server/http/fastify/pipelining.ts';
import { Reading } from '../../../../src/server/http/fastify/reading.ts';

const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

/** Sends `count` requests at once to a server that handles them one by one. */
async function sendAtOnce(count: number, handle: RequestListener) {
  const seen = { requests: 0, receiving: 0, flooded: 0 };
  const listener = handleOneByOne({
    handle,
    receive: () => {
      seen.receiving++;
      return () => void seen.receiving--;
    },
    flooded: () => void seen.flooded++,
    start: (_request, begin) => begin(),
    reading: new Reading(),
  });
  const server = createServer((request, response) => {
    seen.requests++;
    listener(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const socket = connect({ host: '127.0.0.1', port: (server.address() as AddressInfo).port });
  onTestFinished(() => void socket.destroy());
  let heard = '';
  socket.setEncoding('utf8').on('data', (text) => {
    heard += text;
  });
  socket.on('error', () => {}); // a closed connection is what is tested
  socket.write(GET.repeat(count));
  return { socket, seen, heard: () => heard };
}

test('The next request is handled when the previous answer has been taken', async () => {
  let underWay = 0;
  let most = 0;
  const { socket, seen, heard } = await sendAtOnce(20, (_request, response) => {
    most = Math.max(most, ++underWay);
    setImmediate(() => response.end('done\n'));
    response.once('finish', () => underWay--);
  });
  while (heard().split('done\n').length <= 20) await once(socket, 'data');
  expect({ most, ...seen }).toEqual({ most: 1, requests: 20, receiving: 0, flooded: 0 });
});

// Fails when a version of Node stops reading in another way: see reading.ts.
test('While requests of a connection wait, nothing more is read from it', async () => {
  const reading: unknown[] = [];
  const { socket, heard } = await sendAtOnce(2, (request, response) => {
    // In a later turn, in which all that was sent at once has been parsed.
    setImmediate(() => {
      reading.push(isReading(request.socket));
      if (reading.length === 1) socket.write(GET);
      response.end('done\n');
    });
  });
  while (heard().split('done\n').length <= 3) await once(socket, 'data');
  expect([reading.length, reading[0], reading[2]]).toEqual([3, false, true]);
});

function isReading(socket: object): unknown {
  return (socket as { _handle?: { reading?: boolean } })._handle?.reading;
}

// Fails when a version of Node parses what follows on a closed connection: see close-flooding.ts.
test('With more than 32 waiting requests the connection is closed, and nothing more of it is parsed', async () => {
  const { socket, seen } = await sendAtOnce(1_000, () => {});
  await once(socket, 'close');
  expect(seen).toEqual({ requests: 34, receiving: 32, flooded: 1 });
});

test('Errors have stacks again when the connection has been closed', async () => {
  const { socket } = await sendAtOnce(1_000, () => {});
  await once(socket, 'close');
  expect(Error.stackTraceLimit).toBeGreaterThan(0);
});
