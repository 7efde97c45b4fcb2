import { expect, test } from 'vitest';

import { Listener, type ListenerTools } from '../../src/dispatch/listener.ts';
import { noAnswer } from '../support/client/failures.ts';

/** Listens to connections that break, each after an event or before any; answers the pauses between them. */
async function pausesAfter(connections: readonly ('silent' | 'heard')[]): Promise<number[]> {
  const pauses: number[] = [];
  const over = new AbortController();
  const left = [...connections];
  let loop: Promise<void> | undefined;
  const tools = {
    desk: {
      isSkinsmith: true,
      run: (listening: Promise<void>) => {
        loop = listening.catch((error: unknown) => {
          if (!over.signal.aborted) throw error;
        });
      },
      clock: {
        sleep: async (ms: number) => {
          pauses.push(ms);
          if (left.length === 0) over.abort();
          over.signal.throwIfAborted();
        },
      },
      client: {
        async *events() {
          if (left.shift() === 'heard') yield { type: 'jobs' };
          throw noAnswer(true);
        },
      },
    },
    signal: over.signal,
    onListening: () => {},
    onEnded: () => {},
    onRoom: () => {},
  } as unknown as ListenerTools;
  new Listener(tools).start();
  await loop;
  return pauses;
}

test('Each connection that breaks at once is followed by a longer pause, of 15 s at most', async () => {
  const broken = Array.from({ length: 7 }, () => 'silent' as const);
  expect(await pausesAfter(broken)).toEqual([500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000]);
});

test('A connection that delivered something begins the pauses anew', async () => {
  const connections = ['silent', 'silent', 'silent', 'heard', 'silent'] as const;
  expect(await pausesAfter(connections)).toEqual([500, 1_000, 2_000, 500, 1_000]);
});
