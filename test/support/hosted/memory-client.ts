import { onTestFinished } from 'vitest';
import { SkinClient } from '../../../src/client/skin-client.ts';
import type { HostedOptions } from '../../../src/double/hosted/options.ts';
import { VirtualClock } from '../scripted/virtual-clock.ts';
import { HostedInMemory } from './hosted-in-memory.ts';

/** The imitation without a network, and a client of it on the same clock; closed when the test ends. */
export async function openInMemory(
  options?: HostedOptions,
  clock = new VirtualClock(),
): Promise<{ clock: VirtualClock; hosted: HostedInMemory; client: SkinClient }> {
  const hosted = await HostedInMemory.open(clock, options);
  return { clock, hosted, client: clientOf(hosted, clock) };
}

/** A client with the key that its user has now. */
export function clientOf(
  { url: baseUrl, key: apiKey, dispatcher }: HostedInMemory,
  clock: VirtualClock,
): SkinClient {
  const random = () => 0.5;
  const client = new SkinClient({ baseUrl, apiKey, insecureHttp: true, clock, random, dispatcher });
  onTestFinished(async () => await client.close());
  return client;
}
