import { setImmediate as turn } from 'node:timers/promises';

/** All items of an iterable, each made in a turn of its own of the event loop, so that nothing waits for all of them. */
export async function inSteps<T>(items: Iterable<T>): Promise<T[]> {
  const made: T[] = [];
  for (const item of items) {
    made.push(item);
    await turn();
  }
  return made;
}
