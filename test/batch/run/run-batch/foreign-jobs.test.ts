/** Jobs of other programs with the same key, new ones in each list: they cost a few requests a second, never more. */
import { expect, test } from 'vitest';
import { altered } from '../../../../src/double/replies.ts';
import { openWorld } from '../../../support/hosted/batches-in-memory.ts';
import { cutOff } from '../../../support/hosted/hosted-in-memory.ts';
import { sampled } from '../../../support/setup/extent.ts';

/** Requests in this minute, which such lists fill. */
const MINUTE = 60_000;

interface Foreign {
  /** Jobs that each list shows for the first time; pending ones are not in the next one, ended ones stay. */
  readonly jobs: number;
  readonly status: string;
  /** Whether every third answer to a submission is lost, before the service has accepted it. */
  readonly loses?: boolean;
}

/** A batch of 30 skins beside them. @returns its end, and the requests of the first minute */
async function beside({ jobs, status, loses = false }: Foreign) {
  const { clock, hosted, batch, times } = await openWorld({ serviceTime: 450 });
  let submissions = 0;
  const shown: unknown[] = [];
  const show = () => {
    for (let n = 0; n < jobs; n++)
      shown.push({ id: String(shown.length).padStart(24, '0'), status, timestamp: clock.now() });
    return status === 'completed' ? shown : shown.slice(-jobs);
  };
  hosted.disturb = async (request, process) => {
    if (request.kind === 'submit' && loses && ++submissions % 3 === 0) throw cutOff();
    const answer = await process();
    if (request.kind !== 'list' || clock.monotonic() >= MINUTE) return answer;
    const ours = JSON.parse(String(answer.body)).jobs;
    return altered(answer, request, { list: { jobs: [...show(), ...ours] } });
  };
  const { made } = await clock.until(batch(30));
  const twice = hosted.records.doubleSubmissions.length;
  return { made, twice, requests: times().filter((at) => at < MINUTE).length };
}

const LISTS: readonly (readonly [string, Foreign, number])[] = [
  ['a pending one each time', { jobs: 1, status: 'processing' }, 100],
  ['as many pending ones as there are slots', { jobs: 5, status: 'processing' }, 100],
  ['a pending one while answers are lost', { jobs: 1, status: 'processing', loses: true }, 400],
  ['an ended one while answers are lost', { jobs: 1, status: 'completed', loses: true }, 450],
];

test.each(sampled(LISTS, 2, 1))(
  'Lists that show %s cost few requests a minute, and no skin',
  async (_, foreign, most) => {
    const { requests, ...end } = await beside(foreign);
    expect(end).toEqual({ made: 30, twice: 0 });
    expect(requests).toBeLessThanOrEqual(most);
  },
);
