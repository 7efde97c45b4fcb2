import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A load balancer: each request goes to the next server in turn, on a connection of its own. */
export class RoundRobin {
  readonly url: string;
  /** Addresses of the servers; those that refuse connections are passed over. */
  readonly #servers: string[] = [];
  /** Number of requests that each server has answered. */
  readonly answered = new Map<string, number>();
  #turn = 0;

  private constructor(url: string) {
    this.url = url;
  }

  static async start(): Promise<RoundRobin> {
    const front = createServer().listen(0, '127.0.0.1');
    await once(front, 'listening');
    const it = new RoundRobin(`http://127.0.0.1:${(front.address() as AddressInfo).port}`);
    front.on('request', (asked, answer) => it.#pass(asked, answer, it.#servers.length));
    onTestFinished(() => {
      front.close();
      front.closeAllConnections();
    });
    return it;
  }

  add(server: string): void {
    this.#servers.push(server);
  }

  remove(server: string): void {
    this.#servers.splice(this.#servers.indexOf(server), 1);
  }

  /** As balancers do: another server gets the request only if this one has not received it. */
  #pass(asked: IncomingMessage, answer: ServerResponse, attempts: number): void {
    const server = this.#servers[this.#turn++ % this.#servers.length];
    if (server === undefined || attempts === 0) return void answer.writeHead(502).end();
    const { method = 'GET', headers, url = '/' } = asked;
    const onward = request(`${server}${url}`, { method, headers, agent: false }, (heard) => {
      this.answered.set(server, (this.answered.get(server) ?? 0) + 1);
      answer.writeHead(heard.statusCode ?? 502, heard.rawHeaders);
      heard.pipe(answer);
      heard.on('error', () => answer.destroy());
      answer.on('close', () => heard.destroy());
    });
    onward.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED') this.#pass(asked, answer, attempts - 1);
      else answer.destroy();
    });
    onward.on('socket', (socket) => socket.once('connect', () => asked.pipe(onward)));
  }
}
