import { describe, expect, test } from 'vitest';
import { NetworkError, ServiceError, UnreadableAnswerError } from '../../../src/client/errors.ts';
import { TextureReader } from '../../../src/dispatch/proof.ts';
import { VirtualClock } from '../../support/scripted/virtual-clock.ts';

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
  const signal = new AbortController().signal;
  /** Several at once. */
  const readMany = async (count: number) =>
    await clock.until(Promise.all(Array.from({ length: count }, () => textures.read(URL_, signal))));
  /** When each of two was read. */
  const readBoth = async () =>
    await clock.until(
      Promise.all([1, 2].map(() => textures.read(URL_, signal).then(() => clock.monotonic()))),
    );
  return { read, readMany, readBoth, told, pauses, clock, requests: () => requests };
}

describe('A texture', () => {
  test.each([404, 403])('that is missing once (%i) is requested again', async (status) => {
    const { read, requests } = reader((n) => (n === 1 ? refused(status) : undefined));
    expect(await read()).toBe(PNG);
    expect(requests()).toBe(2);
  });

  test.each([404, 403])('that never appears (%i) is given up as late as a skin', async (status) => {
    const { read, clock, requests, pauses } = reader(() => refused(status));
    await expect(read()).rejects.toMatchObject({ status });
    expect([requests(), clock.monotonic() > 25_000]).toEqual([8, true]);
    expect(pauses).toEqual([1_600, 3_200, 6_400, 12_800]);
  });

  test('that is missing does not delay others', async () => {
    const { readBoth, requests } = reader((n) => (n === 1 ? refused(404) : undefined));
    expect(await readBoth()).toEqual([210, 5]);
    expect(requests()).toBe(3);
  });

  test('whose host is down is requested with all others of that host in one request at a time', async () => {
    const { readMany, requests, clock } = reader(() =>
      clock.monotonic() < 70_000 ? unreachable() : undefined,
    );
    expect(await readMany(60)).toEqual(Array.from({ length: 60 }, () => PNG));
    expect(requests()).toBeLessThanOrEqual(60 + 8 + 13);
  });

  test.each([
    ['is unreadable', new UnreadableAnswerError('nonsense', { status: 200 })],
    ['is an unreadable 404', new UnreadableAnswerError('nonsense', { status: 404 })],
    ['is no picture', PAGE],
  ])('whose answer %s once is looked at again', async (_, answer) => {
    const { read, requests } = reader((n) => (n === 1 ? answer : undefined));
    expect(await read()).toBe(PNG);
    expect(requests()).toBe(2);
  });

  test('whose answer is never valid is given up as late as a skin', async () => {
    const { read, requests } = reader(() => new UnreadableAnswerError('nonsense', { status: 200 }));
    await expect(read()).rejects.toThrow('nonsense');
    expect(requests()).toBe(8);
  });

  test('that is never a picture is left to the proof', async () => {
    const { read, requests } = reader(() => PAGE);
    expect(await read()).toBe(PAGE);
    expect(requests()).toBe(8);
  });

  test('whose host cannot be reached is retried for a quarter of an hour, and reported at once', async () => {
    const { read, told, clock } = reader(unreachable);
    await expect(read()).rejects.toThrow('No connection.');
    expect(told[0]).toEqual({ message: 'A texture cannot be read: No connection.', at: 5 });
    expect(clock.monotonic()).toBeGreaterThan(880_000);
    expect(clock.monotonic()).toBeLessThanOrEqual(900_100);
  });

  test('whose host is silent is reported after three seconds', async () => {
    const { read, told } = reader((n) => (n === 1 ? unreachable() : undefined), 10_000);
    expect(await read()).toBe(PNG);
    expect(told[0]).toEqual({
      message: 'The host of the textures does not answer yet.',
      at: 3_000,
    });
  });

  test.each([
    [1, [250, 500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000]],
    [0, [125, 250, 500, 1_000, 2_000, 4_000, 5_000, 5_000]],
  ])(
    'is tried less and less often, with pauses randomly up to half shorter (%d)',
    async (random, expected) => {
      const { read, pauses } = reader((n) => (n < 9 ? unreachable() : undefined), 5, random);
      expect(await read()).toBe(PNG);
      expect(pauses).toEqual(expected);
    },
  );

  test('whose host says when to come again is left alone until then', async () => {
    const busy = new UnreadableAnswerError('busy', { status: 503, retryAfter: 7_000 });
    const { read, pauses } = reader((n) => (n === 1 ? busy : undefined));
    expect(await read()).toBe(PNG);
    expect(pauses).toEqual([7_000]);
  });

  test('that arrives in time is no longer reported', async () => {
    const { read, clock, told } = reader(() => undefined);
    await read();
    await clock.until(clock.sleep(10_000));
    expect(told).toEqual([]);
  });

  test('that nobody wants any longer is not read', async () => {
    const { read, requests } = reader(unreachable);
    await expect(read(AbortSignal.abort())).rejects.toThrow('aborted');
    expect(requests()).toBe(0);
  });

  test('that cannot be read because of a bug is not requested again', async () => {
    const bug = new TypeError('a bug');
    const { read, requests } = reader(() => bug);
    await expect(read()).rejects.toBe(bug);
    expect(requests()).toBe(1);
  });
});
