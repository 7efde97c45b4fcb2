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
function reader(answer: (n: number) => Error | Buffer | undefined, takes = 5, random = 1) {
  const clock = new VirtualClock();
  const told: { message: string; at: number }[] = [];
  const pauses: number[] = [];
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
    random: () => random,
    onWaiting: (message, ms) => {
      told.push({ message, at: clock.monotonic() });
      pauses.push(ms);
    },
  });
  const read = async (signal = new AbortController().signal) =>
    await clock.until(textures.read(URL_, signal));
  return { read, told, pauses, clock, requests: () => requests };
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

  test.each([
    [1, [250, 500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000]],
    [0, [125, 250, 500, 1_000, 2_000, 4_000, 5_000, 5_000]],
  ])('is tried ever more rarely, chance taking up to half of a pause (%d)', async (random, expected) => {
    const { read, pauses } = reader((n) => (n < 9 ? unreachable() : undefined), 5, random);
    expect(await read()).toBe(PNG);
    expect(pauses).toEqual(expected);
  });

  test('whose host says when to come again is left alone until then', async () => {
    const busy = new UnreadableAnswerError('busy', { status: 503, retryAfter: 7_000 });
    const { read, pauses } = reader((n) => (n === 1 ? busy : undefined));
    expect(await read()).toBe(PNG);
    expect(pauses).toEqual([7_000]);
  });

  test('that is answered in time is told of no more', async () => {
    const { read, clock, told } = reader(() => undefined);
    await read();
    await clock.until(clock.sleep(10_000));
    expect(told).toEqual([]);
  });

  test.each([
    ['nobody wants any longer', unreachable(), AbortSignal.abort()],
    ['cannot be read because of a mistake of ours', new TypeError('a bug'), undefined],
  ])('that %s is not tried again', async (_, error, signal) => {
    const { read, requests } = reader(() => error);
    await expect(read(signal)).rejects.toBe(error);
    expect(requests()).toBe(1);
  });
});
