/** P3b, P3c and P3d: batches through a service like the hosted one, with uneven jobs and with known limits. */
import { join } from 'node:path';
import { Machine } from './machine.ts';
import { startHosted } from './services.ts';
import { writeSkins } from './skins.ts';
import { difference, type Row, ratio } from './table.ts';
import { type Watched, watchBatch } from './watching.ts';

const SLOTS = 5;

/** Runs a batch of `count` skins through a service with these options (src/double/hosted/options.ts). */
async function watchHosted(count: number, options: Readonly<Record<string, unknown>>): Promise<Watched> {
  return await Machine.with(async (machine) => {
    await machine.reset();
    const skins = join(machine.folder, 'skins');
    writeSkins(skins, count);
    const service = await startHosted(machine, { workers: SLOTS, ...options });
    try {
      return await watchBatch(machine, service, { skins, out: join(machine.folder, 'out'), count });
    } finally {
      await service.close();
    }
  });
}

/** Skins, milliseconds of the shortest and the longest job, and acceptable list requests per second. */
const UNEVEN = { skins: 60, shortest: 300, longest: 1_800, lists: 2 };

/** Jobs that take anything from the shortest to the longest time, without `eta`. */
export async function unevenRows(): Promise<Row[]> {
  const { skins, shortest, longest, lists } = UNEVEN;
  const serviceTime = unevenTimes();
  const watched = await watchHosted(skins, { serviceTime, eta: false });
  const work = `${skins} skins, ${shortest} to ${longest} ms each, no eta, ${SLOTS} slots`;
  const { milliseconds } = watched;
  const baseline = serviceTime.reduce((sum, ms) => sum + ms, 0) / SLOTS;
  const words = [`${work}: first submission to last result`, `sum of times / ${SLOTS}`] as const;
  return [
    ratio('P3b', words, { measured: milliseconds, baseline, limit: 1.3 }),
    listRow('P3b', watched, [`${lists} a second`, (lists * milliseconds) / 1_000]),
  ];
}

/** `most`: acceptable requests for the list. */
function listRow(id: string, { lists }: Watched, [against, most]: readonly [string, number]): Row {
  const figures = { unit: 'requests', measured: lists, baseline: most, limit: 1 } as const;
  return ratio(id, ['the same: requests for the list', against], figures);
}

/** Evenly spread over the span, in an order without a pattern, the same in every run. */
function unevenTimes(): number[] {
  const { skins, shortest, longest } = UNEVEN;
  const step = (longest - shortest) / (skins - 1);
  return Array.from({ length: skins }, (_, n) => Math.round(shortest + ((n * 37) % skins) * step));
}

/** Skins, milliseconds per job, submissions per minute, and sufficient milliseconds and list requests. */
const MINUTELY = { skins: 30, serviceTime: 1_500, perMinute: 60, enough: 14_000, lists: 14 };

/** A caller with a limit, whose jobs the service spreads over the minute. */
export async function minutelyRows(): Promise<Row[]> {
  const { skins, serviceTime, perMinute, enough, lists } = MINUTELY;
  const watched = await watchHosted(skins, { serviceTime, rate: { limit: perMinute } });
  const work = `${skins} skins, ${serviceTime} ms each, ${perMinute} a minute, ${SLOTS} slots`;
  const figures = { measured: watched.milliseconds, baseline: enough, limit: 1 };
  return [ratio('P3c', [work, `${enough / 1_000} s`], figures), listRow('P3c', watched, [`${lists}`, lists])];
}

/** Skins, submissions that a window allows, and its milliseconds: a minute would only take longer. */
const WINDOWED = { skins: 60, limit: 20, window: 15_000 };

/** A service that refuses submissions beyond the limit. */
export async function windowRows(): Promise<Row[]> {
  const { skins, limit, window } = WINDOWED;
  const options = { serviceTime: 300, rate: { limit, window }, flags: { blockPerMinute: true } };
  const { refusals } = await watchHosted(skins, options);
  const work = `${skins} skins, ${limit} in ${window / 1_000} s: requests refused with 429`;
  return [difference('P3d', [work, 'none'], { unit: 'requests', measured: refusals, limit: 0 })];
}
