import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** Returns the request with this number as raw bytes, including its body. */
export type RequestBytes = (index: number) => Buffer;

export interface Load {
  readonly url: string;
  readonly requests: number;
  /** Each connection has one request in flight at a time. */
  readonly connections: number;
  readonly request: RequestBytes;
}

export interface Timed {
  /** Mean duration of a request. */
  readonly milliseconds: number;
  /** Size of the last response's body. */
  readonly bytes: number;
}

/**
 * Measures request durations while all connections are kept busy. It writes and counts raw bytes without a client
 * library, which would be slower than the servers it measures.
 * @throws Error when a response does not report success
 */
export async function timeRequests(load: Load): Promise<Timed> {
  const { hostname, port } = new URL(load.url);
  let next = 0;
  const take = () => (next < load.requests ? load.request(next++) : undefined);
  const lines = Array.from({ length: load.connections }, () => new Line(Number(port), hostname));
  await Promise.all(lines.map(async (line) => await line.connected()));
  const start = performance.now();
  const lengths = await Promise.all(lines.map(async (line) => await line.sendAll(take)));
  const elapsed = performance.now() - start;
  for (const line of lines) line.close();
  return { milliseconds: elapsed / load.requests, bytes: Math.max(...lengths) };
}

/** A GET, or a POST if there is a body. */
export function requestBytes(path: string, headers: Readonly<Record<string, string>>, body?: Buffer): Buffer {
  const head = [
    `${body ? 'POST' : 'GET'} ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    'User-Agent: skinsmith-bench/1',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(body ? [`Content-Length: ${body.length}`] : []),
  ].join('\r\n');
  return Buffer.concat([Buffer.from(`${head}\r\n\r\n`), body ?? Buffer.alloc(0)]);
}

/** Bytes to read at once. */
const READ = 64 * 1024;

/** One connection. It reads into its own buffer, because Node's streams would take a third of the time of a small answer. */
class Line {
  readonly #socket: Socket;
  #answer = new Answer();
  #take: () => Buffer | undefined = () => undefined;
  readonly #end = Promise.withResolvers<number>();

  constructor(port: number, host: string) {
    const callback = (size: number, memory: Uint8Array) => this.#read(Buffer.from(memory.buffer, 0, size));
    this.#socket = connect({ port, host, noDelay: true, onread: { buffer: new Uint8Array(READ), callback } });
  }

  async connected(): Promise<void> {
    await once(this.#socket, 'connect');
  }

  /** Returns the length of the last body. */
  async sendAll(take: () => Buffer | undefined): Promise<number> {
    this.#take = take;
    this.#socket.on('error', this.#end.reject);
    this.#socket.on('close', () => this.#end.reject(new Error('The server closed the connection.')));
    this.#sendNext();
    return await this.#end.promise;
  }

  close(): void {
    this.#socket.destroy();
  }

  #sendNext(): void {
    const request = this.#take();
    if (request) this.#socket.write(request);
    else this.#end.resolve(this.#answer.bodyLength);
  }

  #read(chunk: Buffer): boolean {
    try {
      if (this.#answer.add(chunk)) this.#sendNext();
    } catch (error) {
      this.#end.reject(error);
    }
    return true;
  }
}

const GOOD = 'HTTP/1.1 2';
const LENGTH = /\r\ncontent-length: (\d+)/i;
const END_OF_HEAD = '\r\n\r\n';

/** Parses the answers on one connection, one after the other. Of a body, it only counts the bytes. */
class Answer {
  bodyLength = 0;
  /** The received part of the headers; empty between answers and during a body. */
  #head = '';
  /** Missing bytes of the body. */
  #missing = 0;

  /** Whether this chunk completes an answer. @throws Error when it does not report success, or more follows it */
  add(chunk: Buffer): boolean {
    const bytes = this.#missing > 0 ? chunk.length : this.#readHead(chunk);
    this.#missing -= bytes;
    if (this.#missing < 0) throw new Error('The server sent more than the answer.');
    return this.#missing === 0 && this.#head === '';
  }

  /** Reads the rest of the headers. @returns the number of bytes after them */
  #readHead(chunk: Buffer): number {
    this.#head += chunk.toString('latin1');
    const end = this.#head.indexOf(END_OF_HEAD);
    if (end === -1) return 0;
    if (!this.#head.startsWith(GOOD)) throw new Error(`The server answered: ${this.#head.slice(0, 500)}`);
    this.bodyLength = Number(LENGTH.exec(this.#head)?.[1] ?? 0);
    this.#missing = this.bodyLength;
    const there = this.#head.length - end - END_OF_HEAD.length;
    this.#head = '';
    return there;
  }
}
