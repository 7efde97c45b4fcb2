import type { ServiceStats } from '../../../../protocol/service.ts';
import { type V1Stats, v1StatsSchema } from '../../../../protocol/v1.ts';
import { readRateLimit } from '../../../service/limits/rate-limit.ts';
import { viaFor } from '../../../service/limits/version-1.ts';
import { route } from '../../route.ts';
import { versionHeader } from '../../v1/error-answers.ts';

export const v1StatsRoute = route({
  method: 'GET',
  paths: ['/get/stats'],
  summary: 'Figures of the service as a whole (version 1)',
  deprecated: true,
  answers: { 200: v1StatsSchema },
  cache: 'public',
  handle: async ({ context, caller }) => {
    const { delay } = await readRateLimit(context.db, caller, context.clock.now(), viaFor(caller, false));
    const body = v1Stats(await context.stats.read(), Math.ceil(delay.millis / 1000));
    return { status: 200, body, headers: versionHeader('v1') };
  },
});

/** Reports every figure twice: in the older form at the top level, in the newer one below. */
function v1Stats({ generated, generator, accounts }: ServiceStats, delay: number): V1Stats {
  const { time, total } = generated;
  const [hour, day, month, year] = [time.hour, time.day, time.month, time.year].map(
    ({ current }) => current.new + current.duplicate,
  ) as [number, number, number, number];
  const all = { total: total.new + total.duplicate, unique: total.new, duplicate: total.duplicate };
  const rate = Math.round(time.hour.successRate * 10) / 1000;
  const { total: linked, usable } = { total: accounts.total.global, usable: accounts.usable.global };
  return {
    server: 'skinsmith',
    delay,
    account: {
      global: { total: linked, healthy: usable, usable },
      local: { total: linked, usable },
    },
    skin: all,
    generate: { time: { year, month, day, hour }, source: {}, successRate: rate },
    accounts: linked,
    serverAccounts: linked,
    healthyAccounts: usable,
    useableAccounts: usable,
    ...all,
    successRate: rate,
    avgGenerateDuration: generator.duration.generate,
    lastYear: year,
    lastMonth: month,
    lastDay: day,
    lastHour: hour,
  };
}
