import { onTestFinished } from 'vitest';
import { SkinClient } from '../../../src/client/skin-client.ts';
import type { SkinClientOptions } from '../../../src/client/types.ts';
import { type FakeClock, fakeClock } from './fake-clock.ts';
import { type Exchange, type ScriptedServer, scriptedServer } from './scripted-server.ts';

/** A key that no text contains by chance. */
export const API_KEY = `msk_${'Q7x9'.repeat(16)}_last`;

export interface TestClient {
  readonly client: SkinClient;
  readonly server: ScriptedServer;
  readonly clock: FakeClock;
}

/** A client of a scripted server. It sleeps on a fake clock, and its random numbers are always the highest. */
export async function testClient(
  script: readonly Exchange[],
  overrides: Partial<SkinClientOptions> & { below?: string } = {},
): Promise<TestClient> {
  const { below = '', ...options } = overrides;
  const server = await scriptedServer(script);
  const clock = fakeClock();
  const client = new SkinClient({
    baseUrl: server.url + below,
    apiKey: API_KEY,
    clock,
    random: () => 1,
    ...options,
  });
  onTestFinished(async () => await client.close());
  return { client, server, clock };
}

/** What a call throws. */
export async function failureOf(call: Promise<unknown>): Promise<unknown> {
  return await call.then(
    () => {
      throw new Error('It should have failed, but it did not.');
    },
    (error: unknown) => error,
  );
}
