import { expect, test } from 'vitest';
import { type Clock, systemClock } from '../../../src/base/clock.ts';
import { SkinClient } from '../../../src/client/skin-client.ts';
import type { Fetch } from '../../../src/client/transport.ts';
import { PAGES } from '../../../src/pages/page-routes.ts';
import { openEmbeddedService } from '../../../src/server/embedded.ts';
import { type ServerOptions, startServer } from '../../../src/server/server.ts';
import { NO_GAME } from '../../support/fake-game/nowhere.ts';
import { collectGarbage } from '../../support/server/collect-garbage.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { ownFolder } from '../../support/server/own-folder.ts';
import { poll } from '../../support/server/poll.ts';
import { giveSigningKey, giveStore } from '../../support/server/running-server.ts';
import { sampled, samples } from '../../support/setup/extent.ts';

type Options = Pick<ServerOptions, 'clock' | 'dataDir' | 'gameAddresses'>;

/** A service, and how one calls it. */
interface Running {
  readonly baseUrl?: string;
  readonly apiKey?: string | undefined;
  readonly fetch?: Fetch;
  close(): Promise<void>;
}

const KINDS: Record<string, (options: Options) => Promise<Running>> = {
  embedded: async (options) => {
    const { fetch, close } = await openEmbeddedService(options);
    return { fetch, close };
  },
  'on the network': async (options) => {
    const { url, key, close } = await startServer({ ...options, port: 0, pages: PAGES });
    return { baseUrl: url, apiKey: key, close };
  },
};

/** Opens a service, has it make a skin, and ends it. Answers its clock, which every part of it holds. */
async function useOne(open: (options: Options) => Promise<Running>): Promise<WeakRef<Clock>> {
  const dataDir = await ownFolder();
  await Promise.all([giveSigningKey(dataDir), giveStore(dataDir)]);
  const clock: Clock = { ...systemClock };
  const { close, ...address } = await open({ clock, dataDir, gameAddresses: NO_GAME });
  const client = new SkinClient(address);
  await client.generate({ file: skinPng(1) });
  await client.close();
  await close();
  return new WeakRef(clock);
}

// The one on the network has all parts of the other.
test.each(sampled(Object.entries(KINDS), 2, 1))(
  'An ended service leaves nothing in memory: %s',
  async (_, open) => {
    const clocks: WeakRef<Clock>[] = [];
    for (let count = samples(3); count > 0; count--) clocks.push(await useOne(open));
    const kept = await poll(
      () => {
        collectGarbage();
        return clocks.filter((clock) => clock.deref()).length;
      },
      (count) => count === 0,
    );
    expect(kept).toBe(0);
  },
);
