import { expect, test, vi } from 'vitest';
import type { HostedOptions } from '../../src/double/hosted/options.ts';
import { openSession, requestOf, workOf } from '../support/dispatch/numbered-work.ts';
import { noConnection } from '../support/hosted/hosted-in-memory.ts';
import { openInMemory } from '../support/hosted/memory-client.ts';

const never = new AbortController().signal;

async function open(options?: HostedOptions) {
  const told: string[] = [];
  const made = await openInMemory(options);
  const session = openSession({
    ...made,
    onWaiting: (reason, _, ms) => told.push(`${reason} ${Math.round((ms ?? Number.NaN) / 1_000)} s`),
    onFatal: (error) => told.push(`fatal: ${(error as Error).message}`),
    onTaskEnd: () => told.push('task ended'),
  });
  const post = async (number: number) =>
    await made.clock.until(session.post(workOf(number), requestOf(workOf(number)), never));
  return { ...made, session, told, post };
}

test('A submission carries its key, and its answer shows how new its job can be', async () => {
  const { hosted, session, post } = await open();
  const { job } = await post(1);
  expect(hosted.seen[0]?.headers['idempotency-key']).toBe('skin 1 0');
  expect([job.status, session.newestJobTime]).toEqual(['waiting', job.timestamp]);
  expect(session.isSkinsmith).toBe(false);
});

test('After a rate limit refusal, all submissions wait, and the user is informed', async () => {
  const { hosted, session, told, post } = await open();
  hosted.disturb = async (request) =>
    hosted.refuse(request, { kind: 'rate-limit', wait: 7_000, says: 'seconds' });
  await expect(post(1)).rejects.toMatchObject({ code: 'rate_limit' });
  expect(session.pace.openAt(session.now()) - session.now()).toBeGreaterThanOrEqual(7_000);
  session.tellLimit();
  expect(told).toEqual(['limit 7 s']);
});

test('A refusal for a full queue says nothing about time', async () => {
  const { session, told, post } = await open({ limit: 0 });
  await expect(post(1)).rejects.toMatchObject({ code: 'job_limit' });
  expect(session.pace.left(session.now())).toBeGreaterThan(0);
  expect(told).toEqual([]);
});

test('A used-up window is reported once if there is work to submit', async () => {
  const { clock, session, told, post } = await open({
    rate: { limit: 1, window: 60_000 },
    flags: { blockPerMinute: true },
  });
  session.tellLimit();
  await post(1);
  session.tellLimit();
  await clock.until(clock.sleep(10_000));
  session.tellLimit();
  expect(told).toEqual([expect.stringMatching(/^limit 6[01] s$/)]);
});

test('A used-up window is reported again after an acceptance, which seems to end the wait', async () => {
  const { clock, session, told, post } = await open({
    rate: { limit: 2, window: 60_000 },
    flags: { blockPerMinute: true },
  });
  await post(1);
  const second = session.post(workOf(2), requestOf(workOf(2)), never);
  session.tellLimit();
  await clock.until(second);
  session.tellLimit();
  session.tellLimit();
  expect(told).toEqual([expect.stringMatching(/^limit 6[01] s$/), expect.stringMatching(/^limit 6[01] s$/)]);
});

test('A job was accepted at the time that the service gives, unless that is impossible', async () => {
  const { clock, session, client } = await open({ clockOffset: 600_000 });
  await clock.until(client.me());
  const earliest = client.serviceClock.earliest();
  await clock.until(clock.sleep(300));
  expect(session.acceptedAt(earliest + 200, 0)).toBeCloseTo(session.now() - 100, -1);
  expect(session.acceptedAt(earliest - 60_000, 0)).toBe(session.now());
  expect(session.acceptedAt(undefined, 0)).toBe(session.now());
});

test('Submissions are tried one at a time while none is accepted', async () => {
  const { session } = await open();
  expect(session.burst).toBe(5);
  session.intake.failed(noConnection());
  expect(session.burst).toBe(1);
});

test('Other processes learn the rate windows in an answer', async () => {
  const { session, post } = await open({
    rate: { limit: 2, window: 60_000 },
    flags: { blockPerMinute: true },
  });
  const heard: number[] = [];
  session.sharesWindowsWith({ heardWindows: (windows) => void heard.push(windows.length) });
  await post(1);
  expect(heard).toEqual([expect.any(Number)]);
});

test('A task is waited for, and its failure is fatal', async () => {
  const { clock, session, told } = await open();
  session.track(clock.sleep(100).then(() => Promise.reject(new Error('bug'))));
  expect(session.isBusy).toBe(true);
  await clock.until(session.settled());
  expect([session.isBusy, told]).toEqual([false, ['fatal: bug', 'task ended']]);
});

