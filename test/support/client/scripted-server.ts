import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { expect, onTestFinished } from 'vitest';

/** One expected request and its answer. */
export interface Exchange {
  /** Method, path and query, as in `GET /v2/skins?size=2`. */
  readonly expect: string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent as it is, when there is no `json`. */
  readonly text?: string;
  /** Handles the request itself: cuts the connection, stays silent. */
  readonly act?: (response: ServerResponse) => void;
}

export interface SeenRequest {
  readonly line: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface ScriptedServer {
  readonly url: string;
  readonly seen: readonly SeenRequest[];
}

/** Cuts the connection: without an answer, or in the middle of one. */
export const cutBefore = (response: ServerResponse) => void response.socket?.resetAndDestroy();
export const cutWithin = (response: ServerResponse) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': 1000 });
  response.write('{"success": true,', () => response.socket?.resetAndDestroy());
};
/** Takes the request and never answers. */
export const staySilent = () => {};

/**
 * A service on the loopback that knows exactly what it will be asked. A request that is not the next of
 * the script fails the test, and so does an answer that nobody asked for.
 */
export async function scriptedServer(script: readonly Exchange[]): Promise<ScriptedServer> {
  const seen: SeenRequest[] = [];
  const unexpected: string[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const line = `${request.method} ${request.url}`;
    const next = script[seen.length];
    seen.push({ line, headers: request.headers, body: await buffer(request) });
    if (next?.expect === line) reply(response, next);
    else {
      unexpected.push(`${line} (expected: ${next?.expect ?? 'nothing more'})`);
      response.writeHead(418).end('{"success":false,"errors":[{"code":"unexpected","message":"?"}]}');
    }
  };
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy()); // the client went away
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    expect(unexpected, 'requests that the script does not have').toEqual([]);
    expect(script.slice(seen.length), 'answers that nobody asked for').toEqual([]);
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

function reply(response: ServerResponse, { status = 200, headers = {}, json, text, act }: Exchange): void {
  if (act) {
    act(response);
    return;
  }
  const body = json === undefined ? (text ?? '') : JSON.stringify(json);
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
}
