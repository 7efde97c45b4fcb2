/**
 * Attacks a server that it starts from loopback addresses, and prints how long `/health` takes meanwhile (`node
 * bench/attacks.ts`). The exit status is 1 when the slowest response exceeds the limit.
 */
import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { isMainThread, Worker, workerData } from 'node:worker_threads';
import { Agent, request } from 'undici';
import { Machine } from './machine.ts';
import { type Service, startOwn } from './services.ts';

/** Maximum response time of `/health`, in milliseconds. */
const LIMIT = 100;
/** Duration of each attack and interval between probes, in milliseconds. */
const DURATION = 10_000;
const PAUSE = 50;
/** Milliseconds between rounds that reopen closed connections. */
const AGAIN = 250;

interface Attack {
  readonly name: string;
  /** Number of connections held open. */
  readonly connections: number;
  /** Which loopback address a connection comes from. */
  readonly from: (number: number) => string;
  /** What each connection sends once open. */
  readonly text: () => string;
  /** Whether connections read what they get and send again in each round; otherwise they never read. */
  readonly goesOn?: boolean;
}

const get = (path: string, headers = '') => `GET ${path} HTTP/1.1\r\nHost: a\r\n${headers}\r\n`;
const someKey = () => `Authorization: Bearer ${randomBytes(32).toString('hex')}\r\n`;

const ATTACKS: readonly Attack[] = [
  // For comparison: what the computer is doing besides delays the responses, too.
  { name: 'no attack', connections: 0, from: () => '127.0.0.1', text: () => '' },
  {
    name: '50 addresses hold 20 event streams each',
    connections: 1_000,
    from: (number) => `127.0.1.${1 + (number % 50)}`,
    text: () => get('/v2/queue/events'),
  },
  {
    name: 'one address holds 2,000 silent connections',
    connections: 2_000,
    from: () => '127.0.2.1',
    text: () => '',
    goesOn: true,
  },
  {
    name: '50 connections send 1,000 requests each and read nothing',
    connections: 50,
    from: () => '127.0.3.1',
    text: () => get('/openapi.json').repeat(1_000),
  },
  {
    name: '10 addresses send requests with random keys over 1,000 connections',
    connections: 1_000,
    from: (number) => `127.0.4.${1 + (number % 10)}`,
    text: () => Array.from({ length: 8 }, () => get('/v2/me', someKey())).join(''),
    goesOn: true,
  },
];

// The attacker runs in a thread of its own, so that its load does not count as the server's.
if (!isMainThread) await keepUp(ATTACKS[workerData.attack] as Attack, workerData.url);
else
  await Machine.with(async (machine) => {
    const service = await startOwn(machine, { pace: 0, workers: 1 });
    try {
      for (const [number, attack] of ATTACKS.entries()) await report(attack, number, service);
    } finally {
      await service.close();
    }
  });

async function report(attack: Attack, number: number, { url, env }: Service): Promise<void> {
  const attacker = new Worker(new URL(import.meta.url), { workerData: { attack: number, url } });
  const times = await watch(url);
  const start = performance.now();
  const owner = await statusOfStream(url, env['SKINSMITH_API_KEY'] ?? '');
  const ownerTime = (performance.now() - start).toFixed(1);
  await attacker.terminate();
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => (sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN).toFixed(1);
  process.stdout.write(
    `${attack.name}: /health ${sorted.length} times, median ${at(0.5)} ms, 99 % ${at(0.99)} ms, ` +
      `slowest ${at(1)} ms; the owner's event stream: ${owner} after ${ownerTime} ms\n`,
  );
  if (!(Number(at(1)) <= LIMIT) || owner !== 200) process.exitCode = 1;
}

/** Opens all connections, and reopens those that the server closes. */
async function keepUp({ connections, from, text, goesOn }: Attack, url: string): Promise<never> {
  const { hostname, port } = new URL(url);
  const open = new Map<number, Socket>();
  for (;;) {
    for (let number = 0; number < connections; number++) {
      const there = open.get(number);
      if (there?.destroyed === false) {
        if (goesOn) there.write(text());
        continue;
      }
      const socket = connect({ host: hostname, port: Number(port), localAddress: from(number) });
      socket.on('error', () => {}); // the close event is all that matters
      if (goesOn) socket.resume();
      else socket.pause();
      socket.write(text());
      open.set(number, socket);
    }
    await sleep(AGAIN);
  }
}

/** Each probe uses a new connection, as a new caller would. Infinity: there was no response. */
async function watch(url: string): Promise<number[]> {
  const times: number[] = [];
  const end = performance.now() + DURATION;
  while (performance.now() < end) {
    const agent = new Agent();
    const start = performance.now();
    try {
      const { body } = await request(`${url}/health`, { dispatcher: agent });
      await body.dump();
      times.push(performance.now() - start);
    } catch {
      times.push(Number.POSITIVE_INFINITY);
    }
    await agent.destroy();
    await sleep(PAUSE);
  }
  return times;
}

async function statusOfStream(url: string, key: string): Promise<number> {
  const agent = new Agent();
  const headers = { authorization: `Bearer ${key}` };
  const { statusCode } = await request(`${url}/v2/queue/events`, { dispatcher: agent, headers });
  await agent.destroy();
  return statusCode;
}
