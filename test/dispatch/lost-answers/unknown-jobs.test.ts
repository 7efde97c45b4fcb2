import { describe, expect, test } from 'vitest';
import type { JobAnswer } from '../../../src/client/types.ts';
import { UnknownJobs, type UnknownJobsPorts } from '../../../src/dispatch/lost-answers.ts';
import { ProofError } from '../../../src/dispatch/proof.ts';
import type { Job } from '../../../src/protocol/job.ts';
import { buildTexturesValue } from '../../../src/textures/property.ts';
import { page, refusal } from '../../support/client/failures.ts';

const JOB: Job = { id: 'a', status: 'completed', result: 'uuid' };
const TROUBLE = refusal(500, 'internal_error');

const value = buildTexturesValue({
  timestamp: 0,
  profileId: '0'.repeat(32),
  profileName: 'Steve',
  skin: { url: 'https://example.org/skin', variant: 'classic' },
});
const done = {
  job: JOB,
  skin: { visibility: 'public', texture: { data: { value } } },
} as unknown as JobAnswer;

/** A job that is read like this, one time after the other; the last way stays. */
function open(reads: readonly (JobAnswer | Error | undefined)[], ports: Partial<UnknownJobsPorts> = {}) {
  const clock = { now: 0 };
  const tasks: Promise<void>[] = [];
  const left = [...reads];
  const seen = { reads: 0, findings: 0 };
  const unknown = new UnknownJobs({
    session: { now: () => clock.now, track: (task) => void tasks.push(task) },
    fetchJob: async () => {
      seen.reads++;
      const read = left.length > 1 ? left.shift() : left[0];
      if (read instanceof Error) throw read;
      return read;
    },
    texturePixels: async () => 'pixels',
    onFinding: () => void seen.findings++,
    ...ports,
  });
  const examine = async (at: number) => {
    clock.now = at;
    const next = unknown.examine(JOB);
    await Promise.all(tasks);
    return next;
  };
  return { unknown, seen, examine };
}

const hasSkin = expect.objectContaining({ pixels: 'pixels', variant: 'classic', visibility: 'public' });

test('A job is read once, and its result is reported', async () => {
  const { unknown, seen, examine } = open([done]);
  await examine(0);
  await examine(10_000);
  expect([unknown.finding('a'), seen]).toEqual([hasSkin, { reads: 1, findings: 1 }]);
});

test.each<[string, JobAnswer | Error | undefined]>([
  ['is not found', undefined],
  ['has no skin yet', { ...done, skin: undefined }],
  ['still runs by its own answer', { ...done, job: { ...JOB, status: 'processing' } }],
  ['has a skin that is not found', refusal(404, 'skin_not_found')],
  ['cannot be read for a moment', TROUBLE],
])('A job that %s is read again, after half a second at first', async (_, first) => {
  const { unknown, seen, examine } = open([first, done]);
  await examine(0);
  expect([unknown.finding('a'), await examine(499), seen]).toEqual([
    undefined,
    500,
    { reads: 1, findings: 0 },
  ]);
  await examine(500);
  expect(unknown.finding('a')).toEqual(hasSkin);
});

test('A texture that is not found, or is no picture, is read again', async () => {
  const errors = [page(404), new ProofError('wrong_skin', 'no picture')];
  const texturePixels = async () => {
    const error = errors.shift();
    if (error) throw error;
    return 'pixels';
  };
  const { unknown, examine } = open([done], { texturePixels });
  for (const at of [0, 1_000, 3_000]) await examine(at);
  expect([unknown.finding('a'), errors]).toEqual([hasSkin, []]);
});

describe('A job that stays unreadable', () => {
  /** When it counts as one that has made nothing, and how often it was read until then. */
  async function givenUp(read: JobAnswer | Error | undefined) {
    const { unknown, seen, examine } = open([read]);
    let at = 0;
    while (unknown.finding('a') === undefined && at < 10 * 3_600_000) at = (await examine(at)) ?? at;
    return { minutes: Math.floor(at / 60_000), reads: seen.reads };
  }

  test('counts as not made after a minute', async () => {
    const { minutes, reads } = await givenUp(undefined);
    expect(minutes).toBe(1);
    expect(reads).toBeLessThan(20);
    expect((await givenUp(refusal(404, 'skin_not_found'))).minutes).toBe(1);
  });

  test('because the service is in trouble counts as not made after a quarter of an hour', async () => {
    expect((await givenUp(TROUBLE)).minutes).toBe(15);
  });
});
