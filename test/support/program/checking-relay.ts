import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { AnswerChecker } from '../contract/checked-answers.ts';

/** Stands before a service, passes all on, and looks at each answer. */
export class CheckingRelay {
  readonly url: string;
  /** What was wrong with answers. */
  readonly faults: string[] = [];
  /** Requested operations. */
  readonly operations = new Set<string>();
  readonly #checker = new AnswerChecker();
  readonly #service: string;

  private constructor(url: string, service: string) {
    this.url = url;
    this.#service = service;
  }

  static async to(service: { readonly url: string }): Promise<CheckingRelay> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const relay = new CheckingRelay(
      `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      service.url,
    );
    server.on('request', (asked, answer) => relay.#pass(asked, answer));
    onTestFinished(() => {
      server.close();
      server.closeAllConnections();
    });
    return relay;
  }

  #pass(asked: IncomingMessage, answer: ServerResponse): void {
    const { method = 'GET', headers, url: address = '/' } = asked;
    this.operations.add(this.#checker.operationOf(method, address) ?? `${method} ${address}`);
    const onward = request(`${this.#service}${address}`, { method, headers }, (heard) => {
      answer.writeHead(heard.statusCode ?? 502, heard.rawHeaders);
      heard.pipe(answer);
      const chunks: Buffer[] = [];
      heard.on('data', (chunk: Buffer) => chunks.push(chunk));
      // The reader ends a stream of events; only what has arrived by then is checked.
      answer.on('close', () => heard.destroy());
      heard.on('close', () => this.#check({ method, address }, heard, Buffer.concat(chunks)));
    });
    onward.on('error', () => answer.destroy());
    asked.pipe(onward);
  }

  #check(asked: { method: string; address: string }, heard: IncomingMessage, bytes: Buffer): void {
    const { statusCode: status = 0, headers } = heard;
    this.faults.push(...this.#checker.faults({ ...asked, status, headers, bytes }));
  }
}
