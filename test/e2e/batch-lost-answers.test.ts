import { expect, test } from 'vitest';
import type { FaultSource } from '../../src/double/faults.ts';
import type { DoubleRequest } from '../../src/double/requests.ts';
import { seededRandom } from '../../src/double/seed.ts';
import type { HostedService } from '../support/hosted/hosted-service.ts';
import { hostedWorkshop } from '../support/program/batches.ts';

const MAKE = ['generate', '-r', 'skins', '--out', 'out'];
const COUNT = 15;

/** Submissions that are sent while a list is under way are taken, but their answers are lost: four at most. */
function loseBesideLists(service: HostedService): void {
  let lists = 0;
  let left = 4;
  service.watch((moment, kind) => {
    if (kind !== 'list') return;
    if (moment === 'arrived') lists++;
    if (moment === 'answered') lists--;
  });
  const faults: FaultSource = ({ kind }) => {
    if (kind !== 'submit' || lists === 0 || left === 0) return undefined;
    left--;
    return { kind: 'reset-after' };
  };
  service.faults = faults;
}

test('A submission whose answer is lost while a list that shows its job is under way is not sent again', async () => {
  const latency = (kind: string) => (kind === 'list' ? 500 : 5);
  const { shop, service } = await hostedWorkshop({ serviceTime: [100, 150, 200], latency });
  await shop.drawMany('skins', COUNT);
  loseBesideLists(service);
  const { exitCode, stderr } = await shop.run(...MAKE);
  expect([exitCode, stderr]).toEqual([0, expect.stringContaining(`${COUNT} made`)]);
  expect(service.records.troubles['reset-after']).toBeGreaterThanOrEqual(1);
  expect([service.records.accepted.length, service.doubleSubmissions]).toEqual([COUNT, []]);
});

test('A job that is not found where replicas are up to six seconds behind is not sent again', async () => {
  const random = seededRandom(1);
  const lag = ({ kind }: DoubleRequest) => (kind === 'list' || kind === 'job' ? random(6_000) : 0);
  const { shop, service } = await hostedWorkshop({ serviceTime: 1_500, latency: 5, lag });
  await shop.drawMany('skins', 8);
  const { exitCode, stderr } = await shop.run(...MAKE);
  expect([exitCode, stderr]).toEqual([0, expect.stringContaining('8 made')]);
  expect([service.records.accepted.length, service.doubleSubmissions]).toEqual([8, []]);
});
