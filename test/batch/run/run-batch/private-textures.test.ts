import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PrivateAddressError } from '../../../../src/dispatch/proof.ts';
import { openWorld } from '../../../support/hosted/batches-in-memory.ts';
import { ownFolder } from '../../../support/server/own-folder.ts';

test('A texture in a private network stops the batch, and the next one pays for nothing twice', async () => {
  const { clock, hosted, client, batch } = await openWorld();
  const texture = client.texture.bind(client);
  client.texture = async () => {
    throw new PrivateAddressError('http://10.0.0.7', '10.0.0.7', undefined);
  };
  const lockfile = join(await ownFolder(), 'skins.lock');
  const first = await clock.until(batch(30, { lockfile }));
  expect(first).toMatchObject({ end: 'halted', made: 0, halt: { error: { code: 'private_address' } } });
  expect(hosted.records.accepted.length).toBeLessThanOrEqual(10);
  expect(first.left + first.failed).toBe(30);

  client.texture = texture;
  expect(await clock.until(batch(30, { lockfile }))).toMatchObject({ end: 'complete', made: 30, failed: 0 });
  expect(hosted.records.doubleSubmissions).toEqual([]);
  expect(hosted.records.accepted).toHaveLength(30);
});
