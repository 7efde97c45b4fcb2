import { describe, expect, test } from 'vitest';
import { NetworkError, ServiceError, UnreadableAnswerError } from '../../src/client/errors.ts';
import { TextureReader } from '../../src/dispatch/texture-reader.ts';
import { VirtualClock } from '../support/scripted/virtual-clock.ts';

const PNG = Buffer.from('89504e470d0a1a0a00', 'hex');
const PAGE = Buffer.from('<html>Just a moment...</html>');
const URL_ = 'http://textures.example/texture/abc';

const refused = (status: number) =>
  new ServiceError({
    method: 'GET',
    path: '/texture/abc',
    status,
    errors: [],
    links: {},
    rateLimit: undefined,
    retryAfter: undefined,
  });
const unreachable = () => new NetworkError('No connection.', { cause: undefined, mayHaveArrived: false });

/** `answer`: what the n-th request gets, from 1; `takes`: milliseconds for each. */
function reader(answer: (n: number) => Error | Buffer | undefined, takes = 5) {
  const clock = new VirtualClock();
  const told: { message: string; at: number }[] = [];
  let requests = 0;
  const texture = async () => {
    const answered = answer(++requests);
    await clock.sleep(takes);
    if (answered instanceof Error) throw answered;
    return answered ?? PNG;
  };
  const textures = new TextureReader({
    fetch: texture,
    clock,
    random: () => 1,
    onWaiting: (message) => told.push({ message, at: clock.monotonic() }),
  });
  const read = async () => await clock.until(textures.read(URL_, new AbortController().signal));
  return { read, told, clock, requests: () => requests };
}

describe('A texture', () => {
  test.each([404, 403])('that is not there once (%i) is looked at again', async (status) => {
    const { read, requests } = reader((n) => (n === 1 ? refused(status) : undefined));
    expect(await read()).toBe(PNG);
    expect(requests()).toBe(2);
  });

  test('that is never there is given up within seconds', async () => {
    const { read, clock, requests } = reader(() => refused(404));
    await expect(read()).rejects.toMatchObject({ status: 404 });
    expect([requests(), clock.monotonic() < 5_000]).toEqual([4, true]);
  });

  test.each([
    ['is unreadable', new UnreadableAnswerError('nonsense', { status: 200 })],
    ['is an unreadable 404', new UnreadableAnswerError('nonsense', { status: 404 })],
    ['is no picture', PAGE],
  ])('whose answer %s once is looked at again', async (_, answer) => {
    const { read, told } = reader((n) => (n === 1 ? answer : undefined));
    expect(await read()).toBe(PNG);
    expect(told).toHaveLength(1);
  });

  test('whose answer never makes sense is given up within seconds', async () => {
    const { read, clock, requests } = reader(() => new UnreadableAnswerError('nonsense', { status: 200 }));
    await expect(read()).rejects.toThrow('nonsense');
    expect([requests(), clock.monotonic() < 5_000]).toEqual([4, true]);
  });

  test('that is never a picture is left to the proof', async () => {
    const { read, requests } = reader(() => PAGE);
    expect(await read()).toBe(PAGE);
    expect(requests()).toBe(4);
  });

  test('whose host cannot be reached is tried for a minute, and told of at once', async () => {
    const { read, told, clock } = reader(unreachable);
    await expect(read()).rejects.toThrow('No connection.');
    expect(told[0]).toEqual({ message: 'A texture cannot be read: No connection.', at: 5 });
    expect(clock.monotonic()).toBeGreaterThan(40_000);
    expect(clock.monotonic()).toBeLessThanOrEqual(60_100);
  });

  test('whose host says nothing is told of after three seconds', async () => {
    const { read, told } = reader((n) => (n === 1 ? unreachable() : undefined), 10_000);
    expect(await read()).toBe(PNG);
    expect(told[0]).toEqual({
      message: 'textures.example, which has the textures, does not answer.',
      at: 3_000,
    });
  });
});
