import { type Check, ok, skipped, warning } from './check.ts';
import type { Setup } from './setup.ts';

/** Allowed difference between two clocks in milliseconds; the Date header has a resolution of one second. */
const MOST = 5_000;

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** Compares this machine's clock with the service's. */
export const clockCheck: Check = {
  needs: ['connection'],
  look: async (setup) => {
    const { isEmbedded } = await setup.connection();
    if (isEmbedded) return ok("The embedded service uses this machine's clock.");
    const offset = (await offsetByHeader(setup)) ?? (await offsetByLimits(setup));
    if (offset === undefined) return skipped('The service does not say what time it is.');
    if (Math.abs(offset) <= MOST)
      return ok('It agrees with the clock of the service to within a few seconds.');
    return warning(
      `This machine's clock is ${inWords(Math.abs(offset) / 1000)} ${offset < 0 ? 'ahead of' : 'behind'} the service's.`,
      'Synchronize the clock of this machine (NTP): waits and expiry times depend on it.',
    );
  },
};

/** `9 seconds`, `1 hour`: in the largest unit of which there are two, or one exactly. */
function inWords(seconds: number): string {
  const [unit, size] = UNITS.find(([, one]) => seconds >= 1.5 * one || Math.round(seconds) === one) ?? [
    'second',
    1,
  ];
  return new Intl.NumberFormat('en', { style: 'unit', unit, unitDisplay: 'long' }).format(
    Math.round(seconds / size),
  );
}

/** How far the service's clock is ahead, measured from the middle of the request and of the second. */
async function offsetByHeader(setup: Setup): Promise<number | undefined> {
  const { date, askedAt, answeredAt } = await setup.firstAnswer();
  const theirs = Date.parse(date ?? '');
  return Number.isNaN(theirs) ? undefined : theirs + 500 - (askedAt + answeredAt) / 2;
}

/** A time and the milliseconds until then, which together give the current time there. */
async function offsetByLimits(setup: Setup): Promise<number | undefined> {
  const { absolute, relative = 0 } = (await setup.rateLimit()).next ?? {};
  return absolute !== undefined && relative > 0 ? absolute - relative - setup.context.clock.now() : undefined;
}
