import { describe, expect, test } from 'vitest';
import { ServiceMemory } from '../../../src/dispatch/service-facts.ts';
import type { Job } from '../../../src/protocol/job.ts';

const pending = (...ids: string[]): Job[] => ids.map((id) => ({ id, status: 'processing' }) as Job);
const ended = (...ids: string[]): Job[] => ids.map((id) => ({ id, status: 'completed' }) as Job);
const MINUTES = 180_000;

/** A service that a list showed with these jobs at 1,000 ms. */
function knowing(...jobs: readonly Job[]): ServiceMemory {
  const memory = new ServiceMemory(0);
  memory.sawList(jobs, 1_000, []);
  return memory;
}

describe('A list that lacks all jobs that the service has shown', () => {
  test('is ignored for minutes, and then the jobs count as lost', () => {
    const memory = knowing(...pending('a', 'b'));
    memory.sawList([], 2_000, pending('a', 'b'));
    memory.sawList([], 2_000 + MINUTES - 1, pending('a', 'b'));
    expect([memory.isAway, memory.hasLost(1_000)]).toEqual([true, false]);
    memory.sawList([], 2_000 + MINUTES, pending('a', 'b'));
    expect([memory.isAway, memory.hasLost(1_000), memory.hasLost(3_000)]).toEqual([false, true, false]);
  });

  test('proves nothing if all of them had ended', () => {
    const memory = knowing(...ended('a'));
    memory.sawList([], 2_000, []);
    expect([memory.isAway, memory.endedJob]).toEqual([true, 'a']);
  });

  test('counts if those jobs were pending and have ended, because some lists show only pending jobs', () => {
    const memory = knowing(...pending('a'));
    memory.sawList([], 2_000, []);
    expect(memory.isAway).toBe(false);
  });

  test('counts only after a minute, because lists drop jobs that have ended', () => {
    const memory = knowing(...ended('a'));
    memory.sawList([], 62_000, []);
    expect(memory.isAway).toBe(false);
  });

  test('is still ignored after new jobs were accepted', () => {
    const memory = knowing(...pending('a', 'b'));
    memory.accepted('c', 1_500);
    memory.sawList(pending('c'), 2_000, pending('a', 'b', 'c'));
    memory.sawList(pending('c'), 3_000, pending('a', 'b', 'c'));
    expect(memory.isAway).toBe(true);
    expect(memory.found('c', 3_100)).toBe(false);
  });

  test('is still ignored after a new job reused an earlier id', () => {
    const memory = knowing(...pending('a', 'b'));
    memory.accepted('a', 1_500);
    memory.sawList(pending('a'), 2_000, pending('a', 'b'));
    expect(memory.isAway).toBe(true);
  });
});

describe('The data is back', () => {
  const away = () => {
    const memory = knowing(...pending('a'), ...ended('b'));
    memory.sawList([], 2_000, pending('a'));
    return memory;
  };

  test.each(['a', 'b'])('when a list shows job %s again', (id) => {
    const memory = away();
    memory.sawList(pending(id), 9_000, pending('a'));
    expect([memory.isAway, memory.backAt]).toEqual([false, 9_000]);
  });

  test('when a single read shows a missing job', () => {
    const memory = away();
    expect([memory.found('b', 9_000), memory.isAway]).toEqual([true, false]);
  });
});

test('While the data is away, lists are requested ever more rarely', () => {
  const memory = knowing(...pending('a'));
  expect(memory.lookAt(2_000)).toBeUndefined();
  memory.sawList([], 2_000, pending('a'));
  expect([2_000, 10_000, 60_000].map((last) => memory.lookAt(last)! - last)).toEqual([1_000, 2_000, 5_000]);
});

describe('The data of an earlier run', () => {
  test.each<[string, readonly string[], boolean]>([
    ['all is listed', ['a', 'b'], false],
    ['only the oldest is', ['a'], false],
    ['nothing is', [], true],
    ['only the newest is, which may have been accepted without the data of the others', ['b'], true],
  ])('is there or not, depending on the list: %s', (_, listed, isAway) => {
    const memory = knowing(...ended(...listed));
    memory.expects(['a', 'b'], 1_100);
    expect(memory.isAway).toBe(isAway);
  });

  test('is there when the newest job, which no list shows, is found by its id', () => {
    const memory = knowing();
    memory.expects(['a', 'b'], 1_100);
    expect([memory.endedJob, memory.found('b', 1_200), memory.isAway]).toEqual(['b', true, false]);
  });
});

describe('A job that was accepted after the last list', () => {
  /** Its stream of events is open. */
  function streaming(): ServiceMemory {
    const memory = new ServiceMemory(0);
    memory.opened(500);
    memory.sawList([], 1_000, []);
    memory.accepted('a', 1_500);
    return memory;
  }

  test('counts as known to the service once its stream of events continues afterwards', () => {
    const memory = streaming();
    memory.heard(1_600);
    memory.accepted('b', 1_900);
    memory.sawList(pending('b'), 2_000, pending('a', 'b'));
    expect(memory.isAway).toBe(true);
  });

  test('need not be known otherwise, nor after a stream that has been opened since the last list', () => {
    const memory = streaming();
    memory.opened(1_550);
    memory.heard(1_600);
    memory.sawList([], 2_000, pending('a'));
    expect(memory.isAway).toBe(false);
  });
});
