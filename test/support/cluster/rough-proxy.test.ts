import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { RoughProxy } from './rough-proxy.ts';

/** Both ends of a connection through a proxy. */
async function openConnection(): Promise<{ proxy: RoughProxy; near: Socket; far: Socket }> {
  const server = createServer();
  onTestFinished(() => void server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxy = await RoughProxy.to((server.address() as AddressInfo).port);
  onTestFinished(async () => await proxy.close());
  const near = connect(proxy.port, '127.0.0.1');
  onTestFinished(() => void near.destroy());
  const [[far]] = (await Promise.all([once(server, 'connection'), once(near, 'connect')])) as [[Socket], []];
  return { proxy, near, far };
}

test('Once the network is good again, new data comes after the data that was delayed', async () => {
  const { proxy, near, far } = await openConnection();
  const received = text(far);
  proxy.slow(50);
  near.write('slowed, ');
  await new Promise((resolve) => setTimeout(resolve, 10));
  proxy.heal();
  near.end('at once');
  expect(await received).toBe('slowed, at once');
});
