import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { SendingTurns } from '../../../../src/server/http/fastify/sending-turns.ts';

/** Responses that write down what they are ended with. */
function responses(): { ended: unknown[]; response: () => ServerResponse } {
  const ended: unknown[] = [];
  const response = () => ({ end: (payload: unknown) => ended.push(payload) }) as unknown as ServerResponse;
  return { ended, response };
}

test('Responses are ended together at the end of the turn, in their order', async () => {
  const { ended, response } = responses();
  const turns = new SendingTurns();
  turns.end(response(), 'one');
  await Promise.resolve();
  turns.end(response());
  expect(ended).toEqual([]);
  await nextTurn();
  expect(ended).toEqual(['one', undefined]);
});

test('Each turn has its own', async () => {
  const { ended, response } = responses();
  const turns = new SendingTurns();
  for (const payload of ['one', 'two']) {
    turns.end(response(), payload);
    await nextTurn();
    expect(ended.at(-1)).toBe(payload);
  }
  expect(ended.length).toBe(2);
});
