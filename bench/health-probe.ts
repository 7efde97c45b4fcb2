/**
 * Requests `/health`, and `/v2/me` with a key, again and again, and writes the times as JSON:
 * `node bench/health-probe.ts <url> <pid of the server> <milliseconds> <key>`. The first line says that it has begun. It is a separate process with raw sockets, because
 * an attacker or a client library in the same process would delay the measured answers.
 */
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Requests for warming up, and milliseconds between requests. */
const WARM = 20;
const PAUSE = 20;
/** Addresses that nothing else uses: the server knows none of them in advance. */
const CALLERS = { health: '127.0.9.1', holder: '127.0.9.2' } as const;
/** Milliseconds after which an answer counts as missing. */
const PATIENCE = 10_000;

/** Milliseconds from connecting to the answer, and how long the server's main thread worked meanwhile. */
export interface Probe {
  readonly caller: keyof typeof CALLERS;
  readonly time: number;
  readonly work: number;
}

const [url = '', pid = '', duration = '', key = ''] = process.argv.slice(2);
const { hostname, port } = new URL(url);
const requests = {
  health: 'GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
  holder: `GET /v2/me HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nConnection: close\r\n\r\n`,
};
for (let n = 0; n < WARM; n++) await probe('health');
process.stdout.write('ready\n');
const end = performance.now() + Number(duration);
const probes: Probe[] = [];
while (performance.now() < end) {
  probes.push(await probe('health'), await probe('holder'));
  await sleep(PAUSE);
}
process.stdout.write(`${JSON.stringify(probes)}\n`);

/** Uses a new connection each time, like a new caller. A missing answer counts as a billion milliseconds. */
async function probe(caller: Probe['caller']): Promise<Probe> {
  const before = workOfServer();
  const start = performance.now();
  const socket = connect({ host: hostname, port: Number(port), localAddress: CALLERS[caller] });
  const time = await new Promise<number>((resolve) => {
    socket.once('connect', () => socket.write(requests[caller]));
    socket.once('data', () => resolve(performance.now() - start));
    socket.once('error', () => resolve(1e9));
    socket.once('close', () => resolve(1e9));
    socket.setTimeout(PATIENCE, () => resolve(1e9));
  });
  socket.destroy();
  return { caller, time, work: workOfServer() - before };
}

/** CPU time of its main thread so far, in milliseconds, from Linux; 0 elsewhere. */
function workOfServer(): number {
  if (process.platform !== 'linux') return 0;
  const [nanoseconds] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ');
  return Number(nanoseconds) / 1e6;
}
