import { describe, expect, test } from 'vitest';
import type { FaultSource } from '../../src/double/faults.ts';
import type { RequestKind } from '../../src/double/requests.ts';
import { hostedWorkshop } from '../support/program/batches.ts';

const MAKE = ['generate', 'skins', '--out', 'out'];

/** Answers the first `times` requests of one kind for each subject with a page that says 404. */
function absentAtFirst(
  kind: RequestKind,
  times: number,
): { faults: FaultSource; requests: Map<string, number> } {
  const requests = new Map<string, number>();
  const faults: FaultSource = ({ kind: asked, subject }) => {
    if (asked !== kind) return undefined;
    const count = (requests.get(subject) ?? 0) + 1;
    requests.set(subject, count);
    return count <= times ? { kind: 'absent' } : undefined;
  };
  return { faults, requests };
}

describe('The result of a finished job', () => {
  test('whose texture answers 404 once is confirmed by a second request', async () => {
    const { faults, requests } = absentAtFirst('texture', 1);
    const { shop, service } = await hostedWorkshop({ faults });
    await shop.drawMany('skins', 3);
    const { exitCode, stderr } = await shop.run(...MAKE);
    expect([exitCode, stderr]).toEqual([0, expect.stringMatching(/^3 sources: 3 made/m)]);
    expect([...requests.values()].every((count) => count >= 2)).toBe(true);
    expect([requests.size, service.records.accepted.length]).toEqual([3, 3]);
  });

  test('that cannot be fetched is kept for the next run, which submits nothing', async () => {
    const { faults, requests } = absentAtFirst('job', Number.POSITIVE_INFINITY);
    let isAbsent = true;
    const { shop, service } = await hostedWorkshop({
      faults: (request) => (isAbsent ? faults(request) : undefined),
    });
    await shop.drawMany('skins', 3);
    const failed = await shop.run(...MAKE);
    expect([failed.exitCode, requests.size, service.records.accepted.length]).toEqual([1, 3, 3]);
    isAbsent = false;
    const { exitCode } = await shop.run(...MAKE);
    expect([exitCode, await shop.files('out')]).toEqual([0, ['01.json', '02.json', '03.json', 'skins.lock']]);
    expect([service.records.accepted.length, service.doubleSubmissions]).toEqual([3, []]);
  });
});
