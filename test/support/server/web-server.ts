import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';

interface SeenRequest {
  readonly line: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface WebServer {
  readonly url: string;
  readonly port: number;
  /** In the order in which they were completely received. */
  readonly seen: SeenRequest[];
}

/** A foreign web server on an address of the loopback network; it ends with the test. */
export async function webServer(answer: RequestListener, address = '127.0.0.1'): Promise<WebServer> {
  const seen: SeenRequest[] = [];
  const server = createServer((request, response) => {
    response.on('error', () => {}); // those who asked may hang up
    buffer(request).then(
      (body) => {
        const { method, url, headers } = request;
        seen.push({ line: `${method} ${url}`, headers, body: body.toString('utf8') });
        answer(request, response);
      },
      () => response.destroy(),
    );
  });
  server.listen(0, address);
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    await closed(server);
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://${address}:${port}`, port, seen };
}

export interface Trap {
  readonly port: number;
  readonly connections: number;
  /** Bytes that came in over them. */
  readonly bytes: number;
}

/** A port to which nothing may connect, on all addresses of this machine. */
export async function trapServer(): Promise<Trap> {
  const trap = { port: 0, connections: 0, bytes: 0 };
  const open = new Set<Socket>();
  const server = createTcpServer((socket) => {
    trap.connections++;
    open.add(socket);
    socket
      .on('error', () => {})
      .on('data', (chunk) => {
        trap.bytes += chunk.length;
      });
  });
  server.listen(0);
  await once(server, 'listening');
  onTestFinished(async () => {
    for (const socket of open) socket.destroy();
    await closed(server);
  });
  trap.port = (server.address() as AddressInfo).port;
  return trap;
}

/** Its handle lives one turn of the event loop longer than it reports. */
async function closed(server: Server): Promise<void> {
  await new Promise((resolve) => server.close(resolve));
  await sleep(0);
}
