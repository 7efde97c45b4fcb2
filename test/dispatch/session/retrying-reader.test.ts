import { expect, test } from 'vitest';
import { Outage, ReadGate } from '../../../src/dispatch/outage.ts';
import { type ReadKind, RetryingReader } from '../../../src/dispatch/session.ts';
import { noAnswer, page, refusal } from '../../support/client/failures.ts';
import { VirtualClock } from '../../support/scripted/virtual-clock.ts';

/** Reads of a service whose answers are these errors, one after the other, and then a success. */
function openReads(errors: readonly Error[], { isSkinsmith = false, lasts = 3_600_000 } = {}) {
  const clock = new VirtualClock();
  const told: [message: string, ms: number | undefined][] = [];
  const gate = () => {
    const patience = { firstContact: lasts, outage: lasts };
    const outage = new Outage({ clock, random: () => 1, patience, onPause: () => {} });
    return new ReadGate({ clock, outage, onSilence: () => {} });
  };
  const gates = { job: gate(), skin: gate(), facts: gate() };
  const stop = new AbortController();
  const left = [...errors];
  const times: number[] = [];
  const request = async () => {
    times.push(clock.monotonic());
    const error = left.shift();
    if (error) throw error;
    return 'answer';
  };
  const session = {
    client: { job: request },
    clock,
    random: () => 1,
    gates,
    isSkinsmith,
    memory: { isAway: false },
    outage: { isOn: false },
    call: () => ({}),
    tellWait: (...wait: (typeof told)[number]) => told.push(wait),
  } as unknown as ConstructorParameters<typeof RetryingReader>[0];
  const reader = new RetryingReader(session, stop.signal);
  const run = async <T>(ask: (from: RetryingReader) => Promise<T>) => await clock.until(ask(reader));
  const repeatedly = async (kind: ReadKind = 'job') => await run((from) => from.repeatedly(kind, request));
  const pauses = () => times.slice(1).map((time, n) => time - times[n]!);
  return { run, repeatedly, gates, clock, stop, told, request, pauses, tries: () => times.length };
}

test('A resource that does not exist is not an error', async () => {
  const { run, request } = openReads([refusal(404, 'job_not_found')]);
  expect(await run((reader) => reader.ifPresent(request))).toBeUndefined();
});

test('A read that fails for another reason is a failure', async () => {
  const { run, request } = openReads([refusal(400, 'invalid_request')]);
  await expect(run((reader) => reader.ifPresent(request))).rejects.toMatchObject({ code: 'invalid_request' });
});

test('A temporary failure is waited out for longer each time', async () => {
  const { repeatedly, pauses, gates } = openReads([noAnswer(false), refusal(500, ''), noAnswer(true)]);
  expect(await repeatedly()).toBe('answer');
  expect([pauses(), gates.job.outage.isOn]).toEqual([[100, 200, 400], false]);
});

test('A refused read is repeated when the service says, or after some seconds', async () => {
  const { repeatedly, pauses } = openReads([refusal(429, 'rate_limit', 7_000), refusal(429, 'rate_limit')]);
  expect(await repeatedly()).toBe('answer');
  expect(pauses()).toEqual([7_000, 2_000]);
});

test('A read outlasts any rate limit', async () => {
  const refusals = Array.from({ length: 200 }, () => refusal(429, 'rate_limit'));
  const { repeatedly, tries, clock } = openReads(refusals, { lasts: 60_000 });
  expect(await repeatedly()).toBe('answer');
  expect([tries(), clock.monotonic() > 1_800_000]).toEqual([201, true]);
});

const UNANSWERED = [
  ['no answer', noAnswer(true)],
  ['a useless answer', refusal(500, 'internal_error')],
  ["a proxy's page", page(502)],
  ["a proxy's page with a 200", page(200)],
  ["a proxy's check", page(403)],
] as const;

test.each(UNANSWERED)(
  'While all reads of its kind get %s, a read lasts as long as the patience with the service',
  async (_, error) => {
    const { repeatedly, tries } = openReads(Array.from({ length: 70 }, () => error));
    expect(await repeatedly()).toBe('answer');
    expect(tries()).toBe(71);
    const lost = openReads(
      Array.from({ length: 70 }, () => error),
      { lasts: 60_000 },
    );
    await expect(lost.repeatedly()).rejects.toMatchObject({ name: 'ServiceLostError', cause: error });
  },
);

