import { openBehindProxy, WAYS, type Way } from './both-ways.ts';

/** A request and its answer. */
export type Transcript = readonly (readonly [asked: string, told: unknown])[];

/** What a service told that is reached over the network, and what others told. */
export async function hearAll(tell: (way: Way) => Promise<Transcript>): Promise<Transcript[]> {
  const ways = [...Object.values(WAYS), openBehindProxy];
  return await Promise.all(ways.map(async (open) => await tell(await open())));
}
