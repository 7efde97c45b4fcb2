import { describe, expect, test } from 'vitest';
import {
  LONGEST_PAUSE,
  mean,
  type SimulatedService,
  WaveSimulation,
} from '../../support/scripted/wave-simulation.ts';

const WAVES = 40;
const JOBS = WAVES * 5;
const ALIKE = () => 300;

/** Looks a wave, and how long slots stood empty on average, after the first three waves. */
function measured(service: SimulatedService) {
  const { looks, idle } = new WaveSimulation(service).run(JOBS);
  return {
    looksPerWave: looks.length / WAVES,
    idle: mean(idle.slice(15)),
    most: Math.max(...idle.slice(15)),
  };
}

/** A sequence that looks random and is the same each time, from 0 to 1. */
function scatter(job: number): number {
  return (job * 0.618_033_988_749_895 + job * job * 0.324_717_957_244_746) % 1;
}

describe('Forty waves of five jobs', () => {
  const etas: [what: string, eta: SimulatedService['eta']][] = [
    ['no eta', undefined],
    ['an eta that is right', ALIKE],
    ['an eta that is 500 ms too late', () => 800],
    ['an eta that is 200 ms too early', () => 100],
    ['an eta that means nothing', (job) => 1_000 * scatter(job)],
  ];
  test.each(etas)('that take 300 ms each cost a look each and stand idle for a few ms, with %s', (_, eta) => {
    const { looksPerWave, idle, most } = measured({ serviceTime: ALIKE, ...(eta && { eta }) });
    expect(looksPerWave).toBeLessThanOrEqual(1.1);
    expect(idle).toBeLessThanOrEqual(5);
    expect(most).toBeLessThanOrEqual(10);
  });

  test.each([10, 60, 1_500, 20_000])('that take %i ms each also cost a look each', (serviceTime) => {
    const { looksPerWave, idle } = measured({ serviceTime: () => serviceTime });
    expect(looksPerWave).toBeLessThanOrEqual(1.5);
    expect(idle).toBeLessThanOrEqual(10);
  });

  test.each([20, 80, 300])('stand idle for what the requests take when those take %i ms', (roundTrip) => {
    const { looksPerWave, idle } = measured({ serviceTime: ALIKE, roundTrip });
    expect(looksPerWave).toBeLessThanOrEqual(1.1);
    expect(idle).toBeLessThanOrEqual(1.5 * roundTrip + 1);
  });

  test('that take ever longer cost a few looks each and stand idle for a tenth of their duration', () => {
    const { looksPerWave, idle } = measured({ serviceTime: (job) => 300 + 2 * job });
    expect(looksPerWave).toBeLessThanOrEqual(3.1);
    expect(idle).toBeLessThanOrEqual(50);
  });

  test('that take ever less stand idle for as much as they gain in three waves', () => {
    const { looksPerWave, idle } = measured({ serviceTime: (job) => 700 - 2 * job });
    expect(looksPerWave).toBeLessThanOrEqual(1.2);
    expect(idle).toBeLessThanOrEqual(45);
  });

  test.each([
    [300, 900],
    [900, 300],
  ])('that take %i ms and then all at once %i ms are learned within four waves', (before, after) => {
    const { looks, idle } = new WaveSimulation({ serviceTime: (job) => (job < 100 ? before : after) }).run(
      JOBS,
    );
    expect(looks.length).toBeLessThanOrEqual(1.5 * WAVES);
    expect(Math.max(...idle.slice(120))).toBeLessThanOrEqual(10);
  });

  test('that vary by 30 % cost less than two looks each and stand idle for less than they vary', () => {
    const { looksPerWave, idle } = measured({ serviceTime: (job) => 300 * (0.7 + 0.6 * scatter(job)) });
    expect(looksPerWave).toBeLessThanOrEqual(2);
    expect(idle).toBeLessThanOrEqual(90);
  });

  test('that vary by 30 % stand idle for a few ms when the service knows each time', () => {
    const serviceTime = (job: number) => 300 * (0.7 + 0.6 * scatter(job));
    const { looksPerWave, idle } = measured({ serviceTime, eta: serviceTime });
    expect(looksPerWave).toBeLessThanOrEqual(5);
    expect(idle).toBeLessThanOrEqual(20);
  });

  test('do not stand idle because of a single slow job', () => {
    const { looksPerWave, idle, most } = measured({ serviceTime: (job) => (job === 52 ? 6_000 : 300) });
    expect(looksPerWave).toBeLessThanOrEqual(2);
    expect(idle).toBeLessThanOrEqual(10);
    expect(most).toBeLessThanOrEqual(400);
  });
});

describe('Looks', () => {
  test('grow rare for a job that does not end', () => {
    const hour = 3_600_000;
    const { looks } = new WaveSimulation({ serviceTime: (job) => (job < 20 ? 300 : hour) }).run(21);
    expect(looks.length).toBeLessThanOrEqual(hour / LONGEST_PAUSE + 30);
    const pauses = looks.slice(1).map((at, n) => at - (looks[n] ?? 0));
    expect(Math.max(...pauses)).toBeLessThanOrEqual(LONGEST_PAUSE + 3);
  });

  test('come within 60 s even for a job that is expected to take ten minutes', () => {
    const { looks } = new WaveSimulation({ serviceTime: () => 1_000, eta: () => 600_000 }).run(1);
    expect(looks[0]).toBeLessThanOrEqual(60_010);
  });
});
