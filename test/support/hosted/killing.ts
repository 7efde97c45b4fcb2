import type { ResultPromise } from 'execa';
import { seededRandom } from '../../../src/double/seed.ts';
import type { HostedService, Moment } from './hosted-service.ts';

/** When a run is killed. Delays in milliseconds. */
export type Death =
  /** So long after its start: perhaps before its first request. */
  | { readonly at: 'start'; readonly delay: number }
  /** This long after this stage of a request, once the service has accepted this many submissions of all runs. */
  | {
      readonly at: Moment;
      readonly of: 'a submission' | 'any request';
      readonly accepted: number;
      readonly delay: number;
    };

interface Killing {
  readonly seed: number;
  readonly times: number;
  /** Submissions that the whole work takes, about. */
  readonly submissions: number;
}

const OCCASIONS = [
  { at: 'arrived', of: 'a submission' },
  { at: 'processed', of: 'a submission' },
  { at: 'answered', of: 'a submission' },
  { at: 'processed', of: 'any request' },
  { at: 'answered', of: 'any request' },
] as const;
/** No kills after this part of the work, so that no run ends before its kill. */
const LAST_DEATH = 0.8;
const LONGEST_START = 450;
const LONGEST_DELAY = 40;

/** Random kills, the same for the same seed: one in five during the start, half of the others without delay. */
export function planDeaths({ seed, times, submissions }: Killing): Death[] {
  const random = seededRandom(seed);
  const goals = Array.from({ length: times }, () => random(Math.floor(submissions * LAST_DEATH)));
  return goals
    .toSorted((a, b) => a - b)
    .map((accepted): Death => {
      if (random(5) === 0) return { at: 'start', delay: random(LONGEST_START) };
      const delay = random(2) === 0 ? 0 : random(LONGEST_DELAY);
      return { ...OCCASIONS[random(OCCASIONS.length)]!, accepted, delay };
    });
}

/**
 * Runs a command again and again and kills each run with SIGKILL.
 * @throws Error when one ends by itself
 */
export async function killAgainAndAgain(
  start: () => ResultPromise,
  service: HostedService,
  killing: Killing,
): Promise<void> {
  for (const [n, death] of planDeaths(killing).entries()) {
    const child = start();
    const disarm = arm(child, service, death);
    const { signal, exitCode, stderr } = await child;
    disarm();
    if (signal === 'SIGKILL') continue;
    throw new Error(
      `Run ${n + 1} ended by itself with status ${exitCode}, before ${JSON.stringify(death)}: ${String(stderr)}`,
    );
  }
}

/** Kills the process at its time. Returns a function that cancels the kill. */
function arm(child: ResultPromise, service: HostedService, death: Death): () => void {
  let timer: NodeJS.Timeout | undefined;
  // Without a delay it dies before the service does anything more.
  const strike = () => {
    if (death.delay === 0) child.kill('SIGKILL');
    else timer ??= setTimeout(() => child.kill('SIGKILL'), death.delay);
  };
  const stop =
    death.at === 'start'
      ? strike()
      : service.watch((moment, kind) => {
          const isIt = moment === death.at && (death.of === 'any request' || kind === 'submit');
          if (isIt && service.records.accepted.length >= death.accepted) strike();
        });
  return () => {
    stop?.();
    clearTimeout(timer);
  };
}