test('A read that fails thirty times while others of its kind are answered is given up', async () => {
  const error = refusal(500, 'internal_error');
  const { run, gates, clock, stop } = openReads([]);
  let tries = 0;
  const read = async () => {
    tries++;
    gates.job.answered++;
    throw error;
  };
  await expect(run((reader) => reader.repeatedly('job', read))).rejects.toBe(error);
  expect([tries, clock.monotonic() > 180_000, stop.signal.aborted]).toEqual([30, true, false]);
});

test('A job is unknown only if the service says so', async () => {
  const { run, tries } = openReads([refusal(404, 'job_not_found')]);
  expect([await run((reader) => reader.job('a')), tries()]).toEqual([undefined, 1]);
});

test.each([
  ['a skin that cannot be read yet', refusal(404, 'skin_not_found')],
  ["a gateway's answer", refusal(404, 'http_404')],
])('A job is read again after %s, and is not given up while that persists', async (_, error) => {
  const { run, pauses } = openReads([error, error]);
  expect([await run((reader) => reader.job('a')), pauses().length]).toEqual(['answer', 2]);
  const never = openReads(Array.from({ length: 300 }, () => error));
  await expect(never.run((reader) => reader.job('a'))).rejects.toBe(error);
});

test('A missing resource is not awaited at a skinsmith service', async () => {
  const { run, request, tries } = openReads([refusal(404, 'skin_not_found')], { isSkinsmith: true });
  expect([await run((reader) => reader.awaited(request)), tries()]).toEqual([undefined, 1]);
});

test('A resource that should exist is waited for, and the wait is reported', async () => {
  const missing = refusal(404, 'skin_not_found');
  const { run, request, tries } = openReads([missing, missing]);
  expect([await run((reader) => reader.awaited(request)), tries()]).toEqual(['answer', 3]);
  const never = openReads(Array.from({ length: 9 }, () => missing));
  expect([await never.run((reader) => reader.awaited(never.request)), never.tries()]).toEqual([undefined, 8]);
  const message = 'The service does not have a finished skin yet.';
  expect(never.told).toEqual([1_600, 3_200, 6_400, 12_800].map((ms) => [message, ms]));
});

test('A permanent failure is not retried', async () => {
  const { repeatedly, tries } = openReads([refusal(400, 'invalid_request')]);
  await expect(repeatedly()).rejects.toMatchObject({ code: 'invalid_request' });
  expect(tries()).toBe(1);
});

test('A page instead of an answer counts as the answer after a few attempts', async () => {
  const { repeatedly, tries } = openReads(Array.from({ length: 9 }, () => page(404)));
  await expect(repeatedly()).rejects.toMatchObject({ status: 404 });
  expect(tries()).toBe(4);
});

test('A stopped reader reads nothing', async () => {
  const { repeatedly, stop, tries } = openReads([]);
  stop.abort();
  await expect(repeatedly()).rejects.toThrow('aborted');
  expect(tries()).toBe(0);
});

test('A finished job is read with its skin, whose UUID the job or a list names', async () => {
  const asked: string[] = [];
  const read = async (job: object, skin?: object) => {
    const client = {
      job: async () => ({ job, skin }),
      skin: async (uuid: string) => {
        asked.push(uuid);
        return { uuid };
      },
    };
    const gate = { answered: 0, send: async (request: () => Promise<unknown>) => await request() };
    const session = {
      client,
      call: () => ({}),
      memory: { isAway: false },
      outage: { isOn: false },
      gates: { job: gate, skin: gate },
    };
    const reader = new RetryingReader(
      session as unknown as ConstructorParameters<typeof RetryingReader>[0],
      AbortSignal.any([]),
    );
    return (await reader.finishedJob('a', 'by the list'))?.skin;
  };
  expect(await read({ status: 'completed', result: 'own' })).toEqual({ uuid: 'own' });
  expect(await read({ status: 'completed' })).toEqual({ uuid: 'by the list' });
  expect(await read({ status: 'completed', result: 'own' }, { uuid: 'there' })).toEqual({ uuid: 'there' });
  expect(await read({ status: 'processing' })).toBeUndefined();
  expect(asked).toEqual(['own', 'by the list']);
});
