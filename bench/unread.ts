/** P19: the memory of answers that nobody reads. */
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { requestBytes } from './load.ts';
import { Machine } from './machine.ts';
import { makeSets } from './public-sets.ts';
import { forgetPeak, peakOf, type Service, startOwn } from './services.ts';
import { difference, type Row } from './table.ts';

const CONNECTIONS = 1_000;
const ADDRESSES = 10;
/** Milliseconds that the service has for its answers; some are cut off in this time, and asked for again. */
const DURATION = 15_000;
const AGAIN = 1_000;

export async function unreadRows(): Promise<Row[]> {
  return await Machine.with(async (machine) => {
    await machine.reset();
    const service = await startOwn(machine, { pace: 0 });
    try {
      const { set } = await makeSets(machine, service);
      const packs = await rowOf(service, { work: "a set's pack", path: `/v2/sets/${set}/pack.zip` });
      return [await rowOf(service, { work: '/openapi.json', path: '/openapi.json' }), packs];
    } finally {
      await service.close();
    }
  });
}

async function rowOf(
  service: Service,
  { work, path }: { readonly work: string; readonly path: string },
): Promise<Row> {
  await fetch(`${service.url}${path}`).then(async (answer) => await answer.arrayBuffer());
  forgetPeak(service);
  const baseline = peakOf(service);
  await leaveUnread(service, path);
  const words = [`memory of serve, ${CONNECTIONS} answers that nobody reads: ${work}`, 'before'] as const;
  return difference('P19', words, { unit: 'MB', measured: peakOf(service), baseline, limit: 150 });
}

async function leaveUnread({ url }: Service, path: string): Promise<void> {
  const { hostname, port } = new URL(url);
  const request = requestBytes(path, {});
  const open = (number: number) => {
    const localAddress = `127.0.6.${1 + (number % ADDRESSES)}`;
    const socket = connect({ host: hostname, port: Number(port), localAddress });
    socket.on('error', () => {}).pause();
    socket.write(request);
    return socket;
  };
  const sockets = Array.from({ length: CONNECTIONS }, (_, number) => open(number));
  for (const end = performance.now() + DURATION; performance.now() < end; await sleep(AGAIN))
    for (const [number, socket] of sockets.entries()) if (socket.closed) sockets[number] = open(number);
  for (const socket of sockets) socket.destroy();
}
