import { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { CountedMessage } from '../../../../src/server/http/fastify/counted-message.ts';
import { UnfinishedBodies } from '../../../../src/server/http/fastify/unfinished-bodies.ts';

const MOST = 100_000;

class Bodies {
  dropped = 0;
  readonly #bodies = new UnfinishedBodies({ most: MOST, onDropped: () => this.dropped++ });

  begin(caller: string, early = 0): CountedMessage {
    const message = new CountedMessage(new Socket());
    if (early > 0) message.push(Buffer.alloc(early));
    this.#bodies.follow(message, caller);
    return message;
  }
}

const isCut = ({ socket }: CountedMessage) => socket.destroyed;

describe('Unfinished bodies', () => {
  test('are cut off when they are too large together: the largest of the caller who has most', () => {
    const bodies = new Bodies();
    const [small, large, other] = [bodies.begin('a'), bodies.begin('a', 30_000), bodies.begin('b')];
    small.push(Buffer.alloc(20_000));
    large.push(Buffer.alloc(5_000));
    other.push(Buffer.alloc(40_000));
    expect([small, large, other].map(isCut)).toEqual([false, false, false]);
    other.push(Buffer.alloc(5_000));
    expect([small, large, other].map(isCut)).toEqual([false, true, false]);
    expect(bodies.dropped).toBe(1);
    large.push(Buffer.alloc(90_000)); // what was parsed along with the rest counts no more
    expect([small, other].map(isCut)).toEqual([false, false]);
  });

  test('count no more when they are complete, or their callers gone', async () => {
    const bodies = new Bodies();
    const [first, second] = [bodies.begin('a', 60_000), bodies.begin('a', 30_000)];
    first.push(null);
    const third = bodies.begin('a', 60_000);
    second.destroy();
    await new Promise((resolve) => second.once('close', resolve));
    const fourth = bodies.begin('a', 30_000);
    expect([first, third, fourth].map(isCut)).toEqual([false, false, false]);
    expect(bodies.dropped).toBe(0);
  });

  test('in single bytes count as what they take', () => {
    const bodies = new Bodies();
    const message = bodies.begin('a');
    for (let byte = 0; byte < 500; byte++) message.push(Buffer.alloc(1));
    expect(isCut(message)).toBe(true);
  });
});
