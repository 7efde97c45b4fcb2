import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds between two questions: what takes long is asked for less often, because many tests wait at once. */
const PAUSES = { least: 20, most: 60 };

/** Repeats a request until the answer matches. @throws Error if none does within `within` ms */
export async function poll<T>(
  ask: () => Promise<T> | T,
  suits: (answer: T) => boolean,
  within = 300_000,
): Promise<T> {
  const begun = Date.now();
  for (;;) {
    const answer = await ask();
    if (suits(answer)) return answer;
    const waited = Date.now() - begun;
    if (waited > within) {
      throw new Error(`Not what was waited for after ${within} ms: ${JSON.stringify(answer)}`);
    }
    await sleep(Math.min(PAUSES.most, Math.max(PAUSES.least, waited / 10)));
  }
}
