/** P18: the longest turn of the service's event loop while many ask for sets and lists at once. */
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { requestBytes } from './load.ts';
import { Machine } from './machine.ts';
import { type Made, makeSets } from './public-sets.ts';
import { type Service, startOwn } from './services.ts';
import { difference, type Row } from './table.ts';

/** Requests at once: one less than an address may have. */
const AT_ONCE = 31;
const ADDRESSES = 16;
const ASKERS = [
  { of: 'one address', addresses: 1 },
  { of: `${ADDRESSES} addresses`, addresses: ADDRESSES },
  { of: 'one user', addresses: 1, hasKey: true },
] as const;
/** Milliseconds. */
const LIMIT = 100;
/** Milliseconds after which answers that have not come count as late. */
const PATIENCE = 60_000;

/**
 * A module that measures the processor time of the main thread between two looks of a timer, which come once in a turn of
 * the event loop that takes longer than a millisecond. On `SIGUSR2`, it writes the most so far to a file.
 */
const watchTurns = (file: string) => `data:text/javascript,import { writeFileSync } from 'node:fs';
  let before = process.threadCpuUsage(), most = 0;
  setInterval(() => {
    const { user, system } = process.threadCpuUsage(before);
    before = process.threadCpuUsage();
    most = Math.max(most, user + system);
  }, 1).unref();
  process.on('SIGUSR2', () => { writeFileSync(${JSON.stringify(file)}, String(most / 1000)); most = 0; });`;

export async function turnRows(): Promise<Row[]> {
  return await Machine.with(async (machine) => {
    await machine.reset();
    const file = join(machine.folder, 'turns');
    const service = await startOwn(machine, { pace: 0, preload: watchTurns(file) });
    try {
      const paths = pathsOf(await makeSets(machine, service));
      const rows: Row[] = [];
      for (const askers of ASKERS) rows.push(await rowOf(service, { file, paths, ...askers }));
      return rows;
    } finally {
      await service.close();
    }
  });
}

/** All that touches many rows. */
function pathsOf({ set, skin, texture }: Made): readonly string[] {
  const ofSet = ['', '/skins.lock', '/skins.zip', '/pack.zip', '/datapack.zip', '/card.png', '/group.png'];
  return [
    '/v2/sets?size=64',
    ...ofSet.map((path) => `/v2/sets/${set}${path}`),
    `/packs/${set}.zip`,
    '/v2/skins?size=128',
    '/v2/skins?size=128&sort=week',
    '/v2/skins?size=128&filter=a',
    '/v2/skins/popular?size=128',
    '/v2/skins/random?size=128',
    `/v2/skins/${skin}/similar`,
    `/v2/skins/${skin}`,
    `/textures/${texture}`,
    '/v2/stats',
    '/',
    '/ui/gallery',
    '/ui/gallery.atom',
    '/ui/sets',
    `/ui/sets/${set}`,
    `/ui/skins/${skin}`,
    '/sitemaps/1.xml',
    '/openapi.json',
  ];
}

interface Askers {
  readonly of: string;
  readonly addresses: number;
  readonly hasKey?: boolean;
}

interface Asked extends Askers {
  readonly file: string;
  readonly paths: readonly string[];
}

async function rowOf(service: Service, { file, paths, ...askers }: Asked): Promise<Row> {
  let [worst, most] = ['', 0];
  for (const path of paths) {
    await askAll(service, path, { of: '', addresses: 1 });
    await longestTurn(service, file);
    await askAll(service, path, askers);
    const turn = await longestTurn(service, file);
    if (turn > most) [worst, most] = [path.replace(/[0-9a-f]{32,}/, '…'), turn];
  }
  const work = `longest turn of serve, ${AT_ONCE} requests at once of ${askers.of}: ${worst}`;
  return difference('P18', [work], { measured: most, limit: LIMIT });
}

/** Processor time of the service's main thread in milliseconds. */
async function longestTurn({ pid }: Service, file: string): Promise<number> {
  rmSync(file, { force: true });
  process.kill(pid, 'SIGUSR2');
  while (!existsSync(file) || readFileSync(file, 'utf8') === '') await sleep(5);
  return Number(readFileSync(file, 'utf8'));
}

/** Each over a connection of its own, all at the same moment. */
async function askAll({ url, env }: Service, path: string, { addresses, hasKey }: Askers): Promise<void> {
  const { hostname, port } = new URL(url);
  const request = requestBytes(path, {
    Connection: 'close',
    Accept: path.startsWith('/v2') ? '*/*' : 'text/html',
    ...(hasKey && { Authorization: `Bearer ${env['SKINSMITH_API_KEY']}` }),
  });
  const open = async (number: number) => {
    const localAddress = `127.0.8.${1 + (number % addresses)}`;
    const socket = connect({ host: hostname, port: Number(port), localAddress }).resume();
    socket.on('error', () => {}).setTimeout(PATIENCE, () => socket.destroy());
    await once(socket, 'connect');
    return socket;
  };
  const sockets = await Promise.all(Array.from({ length: AT_ONCE * addresses }, (_, number) => open(number)));
  await Promise.all(sockets.map(async (socket) => await once(socket.end(request), 'close')));
}
