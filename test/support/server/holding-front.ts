import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { request } from 'undici';
import { onTestFinished } from 'vitest';

/** A service that accepts submissions late: when the test lets them through, even if the client has given up. */
export interface HoldingFront {
  readonly url: string;
  /** Submissions received so far. */
  readonly submissions: number;
  /** Lets all requests through, also later ones. */
  release(): void;
}

export async function holdSubmissionsTo({ url }: { readonly url: string }): Promise<HoldingFront> {
  const released = Promise.withResolvers<void>();
  let submissions = 0;
  const handle = async (asked: IncomingMessage, response: ServerResponse) => {
    const body = await buffer(asked);
    if (asked.method === 'POST') {
      submissions++;
      await released.promise;
    }
    const { statusCode, headers, body: answer } = await pass(asked, body);
    response.writeHead(statusCode, headers).end(answer);
  };
  const pass = async ({ method = 'GET', url: path, headers }: IncomingMessage, body: Buffer) => {
    const { host: _, connection: __, 'transfer-encoding': ___, 'content-length': ____, ...sent } = headers;
    const answer = await request(`${url}${path}`, {
      method,
      headers: sent,
      body: body.length > 0 ? body : null,
    });
    const bytes = Buffer.from(await answer.body.arrayBuffer());
    const { connection: _____, 'transfer-encoding': ______, ...told } = answer.headers;
    return { statusCode: answer.statusCode, headers: told, body: bytes };
  };
  const server = createServer((asked, response) => {
    // The caller may be gone, and the service closed.
    handle(asked, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    released.resolve();
    server.close();
    server.closeAllConnections();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get submissions() {
      return submissions;
    },
    release: () => released.resolve(),
  };
}
