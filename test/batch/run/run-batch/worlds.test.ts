import { describe, expect, test } from 'vitest';
import { type Around, runWorld, type World } from '../../../support/hosted/worlds.ts';

/** Each world is tried with so many seeds; more by WORLD_SEEDS. */
const SEEDS = Number(process.env['WORLD_SEEDS'] ?? 1);
const SERVICE_TIME = 450;

/** Everything is made, nothing is taken twice, and never more than five are pending. */
async function holds(make: (around: Around) => World, skins = 30): Promise<void> {
  for (let seed = 1; seed <= SEEDS; seed++) {
    const outcome = await runWorld((around) => ({ serviceTime: SERVICE_TIME, ...make(around) }), {
      skins,
      seed,
    });
    expect(outcome).toMatchObject({ made: skins, failed: 0, twice: 0 });
    expect(outcome.mostPending).toBeLessThanOrEqual(5);
  }
}

describe('No lost answer is submitted twice', () => {
  test.each([20, 100, 300])('where everything takes some %d ms each way', async (ms) => {
    await holds(({ random }) => ({ loses: true, latency: () => ms * (0.5 + random()) }), 60);
  });

  test.each([100, 800, 2_000])('where the list takes some %d ms', async (ms) => {
    await holds(
      ({ random }) => ({
        loses: true,
        latency: (kind) => (kind === 'list' ? ms / 2 : 10) * (0.5 + random()),
      }),
      60,
    );
  });
});
