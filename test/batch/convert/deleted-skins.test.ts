import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import {
  type BatchResult,
  type CallOptions,
  convert,
  type JobEvent,
  SkinClient,
} from '../../../src/index.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { ownFolder } from '../../support/server/own-folder.ts';
import { guardAgainstLeaks, runServer } from '../../support/server/running-server.ts';

guardAgainstLeaks();

/** A service whose first skin of all is deleted between its completion and anyone's look at it. */
class QuickDeletion extends SkinClient {
  deleted = 0;

  override async queue(...args: Parameters<SkinClient['queue']>) {
    const state = await super.queue(...args);
    if (this.deleted > 0) return state;
    this.deleted++;
    const { skin } = await super.waitForJob(state.job);
    await super.deleteSkin(skin.uuid);
    return state;
  }

  override async *events({ signal }: CallOptions = {}): AsyncGenerator<JobEvent> {
    await new Promise((resolve) => signal?.addEventListener('abort', resolve));
  }
}

test('A batch makes a skin again that was deleted before it could be read', async () => {
  const server = await runServer();
  const client = new QuickDeletion({ baseUrl: server.url, apiKey: server.key });
  onTestFinished(async () => await client.close());
  const folder = await ownFolder();
  const file = join(folder, 'skin.png');
  await writeFile(file, skinPng(1));
  const results: BatchResult[] = [];
  const summary = await convert({
    client,
    sources: [file],
    stateDir: join(folder, 'state'),
    pollInterval: 50,
    deliver: (result) => void results.push(result),
  });
  expect(summary).toMatchObject({ end: 'complete', made: 1, failed: 0, left: 0 });
  expect(client.deleted).toBe(1);
  expect(results.map(({ skin }) => skin?.uuid)).toEqual([
    (await client.ownSkins()).skins.map(({ uuid }) => uuid)[0],
  ]);
});
