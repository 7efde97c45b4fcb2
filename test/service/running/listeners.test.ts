import { getEventListeners } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { SkinClient } from '../../../src/client/skin-client.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { runEmbedded } from '../../support/server/embedded-service.ts';
import { runServer } from '../../support/server/running-server.ts';

type Act = (client: SkinClient, signal: AbortSignal) => Promise<unknown>;

/** What long-running programs do again and again with one signal; with 404 among it, which ends otherwise. */
const ACTS: Readonly<Record<string, Act>> = {
  'an answer': async (client, signal) => await client.me({ signal }),
  'a refusal': async (client, signal) =>
    await client
      .skin('0'.repeat(32), { signal })
      .catch((error: unknown) => expect(error).toBeInstanceOf(Error)),
  'a skin that is waited for': async (client, signal) => {
    const { job } = await client.queue({ file: skinPng(1) }, {}, { signal });
    await client.waitForJob(job, { signal });
  },
  'a stream of events that is left': async (client, signal) => {
    for await (const _ of client.events({ signal })) break;
  },
  'a pause': async (_, signal) => await systemClock.sleep(1, signal),
};

const ENTRANCES: Readonly<Record<string, () => Promise<SkinClient>>> = {
  embedded: async () => (await runEmbedded()).client,
  'over the network': async () => {
    const server = await runServer();
    const client = new SkinClient({ baseUrl: server.url, apiKey: server.key });
    onTestFinished(async () => await client.close());
    return client;
  },
};

test.each(Object.entries(ENTRANCES))(
  'No listener stays on an abort signal, however often the signal is used: %s',
  async (_, open) => {
    const client = await open();
    const left: Record<string, number> = {};
    for (const [name, act] of Object.entries(ACTS)) {
      const { signal } = new AbortController();
      for (let time = 0; time < 5; time++) await act(client, signal);
      left[name] = getEventListeners(signal, 'abort').length;
    }
    expect(left).toEqual(Object.fromEntries(Object.keys(ACTS).map((name) => [name, 0])));
  },
);
