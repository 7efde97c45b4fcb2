import { setTimeout as sleep } from 'node:timers/promises';

/** Repeats a request until the answer matches. @throws Error if none does within `within` ms */
export async function poll<T>(
  ask: () => Promise<T> | T,
  suits: (answer: T) => boolean,
  within = 300_000,
): Promise<T> {
  const deadline = Date.now() + within;
  for (;;) {
    const answer = await ask();
    if (suits(answer)) return answer;
    if (Date.now() > deadline) {
      throw new Error(`Not what was waited for after ${within} ms: ${JSON.stringify(answer)}`);
    }
    await sleep(20);
  }
}
