import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';

interface ProxyOptions {
  /** Ports of this machine, by the names that lead there; there are no others. */
  readonly hosts: Readonly<Record<string, number>>;
  /** `user:password` that every client must send. */
  readonly credentials?: string;
}

/** An HTTP proxy on the loopback network: tunnels for CONNECT, and forwards plain requests. */
export interface ConnectProxy {
  readonly url: string;
  /** `CONNECT host:port` or `GET http://host/path`, in the order of arrival; refused ones too. */
  readonly seen: string[];
}

/** It ends with the test. */
export async function connectProxy({ hosts, credentials }: ProxyOptions): Promise<ConnectProxy> {
  const seen: string[] = [];
  const sockets = new Set<Socket>();
  const isKnown = ({ headers }: IncomingMessage) =>
    credentials === undefined ||
    headers['proxy-authorization'] === `Basic ${Buffer.from(credentials).toString('base64')}`;
  const server = createServer((asked, response) => {
    seen.push(`${asked.method} ${asked.url}`);
    const { hostname, pathname, search } = new URL(asked.url ?? '');
    const port = hosts[hostname];
    if (!isKnown(asked)) return void response.writeHead(407).end();
    if (port === undefined) return void response.writeHead(502).end();
    passOn(asked, response, { port, path: pathname + search });
  });
  server.on('connect', (asked: IncomingMessage, near: Socket) => {
    seen.push(`CONNECT ${asked.url}`);
    const port = hosts[asked.url?.replace(/:\d+$/, '') ?? ''];
    if (!isKnown(asked)) return void near.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    if (port === undefined) return void near.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
    const far = connect(port, '127.0.0.1', () => {
      near.write('HTTP/1.1 200 Connection established\r\n\r\n');
      near.pipe(far).pipe(near);
    });
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => other.destroy()).on('close', () => other.destroy());
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await sleep(0); // its handle lives one turn of the event loop longer
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

function passOn(
  asked: IncomingMessage,
  response: ServerResponse,
  target: { readonly port: number; readonly path: string },
): void {
  const { method, headers } = asked;
  const onward = request({ host: '127.0.0.1', ...target, method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  onward.on('error', () => response.destroy());
  asked.pipe(onward);
}
