import { WAYS, type Way } from './both-ways.ts';

/** A request and its answer. */
export type Transcript = readonly (readonly [asked: string, told: unknown])[];

/** What services told, one for each way. */
export async function hearAll(tell: (way: Way) => Promise<Transcript>): Promise<Transcript[]> {
  return await Promise.all(Object.values(WAYS).map(async (open) => await tell(await open())));
}
