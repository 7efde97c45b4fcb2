import { expect, test } from 'vitest';
import { Reads } from '../../src/dispatch/reads.ts';
import { refusedPause, Trouble } from '../../src/dispatch/trouble.ts';
import { noAnswer, page, refusal } from '../support/client/failures.ts';
import { fakeClock } from '../support/client/fake-clock.ts';

/** Reads of a service whose answers are these errors, one after the other, and then a success. */
function openReads(errors: readonly Error[], { isListed = false, isSkinsmith = false } = {}) {
  const clock = fakeClock();
  const patience = { firstContact: 3_600_000, outage: 3_600_000 };
  const trouble = new Trouble({ clock, random: () => 1, patience, onPause: () => {} });
  const stop = new AbortController();
  const left = [...errors];
  const client = {
    queueList: async () => {
      if (left.length > 0 && !isListed) throw left[0];
    },
    job: async () => await request(),
  };
  const session = {
    client,
    clock,
    trouble,
    isSkinsmith,
    call: () => ({}),
    readRefused: refusedPause,
  } as unknown as ConstructorParameters<typeof Reads>[0];
  let tries = 0;
  const request = async () => {
    tries++;
    const error = left.shift();
    if (error) throw error;
    return 'answer';
  };
  return { reads: new Reads(session, stop.signal), trouble, clock, stop, request, tries: () => tries };
}

test('A resource that does not exist is not an error', async () => {
  const { reads, request } = openReads([refusal(404, 'job_not_found')]);
  expect(await reads.ifPresent(request)).toBeUndefined();
});

test('What cannot be read for another reason is a failure', async () => {
  const { reads, request } = openReads([refusal(400, 'invalid_request')]);
  await expect(reads.ifPresent(request)).rejects.toMatchObject({ code: 'invalid_request' });
});

test('A temporary failure is waited out for longer each time', async () => {
  const { reads, trouble, clock, request } = openReads([noAnswer(false), refusal(500, ''), noAnswer(true)]);
  expect(await reads.repeatedly(request)).toBe('answer');
  expect([clock.sleeps, trouble.isOn]).toEqual([[100, 200, 400], false]);
});

test('A refusal is repeated when the service says, or after a second', async () => {
  const { reads, clock, request } = openReads([
    refusal(429, 'rate_limit', 7_000),
    refusal(429, 'rate_limit'),
  ]);
  expect(await reads.repeatedly(request)).toBe('answer');
  expect(clock.sleeps).toEqual([7_000, 1_000]);
});

test('A rate limit ends no read, however long it lasts for everything', async () => {
  const { reads, request, tries } = openReads(Array.from({ length: 70 }, () => refusal(429, 'rate_limit')));
  expect(await reads.repeatedly(request)).toBe('answer');
  expect(tries()).toBe(71);
});

const UNANSWERED = [
  ['no answer', noAnswer(true)],
  ['a useless answer', refusal(500, 'internal_error')],
  ["a proxy's page", page(502)],
] as const;

test.each(UNANSWERED)(
  'While everything gets %s, a read lasts as long as the patience with the service',
  async (_, error) => {
    const { reads, request, tries } = openReads(Array.from({ length: 70 }, () => error));
    expect(await reads.repeatedly(request)).toBe('answer');
    expect(tries()).toBe(71);
  },
);

test.each(UNANSWERED)(
  'A read that gets %s thirty times while others are answered is given up',
  async (_, error) => {
    const { reads, trouble, request, tries } = openReads(Array.from({ length: 60 }, () => error));
    const read = async () => {
      trouble.passed();
      return await request();
    };
    await expect(reads.repeatedly(read)).rejects.toBe(error);
    expect(tries()).toBe(30);
  },
);

test('A read that fails thirty times is given up if the list can be read', async () => {
  const error = refusal(500, 'internal_error');
  const { reads, request, tries } = openReads(
    Array.from({ length: 60 }, () => error),
    { isListed: true },
  );
  await expect(reads.repeatedly(request)).rejects.toBe(error);
  expect(tries()).toBe(30);
});

test('A job is unknown only if the service says so', async () => {
  const { reads, clock } = openReads([refusal(404, 'job_not_found')]);
  expect([await reads.job('a'), clock.sleeps]).toEqual([undefined, []]);
});

test.each([
  ['a skin that cannot be read yet', refusal(404, 'skin_not_found')],
  ["a gateway's answer", refusal(404, 'http_404')],
])('A job is read again after %s, and is lost to no one when that stays so', async (_, error) => {
  const { reads, clock } = openReads([error, error]);
  expect([await reads.job('a'), clock.sleeps]).toEqual(['answer', [200, 400]]);
  const never = openReads(Array.from({ length: 9 }, () => error));
  await expect(never.reads.job('a')).rejects.toBe(error);
});

test('A skinsmith is not waited for: what it does not have by now will not come', async () => {
  const { reads, request, clock } = openReads([refusal(404, 'skin_not_found')], { isSkinsmith: true });
  expect([await reads.awaited(request), clock.sleeps]).toEqual([undefined, []]);
});

test('What should be there by now is waited for', async () => {
  const missing = refusal(404, 'skin_not_found');
  const { reads, request, clock } = openReads([missing, missing]);
  expect([await reads.awaited(request), clock.sleeps]).toEqual(['answer', [200, 400]]);
  const never = openReads(Array.from({ length: 9 }, () => missing));
  expect([await never.reads.awaited(never.request), never.tries()]).toEqual([undefined, 8]);
});

test('A failure for good is not repeated', async () => {
  const { reads, request, tries } = openReads([refusal(400, 'invalid_request')]);
  await expect(reads.repeatedly(request)).rejects.toMatchObject({ code: 'invalid_request' });
  expect(tries()).toBe(1);
});

test('A page in place of an answer is believed after a few tries', async () => {
  const { reads, request, tries } = openReads(Array.from({ length: 9 }, () => page(404)));
  await expect(reads.repeatedly(request)).rejects.toMatchObject({ status: 404 });
  expect(tries()).toBe(4);
});

test('Nothing is repeated once it is stopped', async () => {
  const { reads, stop, request, tries } = openReads([noAnswer(true), noAnswer(true)]);
  stop.abort();
  await expect(reads.repeatedly(request)).rejects.toThrow('Cut.');
  expect(tries()).toBe(1);
});
