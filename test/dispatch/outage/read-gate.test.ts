import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { Outage, ReadGate } from '../../../src/dispatch/outage.ts';
import { noAnswer, refusal } from '../../support/client/failures.ts';
import { VirtualClock } from '../../support/scripted/virtual-clock.ts';

const never = new AbortController().signal;
/** Milliseconds that a read takes. */
const TAKES = 100;

/** A gate for reads of a service that fails them while `isDown`. */
function openGate() {
  const clock = new VirtualClock();
  const patience = { firstContact: 3_600_000, outage: 3_600_000 };
  const outage = new Outage({ clock, random: () => 1, patience, onPause: () => {} });
  const silences: number[] = [];
  const gate = new ReadGate({ clock, outage, onSilence: () => silences.push(clock.monotonic()) });
  const service = { isDown: false, underWay: 0, most: 0, times: [] as number[] };
  const read = async () => {
    service.times.push(clock.monotonic());
    service.most = Math.max(service.most, ++service.underWay);
    await clock.sleep(TAKES);
    service.underWay--;
    if (service.isDown) throw noAnswer(true);
    return 'answer';
  };
  /** Repeats a read until it is answered. */
  const answered = async (): Promise<string> => await gate.send(read, never).catch(answered);
  return { clock, gate, outage, service, read, answered, silences };
}

test('A hundred reads are sent a few at a time', async () => {
  const { clock, gate, service, read } = openGate();
  await clock.until(Promise.all(Array.from({ length: 100 }, () => gate.send(read, never))));
  expect([service.times.length, service.most, clock.monotonic()]).toEqual([100, 8, 13 * TAKES]);
});

test('A hundred failing reads send one request for all of them, less and less often', async () => {
  const { clock, gate, service, answered } = openGate();
  service.isDown = true;
  const all = Promise.all(Array.from({ length: 100 }, answered));
  await clock.until(clock.sleep(60_000));
  expect(service.times.length).toBeLessThanOrEqual(20);
  const pauses = service.times.slice(8).map((time, n) => time - service.times[n + 7]! - TAKES);
  expect(pauses.slice(0, 8)).toEqual([100, 200, 400, 800, 1_600, 3_200, 6_400, 10_000]);
  expect(gate.isShut).toBe(true);
  service.isDown = false;
  expect(await clock.until(all)).toHaveLength(100);
  expect(gate.isShut).toBe(false);
});

test('An abandoned read gives its turn to the next', async () => {
  const { clock, gate, outage, service, read } = openGate();
  outage.failed(noAnswer(true));
  const stop = new AbortController();
  const left = gate.send(read, stop.signal);
  const next = gate.send(read, never);
  stop.abort();
  await expect(left).rejects.toThrow('aborted');
  expect([await clock.until(next), service.times]).toEqual(['answer', [100]]);
});

test('A permanent refusal is an answer, and ends the outage', async () => {
  const { gate, outage, clock } = openGate();
  outage.failed(noAnswer(true));
  const refused = refusal(404, 'job_not_found');
  const asked = gate.send(async () => await Promise.reject(refused), never);
  await expect(clock.until(asked)).rejects.toBe(refused);
  expect([outage.isOn, gate.answered]).toEqual([false, 1]);
});

test('An unanswered read is reported every three seconds until it is answered', async () => {
  const { clock, gate, silences } = openGate();
  await clock.until(gate.send(async () => await clock.sleep(8_000), never));
  await clock.until(clock.sleep(10_000));
  expect(silences).toEqual([3_000, 6_000]);
});

test('After an answer or a refusal, a read is no longer reported as unanswered, and does not listen to the signal', async () => {
  const { clock, gate, read, silences } = openGate();
  const { signal } = new AbortController();
  const fails = async () => await Promise.reject(refusal(404, 'not_found'));
  await clock.until(gate.send(read, signal));
  await expect(clock.until(gate.send(fails, signal))).rejects.toThrow();
  await clock.until(clock.sleep(600_000));
  expect([silences, getEventListeners(signal, 'abort')]).toEqual([[], []]);
});
