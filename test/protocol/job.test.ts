import { describe, expect, test } from 'vitest';
import { ignoredFields } from '../../src/protocol/envelope.ts';
import {
  isPending,
  JOB_STATUSES,
  jobSchema,
  receivedJobAnswerSchema,
  receivedJobListAnswerSchema,
  receivedJobSchema,
} from '../../src/protocol/job.ts';

describe('the status of a job as a client reads it', () => {
  const statuses: [said: string, read: string, pending: boolean][] = [
    ['waiting', 'waiting', true],
    ['processing', 'processing', true],
    ['active', 'processing', true],
    ['completed', 'completed', false],
    ['failed', 'failed', false],
    ['unknown', 'unknown', true],
    ['delayed', 'unknown', true],
    ['Completed', 'completed', false],
    ['cancelled', 'failed', false],
    ['timed_out', 'failed', false],
    ['constructor', 'unknown', true],
    ['', 'unknown', true],
  ];
  test.each(statuses)('is, for %j, %s (pending: %s)', (said, read, pending) => {
    const { status } = receivedJobSchema.parse({ id: 'a', status: said });
    expect(status).toBe(read);
    expect(isPending(status)).toBe(pending);
  });

  test('is required', () => {
    expect(receivedJobSchema.safeParse({ id: 'a' }).success).toBe(false);
  });
});

describe('the status of a job as the service writes it', () => {
  test.each(JOB_STATUSES)('may be %s', (status) => {
    expect(jobSchema.parse({ id: 'a', status })).toEqual({ id: 'a', status });
  });

  test.each(['active', 'unknown', 'delayed'])('may not be %s', (status) => {
    expect(jobSchema.safeParse({ id: 'a', status }).success).toBe(false);
  });
});

describe('the answer about a job', () => {
  test('takes any text for an id, because services make them differently', () => {
    for (const id of ['f4c3000000000000000000aa', '8a0fb1c2-1111-4222-8333-444455556666', 'x']) {
      expect(receivedJobSchema.parse({ id, status: 'waiting' }).id).toBe(id);
    }
  });

  test('may have a number for an id, and null where there is no skin', () => {
    const { job, skin } = receivedJobAnswerSchema.parse({ job: { id: 7, status: 'waiting' }, skin: null });
    expect([job.id, skin]).toEqual(['7', undefined]);
  });

  test('in a list is left out if invalid, and reported', () => {
    const jobs = [{ id: 'a', status: null }, null, { id: 'b', status: 'waiting' }];
    expect(receivedJobListAnswerSchema.parse({ jobs }).jobs).toMatchObject([{ id: 'b' }]);
    expect(ignoredFields(receivedJobListAnswerSchema, { jobs })).toEqual([
      expect.stringMatching(/^jobs\.0\.status: /),
      expect.stringMatching(/^jobs\.1: /),
    ]);
  });

  test('may report a failure inside a success', () => {
    const answer = receivedJobAnswerSchema.parse({
      success: true,
      errors: [{ code: 'skin_change_failed', message: 'No.' }],
      job: { id: 'a', status: 'failed' },
    });
    expect(answer).toMatchObject({ job: { status: 'failed' }, errors: [{ code: 'skin_change_failed' }] });
    expect(answer.skin).toBeUndefined();
  });

  test('omits fields of later versions', () => {
    const answer = receivedJobListAnswerSchema.parse({
      success: true,
      extra: 1,
      jobs: [{ id: 'a', status: 'active', priority: 9 }],
    });
    expect(answer).toEqual({ jobs: [{ id: 'a', status: 'processing' }] });
  });
});
