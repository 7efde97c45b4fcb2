/**
 * Requests `/health` again and again, and writes the times as JSON: `node bench/health-probe.ts <url> <pid of the
 * server> <milliseconds>`. The first line says that it has begun. It is a separate process with raw sockets, because
 * an attacker or a client library in the same process would delay the measured answers.
 */
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Requests for warming up, and milliseconds between requests. */
const WARM = 20;
const PAUSE = 20;
const REQUEST = 'GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';

/** Milliseconds from connecting to the answer, and how long the server's main thread worked meanwhile. */
export interface Probe {
  readonly time: number;
  readonly work: number;
}

const [url = '', pid = '', duration = ''] = process.argv.slice(2);
const { hostname, port } = new URL(url);
for (let n = 0; n < WARM; n++) await probe();
process.stdout.write('ready\n');
const end = performance.now() + Number(duration);
const probes: Probe[] = [];
while (performance.now() < end) {
  probes.push(await probe());
  await sleep(PAUSE);
}
process.stdout.write(`${JSON.stringify(probes)}\n`);

/** Uses a new connection each time, like a new caller. A missing answer counts as a billion milliseconds. */
async function probe(): Promise<Probe> {
  const before = workOfServer();
  const start = performance.now();
  const socket = connect({ host: hostname, port: Number(port) });
  const time = await new Promise<number>((resolve) => {
    socket.once('connect', () => socket.write(REQUEST));
    socket.once('data', () => resolve(performance.now() - start));
    socket.once('error', () => resolve(1e9));
    socket.once('close', () => resolve(1e9));
  });
  socket.destroy();
  return { time, work: workOfServer() - before };
}

/** CPU time of its main thread so far, in milliseconds, from Linux; 0 elsewhere. */
function workOfServer(): number {
  if (process.platform !== 'linux') return 0;
  const [nanoseconds] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ');
  return Number(nanoseconds) / 1e6;
}
