import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { isUnreachable } from '../../../../../src/server/store/failures.ts';
import { forKysely, makePool, POOL_OPTIONS } from '../../../../../src/server/store/postgres/pool.ts';

/** A message of PostgreSQL: a letter, its length, what it says. */
function message(type: string, content: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(4 + content.length);
  return Buffer.concat([Buffer.from(type), length, content]);
}

const AUTHENTICATED = message('R', Buffer.alloc(4));
const READY = message('Z', Buffer.from('I'));
const TERMINATED = message('E', Buffer.from('SFATAL\0VFATAL\0C57P01\0Mterminating connection\0\0'));

/** The address of a database that ends each connection in the moment in which it is ready. */
async function endingDatabase(): Promise<string> {
  const server = createServer((socket) => {
    socket.once('data', () => socket.end(Buffer.concat([AUTHENTICATED, READY, TERMINATED])));
    socket.on('error', () => {}); // the driver may be gone first
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => void (await new Promise((resolve) => server.close(resolve))));
  const { port } = server.address() as { port: number };
  return `postgres://nobody@127.0.0.1:${port}/nowhere`;
}

test.each([true, false])(
  'A connection that is lost when it is ready ends no process, and is closed (prepared statements: %s)',
  async (prepares) => {
    const options = { ...POOL_OPTIONS, prepares };
    const pool = makePool(await endingDatabase(), options);
    onTestFinished(async () => await pool.end());
    const connect = async () => {
      const client = await forKysely(pool, options).connect();
      try {
        return await client.query('select 1', []);
      } finally {
        client.release();
      }
    };
    for (const attempt of [connect, connect])
      expect(isUnreachable(await attempt().catch((error: unknown) => error))).toBe(true);
    expect(pool.totalCount).toBe(0);
  },
);
