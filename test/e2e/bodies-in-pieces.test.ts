import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
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

/** An attack over so many connections from loopback addresses that no other attack comes from. */
interface Attack {
  readonly first: number;
  readonly addresses: number;
  readonly connections: number;
  readonly path?: string;
}

async function attack(
  serving: Serving,
  { first, addresses, connections, path = '/v2/queue' }: Attack,
): Promise<void> {
  const closed = Array.from({ length: connections }, (_, n) =>
    sendInBytes(serving, path, `127.0.0.${first + (n % addresses)}`),
  );
  await Promise.all(closed);
}

/** 36 MB from one address, 72 MB from twelve addresses, and 36 MB that no route reads. */
const ATTACKS: readonly Attack[] = [
  { first: 2, addresses: 1, connections: 94 },
  { first: 3, addresses: 12, connections: 188 },
  { first: 15, addresses: 1, connections: 94, path: '/nowhere' },
];

test('Bodies in single bytes are cut off before they take memory or time', async () => {
  const serving = await (await freshMachine()).serve();
  for (const [n, form] of ATTACKS.entries()) {
    const before = await spentBy(serving);
    await attack(serving, form);
    expect((await serving.caller().get('/health')).status).toBe(200);
    const after = await spentBy(serving);
    expect(after.megabytes).toBeLessThan(500);
    // Of a core, not of a clock: however slow the machine, nobody else waits longer for their answer.
    expect(after.seconds - before.seconds).toBeLessThan(2);
    expect((await serving.caller().upload('/v2/queue', skinPng(n))).status).toBe(202);
  }
});
