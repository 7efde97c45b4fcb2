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
  const sockets = Array.from({ length: load.connections }, () => connect(Number(port), hostname));
  await Promise.all(sockets.map(connected));
  const start = performance.now();
  const lengths = await Promise.all(sockets.map((socket) => sendAll(socket, take)));
  const elapsed = performance.now() - start;
  for (const socket of sockets) socket.destroy();
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

async function connected(socket: Socket): Promise<void> {
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
}

/** Returns the length of the last body. */
async function sendAll(socket: Socket, take: () => Buffer | undefined): Promise<number> {
  return await new Promise((resolve, reject) => {
    let answer = new Answer();
    let length = 0;
    const sendNext = () => {
      const request = take();
      if (request) socket.write(request);
      else resolve(length);
    };
    socket.setNoDelay(true);
    socket.on('error', reject).on('data', (chunk) => {
      if (!answer.add(chunk)) return;
      if (!answer.isGood) reject(new Error(`The server answered: ${answer.text.slice(0, 500)}`));
      length = answer.bodyLength;
      answer = new Answer();
      sendNext();
    });
    sendNext();
  });
}

const END_OF_HEAD = '\r\n\r\n';

/** The part of a response received so far. */
class Answer {
  #chunks: Buffer = Buffer.alloc(0);
  #length = Number.POSITIVE_INFINITY;

  /** Whether this chunk completes the response. */
  add(chunk: Buffer): boolean {
    this.#chunks = this.#chunks.length === 0 ? chunk : Buffer.concat([this.#chunks, chunk]);
    if (this.#length === Number.POSITIVE_INFINITY) this.#length = lengthOf(this.#chunks);
    return this.#chunks.length >= this.#length;
  }

  get isGood(): boolean {
    return /^HTTP\/1\.1 2/.test(this.text);
  }

  get bodyLength(): number {
    return this.#length - this.#chunks.indexOf(END_OF_HEAD) - END_OF_HEAD.length;
  }

  get text(): string {
    return this.#chunks.toString('latin1');
  }
}

function lengthOf(bytes: Buffer): number {
  const end = bytes.indexOf(END_OF_HEAD);
  if (end === -1) return Number.POSITIVE_INFINITY;
  const head = bytes.toString('latin1', 0, end);
  return end + END_OF_HEAD.length + Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
}
