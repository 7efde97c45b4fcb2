import { connect } from 'node:net';

export interface RawRequest {
  readonly method: string;
  /** As it stands in the first line. */
  readonly address: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
}

export interface RawHeard {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly bytes: Buffer;
}

/**
 * Sends exactly these bytes, whatever HTTP thinks of them, and reads one answer. A stream of events is left after
 * its head. @throws Error when there is no whole answer within `limit` milliseconds
 */
export async function exchangeRaw(port: number, asked: RawRequest, limit: number): Promise<RawHeard> {
  const socket = connect(port, '127.0.0.1');
  socket.setTimeout(limit, () => socket.destroy(new Error(`no answer within ${limit} ms`)));
  const chunks: Buffer[] = [];
  let failure: Error | undefined;
  return await new Promise((resolve, reject) => {
    socket.on('connect', () => socket.write(toBytes(asked)));
    socket.on('error', (error) => {
      failure = error;
    });
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      // The head may come after "go on", and in pieces.
      const type = parse(Buffer.concat(chunks))?.headers['content-type'];
      if (type?.startsWith('text/event-stream')) socket.destroy();
    });
    socket.on('close', () => {
      const heard = parse(Buffer.concat(chunks));
      if (heard) resolve(heard);
      else reject(failure ?? new Error('the connection was closed without an answer'));
    });
  });
}

function toBytes({ method, address, headers, body }: RawRequest): Buffer {
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `${method} ${address} HTTP/1.1\r\n${lines.join('')}\r\n`;
  return Buffer.concat([Buffer.from(head, 'utf8'), body]);
}

/** The first answer that is not "go on". */
function parse(all: Buffer): RawHeard | undefined {
  const end = all.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [first = '', ...lines] = all.subarray(0, end).toString('latin1').split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1]);
  const rest = all.subarray(end + 4);
  if (status === 100) return parse(rest);
  const pairs = lines.map((line): [string, string] => {
    const at = line.indexOf(':');
    return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()];
  });
  const headers = Object.fromEntries(pairs);
  return { status, headers, bytes: headers['transfer-encoding'] === 'chunked' ? unchunked(rest) : rest };
}

function unchunked(bytes: Buffer): Buffer {
  const chunks: Buffer[] = [];
  for (let at = 0; ; ) {
    const end = bytes.indexOf('\r\n', at);
    const size = Number.parseInt(bytes.subarray(at, end).toString('latin1'), 16);
    if (end < 0 || !(size > 0)) return Buffer.concat(chunks);
    chunks.push(bytes.subarray(end + 2, end + 2 + size));
    at = end + 2 + size + 2;
  }
}