test('A loop that is stopped has not failed', async () => {
  const { clock, session, told } = await open();
  const stop = new AbortController();
  session.run(clock.sleep(1_000, stop.signal), stop.signal);
  stop.abort(new Error('over'));
  await clock.until(session.settled());
  expect(told).toEqual([]);
});

test('A loop that fails is fatal, and is waited for', async () => {
  const { clock, session, told } = await open();
  session.run(
    clock.sleep(100).then(() => Promise.reject(new Error('bug'))),
    never,
  );
  await clock.until(session.settled());
  expect(told).toEqual(['fatal: bug']);
});

test('A service whose answer names a stream of events recognizes repetitions', async () => {
  const { client, session, post } = await open();
  const queue = client.queue.bind(client);
  vi.spyOn(client, 'queue').mockImplementation(async (...sent) => {
    const state = await queue(...sent);
    return { ...state, links: { ...state.links, events: '/v2/queue/events' } };
  });
  await post(1);
  expect(session.isSkinsmith).toBe(true);
});

test('An accepted submission ends the trouble with submissions, and with no other request', async () => {
  const { clock, session, post } = await open();
  session.outage.failed(noConnection());
  session.intake.failed(noConnection());
  await clock.until(clock.sleep(1_000));
  await post(1);
  expect([session.outage.isOn, session.intake.isOn]).toEqual([true, false]);
});

test('An unanswered submission is reported every three seconds', async () => {
  const { clock, hosted, session } = await open();
  const waits: unknown[] = [];
  Object.assign(session, { tellWait: (...wait: unknown[]) => waits.push([clock.monotonic(), ...wait]) });
  hosted.disturb = async (_, process) => {
    await clock.sleep(7_000);
    return await process();
  };
  await clock.until(session.post(workOf(1), requestOf(workOf(1)), never));
  const silence = ['The service does not answer yet.', undefined];
  expect(waits).toEqual([
    [3_000, ...silence],
    [6_000, ...silence],
  ]);
});

test.each([
  ['is refused for now shows that the service accepts some', { limit: 0 }, false, false],
  ['does not arrive shows nothing', {}, true, true],
])('A submission that %s', async (_, options, isCut, isOn) => {
  const { hosted, session, post } = await open(options);
  if (isCut) {
    hosted.disturb = async () => {
      throw noConnection();
    };
  }
  const failed = vi.spyOn(session.pace, 'failed');
  session.intake.failed(noConnection());
  await expect(post(1)).rejects.toThrow();
  expect([session.intake.isOn, failed.mock.calls.length]).toEqual([isOn, 1]);
});

test('A service that accepts nothing is tried after half a second, then up to a minute apart', async () => {
  const { clock, session } = await open();
  const pauses: number[] = [];
  for (let n = 0; n < 9; n++) {
    pauses.push(session.intake.failed(noConnection()));
    await clock.until(clock.sleep(pauses.at(-1) ?? 0));
  }
  expect(pauses).toEqual([375, 750, 1_500, 3_000, 6_000, 12_000, 24_000, 45_000, 45_000]);
});

test('A wait of a second is reported, and a new end that is more than a second later', async () => {
  const { session, told } = await open();
  const openAt = vi.spyOn(session.pace, 'openAt');
  const tellsAt = (wait: number) => {
    openAt.mockReturnValue(session.now() + wait);
    const before = told.length;
    session.tellLimit();
    return told.length > before;
  };
  Object.assign(session.clock, { monotonic: () => 50_000 });
  expect([999, 1_000, 2_000, 2_001].map(tellsAt)).toEqual([false, true, false, true]);
});

test('A job was accepted between its submission and now', async () => {
  const { clock, session, client } = await open();
  await clock.until(client.me());
  await clock.until(clock.sleep(300));
  const told = client.serviceClock.earliest() - 100;
  const at = session.acceptedAt(told, 0);
  expect(at).toBeCloseTo(session.now() - 100, 5);
  expect([session.acceptedAt(told, at), session.acceptedAt(told, at + 1)]).toEqual([at, session.now()]);
  expect(session.acceptedAt(told + 10_000, 0)).toBe(session.now());
});

test('A job with an earlier time than an older job shows by how much clocks differ', async () => {
  const { hosted, session, post } = await open({ latency: 0 });
  await post(1);
  expect(session.clockDisorder).toBe(0);
  session.newestJobTime += 5_000;
  await post(2);
  expect([session.clockDisorder, hosted.records.accepted.length]).toEqual([5_000, 2]);
});
