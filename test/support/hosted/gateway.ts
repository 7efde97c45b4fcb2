import { onTestFinished } from 'vitest';
import type { HostedOptions } from '../../../src/double/hosted/options.ts';
import type { OpenGenerator } from '../../../src/server/generators/port.ts';
import { openUpstream } from '../../../src/server/generators/upstream/open.ts';
import { makeGuardedAgent } from '../../../src/server/outbound/guarded-agent.ts';
import { nameThisNode } from '../../../src/server/queue/leases.ts';
import { keepTexture } from '../../../src/server/store/textures.ts';
import { pixelHash } from '../../../src/skin/read-skin.ts';
import { VirtualClock } from '../scripted/virtual-clock.ts';
import { drawSkin, skinPng } from '../server/drawn-skins.ts';
import { ownFolder } from '../server/own-folder.ts';
import { giveStore, openOwnStore } from '../server/running-server.ts';
import { HostedInMemory } from './hosted-in-memory.ts';

export interface Gateway {
  readonly clock: VirtualClock;
  readonly hosted: HostedInMemory;
  readonly opened: OpenGenerator;
  /** Stores the picture `drawSkin(number)`. @returns its pixel hash */
  readonly keepPicture: (number: number) => Promise<string>;
}

/** The generator `upstream` in front of the imitation, on a clock of the test's own. */
export async function openGateway(options?: HostedOptions): Promise<Gateway> {
  const clock = new VirtualClock();
  const hosted = await HostedInMemory.open(clock, options);
  const dataDir = await ownFolder();
  await giveStore(dataDir);
  const { db } = await openOwnStore(dataDir);
  const opened = await clock.until(
    openUpstream({
      upstream: { url: hosted.url, apiKey: hosted.key, insecureHttp: true },
      clock,
      random: () => 0.5,
      dispatcher: hosted.dispatcher,
      db,
      self: nameThisNode(),
      pictures: makeGuardedAgent({ policy: { networks: [], ports: [] } }),
      wake: () => {},
      warn: () => {},
      onError: (error) => {
        throw error;
      },
    }),
  );
  onTestFinished(async () => await opened.close?.());
  const keepPicture = async (number: number) => {
    const picture = drawSkin(number);
    const hash = pixelHash(picture);
    const { width, height } = picture;
    await keepTexture(db, { hash, width, height, png: skinPng(number), created_at: clock.now() });
    return hash;
  };
  return { clock, hosted, opened, keepPicture };
}
