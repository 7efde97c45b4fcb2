import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A connection to a server under test that sends what no HTTP client would. */
export class RawSocket {
  readonly #socket: Socket;
  #heard = '';

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (chunk) => {
      this.#heard += chunk.toString('latin1');
    });
    socket.on('error', () => {}); // a reset is an end like others here
  }

  static async open(url: string): Promise<RawSocket> {
    const { hostname, port } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port) });
    onTestFinished(() => void socket.destroy());
    const raw = new RawSocket(socket);
    await once(socket, 'connect');
    return raw;
  }

  get heard(): string {
    return this.#heard;
  }

  write(text: string): void {
    this.#socket.write(text);
  }

  /** What the server has said by the time it closes the connection. */
  async untilClosed(): Promise<string> {
    if (!this.#socket.closed) await once(this.#socket, 'close', { signal: AbortSignal.timeout(60_000) });
    return this.#heard;
  }
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: unknown;
}

/** The last answer in what a connection has said. */
export function parseAnswer(text: string): RawAnswer {
  const last = text.slice(text.lastIndexOf('HTTP/1.1 '));
  const [head = '', body = ''] = last.split('\r\n\r\n');
  const [first = '', ...lines] = head.split('\r\n');
  const pairs = lines.map((line) => line.split(': ') as [string, string]);
  const headers = Object.fromEntries(pairs.map(([name, value]) => [name.toLowerCase(), value]));
  return { status: Number(first.split(' ')[1]), headers, body: JSON.parse(body) };
}
