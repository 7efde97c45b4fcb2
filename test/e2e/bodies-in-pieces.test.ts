import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { freshMachine, type Serving } from '../support/program/program.ts';
import { skinPng } from '../support/server/drawn-skins.ts';

const MEGABYTE = 1024 * 1024;
/** A connection's part of an attack: 65,536 pieces of one byte. */
const PIECES = Buffer.from('1\r\na\r\n'.repeat(65_536));

/** Sends a body in single bytes; resolves when the service has closed the connection. */
async function sendInBytes({ url }: Serving, path: string, localAddress: string): Promise<void> {
  const { hostname: host, port } = new URL(url);
  const socket = connect({ host, port: Number(port), localAddress });
  onTestFinished(() => void socket.destroy());
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.on('error', () => {}).resume(); // it is cut off, which is tested
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
  );
  socket.write(PIECES);
  await closed;
}

/** The most memory that a process has taken, and how long it has kept a core busy. */
async function spentBy({ process: { pid } }: Serving): Promise<{ megabytes: number; seconds: number }> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const [user = 0, system = 0] = stat.split(') ')[1]!.split(' ').slice(11, 13).map(Number);
  return {
    megabytes: (Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1]) * 1024) / MEGABYTE,
    seconds: (user + system) / 100,
  };
}

async function attack(
  serving: Serving,
  {
    addresses,
    connections,
    path = '/v2/queue',
  }: {
    readonly addresses: number;
    readonly connections: number;
    readonly path?: string;
  },
): Promise<void> {
  const closed = Array.from({ length: connections }, (_, n) =>
    sendInBytes(serving, path, `127.0.0.${2 + (n % addresses)}`),
  );
  await Promise.all(closed);
}

describe('Bodies in single bytes', () => {
  test.for([
    ['36 MB from one address', { addresses: 1, connections: 94 }],
    ['72 MB from twelve addresses', { addresses: 12, connections: 188 }],
    ['36 MB that no route reads', { addresses: 1, connections: 94, path: '/nowhere' }],
  ] as const)('are cut off before they take memory or time: %s', async ([, form]) => {
    const serving = await (await freshMachine()).serve();
    const before = await spentBy(serving);
    await attack(serving, form);
    expect((await serving.caller().get('/health')).status).toBe(200);
    const after = await spentBy(serving);
    expect(after.megabytes).toBeLessThan(500);
    // Of a core, not of a clock: however slow the machine, nobody else waits longer for their answer.
    expect(after.seconds - before.seconds).toBeLessThan(2);
    expect((await serving.caller().upload('/v2/queue', skinPng(1))).status).toBe(202);
  });
});
