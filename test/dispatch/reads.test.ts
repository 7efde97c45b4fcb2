import { expect, test } from 'vitest';
import { Reads } from '../../src/dispatch/reads.ts';
import { Trouble } from '../../src/dispatch/trouble.ts';
import { noAnswer, page, refusal } from '../support/client/failures.ts';
import { fakeClock } from '../support/client/fake-clock.ts';

/** Reads of a service whose answers are these errors, one after the other, and then a success. */
function openReads(errors: readonly Error[]) {
  const clock = fakeClock();
  const patience = { firstContact: 3_600_000, outage: 3_600_000 };
  const trouble = new Trouble({ clock, random: () => 1, patience, onPause: () => {} });
  const stop = new AbortController();
  const session = { client: {}, clock, trouble, call: () => ({}) } as unknown as ConstructorParameters<
    typeof Reads
  >[0];
  const left = [...errors];
  let tries = 0;
  const request = async () => {
    tries++;
    const error = left.shift();
    if (error) throw error;
    return 'answer';
  };
  return { reads: new Reads(session, stop.signal), trouble, clock, stop, request, tries: () => tries };
}

test('What is not there is no failure', async () => {
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

test('While nothing is answered, a read lasts as long as the patience with the service', async () => {
  const { reads, request, tries } = openReads(Array.from({ length: 60 }, () => noAnswer(true)));
  expect(await reads.repeatedly(request)).toBe('answer');
  expect(tries()).toBe(61);
});

test.each([
  ['no answer', noAnswer(true), true],
  ['a useless answer', refusal(500, 'internal_error'), false],
])(
  'A read that gets %s thirty times is given up, whatever else is answered: %s',
  async (_, error, isAnswered) => {
    const { reads, trouble, request, tries } = openReads(Array.from({ length: 60 }, () => error));
    const read = async () => {
      if (isAnswered) trouble.passed();
      return await request();
    };
    await expect(reads.repeatedly(read)).rejects.toBe(error);
    expect(tries()).toBe(30);
  },
);

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
