import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openStoreOf } from '../../../../src/server/assembly/service-parts.ts';
import { skinPng } from '../../../support/server/drawn-skins.ts';
import { ownFolder } from '../../../support/server/own-folder.ts';
import { poll } from '../../../support/server/poll.ts';
import {
  guardAgainstLeaks,
  runServer,
  type ServerUnderTest,
} from '../../../support/server/running-server.ts';
import { expectRefusal } from '../../../support/server/test-caller.ts';

guardAgainstLeaks();

const FILES = ['skinsmith.db', 'skinsmith.db-wal', 'skinsmith.db-shm'];

const DAMAGES: Record<string, (dataDir: string) => Promise<void>> = {
  deleted: async (dataDir) => {
    for (const name of FILES) await rm(join(dataDir, name), { force: true });
  },
  replaced: async (dataDir) => {
    const path = join(dataDir, 'skinsmith.db');
    const content = await readFile(path);
    await rm(path);
    await writeFile(path, content);
  },
  'moved away': async (dataDir) => await rename(join(dataDir, 'skinsmith.db'), join(dataDir, 'elsewhere')),
};

async function untilNotReady({ owner }: ServerUnderTest): Promise<unknown> {
  const { body } = await poll(
    () => owner.get('/ready'),
    ({ status }) => status === 503,
  );
  return body;
}

describe('A store under a running service', () => {
  test.each(Object.entries(DAMAGES))(
    'that is %s makes the service accept no jobs and not be ready',
    async (_, damage) => {
      const server = await runServer({ workers: 1 });
      await server.owner.upload('/v2/generate', skinPng(1));
      await damage(server.dataDir);
      // Accepting is a transaction, and each begins with a look at the files.
      expectRefusal(await server.owner.upload('/v2/queue', skinPng(2)), 'service_unavailable');
      expect(await untilNotReady(server)).toMatchObject({ reasons: ['store_replaced'] });
      await poll(
        () => server.owner.get('/v2/queue'),
        ({ status }) => status === 503,
      );
      expect((await server.owner.get('/health')).status).toBe(503);
    },
  );
});

test.each([
  [undefined, 1],
  [true, 2],
])('With durable: %s commits wait for the disk as synchronous = %i says', async (durable, synchronous) => {
  const store = await openStoreOf({ dataDir: await ownFolder(), durable });
  onTestFinished(async () => await store.close());
  expect((await sql`pragma synchronous`.execute(store.db)).rows).toEqual([{ synchronous }]);
});
