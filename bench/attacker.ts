/** Attacks a server from loopback addresses until it is killed: `node bench/attacker.ts <attack> <url>`. */
import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds between rounds that reopen closed connections. */
const AGAIN = 250;

interface Attack {
  /** Number of connections held open. */
  readonly connections: number;
  /** The loopback address of a connection. */
  readonly from: (number: number) => string;
  /** The bytes that each connection sends once open. */
  readonly text: () => string;
  /** Whether connections read answers and send again in each round; otherwise they never read. */
  readonly goesOn?: boolean;
  /** The bytes that they send in later rounds; default: the same again. */
  readonly more?: string;
  /** Whether they send the same again as soon as it is answered, rather than in rounds. */
  readonly waits?: boolean;
  /** Milliseconds between the rounds, if not the usual ones. */
  readonly pause?: number;
}

const get = (path: string, headers = '') => `GET ${path} HTTP/1.1\r\nHost: a\r\n${headers}\r\n`;
const head = (path: string) => `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n`;
const someKey = () => `Authorization: Bearer ${randomBytes(32).toString('hex')}\r\n`;

const ATTACKS: Readonly<Record<string, Attack>> = {
  none: { connections: 0, from: () => '127.0.0.1', text: () => '' },
  streams: {
    connections: 1_000,
    from: (number) => `127.0.1.${1 + (number % 50)}`,
    text: () => get('/v2/queue/events'),
  },
  silent: { connections: 2_000, from: () => '127.0.2.1', text: () => '', goesOn: true },
  pipelined: {
    connections: 50,
    from: () => '127.0.3.1',
    text: () => get('/openapi.json').repeat(1_000),
  },
  keys: {
    connections: 1_000,
    from: (number) => `127.0.4.${1 + (number % 10)}`,
    text: () => Array.from({ length: 8 }, () => get('/v2/me', someKey())).join(''),
    goesOn: true,
  },
  bodies: {
    connections: 2_000,
    from: (number) => `127.0.5.${1 + (number % 20)}`,
    text: () => `${head('/v2/queue')}Content-Length: 100000\r\n\r\n{`,
    goesOn: true,
    more: ' ',
    pause: 2_000,
  },
  unread: {
    connections: 1_000,
    from: (number) => `127.0.6.${1 + (number % 10)}`,
    text: () => get('/openapi.json'),
  },
  uncounted: {
    connections: 1_000,
    from: (number) => `127.0.7.${1 + (number % 10)}`,
    text: () =>
      `${get('/health')}OPTIONS / HTTP/1.1\r\nHost: a\r\n\r\n${get('/%zz')}${get('/nothing', 'Accept: text/html\r\n')}`.repeat(
        7,
      ),
    waits: true,
  },
};

const [name = '', url = ''] = process.argv.slice(2);
const attack = ATTACKS[name];
if (!attack) throw new Error(`Unknown attack ${name}.`);
const { hostname, port } = new URL(url);
const open = new Map<number, Socket>();
for (;;) {
  keepUp(attack);
  await sleep(attack.pause ?? AGAIN);
}

/** Opens all connections, and reopens those that the server has closed. */
function keepUp({ connections, from, text, goesOn, more, waits }: Attack): void {
  for (let number = 0; number < connections; number++) {
    const there = open.get(number);
    if (there?.destroyed === false) {
      if (goesOn) there.write(more ?? text());
      continue;
    }
    const socket = connect({ host: hostname, port: Number(port), localAddress: from(number) });
    socket.on('error', () => {}); // the close event is all that matters
    if (waits) sendAgain(socket, text());
    else if (goesOn) socket.resume();
    else socket.pause();
    socket.write(text());
    open.set(number, socket);
  }
}

function sendAgain(socket: Socket, text: string): void {
  const count = text.split('HTTP/1.1').length - 1;
  let answers = 0;
  socket.on('data', (piece) => {
    answers += piece.toString('latin1').split('HTTP/1.1').length - 1;
    if (answers < count) return;
    answers = 0;
    socket.write(text);
  });
}
